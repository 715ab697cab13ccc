"""Erasing people: every row, index entry, file and copy, also after a kill or a restored backup.

First the ledger tells of it, then it is done; a start does what the ledger tells and the database
has not done yet. So an erasure that was cut short is finished, and one that a restored backup
knows nothing of is done again.
"""

import asyncio
import logging
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from companion.clock import Clock
from companion.error_text import why
from companion.errors import DatabaseError
from companion.home import Home
from companion.ledger import Entry, Ledger
from companion.storage import erase, erase_groups
from companion.storage.connection import SqlError, connect
from companion.storage.database import Database, Tx
from companion.storage.erase import Gone, Known

logger = logging.getLogger(__name__)

DEBUGGING = b" DEBUG "
"""In a log that has such lines, some may tell what people said."""


class Erasing:
    """Erases the people of one home. `key` is that of its database."""

    def __init__(self, db: Database, home: Home, clock: Clock, *, key: str | None) -> None:
        self._db = db
        self.home = home
        self._clock = clock
        self._key = key
        self._ledger = Ledger(home.erased)
        self._told: list[Callable[[Gone], None]] = []

    def tell(self, *told: Callable[[Gone], None]) -> None:
        """Have `told` called when somebody was erased: who holds something of them lets it go."""
        self._told += told

    async def erase(self, person: int) -> None:
        """Erase the person, or the group. When this returns no row of theirs is left; bytes that
        could not be removed from the database's file, the next start removes.

        Raises:
            OperatorError: the ledger cannot be written; nothing was erased.
            DatabaseError: the rows are still there; the next start erases them.
        """
        known = await self._db.read(erase.everybody)
        names = [one.name for one in known if one.person == person]
        self._ledger.add(self._clock.now(), names)
        await self.catch_up()

    async def catch_up(self) -> None:
        """Do what the ledger tells and this database has not done.

        Raises:
            DatabaseError: rows are still there.
        """
        await self._purge_if_due()
        name, entries = self._ledger.name, self._ledger.entries
        if not entries:
            return
        through = await self._db.read(lambda tx: erase.followed(tx, name))
        if through >= len(entries):
            return
        for entry in entries[through:]:
            for gone in await self._follow(entry):
                for tell in self._told:
                    tell(gone)
        await asyncio.to_thread(_empty_debugging_logs, self.home)
        await asyncio.to_thread(self._remove_copies, list(entries))
        done = len(entries)
        try:
            if await erase.purge(self._db):
                await self._db.write(lambda tx: erase.follow(tx, name, done))
                return
            logger.warning("an erasure is finished at the next start: the database is being read")
        except DatabaseError as error:
            logger.error("an erasure is finished at the next start: %s", error)  # noqa: TRY400

    async def _purge_if_due(self) -> None:
        """Take out of the file what was forgotten before this start, where that was cut short."""
        try:
            if await self._db.read(erase.is_purge_due):
                await erase.purge_now(self._db)
        except DatabaseError as error:
            logger.error("what was forgotten leaves the file at the next start: %s", error)  # noqa: TRY400

    async def _follow(self, entry: Entry) -> list[Gone]:
        known = await self._db.read(erase.everybody)
        groups = await self._db.read(erase_groups.heard_in_groups)
        meant = list(self._meant(entry, known))
        for one in meant:
            await asyncio.to_thread(_remove_files, self.home, one)
        speakers = [
            speaker
            for speaker in groups
            if self._ledger.hashed([("account", *speaker)]) <= entry.who
        ]

        def work(tx: Tx) -> list[Gone]:
            gone = [erase.erase(tx, person) for person in {one.person for one in meant}]
            for platform, user in speakers:
                gone.append(erase_groups.erase_from_groups(tx, platform, user, entry.at))
            return gone

        return await self._db.write(work)

    def _meant(self, entry: Entry, known: list[Known]) -> Iterator[Known]:
        """Who of `known` the entry is about. Who came back afterwards is somebody new."""
        persons = {
            one.person
            for one in known
            if one.since <= entry.at and self._ledger.hashed([one.name]) <= entry.who
        }
        return (one for one in known if one.person in persons)

    def _remove_copies(self, entries: list[Entry]) -> None:
        """Remove the copies that the program made by itself and that have an erased person."""
        database = self.home.database
        for kind in ("before-update", "replaced"):
            for copy in sorted(database.parent.glob(f"{database.stem}.{kind}-*{database.suffix}")):
                if self._holds_erased(copy, entries):
                    logger.info("%s is removed: it holds somebody who was erased", copy.name)
                    for file in copy.parent.glob(f"{copy.name}*"):
                        file.unlink()

    def _holds_erased(self, copy: Path, entries: list[Entry]) -> bool:
        try:
            with closing(connect(copy, self._key, read_only=True)) as connection:
                known = erase.everybody(connection)
        except (DatabaseError, SqlError) as error:
            logger.warning("%s may hold somebody who was erased: %s", copy, error)
            return False
        return any(next(self._meant(entry, known), None) for entry in entries)


def _remove_files(home: Home, known: Known) -> None:
    try:
        if home.attachments_of(known.person).exists():
            shutil.rmtree(home.attachments_of(known.person))
        if known.name[0] == "account":
            home.typed_by(*known.name[1:]).unlink(missing_ok=True)
    except OSError as error:
        raise DatabaseError(
            f"A file of somebody who is to be erased stays: {why(error)}."
        ) from error


def _empty_debugging_logs(home: Home) -> None:
    for file in home.logs.glob(f"{home.log.name}*"):
        if DEBUGGING in file.read_bytes():
            os.truncate(file, 0)
