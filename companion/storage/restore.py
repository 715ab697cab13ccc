"""A home's database brought back from a copy."""

import shutil
import zipfile
from contextlib import closing, suppress
from pathlib import Path

from companion.clock import Clock
from companion.error_text import why
from companion.errors import DatabaseError
from companion.home import Home
from companion.storage.backup import check_whole, copy_database, require_file, sync
from companion.storage.connection import SqlError, connect
from companion.storage.migrate import check_version


def restore(backup: Path, home: Home, *, key: str | None = None, clock: Clock) -> Path | None:
    """Put `backup` in the place of the home's database.

    Gives where the replaced database lies now, or None: there was none. Whatever happens in
    between, the home holds the one or the other, whole.

    Raises:
        HomeInUseError: a companion runs on this home.
        WrongKeyError: `key` does not open the backup.
        DatabaseTooNewError: a newer version of the program wrote the backup.
        DatabaseError: the backup is missing, damaged or no companion's, or there is no room.
    """
    home.make()
    with home.lock(clock):
        restored = home.database.with_name(home.database.name + ".restored")
        _copy_checked(backup, restored, key)
        try:
            kept = _keep_replaced(home.database, key, clock)
            restored.replace(home.database)
            sync(home.path)
        except OSError as error:
            raise DatabaseError(
                f"{home.database} could not be replaced: {why(error)}. It is as it was before."
            ) from error
        finally:
            restored.unlink(missing_ok=True)
    return kept


def _copy_checked(backup: Path, target: Path, key: str | None) -> None:
    require_file(backup)
    if zipfile.is_zipfile(backup):
        raise DatabaseError(
            f"{backup} is a zip, as exports are, and no copy of a database. An export is taken"
            f" back with `companion import {backup}`."
        )
    with closing(connect(backup, key, read_only=True)) as connection:
        check_whole(connection, backup)
        check_version(connection, backup)
        if connection.execute("PRAGMA user_version").fetchone() == (0,):
            raise DatabaseError(f"{backup} is empty: there is nothing to restore.")
        copy_database(connection, target, key=key)


def _keep_replaced(database: Path, key: str | None, clock: Clock) -> Path | None:
    """Copy `database` beside itself, with the commits that only its log holds."""
    if not database.exists():
        return None
    kept = database.with_name(
        f"{database.stem}.replaced-{clock.now():%Y%m%dT%H%M%SZ}{database.suffix}"
    )
    log = database.with_name(database.name + "-wal")
    for file in (database, log):
        if file.exists():
            copy = kept.with_name(file.name.replace(database.name, kept.name))
            shutil.copy2(file, copy)
            sync(copy)
    sync(kept.parent)
    # The log of the one must not be read into the other. Its commits go into its own database
    # first, where that can be opened: should the power fail now, that one is still whole.
    with suppress(DatabaseError, SqlError), closing(connect(database, key)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    log.unlink(missing_ok=True)
    database.with_name(database.name + "-shm").unlink(missing_ok=True)
    return kept
