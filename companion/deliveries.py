"""Brings the outbox to the platforms, each conversation's pieces in order."""

import asyncio
import logging
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

from companion.clock import Clock
from companion.error_text import error_text
from companion.errors import (
    DatabaseError,
    DeliveryDelayedError,
    DeliveryError,
    OutOfReachError,
)
from companion.events import Address, OutgoingMessage
from companion.storage import outbox, people
from companion.storage.database import Database, Tx
from companion.storage.erase import Gone
from companion.storage.inbox import InboxItem
from companion.storage.outbox import OutboxItem
from companion.tasks import failure_of
from companion.timed.unreached import keep_for_return

logger = logging.getLogger(__name__)

Send = Callable[[OutgoingMessage], Awaitable[str | None]]
"""Sends a message, and gives what the platform calls it, if anything."""
Pieces = Callable[[str], int]
"""In how many pieces a platform takes a text; always the same for the same text."""

DATABASE_PAUSE = timedelta(seconds=10)
UNKNOWN_FATES = 2
"""A reply that may have arrived so many times is not sent again."""


@dataclass(frozen=True, slots=True)
class _Sender:
    send: Send
    chat: str | None
    repeatable: bool
    pieces: Pieces
    ready: asyncio.Event | None = None

    @property
    def is_ready(self) -> bool:
        return self.ready is None or self.ready.is_set()


@dataclass(frozen=True, slots=True)
class _Sent:
    """The platform has a piece, and calls it `name`, if anything."""

    name: str | None


def whole(_text: str) -> int:
    """For platforms that take any text in one piece."""
    return 1


class Deliveries:
    """Sends what is in the outbox, and keeps what no platform takes at the moment."""

    def __init__(
        self,
        db: Database,
        tasks: asyncio.TaskGroup,
        clock: Clock,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._db = db
        self._sleep = sleep
        self._tasks = tasks
        self._clock = clock
        self._senders: dict[str, list[_Sender]] = defaultdict(list)
        self._waiting: dict[int, deque[OutboxItem]] = defaultdict(deque)
        self._running: dict[int, asyncio.Task[None]] = {}
        self._lost: set[int] = set()
        self._settled = asyncio.Event()
        self._settled.set()

    def register(
        self,
        platform: str,
        send: Send,
        *,
        chat: str | None = None,
        repeatable: bool = False,
        pieces: Pieces = whole,
        ready: asyncio.Event | None = None,
    ) -> None:
        """Let `send` deliver for a platform, or for one chat of it.

        `repeatable` says that the platform drops a message whose id and piece it has had before.
        A message is given to `send` once for each of its `pieces`. It is given none while `ready`
        is not set: of what was never handed over nobody needs to wonder whether it has arrived.
        """
        self._senders[platform].append(_Sender(send, chat, repeatable, pieces, ready))
        for conversation in list(self._waiting):
            self._start(conversation)

    @contextmanager
    def listening(self, address: Address, hear: Send) -> Iterator[None]:
        """While this lasts, `hear` gets what goes to the chat at `address`."""
        sender = _Sender(hear, address.chat, repeatable=True, pieces=whole)
        self._senders[address.platform].append(sender)
        for conversation in list(self._waiting):
            self._start(conversation)
        try:
            yield
        finally:
            self._senders[address.platform].remove(sender)

    def load(self, items: Iterable[OutboxItem]) -> None:
        """Take up what an earlier run has not delivered."""
        for item in items:
            self.add(item)

    def takes_at_once(self, to: InboxItem) -> bool:
        """Whether a reply to the event `to` would be handed to its platform now, and be marked
        first: who stores it can then store the mark with it, and save a commit."""
        sender = self._sender(to.address)
        return (
            sender is not None
            and sender.is_ready
            and not sender.repeatable
            and not self._waiting.get(to.conversation)
        )

    def add(self, item: OutboxItem) -> None:
        """Deliver `item`, which is in the outbox, after what its conversation has before it."""
        self._waiting[item.conversation].append(item)
        self._start(item.conversation)

    def found(self, conversation: int) -> None:
        """Something came from this conversation: it can be written to again."""
        self._lost.discard(conversation)

    def gone(self, gone: Gone) -> None:
        """Somebody was erased: what waits for them is not sent. What is on its way goes on."""
        for conversation, waiting in list(self._waiting.items()):
            first = [*waiting][: 1 if conversation in self._running else 0]
            kept = first + [item for item in [*waiting][len(first) :] if item.person != gone.person]
            waiting.clear()
            waiting.extend(kept)

    async def settled(self, conversation: int | None = None) -> None:
        """Return when nothing is being sent, in this conversation or anywhere."""
        if conversation is None:
            await self._settled.wait()
        elif conversation in self._running:
            await asyncio.wait([self._running[conversation]])

    def cancel(self) -> None:
        """Stop at once. What was not sent is taken up at the next start."""
        for task in self._running.values():
            task.cancel()

    def _start(self, conversation: int) -> None:
        if conversation in self._running or not self._waiting[conversation]:
            return
        if self._sender(self._waiting[conversation][0].message.address) is None:
            return
        self._settled.clear()
        self._running[conversation] = self._tasks.create_task(self._drain(conversation))

    async def _drain(self, conversation: int) -> None:
        waiting = self._waiting[conversation]
        try:
            while waiting:
                sender = self._sender(waiting[0].message.address)
                if sender is None:
                    return
                if conversation in self._lost:
                    await self._lose(waiting[0], "nothing gets through to this chat")
                else:
                    await self._deliver_or_refuse(waiting[0], sender)
                waiting.popleft()
        finally:
            del self._running[conversation]
            if not waiting:
                self._waiting.pop(conversation, None)
            if not self._running:
                self._settled.set()

    async def _deliver_or_refuse(self, item: OutboxItem, sender: _Sender) -> None:
        """An adapter's fault costs one message, not everybody's."""
        error = await failure_of(self._deliver(item, sender))
        if error is not None:
            logger.error("message %d made its adapter fail: %s", item.id, error_text(error))
            logger.debug("message %d made its adapter fail", item.id, exc_info=error)
            await self._refuse(item, f"{type(error).__name__} in the adapter")

    async def _deliver(self, item: OutboxItem, sender: _Sender) -> None:
        """Send `item`, piece by piece, until the platform has it all or refuses it."""
        last = 0 if item.message.document else sender.pieces(item.message.text) - 1
        while True:
            sent = await self._send(item, sender)
            if sent is None:
                return
            if item.message.piece >= last:
                await self._arrived(item, sent.name)
                return
            await self._mark(item, partial(_piece_sent, name=sent.name))
            item = replace(
                item, attempts=0, message=replace(item.message, piece=item.message.piece + 1)
            )

    async def _send(self, item: OutboxItem, sender: _Sender) -> _Sent | None:
        """Send one piece until the platform has it, or give up the whole message (None)."""
        while True:
            if sender.ready is not None:
                await sender.ready.wait()
            if item.expires_at is not None and self._clock.now() >= item.expires_at:
                await self._refuse(item, "it comes too late")
                return None
            if not (sender.repeatable or item.marked):
                if item.attempts >= (UNKNOWN_FATES if item.message.in_reply else 1):
                    await self._refuse(item, "it may have arrived, and is not sent again")
                    return None
                await self._mark(item, outbox.sending)
            item = replace(item, attempts=item.attempts + 1, marked=False)
            try:
                return _Sent(await sender.send(item.message))
            except OutOfReachError as error:
                logger.info("conversation %d is out of reach", item.conversation)
                await self._lose(item, str(error))
                return None
            except DeliveryError as error:
                await self._refuse(item, str(error))
                return None
            except DeliveryDelayedError as error:
                logger.info("message %d is delayed by %s: %s", item.id, error.delay, error)
                if not (error.unknown or sender.repeatable):
                    await self._mark(item, outbox.waiting)
                    item = replace(item, attempts=item.attempts - 1)
                await self._sleep(error.delay.total_seconds())

    async def _lose(self, item: OutboxItem, why: str) -> None:
        """Nothing gets through to this conversation until something comes from there."""
        self._lost.add(item.conversation)
        logger.warning("message %d is not delivered: %s", item.id, why)
        now = self._clock.now()

        def lose(tx: Tx, item: OutboxItem) -> None:
            people.set_unreachable(tx, item.person, item.conversation, now)
            outbox.refused(tx, item, why)
            keep_for_return(tx, item, now)

        await self._mark(item, lose)

    async def _arrived(self, item: OutboxItem, name: str | None) -> None:
        now = self._clock.now()

        def arrive(tx: Tx, item: OutboxItem) -> None:
            outbox.sent(tx, item, now)
            if name is not None:
                outbox.delivered(tx, item, name)

        await self._mark(item, arrive, patient=True)

    async def _refuse(self, item: OutboxItem, why: str) -> None:
        logger.warning("message %d is not delivered: %s", item.id, why)
        await self._mark(item, partial(outbox.refused, error=why))

    async def _mark(
        self, item: OutboxItem, mark: Callable[[Tx, OutboxItem], None], *, patient: bool = False
    ) -> None:
        """Write down a piece's fate, as soon as the database takes it: forgetting it would double
        the message."""

        def work(tx: Tx) -> None:
            mark(tx, outbox.as_it_is(tx, item))

        while True:
            try:
                await self._db.write(work, patient=patient)
            except DatabaseError as error:
                logger.error("the outbox waits for the database: %s", error)  # noqa: TRY400
                await self._sleep(DATABASE_PAUSE.total_seconds())
            else:
                return

    def _sender(self, address: Address) -> _Sender | None:
        for sender in self._senders.get(address.platform, ()):
            if sender.chat in (None, address.chat):
                return sender
        return None


def _piece_sent(tx: Tx, item: OutboxItem, name: str | None) -> None:
    outbox.piece_sent(tx, item)
    if name is not None:
        outbox.delivered(tx, item, name)
