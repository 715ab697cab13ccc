"""Which SQLite this is."""

from contextlib import closing

import sqlite_vec
from sqlcipher3 import dbapi2 as sqlcipher

from companion.errors import DatabaseError


def versions() -> tuple[str, str]:
    """SQLite's version and that of its extension for vectors, both tried out.

    Raises:
        DatabaseError: they do not work on this machine.
    """
    try:
        with closing(sqlcipher.connect(":memory:")) as connection:
            connection.enable_load_extension(True)
            sqlite_vec.load(connection)
            connection.execute("CREATE VIRTUAL TABLE words USING fts5 (text)")
            row = connection.execute("SELECT sqlite_version(), vec_version()").fetchone()
    except sqlcipher.Error as error:
        raise DatabaseError(
            f"SQLite does not work here: {error}. Install companion anew."
        ) from error
    return str(row[0]), str(row[1])
