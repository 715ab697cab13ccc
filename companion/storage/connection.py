"""A connection with what every connection of ours needs, and SQLite's errors in words."""

import hashlib
import os
import sqlite3
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import cast

import sqlite_vec
from sqlcipher3 import dbapi2 as sqlcipher

from companion.errors import DatabaseError, WrongKeyError

Tx = sqlite3.Connection
"""A connection inside a transaction. sqlcipher3's has the same methods and no stubs."""

SqlError: type[Exception] = sqlcipher.Error
"""What the driver raises; it is not sqlite3's class of that name."""

LARGEST = 2**63 - 1
"""The largest number that a column can hold; whoever names a larger one names no row."""

PATIENCE = timedelta(seconds=5)
"""How long a statement waits for another program that holds the database."""

CACHE_KIB = 4096
JOURNAL_LIMIT_BYTES = 16 * 1024 * 1024
SALT_BYTES = 16
KDF_ROUNDS = 256_000  # SQLCipher 4's own number: its tools open the file with the same key
PLAIN_HEADER = b"SQLite format 3\0"


def connect(
    path: Path, key: str | None, *, patience: timedelta = PATIENCE, read_only: bool = False
) -> Tx:
    """A connection to `path`, made if it is missing, and readable with `key`.

    The file is not changed: what an existing one says of itself (its journal mode) stands until
    `keep_safe`.

    Raises:
        WrongKeyError: `key` does not open it, or it is no database.
        DatabaseError: it cannot be opened at all.
    """
    try:
        if not path.exists():
            path.touch(mode=0o600)
        raw_key = _raw_key(path, key) if key else None
        connection = sqlcipher.connect(
            str(path), isolation_level=None, check_same_thread=False, cached_statements=256
        )
    except (OSError, SqlError) as error:
        raise DatabaseError(f"{path} cannot be opened: {error}.") from error
    try:
        _prepare(connection, raw_key, patience=patience, read_only=read_only)
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except SqlError as error:
        connection.close()
        raise _why_unreadable(path, key, error) from error
    return cast(Tx, connection)


def keep_safe(connection: Tx, path: Path) -> None:
    """From now on every commit is on disk when it returns.

    WAL with synchronous=FULL: NORMAL would lose commits on power loss. A checkpoint comes at
    1,000 pages (4 MB), SQLite's own default: seldom enough, and short.
    """
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise DatabaseError(
            f"{path} is on a disk that has no shared memory for SQLite's write-ahead log, as some "
            "network drives have not. Put COMPANION_HOME on a local disk."
        )
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA fullfsync = ON")  # macOS: its fsync stops at the disk's cache
    connection.execute("PRAGMA wal_autocheckpoint = 1000")
    connection.execute(f"PRAGMA journal_size_limit = {JOURNAL_LIMIT_BYTES}")


def _prepare(connection: Tx, raw_key: str | None, *, patience: timedelta, read_only: bool) -> None:
    if raw_key:
        connection.set_key(raw_key.encode())  # type: ignore[attr-defined]
    connection.enable_load_extension(True)
    sqlite_vec.load(connection)
    connection.enable_load_extension(False)
    # SQLCipher would write its own lines to stderr about what we raise anyway
    connection.execute("PRAGMA cipher_log_level = NONE")
    connection.execute(f"PRAGMA busy_timeout = {patience // timedelta(milliseconds=1)}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    if read_only:
        connection.execute("PRAGMA query_only = ON")


def _raw_key(path: Path, key: str) -> str:
    """`key` as SQLCipher would derive it for the file at `path`, in its notation for such keys.

    It would do so anew for every connection, a quarter of a second each.
    """
    with path.open("rb") as file:
        salt = file.read(SALT_BYTES)
    if len(salt) < SALT_BYTES:  # a new file
        salt = os.urandom(SALT_BYTES)
    return f"x'{_derived(key, salt)}{salt.hex()}'"


@lru_cache(maxsize=2)
def _derived(key: str, salt: bytes) -> str:
    # bytes that are no UTF-8 come out of the environment as surrogates
    secret = os.fsencode(key)
    return hashlib.pbkdf2_hmac("sha512", secret, salt, KDF_ROUNDS, dklen=32).hex()


def _why_unreadable(path: Path, key: str | None, error: Exception) -> DatabaseError:
    if _code(error) != sqlite3.SQLITE_NOTADB:
        return in_words(error, path) or DatabaseError(f"{path} cannot be opened: {error}.")
    with path.open("rb") as file:
        plain = file.read(len(PLAIN_HEADER)) == PLAIN_HEADER
    if plain and key:
        return WrongKeyError(
            f"{path} is not encrypted, but COMPANION_DB_KEY is set. Unset it to use this "
            "database, or name another COMPANION_HOME to start an encrypted one."
        )
    if key:
        return WrongKeyError(
            f"COMPANION_DB_KEY does not open {path}. Set the key that it was made with; without "
            "that key nobody can read it. If it is no database at all, move it away."
        )
    return WrongKeyError(
        f"{path} is encrypted, or no database. Set COMPANION_DB_KEY to the key that it was made "
        "with. If it is no database at all, move it away."
    )


def in_words(error: BaseException, path: Path) -> DatabaseError | None:
    """What the operator should know and do about `error`, or None: it is a fault of ours."""
    if not isinstance(error, SqlError):
        return None
    text = {
        sqlite3.SQLITE_FULL: "The disk is full: {path} cannot grow. Nothing that was stored is "
        "lost; free space, and it goes on",
        sqlite3.SQLITE_IOERR: "The disk failed at {path} ({error}). What was stored "
        "before is not lost; look for free space, quotas and the health of the disk",
        sqlite3.SQLITE_BUSY: "{path} is locked by another program. Close what has it open "
        "(a database browser, a copy that runs), and try again",
        sqlite3.SQLITE_READONLY: "{path} cannot be written. Give it and its folder to the user "
        "that the companion runs as, and check that the disk is not mounted read-only",
        sqlite3.SQLITE_CORRUPT: "{path} is damaged ({error}). Restore a backup with "
        "`companion restore`",
        sqlite3.SQLITE_NOTADB: "{path} is damaged, or was replaced while in use ({error}). "
        "Restore a backup with `companion restore`",
        sqlite3.SQLITE_CANTOPEN: "{path} cannot be opened ({error}). Check that its folder is "
        "there and can be written",
        sqlite3.SQLITE_PERM: "{path} may not be opened by this user",
    }.get(_code(error))
    return DatabaseError(text.format(path=path, error=error) + ".") if text else None


def _code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
