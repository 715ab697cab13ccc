"""How much there is, and how much of a person's waits."""

from dataclasses import dataclass

from companion.storage.database import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """`given_up` are events and messages that were not dealt with and never will be."""

    to_answer: int
    to_deliver: int
    given_up: int


def bytes_used(tx: Tx) -> int:
    """What the whole database takes once it is all in its file."""
    (pages,) = tx.execute("PRAGMA page_count").fetchone()
    (size,) = tx.execute("PRAGMA page_size").fetchone()
    return int(pages * size)


def bytes_held(tx: Tx) -> int:
    """What of that is in use, and not free for what comes next."""
    (free,) = tx.execute("PRAGMA freelist_count").fetchone()
    (size,) = tx.execute("PRAGMA page_size").fetchone()
    return bytes_used(tx) - int(free * size)


def of(tx: Tx, person: int) -> Counts:
    """The person's counts."""
    row = tx.execute(
        "SELECT"
        " (SELECT COUNT(*) FROM inbox WHERE person_id = :person"
        "   AND state IN ('waiting', 'begun')),"
        " (SELECT COUNT(*) FROM outbox WHERE person_id = :person"
        "   AND state IN ('waiting', 'sending')),"
        " (SELECT COUNT(*) FROM inbox WHERE person_id = :person AND state = 'dead')"
        " + (SELECT COUNT(*) FROM outbox WHERE person_id = :person AND state = 'refused')",
        {"person": person},
    ).fetchone()
    return Counts(to_answer=row[0], to_deliver=row[1], given_up=row[2])
