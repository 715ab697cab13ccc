"""Numbered migrations, each run once."""

from importlib.resources import files
from pathlib import Path
from sqlite3 import Connection

from companion.errors import DatabaseTooNewError


def migrate(connection: Connection, path: Path) -> None:
    """Bring the database at `path` to the newest version.

    Raises:
        DatabaseTooNewError: a newer program wrote it.
    """
    scripts = migrations()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(scripts):
        raise DatabaseTooNewError(
            f"{path} was written by a newer version of companion (schema {version}, this one "
            f"knows {len(scripts)}). Update companion, or restore a backup."
        )
    for number, script in enumerate(scripts[version:], version + 1):
        connection.executescript(
            f"BEGIN IMMEDIATE; {script}; PRAGMA user_version = {number}; COMMIT;"
        )


def migrations() -> list[str]:
    """The scripts in order; the first brings version 0 to 1."""
    folder = files("companion.storage") / "migrations"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(folder / name).read_text(encoding="utf-8") for name in names]
