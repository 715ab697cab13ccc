"""Numbered migrations, each run once, in a transaction of its own."""

import sqlite3
from collections.abc import Iterator
from datetime import datetime
from importlib.resources import files
from pathlib import Path

from companion.clock import Clock
from companion.errors import DatabaseError, DatabaseTooNewError
from companion.storage.backup import copy_database
from companion.storage.connection import SqlError, Tx, in_words

APPLICATION_ID = 0x436F6D70  # "Comp", in every file of ours, so that we change no other's
BACKUPS_KEPT = 3


def check_version(connection: Tx, path: Path, *, read_only: bool = False) -> None:
    """Refuse a database that this program cannot use. Nothing is changed.

    Raises:
        DatabaseTooNewError: a newer program wrote it.
        DatabaseError: another program's, or (`read_only`) one that has to be migrated first.
    """
    version, application, has_tables = _at_one_moment(connection)
    newest = len(migrations())
    if application != APPLICATION_ID and (version or application or has_tables):
        raise DatabaseError(f"{path} is the database of another program. Nothing was changed.")
    if version > newest:
        raise DatabaseTooNewError(
            f"{path} was written by a newer version of companion (schema {version}, this one "
            f"knows {newest}). Update companion, or restore a backup."
        )
    if read_only and version < newest:
        raise DatabaseError(
            f"{path} was written by an older version of companion (schema {version}, this one "
            f"needs {newest}). Start the companion once to bring it up to date."
        )


def migrate(
    connection: Tx,
    path: Path,
    *,
    key: str | None,
    clock: Clock,
    scripts: list[str] | None = None,
) -> None:
    """Bring the database at `path` to the newest version; what it held is copied beside it first.

    `scripts` are our own `migrations()` unless given.

    Raises:
        DatabaseError: a script failed. The database is as it was before that script.
    """
    scripts = migrations() if scripts is None else scripts
    version, _ = _version(connection)
    if 0 < version < len(scripts):
        _back_up_before(connection, path, key, clock.now(), version)
    for number, script in enumerate(scripts[version:], version + 1):
        try:
            _run(connection, number, script)
        except SqlError as error:
            raise in_words(error, path) or DatabaseError(
                f"{path} could not be brought to version {number}: {error}. It is as it was "
                f"before, at version {number - 1}."
            ) from error


def _run(connection: Tx, number: int, script: str) -> None:
    """Run `script` in one transaction, unless another connection did so meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        version, _ = _version(connection)
        if version < number:
            for statement in _statements(script):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """The statements of `script`, one by one: `executescript` would commit before it begins."""
    statement = ""
    for piece in script.split(";"):
        statement += piece + ";"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def migrations() -> list[str]:
    """The scripts in order; the first brings version 0 to 1."""
    folder = files("companion.storage") / "migrations"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(folder / name).read_text(encoding="utf-8") for name in names]


def _version(connection: Tx) -> tuple[int, int]:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    return version, application


def _at_one_moment(connection: Tx) -> tuple[int, int, bool]:
    """Version, application id and whether there are tables: another may be making them just now."""
    connection.execute("BEGIN")
    try:
        version, application = _version(connection)
        tables = connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    return version, application, tables is not None


def _back_up_before(
    connection: Tx, path: Path, key: str | None, now: datetime, version: int
) -> None:
    """Copy the database beside itself; of such copies the newest few are kept."""
    name = f"{path.stem}.before-update-{now:%Y%m%dT%H%M%SZ}-v{version}{path.suffix}"
    copy_database(connection, path.with_name(name), key=key)
    copies = sorted(path.parent.glob(f"{path.stem}.before-update-*{path.suffix}"))
    for old in copies[:-BACKUPS_KEPT]:
        old.unlink()
