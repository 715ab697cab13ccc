"""What was dealt with long ago leaves inbox, journal and outbox: recall storage has what was said.

The rows of inbox and outbox stay, without anybody's words: by them an event that comes again is
known, and an edit or deletion finds what it is about.
"""

import json
from datetime import datetime
from itertools import takewhile

from companion.storage.database import Tx


def prune(tx: Tx, *, before: datetime, at_most: int) -> bool:
    """Prune the oldest events that came `before` then. True when there may be more of them.

    It goes no further than the first event that is not dealt with.
    """
    (through,) = tx.execute("SELECT through FROM pruned").fetchone()
    rows = tx.execute(
        "SELECT inbox.id, inbox.person_id, inbox.state, inbox.body, inbox.received_at"
        " FROM inbox WHERE inbox.id > :through ORDER BY inbox.id LIMIT :limit",
        {"through": through, "limit": at_most},
    ).fetchall()
    old = list(takewhile(lambda row: row[2] in ("done", "dead") and row[4] < _text(before), rows))
    for event, person, state, body, _received in old:
        _prune_event(tx, person, event)
        if state == "done":  # of what was given up the operator may want to know all
            tx.execute(
                "UPDATE inbox SET body = :body WHERE id = :event AND person_id = :person",
                {"body": without_words(body), "event": event, "person": person},
            )
    if old:
        tx.execute("UPDATE pruned SET through = :through", {"through": old[-1][0]})
    return len(old) == at_most


def _prune_event(tx: Tx, person: int, event: int) -> None:
    of_event = {"event": event, "person": person}
    tx.execute(
        "DELETE FROM tool_done WHERE person_id = :person AND step_id IN"
        " (SELECT id FROM step WHERE event_id = :event AND person_id = :person)",
        of_event,
    )
    tx.execute("DELETE FROM step WHERE event_id = :event AND person_id = :person", of_event)
    tx.execute(
        "UPDATE outbox SET text = '', choices = NULL"
        " WHERE event_id = :event AND person_id = :person"
        " AND state IN ('sent', 'refused')",
        of_event,
    )


def without_words(body: str) -> str:
    """The event as it stands in the inbox, without what was said; of a command its name stays."""
    fields = json.loads(body)
    text = fields.get("text", "")
    if text:
        fields["text"] = text.split()[0] if text.startswith("/") else ""
    for quoted in ("answers", "about"):
        fields.pop(quoted, None)
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def _text(moment: datetime) -> str:
    return moment.isoformat()
