"""The one folder that holds all a companion keeps, and the lock that one process has on it."""

import errno
import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import quote

from companion.clock import Clock
from companion.error_text import why
from companion.errors import HomeInUseError, OperatorError
from companion.private import make_folder

LOCK_TRIES = 4
LOCK_PAUSE = timedelta(milliseconds=50)


@dataclass(frozen=True, slots=True)
class Home:
    """Where things lie below `path`. Nothing is made or checked before `make`.

    Looking at a home that another process runs on needs no lock: open its database `read_only`.
    """

    path: Path

    @property
    def database(self) -> Path:
        """The one SQLite file."""
        return self.path / "companion.db"

    @property
    def attachments(self) -> Path:
        """Files that people sent, a folder for each person."""
        return self.path / "attachments"

    @property
    def logs(self) -> Path:
        """The folder of logs."""
        return self.path / "logs"

    @property
    def models(self) -> Path:
        """Models that run on this machine."""
        return self.path / "models"

    @property
    def backups(self) -> Path:
        """Copies of the database."""
        return self.path / "backups"

    @property
    def log(self) -> Path:
        """The log that is written."""
        return self.logs / "companion.log"

    @property
    def erased(self) -> Path:
        """The ledger of who was erased."""
        return self.path / "erased.jsonl"

    def attachments_of(self, person: int) -> Path:
        """The folder for what this person sent."""
        return self.attachments / str(person)

    def typed_by(self, platform: str, user: str) -> Path:
        """The file that keeps what this account typed at a prompt, for its arrow keys."""
        return self.path / "history" / quote(platform, safe="") / quote(user, safe="")

    def make(self) -> None:
        """Make the folders that are missing, for their owner alone.

        Raises:
            OperatorError: it is no folder, or this user cannot read and write there.
        """
        try:
            make_folder(self.path)
            list(self.path.iterdir())  # to be read
            tempfile.TemporaryFile(dir=self.path).close()  # and written
            for folder in (self.attachments, self.logs, self.models, self.backups):
                make_folder(folder)
        except OSError as error:
            raise self._unusable(error) from error

    def check(self) -> bool:
        """Whether it is there. Nothing is made: only looked whether `make` could.

        Raises:
            OperatorError: it is no folder, or this user cannot read and write or make it there.
        """
        try:
            there = next(path for path in (self.path, *self.path.parents) if path.exists())
            if not there.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(there))
            if not os.access(there, os.R_OK | os.W_OK | os.X_OK, effective_ids=True):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(there))
        except OSError as error:
            raise self._unusable(error) from error
        return there == self.path

    def _unusable(self, error: OSError) -> OperatorError:
        if isinstance(error, FileExistsError | NotADirectoryError):
            return OperatorError(
                f"The home {self.path} cannot be used: there is a file where a folder should be "
                f"({error.filename}). Move it away, or set COMPANION_HOME to another folder."
            )
        return OperatorError(
            f"The home {self.path} cannot be used: {why(error)}. Give it to the user that the "
            "companion runs as, or set COMPANION_HOME to another folder."
        )

    @contextmanager
    def lock(self, clock: Clock) -> Iterator[None]:
        """Keep every other process from running on this home.

        The kernel gives the lock back when the process ends, in whatever way it ends.

        Raises:
            HomeInUseError: one runs there already; the text names it.
            OperatorError: the lock cannot be had, as on some network drives.
        """
        file = self._lock_file
        try:
            handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise OperatorError(f"The home {self.path} cannot be locked: {why(error)}.") from error
        with closing(os.fdopen(handle, "r+b", buffering=0)):
            try:
                _lock(handle)
            except BlockingIOError as error:
                raise HomeInUseError(
                    f"The home {self.path} is in use by another companion{_holder(file)}. Stop "
                    "that one first, or set COMPANION_HOME to another folder."
                ) from error
            except OSError as error:
                raise OperatorError(
                    f"The home {self.path} cannot be locked: {why(error)}. Put it on a local disk."
                ) from error
            _sign(handle, clock.now())
            yield

    def holder(self) -> str | None:
        """Which process runs on this home, or None. Only for an answer to people.

        Looking takes a shared lock for an instant, which `lock` outwaits.
        """
        try:
            handle = os.open(self._lock_file, os.O_RDONLY)
        except OSError:
            return None
        with closing(os.fdopen(handle, "rb", buffering=0)):
            try:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return _signature(self._lock_file) or "another process"
            except OSError:
                return None
        return None

    @property
    def _lock_file(self) -> Path:
        return self.path / "companion.lock"


def _lock(descriptor: int) -> None:
    """Take the lock. Who only looks whether it is held has it for an instant: try again then."""
    for _ in range(LOCK_TRIES - 1):
        with suppress(BlockingIOError):
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        time.sleep(LOCK_PAUSE.total_seconds())
    return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _sign(descriptor: int, now: datetime) -> None:
    """Write into the lock's file who holds it."""
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"process {os.getpid()}, since {now:%Y-%m-%d %H:%M:%S} UTC".encode(), 0)


def _holder(file: Path) -> str:
    """Who holds the lock, in brackets; empty where that cannot be read."""
    text = _signature(file)
    return f" ({text})" if text else ""


def _signature(file: Path) -> str:
    """What the lock's holder wrote into `file`; empty where that cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        return ""
