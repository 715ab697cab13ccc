"""Who was erased, kept outside of the database: a copy of it from before gives nobody back.

What stands there are hashes. They tell whether a person is one of those who were erased, and of
nobody else who they were.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from companion.error_text import why
from companion.errors import OperatorError
from companion.storage.backup import sync

SALT_BYTES = 32


@dataclass(frozen=True, slots=True)
class Entry:
    """An erasure: when it was asked for, in UTC, and the hashes of whom it is about."""

    at: datetime
    who: frozenset[str]


class Ledger:
    """The ledger in the file at `path`, which appears with its first entry."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._salt, self.entries = _read(path)

    @property
    def name(self) -> str:
        """Tells this ledger from that of any other home."""
        return hashlib.sha256(self._salt).hexdigest()

    def hashed(self, names: Iterable[Sequence[str]]) -> frozenset[str]:
        """What stands in this ledger for each of `names`."""
        return frozenset(
            hmac.new(self._salt, json.dumps([*name]).encode(), "sha256").hexdigest()
            for name in names
        )

    def add(self, at: datetime, names: Iterable[Sequence[str]]) -> None:
        """Note that whoever goes by `names` is erased. It is on disk when this returns.

        Raises:
            OperatorError: it cannot be written.
        """
        self.entries.append(Entry(at, self.hashed(names)))
        lines: list[dict[str, object]] = [{"salt": self._salt.hex()}]
        lines += [{"at": e.at.isoformat(), "who": sorted(e.who)} for e in self.entries]
        part = self._path.with_name(f"{self._path.name}.part")
        try:
            part.touch(mode=0o600)
            part.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            sync(part)
            part.replace(self._path)
            sync(self._path.parent)
        except OSError as error:
            del self.entries[-1]
            raise OperatorError(
                f"{self._path} cannot be written: {why(error)}. Nothing was erased."
            ) from error


def _read(path: Path) -> tuple[bytes, list[Entry]]:
    try:
        head, *lines = path.read_text(encoding="utf-8").splitlines()
        entries = [json.loads(line) for line in lines]
        return bytes.fromhex(json.loads(head)["salt"]), [
            Entry(datetime.fromisoformat(entry["at"]), frozenset(entry["who"])) for entry in entries
        ]
    except FileNotFoundError:
        return secrets.token_bytes(SALT_BYTES), []
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OperatorError(
            f"{path}, which tells who was erased, cannot be read: {why(error)}. Bring it back"
            " from a copy; without it a restored backup would give erased people back."
        ) from error
