"""What a person's memory holds to write about, with where each text stands and when it came."""

from datetime import datetime

from companion.context.working_context import about_person
from companion.openers.candidates import Remark, Source
from companion.sources import is_marked
from companion.storage.database import Tx

MESSAGES = 250
PASSAGES = 200
VERSIONS = 200
"""How many of each are looked at, the newest."""


def of(tx: Tx, person: int, since: datetime) -> list[Remark]:
    """What was said and summed up since then, what was noted, and what is kept in view."""
    return [
        *_context(tx, person),
        *_summary(tx, person),
        *_passages(tx, person),
        *_messages(tx, person, since),
    ]


def find(tx: Tx, person: int, source: Source) -> Remark | None:
    """The text at `source`, or None when it is gone."""
    match source.kind:
        case "message":
            found = _messages(tx, person, None, source.id)
        case "passage":
            found = _passages(tx, person, source.id)
        case "summary":
            found = _summary(tx, person, source.id)
        case "context":
            found = [one for one in _context(tx, person) if one.source == source]
    return found[0] if found else None


def _messages(
    tx: Tx, person: int, since: datetime | None, number: int | None = None
) -> list[Remark]:
    """What both said themselves: what others wrote tells of their plans."""
    rows = tx.execute(
        "SELECT id, said, said_at, kind FROM message WHERE person_id = :person AND said <> ''"
        " AND source = ''"
        " AND (:since IS NULL OR said_at >= :since) AND (:number IS NULL OR id = :number)"
        " ORDER BY id DESC LIMIT :most",
        {
            "person": person,
            "since": since.isoformat() if since else None,
            "number": number,
            "most": MESSAGES,
        },
    )
    return [
        Remark(
            source=Source("message", row[0]),
            text=row[1],
            said_at=datetime.fromisoformat(row[2]),
            by="person" if row[3] == "event" else "companion",
        )
        for row in rows.fetchall()
    ]


def _passages(tx: Tx, person: int, number: int | None = None) -> list[Remark]:
    """Notes that are true, and no uploaded texts, which tell of other people's plans."""
    rows = tx.execute(
        "SELECT id, text, created_at FROM passage WHERE person_id = :person"
        " AND source IN ('model', 'person') AND until IS NULL AND (:number IS NULL OR id = :number)"
        " ORDER BY id DESC LIMIT :most",
        {"person": person, "number": number, "most": PASSAGES},
    )
    return [_note(Source("passage", row[0]), row[1], row[2]) for row in rows.fetchall()]


def _summary(tx: Tx, person: int, number: int | None = None) -> list[Remark]:
    """The newest summary, which holds what the ones before it did."""
    rows = tx.execute(
        "SELECT id, text, created_at FROM summary WHERE person_id = :person"
        " AND (:number IS NULL OR id = :number) ORDER BY id DESC LIMIT 1",
        {"person": person, "number": number},
    )
    return [_note(Source("summary", row[0]), row[1], row[2]) for row in rows.fetchall()]


def _context(tx: Tx, person: int) -> list[Remark]:
    """The lines about the person that are in view now, each by the version that brought it.

    What others said is none of them.
    """
    rows = tx.execute(
        "SELECT id, text, created_at FROM working_context WHERE person_id = :person"
        " ORDER BY id DESC LIMIT :most",
        {"person": person, "most": VERSIONS},
    ).fetchall()
    now = about_person(rows[0][1]) if rows else []
    wanted = {line: None for line in now if not is_marked(line)}
    first: dict[str, Remark] = {}
    for number, text, created_at in rows:
        lines = about_person(text)
        for line in [line for line in wanted if line in lines]:
            first[line] = _note(Source("context", number, lines.index(line)), line, created_at)
        wanted = {line: None for line in wanted if line in lines}
    return list(first.values())


def _note(source: Source, text: str, created_at: str) -> Remark:
    return Remark(source=source, text=text, said_at=datetime.fromisoformat(created_at), by="note")
