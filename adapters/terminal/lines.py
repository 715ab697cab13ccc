"""A conversation without a screen: a line in, the answer out, then the next line."""

import asyncio
import os
import stat
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TextIO

from adapters.base import Handle
from adapters.terminal.documents import with_document
from adapters.terminal.in_words import held_up_in_words
from adapters.terminal.translate import LEAVE, to_event
from adapters.terminal.translate import address as terminal_of
from adapters.text import printable
from companion.clock import Clock
from companion.errors import OutOfReachError
from companion.events import Address, HeldUp, OutgoingMessage, Sender

LONGEST_LINE = 16 * 2**20


def _print(text: str) -> None:
    print(text, flush=True)


class Lines:
    """Gives each of `lines` to the companion as `person`'s message, and what comes back to `show`.

    `quiet` returns once everything is answered; the next line waits for it.
    """

    def __init__(
        self,
        lines: AsyncIterator[str],
        *,
        person: Sender,
        clock: Clock,
        quiet: Callable[[], Awaitable[None]],
        show: Callable[[str], None] = _print,
    ) -> None:
        self._lines = lines
        self._person = person
        self._clock = clock
        self._quiet = quiet
        self._show = show
        self._gone: BrokenPipeError | None = None

    async def run(self, handle: Handle) -> None:
        """Give all the lines to `handle`.

        Raises:
            BrokenPipeError: nobody reads what comes back any more.
        """
        await self._all_is_said()
        async for line in self._lines:
            if line.strip() == LEAVE:
                return
            event = to_event(line, person=self._person, at=self._clock.now())
            if event is not None:
                await handle(event)
                await self._all_is_said()

    async def _all_is_said(self) -> None:
        await self._quiet()
        if self._gone is not None:
            raise self._gone

    async def send(self, message: OutgoingMessage) -> None:
        """Write a message of the companion's as lines."""
        try:
            self._show(printable(await with_document(message)))
        except BrokenPipeError as error:
            self._gone = error
            raise OutOfReachError("whoever read it has gone") from error

    def typing(self, address: Address, shown: bool) -> None:
        """A script has no use for it."""

    def held_up(self, address: Address, held_up: HeldUp) -> None:
        """Tell on standard error why `person` gets no answer now."""
        if address == terminal_of(self._person):
            sys.stderr.write(f"{printable(held_up_in_words(held_up))}\n")


async def one_line(text: str) -> AsyncIterator[str]:
    """Only `text`, which may well have several lines in it."""
    yield text


async def standard_input() -> AsyncIterator[str]:
    """The lines of standard input as they come."""
    if not _may_keep_us_waiting(sys.stdin):
        for line in sys.stdin:
            yield line
        return
    reader = asyncio.StreamReader(limit=LONGEST_LINE)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    while line_read := await reader.readline():
        yield line_read.decode("utf-8", "replace")


def _may_keep_us_waiting(file: TextIO) -> bool:
    """False for a plain file and /dev/null, which an event loop cannot watch."""
    mode = os.fstat(file.fileno()).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or file.isatty()
