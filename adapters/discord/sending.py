"""Delivers messages, a piece at a time; none of them pings anybody."""

import asyncio
import hashlib
import io
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import Any

import discord

from adapters.discord.buttons import view
from adapters.discord.failures import INTERACTION_OVER, TROUBLE, delivery_error
from adapters.discord.render import render
from adapters.discord.split import Piece, split
from adapters.discord.to_event import INTERACTION
from companion.errors import DeliveryDelayedError, DeliveryError, OutOfReachError
from companion.events import Address, Document, OutgoingMessage, Sender
from companion.text import neutral_name

logger = logging.getLogger(__name__)

NONCE_CHARS = 25
PATIENCE_SECONDS = 120.0
"""How long a request may take, the waiting for rate limits in it."""
MOST_INTERACTIONS = 1000
NOT_YET = timedelta(seconds=1)

OUT_OF_REACH = (
    "Discord lets nothing through to {name} (number {user}): they closed their direct messages, or"
    " share no server with me any more. I write to them again when they write to me."
)

Owner = Callable[[], Awaitable[int | None]]
"""Gives the Discord user who can change what is wrong there, if that is known."""
SenderOf = Callable[[str], Awaitable[Sender | None]]
"""Gives the Discord user from whom the event with this id came."""


@lru_cache(maxsize=256)
def pieces(text: str) -> tuple[Piece, ...]:
    """`text` as it goes out; the same text always gives the same pieces."""
    return tuple(split(render(text)))


@dataclass(slots=True)
class _Waiting:
    """An interaction that shows that an answer is being thought of, until there is one."""

    interaction: discord.Interaction[discord.Client]
    answered: bool = False


@dataclass(frozen=True, slots=True)
class _Shown:
    """What one message on Discord consists of."""

    text: str
    file: Document | None = None


class Sending:
    """Sends what the companion says. `again` is how long to wait after a failure.

    The `owner` is told whom nothing reaches.
    """

    def __init__(self, *, owner: Owner, sender_of: SenderOf, again: timedelta) -> None:
        self.client: discord.Client | None = None
        self._owner = owner
        self._sender_of = sender_of
        self._again = again
        self._waiting: OrderedDict[str, _Waiting] = OrderedDict()

    def expect_answer(
        self,
        event: str,
        interaction: discord.Interaction[discord.Client],
        *,
        answered: bool = False,
    ) -> None:
        """What is sent for the event with this id answers `interaction`.

        `answered` says that Discord shows nothing that waits to be replaced by it.
        """
        self._waiting[event] = _Waiting(interaction, answered)
        if len(self._waiting) > MOST_INTERACTIONS:
            self._waiting.popitem(last=False)

    def forget(self, event: str) -> None:
        """The interaction that came as this event can't be answered."""
        self._waiting.pop(event, None)

    async def send(self, message: OutgoingMessage) -> str | None:
        """Deliver one piece of `message`, and give Discord's id of it, if it has one.

        Raises:
            DeliveryError: Discord will not take it.
            DeliveryDelayedError: it may take it later, or has taken it and did not say so.
        """
        parts = pieces(message.text)
        if message.piece >= len(parts):
            raise DeliveryError("there is nothing to see in it")
        client = self._connected()
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                if message.reacts_to is not None:
                    await self._react(client, message, message.reacts_to)
                    return None
                shown = _shown(message, parts[message.piece])
                if await self._answer_interaction(message, shown):
                    return None
                return await self._post(client, message, shown)
        except TROUBLE as error:
            failed = delivery_error(error, self._again)
            if message.reacts_to is not None and isinstance(failed, DeliveryError):
                logger.info("an emoji can't be put to a message: %s", failed)
                return None
            if isinstance(failed, OutOfReachError) and message.address.private:
                await self._tell_owner_of(message.cause)
            raise failed from error

    async def _tell_owner_of(self, cause: str) -> None:
        person = await self._sender_of(cause)
        if person is not None and await self._owner() not in (None, int(person.user)):
            name = neutral_name(person.name)
            await self.tell_owner(OUT_OF_REACH.format(name=name, user=person.user))

    async def say(self, channel: int, text: str) -> None:
        """Say something that is no part of a conversation; if that fails it is only logged."""
        try:
            await self._connected().get_partial_messageable(channel).send(text)
        except (*TROUBLE, DeliveryDelayedError) as error:
            logger.info("channel %d could not be told: %s", channel, type(error).__name__)

    async def tell_owner(self, text: str) -> None:
        """As `say`, in the direct messages with the owner."""
        owner = await self._owner()
        if owner is None:
            return
        try:
            channel = await self._connected().create_dm(discord.Object(owner))
        except (*TROUBLE, DeliveryDelayedError) as error:
            logger.info("the owner could not be told: %s", type(error).__name__)
        else:
            await self.say(channel.id, text)

    async def show_typing(self, address: Address) -> None:
        """Show once that somebody types; if that fails it is only logged."""
        try:
            channel = int(address.thread or address.chat)
            await self._connected().get_partial_messageable(channel).typing()
        except (*TROUBLE, DeliveryDelayedError) as error:
            logger.debug("typing could not be shown: %s", type(error).__name__)

    def _connected(self) -> discord.Client:
        if self.client is None or self.client.is_closed():
            raise DeliveryDelayedError("Discord is not connected", delay=NOT_YET)
        return self.client

    async def _react(self, client: discord.Client, message: OutgoingMessage, to: str) -> None:
        channel = client.get_partial_messageable(
            int(message.address.thread or message.address.chat)
        )
        await channel.get_partial_message(int(to.partition("/")[0])).add_reaction(message.text)

    async def _post(self, client: discord.Client, message: OutgoingMessage, shown: _Shown) -> str:
        channel = client.get_partial_messageable(await self._channel(client, message))
        elsewhere = channel.id != int(message.address.thread or message.address.chat)
        posted = await channel.send(
            **_content(shown),
            **({} if elsewhere else _buttons(message)),
            nonce=_nonce(message),
            **_reference(message, channel.id),
        )
        return str(posted.id)

    async def _channel(self, client: discord.Client, message: OutgoingMessage) -> int:
        """Where to post. What answers a command of a server is for one person's eyes."""
        address = message.address
        if not address.private and message.cause.startswith(INTERACTION):
            user = await self._sender_of(message.cause)
            if user is None:
                raise DeliveryError("nobody knows whom it answers")
            return (await client.create_dm(discord.Object(int(user.user)))).id
        return int(address.thread or address.chat)

    async def _answer_interaction(self, message: OutgoingMessage, shown: _Shown) -> bool:
        """Answer the interaction that `message` is for; False when there is none, or none now."""
        waiting = self._waiting.get(message.cause)
        if waiting is None:
            return False
        interaction = waiting.interaction
        try:
            if not waiting.answered:
                await interaction.edit_original_response(**_edited(shown), **_buttons(message))
                waiting.answered = True
            else:
                hidden = interaction.guild_id is not None
                await interaction.followup.send(
                    **_content(shown), **_buttons(message), ephemeral=hidden
                )
        except discord.HTTPException as error:
            if error.code not in INTERACTION_OVER:
                raise
            self.forget(message.cause)
            return False
        return True


def _shown(message: OutgoingMessage, piece: Piece) -> _Shown:
    if message.document is not None:
        return _Shown(piece.text, message.document)
    if piece.file is not None:
        return _Shown("", Document(piece.file, piece.text.encode()))
    return _Shown(piece.text)


def _content(shown: _Shown) -> dict[str, Any]:
    text = {"content": shown.text} if shown.text else {}
    return text if shown.file is None else {**text, "file": _file(shown.file)}


def _edited(shown: _Shown) -> dict[str, Any]:
    text = {"content": shown.text} if shown.text else {}
    return text if shown.file is None else {**text, "attachments": [_file(shown.file)]}


def _buttons(message: OutgoingMessage) -> dict[str, Any]:
    """What stands below the last piece of `message`."""
    last = message.piece == len(pieces(message.text)) - 1
    shown = view(message) if last else None
    return {} if shown is None else {"view": shown}


def _file(document: Document) -> discord.File:
    return discord.File(io.BytesIO(document.content), filename=document.name)


def _reference(message: OutgoingMessage, channel: int) -> dict[str, Any]:
    if message.answers is None or message.piece:
        return {}
    reference = discord.MessageReference(
        message_id=int(message.answers), channel_id=channel, fail_if_not_exists=False
    )
    return {"reference": reference}


def _nonce(message: OutgoingMessage) -> str:
    """Always the same for the same piece: Discord then has it once, however often it is sent."""
    key = f"{message.id}\0{message.piece}\0{message.cause}\0{message.text}"
    return hashlib.sha256(key.encode()).hexdigest()[:NONCE_CHARS]
