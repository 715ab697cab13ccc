"""Every version of each person's working context; the newest is in force."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from companion.storage.database import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A working context as it was from `created_at` on. `cause` is what made it."""

    id: int
    text: str
    cause: str
    created_at: datetime
    restored: int | None = None


_COLUMNS = "id, text, cause, created_at, restored"


def _version(row: tuple[int, str, str, str, int | None]) -> Version:
    return Version(
        id=row[0],
        text=row[1],
        cause=row[2],
        created_at=datetime.fromisoformat(row[3]),
        restored=row[4],
    )


def current(tx: Tx, person: int) -> Version | None:
    """The version in force, or None before the first."""
    row = tx.execute(
        f"SELECT {_COLUMNS} FROM working_context WHERE person_id = :person"
        " ORDER BY id DESC LIMIT 1",
        {"person": person},
    ).fetchone()
    return _version(row) if row else None


def get(tx: Tx, person: int, version: int) -> Version | None:
    """One version of this person's, or None."""
    row = tx.execute(
        f"SELECT {_COLUMNS} FROM working_context WHERE person_id = :person AND id = :version",
        {"person": person, "version": version},
    ).fetchone()
    return _version(row) if row else None


def add(
    tx: Tx,
    person: int,
    text: str,
    *,
    cause: str,
    now: datetime,
    event: int | None = None,
    restored: int | None = None,
) -> Version:
    """Make `text` the version in force; the ones before it are kept."""
    row = tx.execute(
        "INSERT INTO working_context (person_id, text, cause, restored, event_id, created_at)"
        " VALUES (:person, :text, :cause, :restored, :event, :now)"
        f" RETURNING {_COLUMNS}",
        {
            "person": person,
            "text": text,
            "cause": cause,
            "restored": restored,
            "event": event,
            "now": now.isoformat(),
        },
    ).fetchone()
    return _version(row)


def before(tx: Tx, person: int, version: Version) -> Version | None:
    """What an undo of `version` goes back to: what was in force before it came.

    An undo counts as the version that it brought back, so that undoing twice goes back two.
    Versions that say the same since something was forgotten count as one.
    """
    row = tx.execute(
        f"SELECT {_COLUMNS} FROM working_context WHERE person_id = :person AND id < :version"
        " AND text <> :text ORDER BY id DESC LIMIT 1",
        {"person": person, "version": version.restored or version.id, "text": version.text},
    ).fetchone()
    return _version(row) if row else None


def changes(tx: Tx, person: int, first: int, last: int) -> list[tuple[str, str]]:
    """What the events from `first` to `last` changed: the text before and the text after each."""
    rows = tx.execute(
        "SELECT text, (SELECT earlier.text FROM working_context AS earlier"
        "   WHERE earlier.person_id = :person AND earlier.id < working_context.id"
        "   ORDER BY earlier.id DESC LIMIT 1)"
        " FROM working_context WHERE person_id = :person AND event_id BETWEEN :first AND :last"
        " ORDER BY id",
        {"person": person, "first": first, "last": last},
    )
    return [(before or "", text) for text, before in rows]


def with_events(tx: Tx, person: int) -> Iterator[tuple[str, datetime, int | None]]:
    """The text of each version, oldest first, when it came, and the event that it came with."""
    rows = tx.execute(
        "SELECT text, created_at, event_id FROM working_context WHERE person_id = :person"
        " ORDER BY id",
        {"person": person},
    )
    for text, at, event in rows:
        yield text, datetime.fromisoformat(at), event


def rewrite(tx: Tx, person: int, change: Callable[[str], str]) -> None:
    """Put what `change` makes of it in the place of every version, those of the past too."""
    rows = tx.execute(
        "SELECT id, text FROM working_context WHERE person_id = :person", {"person": person}
    ).fetchall()
    for version, text in rows:
        if (changed := change(text)) != text:
            tx.execute(
                "UPDATE working_context SET text = :text WHERE id = :version"
                " AND person_id = :person",
                {"text": changed, "version": version, "person": person},
            )


def history(tx: Tx, person: int) -> list[Version]:
    """All versions, newest first."""
    rows = tx.execute(
        f"SELECT {_COLUMNS} FROM working_context WHERE person_id = :person ORDER BY id DESC",
        {"person": person},
    )
    return [_version(row) for row in rows]
