"""Notes that are true no more: marked as past, shown as that, and brought back."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from companion.storage import passages
from companion.storage.database import Tx
from companion.storage.passages import Passage


def supersede(tx: Tx, person: int, old: int, *, by: int, now: datetime) -> Passage | None:
    """The note `old` is past since `now`, for `by` is true; None where it was past already."""
    changed = tx.execute(
        "UPDATE passage SET until = :now, superseded_by = :by WHERE id = :old"
        " AND person_id = :person AND until IS NULL AND id <> :by",
        {"now": now.isoformat(), "by": by, "old": old, "person": person},
    ).rowcount
    return passages.get(tx, person, old) if changed else None


def set_past(tx: Tx, person: int, passage: int, until: datetime) -> None:
    """The note is past, and no other note has its place."""
    tx.execute(
        "UPDATE passage SET until = :until WHERE id = :passage AND person_id = :person",
        {"until": until.isoformat(), "passage": passage, "person": person},
    )


def renew(tx: Tx, person: int, passage: int, now: datetime) -> Passage | None:
    """The note was told again: it is true, whatever it was before."""
    tx.execute(
        "UPDATE passage SET until = NULL, superseded_by = NULL, renewed_at = :now"
        " WHERE id = :passage AND person_id = :person",
        {"now": now.isoformat(), "passage": passage, "person": person},
    )
    return passages.get(tx, person, passage)


def latest(tx: Tx, person: int) -> list[Passage]:
    """The notes that became past last of all, in favour of another note."""
    rows = tx.execute(
        "SELECT id FROM passage WHERE person_id = :person AND superseded_by IS NOT NULL"
        " AND until = (SELECT MAX(until) FROM passage WHERE person_id = :person"
        " AND superseded_by IS NOT NULL) ORDER BY id",
        {"person": person},
    ).fetchall()
    found = (passages.get(tx, person, number) for (number,) in rows)
    return [passage for passage in found if passage is not None]


def past_by(tx: Tx, person: int, passage: int) -> list[Passage]:
    """The notes that are past in favour of this one."""
    rows = tx.execute(
        "SELECT id FROM passage WHERE person_id = :person AND superseded_by = :passage ORDER BY id",
        {"person": person, "passage": passage},
    ).fetchall()
    found = (passages.get(tx, person, number) for (number,) in rows)
    return [note for note in found if note is not None]


def bring_back(tx: Tx, person: int, notes: Iterable[Passage]) -> None:
    """These notes are true again, as if nothing had been said against them."""
    for note in notes:
        tx.execute(
            "UPDATE passage SET until = NULL, superseded_by = NULL"
            " WHERE id = :passage AND person_id = :person",
            {"passage": note.id, "person": person},
        )


def drop_lines(tx: Tx, person: int, lines: Iterable[str]) -> None:
    """These lines stand in the working context again: they are no past ones."""
    for line in lines:
        rows = tx.execute(
            "SELECT id FROM passage WHERE person_id = :person AND text = :line"
            " AND until IS NOT NULL AND superseded_by IS NULL",
            {"person": person, "line": line},
        ).fetchall()
        for (passage,) in rows:
            passages.remove(tx, person, passage)


def successors(tx: Tx, person: int) -> Mapping[int, int]:
    """For each past note the one that is true in its place, whatever came between them."""
    rows = tx.execute(
        "SELECT id, superseded_by FROM passage"
        " WHERE person_id = :person AND superseded_by IS NOT NULL",
        {"person": person},
    )
    by = dict(rows.fetchall())
    return {old: _last(by, old) for old in by}


def _last(by: Mapping[int, int], old: int) -> int:
    seen = {old}
    while by[old] not in seen and by[old] in by:
        old = by[old]
        seen.add(old)
    return by[old]


def untie(tx: Tx, person: int) -> None:
    """No note of theirs is past in favour of a note of somebody else's."""
    tx.execute(
        "UPDATE passage SET superseded_by = NULL WHERE person_id = :person"
        " AND superseded_by NOT IN (SELECT id FROM passage WHERE person_id = :person)",
        {"person": person},
    )
