"""Discord as a chat platform of the companion."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta

import discord

from adapters.backoff import Backoff
from adapters.base import Handle, Host
from adapters.discord.catch_up import CatchUp
from adapters.discord.client import Client, Sleep, point_at
from adapters.discord.failures import AGAIN
from adapters.discord.guard import Guard
from adapters.discord.intake import Intake
from adapters.discord.reception import DiscordReception
from adapters.discord.sending import Sending, pieces
from adapters.discord.slash import Slash
from adapters.discord.supervise import supervise
from adapters.discord.to_event import PLATFORM, Me
from adapters.typing import TypingSigns
from companion.clock import Clock
from companion.errors import DatabaseError
from companion.events import Address, OutgoingMessage, Sender
from companion.tasks import failure_of, task_group

TYPING_LASTS = timedelta(seconds=8)
"""Discord shows the sign for ten seconds."""
CLOSE_SECONDS = 3.0
"""How long Discord gets to say goodbye."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """How the bot's account is reached."""

    token: str = field(repr=False)
    api_base: str
    gateway: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """In which channels it answers without being mentioned.

    `read_all` asks Discord for the text of all messages on servers, which the operator has to
    switch on there.
    """

    channels: tuple[int, ...] = ()
    read_all: bool = False


class Discord:
    """One bot. `name` is what the companion is called."""

    def __init__(
        self,
        account: Account,
        *,
        name: str,
        admission: Admission,
        host: Host,
        commands: tuple[Slash, ...],
        clock: Clock,
        again: timedelta = AGAIN,
        first_pause: timedelta = timedelta(seconds=1),
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._account = account
        self._name = name
        self._admission = admission
        self._host = host
        self._commands = commands
        self._clock = clock
        self._first_pause = first_pause
        self._sleep = sleep
        self._sending = Sending(owner=self._owner, sender_of=self._sender_of, again=again)
        self._typing: TypingSigns | None = None

    async def run(self, handle: Handle) -> None:
        """Connect, and give each event to `handle`, until cancelled.

        Raises:
            RefusedByDiscordError: the token or the intents are wrong.
        """
        point_at(self._account.api_base, self._account.gateway)
        async with task_group() as tasks:
            self._typing = TypingSigns(self._sending.show_typing, tasks, lasts=TYPING_LASTS)
            intake = Intake(tasks)
            backoff = Backoff(self._first_pause)

            async def connect() -> None:
                await self._connect(handle, intake, backoff, tasks)

            await supervise(connect, troubled=self._troubled, backoff=backoff, sleep=self._sleep)

    async def _connect(
        self, handle: Handle, intake: Intake, backoff: Backoff, tasks: asyncio.TaskGroup
    ) -> None:
        """One login, and the connections that discord.py makes of it."""

        async def new_session(client: discord.Client) -> None:
            catch_up = CatchUp(
                client,
                intake=intake,
                job_of=reception.job,
                put_aside=guard.unreadable,
                backoff=lambda: Backoff(self._first_pause),
                sleep=self._sleep,
            )
            error = await failure_of(catch_up.run(await self._last_messages()))
            if error is not None:
                await client.close()  # and so begin anew, rather than to keep anybody waiting
                raise error

        guard = Guard(self._host, tasks, self._sleep)
        reception = DiscordReception(
            Me(
                id=0,
                name=self._name,
                channels=frozenset(self._admission.channels),
                reads_all=self._admission.read_all,
            ),
            intake=intake,
            sending=self._sending,
            host=self._host,
            handle=handle,
            new_session=new_session,
            worked=backoff.worked,
            guard=guard,
            clock=self._clock,
        )
        client = Client(
            reception,
            commands=self._commands,
            read_all=self._admission.read_all,
            sleep=self._sleep,
        )
        try:
            await client.login(self._account.token)
            assert client.user is not None
            reception.is_called(client.user.id)
            self._sending.client = client
            await _stay_connected(client)
        finally:
            await _close(client)

    async def send(self, message: OutgoingMessage) -> str | None:
        """Deliver one piece of `message`, and give Discord's id of it, if it has one.

        Raises:
            DeliveryError: Discord will not take it.
            DeliveryDelayedError: not now, or nobody knows.
        """
        return await self._sending.send(message)

    def pieces(self, text: str) -> int:
        """In how many messages `text` goes out."""
        return len(pieces(text))

    def typing(self, address: Address, shown: bool) -> None:
        """Show, or stop showing, that an answer is being thought of."""
        if self._typing is not None:
            self._typing.show(address, shown)

    async def _last_messages(self) -> dict[int, int]:
        """For each direct-message channel what stands right before the last message known there,
        which may have had files that were not taken in."""
        backoff = Backoff(self._first_pause)
        while True:
            try:
                known = await self._host.last_messages(PLATFORM)
            except DatabaseError:
                await self._sleep(backoff.next())
            else:
                return {
                    int(chat): int(message.partition("/")[0]) - 1 for chat, message in known.items()
                }

    async def _sender_of(self, event: str) -> Sender | None:
        known = await self._host.event(PLATFORM, event)
        return known.sender if known is not None else None

    async def _owner(self) -> int | None:
        user = await self._host.operator(PLATFORM)
        return int(user) if user is not None else None

    async def _troubled(self, trouble: str) -> None:
        await self._host.troubled(PLATFORM, trouble)


async def _stay_connected(client: discord.Client) -> None:
    try:
        await client.connect()
    except AttributeError:
        if client.ws is not None:
            raise
        # What discord.py 2.7.1 makes of a first connection that is refused.
        raise ConnectionRefusedError("the gateway lets nobody in") from None


async def _close(client: discord.Client) -> None:
    try:
        async with asyncio.timeout(CLOSE_SECONDS):
            await client.close()
    except TimeoutError:
        await client.http.close()
