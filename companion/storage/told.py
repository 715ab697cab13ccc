"""Which message told what was kept: of those in view at the time, the one that says most of it."""

from dataclasses import dataclass

from companion.search.forgetting import shares_words_with
from companion.search.upkeep import shared
from companion.storage import drawn, messages
from companion.storage.database import Tx
from companion.storage.drawn import Drawn


def told_by(tx: Tx, person: int, text: str, event: int) -> str:
    """What was said that told `text`, which was kept with `event`; what came with that one where
    no message in view shares a word with it."""
    said = messages.said_with(tx, person, event)
    best, most = said, shared(text, said)
    for one in reversed(_in_view(tx, person, event)):
        share = shared(text, one)
        if share > most:
            best, most = one, share
    return best


@dataclass(frozen=True, slots=True)
class Later:
    """What an event that came later kept of a message, and the lines that it replaced by that."""

    event: int
    found: Drawn
    back: tuple[str, ...]


def told_later(tx: Tx, person: int, event: int, said: str, after: int) -> list[Later]:
    """What was kept of `said`, which came with `event`, with events after `after`, while it was in
    view; what another message says just as much of is left out."""
    about = shares_words_with(said)

    def tells(text: str, at: int) -> bool:
        others = _in_view(tx, person, at, but=event)
        most = max((shared(text, one) for one in others), default=0.0)
        return about(text) and shared(text, said) > most

    found = []
    for at in _events_while_in_view(tx, person, event, after):
        all_of_it = drawn.drawn_from(tx, person, at, at)
        taken = Drawn(
            tuple(line for line in all_of_it.lines if tells(line, at)),
            tuple(note for note in all_of_it.passages if tells(note.text, at)),
        )
        if taken:
            whole = taken.lines and len(taken.lines) == len(all_of_it.lines)
            back = drawn.replaced_by(tx, person, at, at) if whole else []
            back = [line for line in back if not tells(line, at)]
            found.append(Later(at, taken, tuple(back)))
    return found


def _in_view(tx: Tx, person: int, event: int, but: int | None = None) -> list[str]:
    """What had been said, in order, that stood in the queue when `event` was dealt with."""
    rows = tx.execute(
        "SELECT said FROM message WHERE person_id = :person AND kind = 'event' AND said <> ''"
        " AND event_id <= :event AND event_id IS NOT :but AND id > COALESCE((SELECT MAX(through)"
        "   FROM summary WHERE person_id = :person AND through <"
        "   (SELECT MIN(id) FROM message WHERE person_id = :person AND event_id = :event)), 0)"
        " ORDER BY id",
        {"person": person, "event": event, "but": but},
    )
    return [said for (said,) in rows]


def _events_while_in_view(tx: Tx, person: int, event: int, after: int) -> list[int]:
    """The events after `after` that kept something before the message of `event` was evicted."""
    rows = tx.execute(
        "WITH gone AS (SELECT MIN(created_at) AS at FROM summary WHERE person_id = :person"
        "   AND through >= (SELECT MIN(id) FROM message WHERE person_id = :person"
        "     AND event_id = :event))"
        " SELECT event_id FROM working_context WHERE person_id = :person AND event_id > :after"
        "   AND created_at <= COALESCE((SELECT at FROM gone), created_at)"
        " UNION SELECT event_id FROM passage WHERE person_id = :person AND event_id > :after"
        "   AND created_at <= COALESCE((SELECT at FROM gone), created_at) ORDER BY 1",
        {"person": person, "event": event, "after": after},
    )
    return [at for (at,) in rows]
