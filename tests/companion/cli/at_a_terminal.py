"""A command at a real terminal: a pseudo-terminal with somebody who reads and types."""

import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import pyte

from tests.companion.cli.commands import environment

PATIENCE_SECONDS = 60
COLUMNS, LINES = 200, 40


class _Screen(pyte.Screen):
    """A screen that answers what it is asked, as where its cursor is."""

    def __init__(self, side: int) -> None:
        super().__init__(COLUMNS, LINES)
        self._side = side

    def write_process_input(self, data: str) -> None:
        os.write(self._side, data.encode())


class Terminal:
    """What is seen at a terminal, and its keyboard."""

    def __init__(self, process: "subprocess.Popen[bytes]", side: int) -> None:
        self._process = process
        self._side = side
        self._screen = _Screen(side)
        self._stream = pyte.ByteStream(self._screen)

    @property
    def screen(self) -> str:
        """What stands on the screen now."""
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    def types(self, text: str) -> None:
        os.write(self._side, text.encode())

    def reads(self, text: str, *, times: int = 1) -> None:
        """Returns once `text` stands on the screen, so many times."""
        deadline = monotonic() + PATIENCE_SECONDS
        while self.screen.count(text) < times:
            if not self._more(deadline):
                raise AssertionError(f"{text!r} is not on the screen:\n{self.screen}")

    def number_of(self, choice: str) -> str:
        """The number before `choice` in a list to choose from."""
        found = re.search(rf"(\d+)  {re.escape(choice)}", self.screen)
        assert found
        return found[1]

    def ends(self) -> int:
        """The exit code, once the command has ended and all it wrote is read."""
        deadline = monotonic() + PATIENCE_SECONDS
        while self._more(deadline):
            continue
        return self._process.wait(PATIENCE_SECONDS)

    def _more(self, deadline: float) -> bool:
        """Whether more was written before `deadline`; then it is on the screen."""
        if not select.select([self._side], [], [], max(0, deadline - monotonic()))[0]:
            return False
        try:
            written = os.read(self._side, 65536)
        except OSError:  # Linux says so when the other side is closed
            return False
        self._stream.feed(written)
        return bool(written)


@contextmanager
def terminal(
    home: Path, *arguments: str, environ: Mapping[str, str] | None = None
) -> Iterator[Terminal]:
    """`companion` with `arguments` at a terminal. It is killed if it still runs."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "companion", *arguments],
        env=environment(home, {"TERM": "xterm-256color", **(environ or {})}),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        preexec_fn=_take_the_terminal,
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _take_the_terminal() -> None:
    """Make the terminal the process's own, so that Ctrl-C reaches it."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
