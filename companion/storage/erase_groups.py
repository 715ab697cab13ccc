"""Somebody's words taken out of groups: what they said, and where others quote or react to it.

That something was said stays, as what others said does, in their own words.
"""

import json
import re
from collections.abc import Collection, Iterable
from datetime import datetime

from companion.storage import drawn, journal, memory_state, messages, outbox
from companion.storage.database import Tx
from companion.storage.erase import Gone

_QUOTE = re.compile(r" \(in reply to “[^”]*”\)")


def heard_in_groups(tx: Tx) -> set[tuple[str, str]]:
    """The platform and user of everybody who said something in a group, or is quoted there."""
    found: set[tuple[str, str]] = set()
    for whose in ("sender", "answered", "forwarded"):
        rows = tx.execute(
            f"SELECT DISTINCT inbox.source, json_extract(inbox.body, '$.{whose}.user')"
            " FROM inbox JOIN person ON person.id = inbox.person_id AND person.kind = 'group'"
            f" WHERE json_extract(inbox.body, '$.{whose}.user') IS NOT NULL"
        )
        found.update(rows)
    return found


def erase_from_groups(tx: Tx, platform: str, user: str, until: datetime) -> Gone:
    """Take out what this account said in groups until then, and what was kept or made of it."""
    groups = tx.execute("SELECT id FROM person WHERE kind = 'group'").fetchall()
    gone, where = set(), set()
    for (group,) in groups:
        said = _events(tx, group, "sender", platform, user, until)
        passed_on = _events(tx, group, "forwarded", platform, user, until) - said
        quoting = _events(tx, group, "answered", platform, user, until) - said - passed_on
        if not said | passed_on | quoting:
            continue
        where.add(group)
        gone |= _external(tx, group, said)
        fired = _unschedule(tx, group, said | passed_on | quoting)
        reactions = _reactions(tx, group, said | passed_on | quoting | fired)
        for event in said | passed_on | fired | reactions:
            messages.forget(tx, group, event)
        for event in said:
            _blank(tx, group, event)
        for event in passed_on | fired | reactions:
            _set(tx, group, event, "'$.text', '', '$.about', '', '$.contents', '', '$.name', ''")
        for event in quoting:
            _unquote(tx, group, event)
        for event in said | passed_on | quoting | fired:
            _take_out_what_was_made(tx, group, event)
        first = min(said | passed_on | quoting)
        messages.forget_results(tx, group, first)
        journal.forget_results(tx, group, first)
        outbox.forget_notices(tx, group, first)
    return Gone(None, frozenset(gone), frozenset(where))


def _events(tx: Tx, group: int, whose: str, platform: str, user: str, until: datetime) -> set[int]:
    """The events of the group in which this account is the sender, or as who else is named."""
    rows = tx.execute(
        "SELECT id FROM inbox WHERE person_id = :group AND source = :platform"
        f" AND json_extract(body, '$.{whose}.user') = :user AND received_at <= :until",
        {"group": group, "platform": platform, "user": user, "until": until.isoformat()},
    )
    return {event for (event,) in rows}


def _external(tx: Tx, group: int, events: Collection[int]) -> set[str]:
    rows = tx.execute(
        "SELECT external_id FROM inbox WHERE person_id = :group"
        " AND id IN (SELECT value FROM json_each(:events))",
        {"group": group, "events": _listed(events)},
    )
    return {external for (external,) in rows}


def _unschedule(tx: Tx, group: int, events: Collection[int]) -> set[int]:
    """Delete what was scheduled for these events. Gives the events of the times that it came."""
    which = {"group": group, "events": _listed(events)}
    numbers = tx.execute(
        "SELECT id FROM schedule WHERE person_id = :group"
        " AND event_id IN (SELECT value FROM json_each(:events))",
        which,
    ).fetchall()
    schedules = {"group": group, "schedules": _listed(number for (number,) in numbers)}
    fired = tx.execute(
        "SELECT id FROM inbox WHERE person_id = :group AND kind = 'TimerFired'"
        " AND json_extract(body, '$.schedule') IN (SELECT value FROM json_each(:schedules))",
        schedules,
    ).fetchall()
    among = "IN (SELECT value FROM json_each(:schedules)) AND person_id = :group"
    tx.execute(f"UPDATE schedule SET parent_id = NULL WHERE parent_id {among}", schedules)
    tx.execute(f"DELETE FROM schedule_history WHERE schedule_id {among}", schedules)
    tx.execute(f"DELETE FROM schedule WHERE id {among}", schedules)
    return {event for (event,) in fired}


def _reactions(tx: Tx, group: int, events: Collection[int]) -> set[int]:
    """Emoji that others put to these messages, and to the answers to them: they tell of both."""
    rows = tx.execute(
        "SELECT id FROM inbox WHERE person_id = :group AND kind = 'ReactionReceived'"
        " AND json_extract(body, '$.message') IN"
        " (SELECT message FROM inbox WHERE person_id = :group AND message IS NOT NULL"
        "   AND id IN (SELECT value FROM json_each(:events))"
        "  UNION SELECT delivered.message FROM delivered JOIN outbox"
        "   ON outbox.id = delivered.outbox_id AND outbox.person_id = delivered.person_id"
        "   WHERE delivered.person_id = :group"
        "   AND outbox.event_id IN (SELECT value FROM json_each(:events)))",
        {"group": group, "events": _listed(events)},
    )
    return {event for (event,) in rows}


def _blank(tx: Tx, group: int, event: int) -> None:
    """Leave of an event of theirs only that it was."""
    tx.execute(
        "UPDATE inbox SET state = 'done', message = NULL, error = NULL,"
        " body = json_remove(json_replace(body, '$.text', '', '$.contents', '', '$.answers', NULL,"
        " '$.about', NULL, '$.name', '', '$.emoji', '', '$.sender.user', 'erased',"
        " '$.sender.name', 'somebody'), '$.answered', '$.forwarded')"
        " WHERE id = :event AND person_id = :group",
        {"event": event, "group": group},
    )


def _set(tx: Tx, group: int, event: int, texts: str) -> None:
    """Replace `texts` in an event of somebody else's, and who wrote what it passed on."""
    tx.execute(
        f"UPDATE inbox SET body = json_remove(json_replace(body, {texts}), '$.forwarded.name',"
        " '$.forwarded.user') WHERE id = :event AND person_id = :group",
        {"event": event, "group": group},
    )


def _unquote(tx: Tx, group: int, event: int) -> None:
    """Take out what somebody else's message replies to."""
    tx.execute(
        "UPDATE inbox SET body = json_remove(body, '$.answers', '$.answered')"
        " WHERE id = :event AND person_id = :group",
        {"event": event, "group": group},
    )
    rows = tx.execute(
        "SELECT id, text, said FROM message"
        " WHERE person_id = :group AND event_id = :event AND kind = 'event'",
        {"group": group, "event": event},
    ).fetchall()
    for message, text, said in rows:
        shorter, found = _QUOTE.subn("", text, count=1)
        tx.execute(
            "UPDATE message SET text = :text WHERE id = :message AND person_id = :group",
            {"text": shorter if found else said, "message": message, "group": group},
        )


def _take_out_what_was_made(tx: Tx, group: int, event: int) -> None:
    """Take out what the companion said and did about the event, and what it kept of it."""
    found = drawn.drawn_from(tx, group, event, event)
    drawn.drop(tx, group, found.lines, found.passages)
    memory_state.forget_summaries(tx, group, event)
    messages.forget_answers(tx, group, event)
    journal.forget(tx, group, event, event)
    outbox.forget(tx, group, event)


def _listed(numbers: Iterable[int]) -> str:
    return json.dumps(sorted(numbers))
