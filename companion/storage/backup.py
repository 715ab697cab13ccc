"""A copy of the database while it is in use, and a home brought back from such a copy."""

import os
from contextlib import closing
from pathlib import Path

from companion.errors import DatabaseError
from companion.storage.connection import SqlError, Tx, connect, in_words


def copy_database(connection: Tx, target: Path, *, key: str | None) -> None:
    """Copy what `connection` sees to `target`, under the same key, whole or not at all.

    Others may go on writing; the copy is one state of the database.

    Raises:
        DatabaseError: no room for it, or it cannot be written there.
    """
    part = target.with_name(target.name + ".part")
    part.unlink(missing_ok=True)
    try:
        with closing(connect(part, key)) as copy:
            connection.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, no journal beside it
            check_whole(copy, part)
        _sync(part)
        part.replace(target)
        _sync(target.parent)
    except (SqlError, OSError) as error:
        part.unlink(missing_ok=True)
        raise in_words(error, target) or DatabaseError(
            f"The database could not be copied to {target}: {error}."
        ) from error
    except DatabaseError:
        part.unlink(missing_ok=True)
        raise


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


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
