"""Where log lines go, and the conversation that each belongs to."""

import copy
import logging
import sys
from contextvars import ContextVar
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from companion.error_text import error_text
from companion.private import make_file
from companion.text import clean

conversation: ContextVar[str] = ContextVar("conversation", default="-")
"""Set by a conversation's lane, so that every line under it can be told apart. An id of ours."""

_hidden: set[str] = set()


def hide(secret: str) -> None:
    """Write `secret` into no log from now on, whoever logs it: some log the addresses they ask."""
    if secret.strip():
        _hidden.add(secret.strip())


class _Formatter(logging.Formatter):
    """Shows of an error what may be logged, unless `whole` says that all of it may be.

    Libraries log errors with all their words, which may quote what people wrote.
    """

    def __init__(self, *, whole: bool) -> None:
        super().__init__(FORMAT)
        self._whole = whole

    def format(self, record: logging.LogRecord) -> str:
        record = copy.copy(record)
        record.exc_text = None  # another handler may have left a traceback there
        if record.name == "asyncio" and not self._whole:  # below the first line it shows the error
            record.msg, record.args = record.getMessage().partition("\n")[0], None
        text = super().format(record)
        for secret in _hidden:
            text = text.replace(secret, "…")
        return clean(text)

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's own name
        error = ei[1]
        return super().formatException(ei) if self._whole or not error else error_text(error)


FORMAT = "%(asctime)s %(levelname)s %(name)s [%(conversation)s] %(message)s"
BYTES_A_FILE = 5_000_000

# They write whole requests, or each login, at INFO and DEBUG, so they have to be asked for.
CHATTY = (
    "httpx",
    "httpx2",
    "httpcore",
    "httpcore2",
    "openai",
    "aiosqlite",
    "apscheduler",
    "discord",
)


def set_up(level: str, *, file: Path | None = None, terminal: str | None = None) -> None:
    """Log from `level` up to `file`, and from the level `terminal` up to stderr; None: not there.

    Replaces what an earlier call set up.
    """
    root = logging.getLogger()
    for handler in list(root.handlers):
        if isinstance(handler, _Ours):
            root.removeHandler(handler)
            handler.close()
    handlers: list[logging.Handler] = []
    if terminal is not None:
        handlers.append(_TerminalHandler(terminal))
    if file is not None:
        handlers.append(_FileHandler(file))
    for handler in handlers:
        handler.setFormatter(_Formatter(whole=level == "DEBUG"))
        handler.addFilter(_add_conversation)
        root.addHandler(handler)
    root.setLevel(level)
    for name in CHATTY:
        logging.getLogger(name).setLevel(logging.DEBUG if level == "DEBUG" else logging.WARNING)


def _add_conversation(record: logging.LogRecord) -> bool:
    record.conversation = conversation.get()
    return True


class _Ours:
    """Marks the handlers of this module, so that others' stay when they are replaced."""


class _TerminalHandler(_Ours, logging.Handler):
    """Writes to the stderr of the moment: a prompt swaps it while it is shown.

    Tracebacks are for the file, and for the terminal only when debugging.
    """

    def emit(self, record: logging.LogRecord) -> None:
        if self.level > logging.DEBUG:
            record = copy.copy(record)
            record.exc_info = record.exc_text = None
        sys.stderr.write(self.format(record) + "\n")


class _FileHandler(_Ours, RotatingFileHandler):
    """Two files at most, readable by their owner only."""

    def __init__(self, path: Path) -> None:
        make_file(path)
        super().__init__(path, maxBytes=BYTES_A_FILE, backupCount=1, encoding="utf-8", delay=True)
