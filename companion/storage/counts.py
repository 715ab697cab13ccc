"""How much of a person's waits, for the operator."""

from dataclasses import dataclass

from companion.storage.database import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """`given_up` are events and messages that were not dealt with and never will be."""

    to_answer: int
    to_deliver: int
    given_up: int


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
