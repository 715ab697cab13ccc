"""Telegram as a chat platform of the companion."""

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial

from telegram import Bot
from telegram.constants import ChatAction
from telegram.error import TelegramError

from adapters.base import Handle, Host
from adapters.telegram.connection import Connection, Sleep, connected
from adapters.telegram.intake import Intake
from adapters.telegram.menu import Menu, show_menu
from adapters.telegram.polling import HUNG, WAIT, Polling
from adapters.telegram.sending import Sending, pieces
from adapters.telegram.to_event import PLATFORM, Me
from adapters.telegram.webhook import Webhook, WebhookServer
from adapters.typing import TypingSigns
from companion.clock import Clock
from companion.errors import DeliveryDelayedError
from companion.events import Address, OutgoingMessage
from companion.tasks import task_group

logger = logging.getLogger(__name__)

NOT_YET = timedelta(seconds=1)
TYPING_LASTS = timedelta(seconds=4.5)
"""Telegram shows the sign for five seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """How the bot's account is reached. Updates are asked for unless there is a `webhook`."""

    token: str = field(repr=False)
    base_url: str
    base_file_url: str
    webhook: Webhook | None = None


class Telegram:
    """One bot. `name` is what the companion is called, `commands` what it can be asked for.

    It follows the talk of the groups in `listens`.
    """

    def __init__(
        self,
        account: Account,
        *,
        name: str,
        listens: frozenset[int] = frozenset(),
        host: Host,
        commands: Menu,
        clock: Clock,
        link_previews: bool = False,
        poll_wait: timedelta = WAIT,
        poll_hung: timedelta = HUNG,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._account = account
        self._name = name
        self._listens = listens
        self._host = host
        self._commands = commands
        self._clock = clock
        self._link_previews = link_previews
        self._poll_wait = poll_wait
        self._poll_hung = poll_hung
        self._sleep = sleep
        self._sending: Sending | None = None
        self._typing: TypingSigns | None = None
        self.ready = asyncio.Event()

    async def run(self, handle: Handle) -> None:
        """Connect, and give each event to `handle`, until cancelled.

        Raises:
            TokenRefusedError: there is no bot with this token.
        """
        account = self._account
        async with (
            connected(
                account.token,
                base_url=account.base_url,
                base_file_url=account.base_file_url,
                sleep=self._sleep,
                troubled=self._troubled,
            ) as connection,
            task_group() as tasks,
        ):
            bot = connection.bot
            self._sending = Sending(bot, link_previews=self._link_previews, moved=self._moved)
            self._typing = TypingSigns(partial(_show_typing, bot), tasks, lasts=TYPING_LASTS)
            self.ready.set()
            tasks.create_task(show_menu(bot, self._commands))
            me = Me(id=bot.id, username=bot.username, name=self._name)
            intake = Intake(
                bot,
                me=me,
                listens=self._listens,
                host=self._host,
                handle=handle,
                clock=self._clock,
            )
            try:
                await self._source(connection, intake).run()
            finally:  # what is still to be sent waits for the next start
                self.ready.clear()
                self._sending = self._typing = None

    def _source(self, connection: Connection, intake: Intake) -> Polling | WebhookServer:
        webhook = self._account.webhook
        if webhook is not None:
            return WebhookServer(
                connection.bot, webhook, take=intake.take, host=self._host, sleep=self._sleep
            )
        return Polling(
            connection,
            take=intake.take,
            host=self._host,
            wait=self._poll_wait,
            hung=self._poll_hung,
            sleep=self._sleep,
        )

    async def send(self, message: OutgoingMessage) -> str | None:
        """Deliver one piece of `message`, and give Telegram's id of it.

        Raises:
            DeliveryError: Telegram will not take it.
            DeliveryDelayedError: not now, or nobody knows.
        """
        if self._sending is None:
            raise DeliveryDelayedError("Telegram is not connected yet", delay=NOT_YET)
        return await self._sending.send(message)

    def pieces(self, text: str) -> int:
        """In how many messages `text` goes out."""
        return len(pieces(text))

    def typing(self, address: Address, shown: bool) -> None:
        """Show, or stop showing, that an answer is being thought of."""
        if self._typing is not None:
            self._typing.show(address, shown)

    async def _troubled(self, trouble: str) -> None:
        await self._host.troubled(PLATFORM, trouble)

    async def _moved(self, chat: str, to: str) -> None:
        await self._host.moved(PLATFORM, chat, to)


async def _show_typing(bot: Bot, address: Address) -> None:
    try:
        await bot.send_chat_action(
            chat_id=address.chat,
            action=ChatAction.TYPING,
            message_thread_id=int(address.thread) if address.thread else None,
        )
    except TelegramError as error:
        logger.debug("typing could not be shown: %s", type(error).__name__)
