"""Keeps notes so that what is true can be told from what was: nothing is overwritten."""

from collections.abc import Sequence
from datetime import datetime

from companion.context import working_context
from companion.errors import ToolError
from companion.memory.noticing import Kept, Noticed
from companion.search.upkeep import Known, adds_to, judge
from companion.storage import drawn, passages, past_passages
from companion.storage.database import Tx
from companion.storage.passages import OWN_SOURCES, Passage

NOTHING = 0
"""Given for the number of a note that is replaced: none is, both are true."""


def keep(
    tx: Tx,
    person: int,
    text: str,
    noticed: Noticed,
    *,
    source: str,
    event: int | None,
    now: datetime,
    replaces: int | None = None,
) -> Kept:
    """Keep `text` as a note; a double renews the one that stands there.

    `replaces` is the number of a note that is true no more by it, or `NOTHING`. Without it those
    are that were `noticed`.

    Raises:
        ToolError: there is no note of that number.
    """
    gone = _replaced(tx, person, noticed, replaces)
    same = passages.same(tx, person, text) or noticed.double
    if same and source != same.source and not {source, same.source} <= set(OWN_SOURCES):
        same = None  # what somebody else says as well is not told again by the person
    standing = past_passages.renew(tx, person, same.id, now) if same else None
    kept = standing or passages.add(tx, person, text, source=source, now=now, event=event)
    past = [past_passages.supersede(tx, person, old.id, by=kept.id, now=now) for old in gone]
    changed = tuple(old for old in past if old is not None)
    left = () if replaces is not None else noticed.near
    return Kept(
        passage=same if standing and same else kept,
        is_double=standing is not None,
        past=changed,
        near=tuple(one for one in left if one.id != kept.id),
    )


def _replaced(tx: Tx, person: int, noticed: Noticed, replaces: int | None) -> tuple[Passage, ...]:
    if replaces is None:
        return noticed.past
    if replaces == NOTHING:
        return ()
    old = passages.get(tx, person, replaces)
    if old is None:
        raise ToolError(
            f"There is no note {replaces}. archival_storage_search shows the number of each."
        )
    return (old,)


def keep_past_lines(tx: Tx, person: int, before: str, after: str, *, now: datetime) -> None:
    """Keep those lines as past notes that stand in the working context no more, for others do.

    A line that was told in more words or is quoted is none, nor one that was deleted, unless
    another says otherwise.
    """
    old, held = working_context.about_person(before), working_context.about_person(after)
    new = [line for line in held if line not in old]
    past_passages.drop_lines(tx, person, held)
    gone = [line for line in old if line not in held]
    past = [line for line in gone if _is_past(line, new, held)]
    origins = drawn.origins_of_lines(tx, person) if past else {}
    for line in past:
        origin = origins.get(line)
        note = passages.add(
            tx,
            person,
            line,
            source="model",
            now=origin.at if origin else now,
            event=origin.event if origin else None,
        )
        past_passages.set_past(tx, person, note.id, now)


def _is_past(line: str, new: Sequence[str], held: Sequence[str]) -> bool:
    if new:
        return not any(adds_to(other, line) or line.strip(" -*") in other for other in new)
    return any(judge(other, [Known(id=0, text=line)]).past for other in held)


def take_back(tx: Tx, person: int, since: datetime) -> list[Passage]:
    """Bring the notes back that became past last of all, if that was after `since`."""
    latest = past_passages.latest(tx, person)
    back = [note for note in latest if note.until is not None and note.until >= since]
    past_passages.bring_back(tx, person, back)
    return back
