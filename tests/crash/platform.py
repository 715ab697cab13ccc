"""A chat platform made of two files: what was acknowledged, and what was delivered."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from companion.errors import DeliveryDelayedError, DeliveryError
from companion.events import Address, MessageReceived, OutgoingMessage, PlatformEvent, Sender
from tests.crash.conversation import DELAYED, PLATFORM, REFUSED, Line, owed

AT = datetime(2025, 5, 5, 12, tzinfo=UTC)

Handle = Callable[[PlatformEvent], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message as the platform got it. `again` means that it had this id, and dropped it."""

    id: int
    person: str
    text: str
    again: bool = False


def deliveries(folder: Path) -> list[Delivery]:
    """All that the platform in `folder` got, in order. A line that a kill cut short never came."""
    lines = _whole_lines(folder / "delivered")
    return [Delivery(**json.loads(line)) for line in lines]


def acknowledged(folder: Path) -> list[str]:
    """The markers of the lines that the platform in `folder` will not give again."""
    return _whole_lines(folder / "acknowledged")


class Platform:
    """Gives each person's lines in order, and again what was not acknowledged.

    `repeatable` drops a message whose id it has had. `passes` is told of every point on the way.
    """

    def __init__(self, folder: Path, *, repeatable: bool, passes: Callable[[str], None]) -> None:
        self._folder = folder
        self._repeatable = repeatable
        self._passes = passes
        self._delivered = {(one.person, one.id) for one in deliveries(folder)}
        self._delayed: set[int] = set()
        self._more = asyncio.Condition()

    async def send(self, message: OutgoingMessage) -> None:
        """Deliver `message`."""
        self._passes("before send")
        if message.text.startswith(REFUSED):
            raise DeliveryError("not such a word")
        if message.text.startswith(DELAYED) and message.id not in self._delayed:
            self._delayed.add(message.id)
            raise DeliveryDelayedError("not so fast", delay=timedelta())
        person = message.address.chat
        again = self._repeatable and (person, message.id) in self._delivered
        one = Delivery(message.id, person, message.text, again)
        _append(self._folder / "delivered", json.dumps(asdict(one)))
        self._passes("after send")
        async with self._more:
            self._delivered.add((person, message.id))
            self._more.notify_all()

    async def talk(self, lines: Sequence[Line], handle: Handle) -> None:
        """Give one person's `lines`, from the first that was not acknowledged."""
        known = set(acknowledged(self._folder))
        for line, before in zip(lines, owed(lines), strict=True):
            if line.marker in known:
                continue
            if not line.hasty:
                await self._got(line.person, before)
            await self._give(line, handle)

    async def _give(self, line: Line, handle: Handle) -> None:
        await handle(event(line))
        self._passes("before acknowledging")
        self._acknowledge(line)
        self._passes("after acknowledging")

    def _acknowledge(self, line: Line) -> None:
        _append(self._folder / "acknowledged", line.marker)

    async def _got(self, person: str, number: int) -> None:
        """Return when so many messages have come to `person`."""
        async with self._more:
            await self._more.wait_for(
                lambda: sum(1 for to, _ in self._delivered if to == person) >= number
            )


class HastyPlatform(Platform):
    """Acknowledges what the companion does not have yet, as python-telegram-bot's polling does."""

    async def _give(self, line: Line, handle: Handle) -> None:
        self._acknowledge(line)
        self._passes("after acknowledging")
        await handle(event(line))


def event(line: Line) -> MessageReceived:
    """The message that the person wrote."""
    return MessageReceived(
        id=line.marker,
        address=Address(platform=PLATFORM, chat=line.person),
        sender=Sender(user=line.person, name=line.person),
        at=AT,
        text=line.written,
    )


def _append(file: Path, line: str) -> None:
    with file.open("ab", buffering=0) as opened:
        opened.write(f"{line}\n".encode())
        os.fsync(opened.fileno())


def _whole_lines(file: Path) -> list[str]:
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return text.splitlines()[: text.count("\n")]
