"""The days of an event that a query names, found in what was said of it."""

from datetime import datetime, tzinfo

from companion.search.other_events import other_event
from companion.search.ranking import MESSAGES, Signs, rank
from companion.search.relative_dates import Days
from companion.search.said_days import named_days
from companion.search.words import query_terms
from companion.storage import search_index
from companion.storage.database import Tx
from companion.storage.vector_blocks import Ids


def event_days(tx: Tx, person: int, query: str, *, among: Ids, zone: tzinfo) -> tuple[Days, ...]:
    """The days that `query` names by an event, as in "before my exam"; none where it names none.

    The event is looked for by its words `among` what was said. It was on the day that the best hit
    names, or else on the day when that was said.
    """
    event = other_event(query)
    if event is None:
        return ()
    terms = search_index.with_terms(tx, "message", person=person, terms=query_terms(event.text))
    found = rank(
        Signs(ids=among, terms=terms, sittings=search_index.sittings(tx, person)), MESSAGES
    )
    if not len(found.ids):
        return ()
    said, at = tx.execute(
        "SELECT said, said_at FROM message WHERE person_id = ? AND id = ?",
        (person, int(found.ids[0])),
    ).fetchone()
    heard = datetime.fromisoformat(at).astimezone(zone)
    named = named_days(said, heard)
    try:
        return (event.days(named[0].first if named else heard.date()),)
    except OverflowError:
        return ()
