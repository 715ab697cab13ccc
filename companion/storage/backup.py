"""A copy of the database while it is in use."""

import os
import tempfile
from contextlib import closing
from pathlib import Path

from companion.error_text import why
from companion.errors import DatabaseError
from companion.storage.connection import SqlError, Tx, connect, in_words


def back_up(path: Path, target: Path, *, key: str | None = None) -> None:
    """Copy the database at `path` to `target`, under the same key, while others may write to it.

    Raises:
        WrongKeyError: `key` does not open it.
        DatabaseError: there is none, something stands at `target` already, or there is no room.
    """
    require_file(path)
    if target.is_dir():
        raise DatabaseError(f"{target} is a folder. Name a file in it: {target / 'companion.db'}")
    if target.exists():
        raise DatabaseError(f"There is a file at {target} already. Name another one.")
    with closing(connect(path, key, read_only=True)) as connection:
        copy_database(connection, target, key=key)


def copy_database(connection: Tx, target: Path, *, key: str | None) -> None:
    """Copy what `connection` sees to `target`, under the same key, whole or not at all.

    Others may go on writing; the copy is one state of the database.

    Raises:
        DatabaseError: no room for it, or it cannot be written there.
    """
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".part")
        os.close(handle)
    except OSError as error:
        raise _not_copied(target, error) from error
    part = Path(name)
    try:
        with closing(connect(part, key)) as copy:
            connection.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, no journal beside it
            check_whole(copy, part)
        sync(part)
        part.replace(target)
        sync(target.parent)
    except (SqlError, OSError) as error:
        raise _not_copied(target, error) from error
    finally:
        part.unlink(missing_ok=True)


def _not_copied(target: Path, error: Exception) -> DatabaseError:
    return in_words(error, target) or DatabaseError(
        f"The database could not be copied to {target}: {why(error)}."
    )


def check_whole(connection: Tx, path: Path) -> None:
    """Read all of the database.

    Raises:
        DatabaseError: it is damaged.
    """
    try:
        faults = [row[0] for row in connection.execute("PRAGMA integrity_check(5)")]
    except SqlError as error:
        faults = [str(error)]
    if faults != ["ok"]:
        raise DatabaseError(f"{path} is damaged: {'; '.join(faults)}.")


def require_file(path: Path) -> None:
    """Refuse a database that is not there: opening would make it.

    Raises:
        DatabaseError: there is no file at `path`.
    """
    if path.is_dir():
        raise DatabaseError(f"{path} is a folder. Name the file in it.")
    if not path.is_file():
        raise DatabaseError(f"There is no database at {path}.")


def sync(path: Path) -> None:
    """Have the disk keep what was written to the file or folder at `path`."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
