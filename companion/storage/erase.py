"""Everything of a person taken out of the database, and out of its file."""

from dataclasses import dataclass
from datetime import datetime

from companion.storage.database import Database, Tx
from companion.storage.personal import INDEXES, TABLES

MERGED_AT_ONCE = 500
"""Pages of an index that are rewritten in one transaction, so that others need not wait long."""
TRIES = 20
OWED, PURGED = "purges owed", "purges done"
"""Stand among the ledgers, and count: no ledger is called so."""


@dataclass(frozen=True, slots=True)
class Known:
    """Somebody in the database: by which account, or which group, and since when."""

    person: int
    name: tuple[str, ...]
    since: datetime


@dataclass(frozen=True, slots=True)
class Gone:
    """What was erased, for whoever still has something of it in memory.

    `events` are the platform's own ids, which come up never again; our numbers may.
    """

    person: int | None
    events: frozenset[str]
    groups: frozenset[int]


def everybody(tx: Tx) -> list[Known]:
    """All accounts and groups."""
    found = [
        Known(row[0], ("account", row[1], row[2]), datetime.fromisoformat(row[3]))
        for row in tx.execute("SELECT person_id, platform, user, created_at FROM account")
    ]
    rows = tx.execute(
        "SELECT person_id, platform, chat, created_at FROM conversation WHERE private = 0"
    )
    return found + [
        Known(row[0], ("chat", row[1], row[2]), datetime.fromisoformat(row[3])) for row in rows
    ]


def erase(tx: Tx, person: int) -> Gone:
    """Delete every row of the person's. What they said in groups is for `erase_groups`."""
    events = tx.execute(
        "SELECT external_id FROM inbox WHERE person_id = :person", {"person": person}
    ).fetchall()
    tx.execute(
        "DELETE FROM stranger WHERE (platform, user) IN"
        " (SELECT platform, user FROM account WHERE person_id = :person)",
        {"person": person},
    )
    for index, table in INDEXES.items():
        tx.execute(
            f"DELETE FROM {index} WHERE rowid IN"
            f" (SELECT id FROM {table} WHERE person_id = :person)",
            {"person": person},
        )
    for listed in reversed(TABLES):
        tx.execute(f"DELETE FROM {listed.name} WHERE {listed.person} = :person", {"person": person})
    return Gone(person, frozenset(row[0] for row in events), frozenset())


async def purge(db: Database) -> bool:
    """Take what was deleted out of the database's file and its log.

    Until then words lie about in the index, and whole pages in the log. False when somebody
    held on to the log all the time: then it has to be done again.
    """
    for index in INDEXES:
        begin = True
        while await db.write(lambda tx: _merge(tx, index, begin=begin)):  # noqa: B023 - at once
            begin = False
    for _ in range(TRIES):
        if await db.truncate_log():
            return True
    return False


def owe_purge(tx: Tx) -> None:
    """Something was deleted here: `purge_now` is due, also after a kill."""
    follow(tx, OWED, followed(tx, OWED) + 1)


def is_purge_due(tx: Tx) -> bool:
    """Whether something was deleted and is not purged."""
    return followed(tx, OWED) > followed(tx, PURGED)


async def purge_now(db: Database) -> None:
    """Purge what is due. What can't be done now stays due for the next time."""
    owed = await db.read(lambda tx: followed(tx, OWED))  # what comes meanwhile is due again
    if await purge(db):
        await db.write(lambda tx: follow(tx, PURGED, owed))


def _merge(tx: Tx, index: str, *, begin: bool) -> bool:
    """Rewrite some of an index; False when all of it is done."""
    before = tx.total_changes
    pages = -MERGED_AT_ONCE if begin else MERGED_AT_ONCE
    tx.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('merge', {pages})")
    # SQLite's own way to tell: less than two changes mean that nothing was left to merge
    return begin or tx.total_changes - before >= 2


def followed(tx: Tx, ledger: str) -> int:
    """How many entries of the ledger this database has followed."""
    row = tx.execute(
        "SELECT through FROM erased WHERE ledger = :ledger", {"ledger": ledger}
    ).fetchone()
    return int(row[0]) if row else 0


def follow(tx: Tx, ledger: str, through: int) -> None:
    """So many entries of the ledger were followed."""
    tx.execute(
        "INSERT INTO erased (ledger, through) VALUES (:ledger, :through)"
        " ON CONFLICT (ledger) DO UPDATE SET through = :through",
        {"ledger": ledger, "through": through},
    )
