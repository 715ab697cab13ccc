"""Takes raw updates in: each is on disk, or seen to mean nothing, before it is confirmed."""

import asyncio
import logging

from telegram import Bot, Update
from telegram.error import TelegramError

from adapters.base import Handle, Host
from adapters.letters import fingerprint, written
from adapters.telegram.presses import Presses
from adapters.telegram.to_event import (
    PLATFORM,
    Admission,
    Me,
    Moved,
    Pressed,
    Stranger,
    to_event,
)
from adapters.telegram.updates import Raw, checked, number
from companion.clock import Clock
from companion.error_text import error_text
from companion.errors import DatabaseError
from companion.tasks import failure_of

logger = logging.getLogger(__name__)


class Intake:
    """What is done with each update."""

    def __init__(
        self,
        bot: Bot,
        *,
        me: Me,
        listens: frozenset[int],
        host: Host,
        handle: Handle,
        clock: Clock,
    ) -> None:
        self._bot = bot
        self._me = me
        self._listens = listens
        self._host = host
        self._handle = handle
        self._presses = Presses(bot, host=host, handle=handle, clock=clock)
        self._in_order = asyncio.Lock()

    async def take(self, given: object) -> None:
        """Take one update in. What can't be read is put aside, and the operator told.

        Raises:
            DatabaseError: it could not be stored now, and must not be confirmed.
        """
        error = await failure_of(self._take(given), but=(DatabaseError,))
        if error is not None:  # whatever one update does, the others go on
            await self._put_aside(given, error)

    async def _take(self, given: object) -> None:
        raw = checked(given)
        update = Update.de_json(raw, self._bot)
        admission = Admission(admitted=await self._admits(raw), listens=self._listens)
        meaning = to_event(update, self._me, admission)
        match meaning:
            case None:
                return
            case Stranger():
                await self._turn_away(meaning)
            case Moved():
                await self._host.moved(PLATFORM, str(meaning.chat), str(meaning.to))
            case Pressed():
                await self._presses.take(meaning)
            case event:
                await self._handle(event)

    async def _admits(self, raw: Raw) -> bool:
        """Whether the sender of an update may talk here; updates are let go on in their order."""
        sender = _sender(raw)
        async with self._in_order:
            return sender is not None and await self._host.admits(PLATFORM, sender)

    async def _put_aside(self, given: object, error: Exception) -> None:
        name = number(given) or fingerprint(given)
        await self._host.unreadable(
            PLATFORM,
            f"{self._me.id}/update/{name}",
            user=_sender(given) if isinstance(given, dict) else None,
            body=written(given),
            error=error_text(error),
        )

    async def _turn_away(self, stranger: Stranger) -> None:
        text = await self._host.turned_away(PLATFORM, stranger.sender, str(stranger.chat))
        if text is None:
            return
        try:
            await self._bot.send_message(stranger.chat, text)
        except TelegramError as error:
            logger.info("a stranger could not be told: %s", type(error).__name__)


def _sender(raw: Raw) -> str | None:
    """Who sent an update of any kind, as far as that can be seen."""
    for part in raw.values():
        if isinstance(part, dict):
            sender = part.get("from") or part.get("user")
            if isinstance(sender, dict) and "id" in sender:
                return str(sender["id"])
    return None
