"""Archival storage's rows: texts that were chosen to be kept, and since when some are past."""

from dataclasses import dataclass
from datetime import datetime

from companion.storage import search_index
from companion.storage.connection import LARGEST
from companion.storage.database import Tx

NOTES = ("model", "person")
"""The sources of notes about the person."""
OWN_SOURCES = (*NOTES, "linked", "import")
"""The sources of what the person told, here or elsewhere. All others say who else did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A text that was kept. `source` is who put it there, 'model' or 'person', or whose words it
    holds: those of a file, or of somebody whose message was passed on.

    Since `until` it is past; None means that it is true. `superseded_by` is the note that is true
    in its place. It was told again at `renewed_at`, if ever.
    """

    id: int
    text: str
    source: str
    created_at: datetime
    until: datetime | None = None
    superseded_by: int | None = None
    renewed_at: datetime | None = None

    @property
    def is_a_note(self) -> bool:
        """Whether it tells of the person, and is no part of an upload."""
        return self.source in NOTES

    @property
    def told_at(self) -> datetime:
        """When it was told last."""
        return self.renewed_at or self.created_at


_COLUMNS = "id, text, source, created_at, until, superseded_by, renewed_at"


def _passage(row: tuple[int, str, str, str, str | None, int | None, str | None]) -> Passage:
    return Passage(
        id=row[0],
        text=row[1],
        source=row[2],
        created_at=datetime.fromisoformat(row[3]),
        until=datetime.fromisoformat(row[4]) if row[4] else None,
        superseded_by=row[5],
        renewed_at=datetime.fromisoformat(row[6]) if row[6] else None,
    )


def add(
    tx: Tx, person: int, text: str, *, source: str, now: datetime, event: int | None = None
) -> Passage:
    """Keep `text` and make it searchable."""
    row = tx.execute(
        "INSERT INTO passage (person_id, text, source, event_id, created_at)"
        " VALUES (:person, :text, :source, :event, :now) RETURNING id",
        {
            "person": person,
            "text": text,
            "source": source,
            "event": event,
            "now": now.isoformat(),
        },
    ).fetchone()
    search_index.add_passage(tx, person=person, passage=row[0], text=text)
    return Passage(id=row[0], text=text, source=source, created_at=now)


def same(tx: Tx, person: int, text: str) -> Passage | None:
    """The passage with exactly this text, or None."""
    row = tx.execute(
        f"SELECT {_COLUMNS} FROM passage WHERE person_id = :person AND text = :text"
        " ORDER BY until IS NOT NULL, id LIMIT 1",
        {"person": person, "text": text},
    ).fetchone()
    return _passage(row) if row else None


def get(tx: Tx, person: int, passage: int) -> Passage | None:
    """One passage of this person's, or None."""
    if passage > LARGEST:
        return None
    row = tx.execute(
        f"SELECT {_COLUMNS} FROM passage WHERE person_id = :person AND id = :passage",
        {"person": person, "passage": passage},
    ).fetchone()
    return _passage(row) if row else None


def remove(tx: Tx, person: int, passage: int) -> None:
    """Forget a passage, its index entries and its vector."""
    search_index.remove_passage(tx, person=person, passage=passage)
    tx.execute(
        "DELETE FROM passage WHERE id = :passage AND person_id = :person",
        {"passage": passage, "person": person},
    )


def everything(tx: Tx, person: int) -> list[Passage]:
    """All passages, oldest first."""
    rows = tx.execute(
        f"SELECT {_COLUMNS} FROM passage WHERE person_id = :person ORDER BY id",
        {"person": person},
    )
    return [_passage(row) for row in rows]


def drawn_from(tx: Tx, person: int, event: int) -> list[Passage]:
    """The passages that were kept while the event was dealt with."""
    rows = tx.execute(
        f"SELECT {_COLUMNS} FROM passage"
        " WHERE person_id = :person AND event_id = :event ORDER BY id",
        {"person": person, "event": event},
    )
    return [_passage(row) for row in rows]


def count(tx: Tx, person: int) -> int:
    """How many passages there are."""
    row = tx.execute(
        "SELECT COUNT(*) FROM passage WHERE person_id = :person", {"person": person}
    ).fetchone()
    return int(row[0])
