"""Codes that make one person of two accounts, and who has agreed to that."""

from dataclasses import dataclass
from datetime import datetime

from companion.storage.database import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Two who may become one. `person` asked for the code, `other` typed it, None as long as
    nobody has."""

    person: int
    code: str
    made_at: datetime
    other: int | None
    other_agreed: bool


@dataclass(frozen=True, slots=True)
class WrongCodes:
    """How many wrong codes somebody typed, the first of them at `since`."""

    tries: int
    since: datetime


_COLUMNS = "person_id, code, made_at, other_id, other_agreed"


def _link(row: tuple[int, str, str, int | None, int] | None) -> Link | None:
    if row is None:
        return None
    return Link(
        person=row[0],
        code=row[1],
        made_at=datetime.fromisoformat(row[2]),
        other=row[3],
        other_agreed=bool(row[4]),
    )


def make(tx: Tx, person: int, code: str, now: datetime) -> None:
    """A code for the person; the one before it is worth nothing any more."""
    cancel(tx, person)
    tx.execute(
        "INSERT INTO link (person_id, code, made_at) VALUES (:person, :code, :now)",
        {"person": person, "code": code, "now": now.isoformat()},
    )


def by_code(tx: Tx, code: str) -> Link | None:
    """Whoever's code this is."""
    rows = tx.execute(f"SELECT {_COLUMNS} FROM link WHERE code = :code", {"code": code})
    return _link(rows.fetchone())


def of(tx: Tx, person: int) -> Link | None:
    """The link that the person asked for."""
    rows = tx.execute(f"SELECT {_COLUMNS} FROM link WHERE person_id = :person", {"person": person})
    return _link(rows.fetchone())


def typed_by(tx: Tx, person: int) -> Link | None:
    """The link for which the person typed somebody's code."""
    rows = tx.execute(f"SELECT {_COLUMNS} FROM link WHERE other_id = :person", {"person": person})
    return _link(rows.fetchone())


def type_code(tx: Tx, link: Link, other: int) -> None:
    """`other` typed the code."""
    cancel(tx, other)
    tx.execute(
        "UPDATE link SET other_id = :other, other_agreed = 0 WHERE person_id = :person",
        {"other": other, "person": link.person},
    )


def agree(tx: Tx, link: Link) -> None:
    """Who typed the code agrees."""
    tx.execute(
        "UPDATE link SET other_agreed = 1 WHERE person_id = :person", {"person": link.person}
    )


def cancel(tx: Tx, person: int) -> None:
    """Nothing comes of the links of this person, whoever began them."""
    tx.execute("DELETE FROM link WHERE person_id = :person", {"person": person})
    tx.execute("DELETE FROM link WHERE other_id = :person", {"person": person})


def wrong_codes(tx: Tx, person: int) -> WrongCodes | None:
    """The wrong codes that the person typed since the last right one."""
    row = tx.execute(
        "SELECT tries, since FROM wrong_link WHERE person_id = :person", {"person": person}
    ).fetchone()
    return WrongCodes(row[0], datetime.fromisoformat(row[1])) if row else None


def set_wrong_codes(tx: Tx, person: int, wrong: WrongCodes | None) -> None:
    """Keep count of the person's wrong codes; None after a right one."""
    tx.execute("DELETE FROM wrong_link WHERE person_id = :person", {"person": person})
    if wrong is not None:
        tx.execute(
            "INSERT INTO wrong_link (person_id, tries, since) VALUES (:person, :tries, :since)",
            {"person": person, "tries": wrong.tries, "since": wrong.since.isoformat()},
        )
