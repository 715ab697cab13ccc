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

from tests.companion.cli.commands import environment

PATIENCE_SECONDS = 30
WHERE_IS_THE_CURSOR, AT_THE_TOP = b"\x1b[6n", b"\x1b[1;1R"
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[()=>][0-9A-Za-z]?|\r")


class Terminal:
    """What is seen at a terminal, and its keyboard."""

    def __init__(self, process: "subprocess.Popen[bytes]", side: int) -> None:
        self.process = process
        self._side = side
        self._raw = b""
        self._seen = 0

    @property
    def screen(self) -> str:
        """All that was written so far, without escapes."""
        return ESCAPES.sub("", self._raw.decode("utf-8", "replace"))

    def types(self, text: str) -> None:
        os.write(self._side, text.encode())

    def reads(self, text: str) -> None:
        """Returns once `text` is there, after what was read before."""
        deadline = monotonic() + PATIENCE_SECONDS
        while (at := self.screen.find(text, self._seen)) < 0:
            if not self._more(deadline):
                raise AssertionError(f"{text!r} is not there:\n{self.screen}")
        self._seen = at + len(text)

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
        return self.process.wait(PATIENCE_SECONDS)

    def _more(self, deadline: float) -> bool:
        """Whether more was written before `deadline`; then it is on the screen."""
        if not select.select([self._side], [], [], max(0, deadline - monotonic()))[0]:
            return False
        try:
            written = os.read(self._side, 65536)
        except OSError:  # Linux says so when the other side is closed
            return False
        self._raw += written
        if WHERE_IS_THE_CURSOR in written:
            os.write(self._side, AT_THE_TOP)
        return bool(written)


@contextmanager
def terminal(
    home: Path, *arguments: str, environ: Mapping[str, str] | None = None
) -> Iterator[Terminal]:
    """`companion` with `arguments` at a terminal of 100 by 30. It is killed if it still runs."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
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
