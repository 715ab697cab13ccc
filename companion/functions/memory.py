"""Paging: between working context, archival storage and recall storage."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import chain
from typing import Annotated, Any

from pydantic import Field

from companion.errors import ToolError
from companion.event_text import ago, local_time
from companion.functions.declare import Outcome, Turn, Write, function
from companion.functions.kept import head, told, told_lines
from companion.functions.sources import (
    of_messages,
    of_notes,
    only_named,
    require_marked,
    source,
)
from companion.search.excerpt import excerpt
from companion.search.page import Page
from companion.sources import marked
from companion.storage.database import Tx
from companion.storage.recall_search import Window

ITEM_CHARS = (700, 600, 510, 430, 365, 310, 265, 225, 190, 160, 135, 110, 90)
"""How much is shown of each hit: the first of these with which a page fits."""
AROUND_SHARE = 0.3
"""How much is shown of a turn that stands beside a hit, as a share of that."""

BESIDES = "Not among these, but near in meaning:"
BESIDE_SHARE = 0.5
"""The same for what is near in meaning alone."""

_Line = tuple[str, str, float]
"""What stands before a text, the text, and the share of `ITEM_CHARS` that it may have."""


@function
async def working_context_append(
    turn: Turn,
    text: Annotated[str, Field(description="One line: a fact, with its date if it has one.")],
) -> Write:
    """Add a line to your working context, which is always in view."""
    noticed = await turn.memory.notice_lines(text)
    if noticed.double is not None:
        raise ToolError(
            f"The working context says that already: “{noticed.double}”. If there is more to say,"
            " change that line with working_context_replace."
        )
    whose = await source(turn, text)

    def write(tx: Tx) -> Outcome:
        version = turn.memory.append_in(tx, marked(text, whose), turn.item.id)
        told = told_lines(noticed, whose)
        return Outcome(text=f"Appended. {_size(turn, version.text)}{told}", again=bool(told))

    return write


@function
async def working_context_replace(
    turn: Turn,
    old: Annotated[str, Field(description="Words that stand in it exactly once.")],
    new: Annotated[str, Field(description="What stands there instead; empty to delete.")],
) -> Write:
    """Change or delete a part of your working context."""
    whose = await source(turn, new.strip() or old)

    def write(tx: Tx) -> Outcome:
        before = turn.memory.working_context_in(tx).text
        version = turn.memory.replace_in(tx, old, marked(new, whose), turn.item.id)
        if whose:
            require_marked(before, version.text, whose)
        return Outcome(text=f"Replaced. {_size(turn, version.text)}")

    return write


@function
async def archival_storage_insert(
    turn: Turn,
    text: Annotated[str, Field(description="The note; it must make sense by itself.")],
    replaces: Annotated[int | None, Field(ge=0, description="Number of a note now untrue.")] = None,
) -> Write:
    """Keep a note of any length in archival storage."""
    whose = await source(turn, text)
    if whose and replaces:
        raise ToolError(
            f"Note {replaces} stays: it is no matter of {whose}. Insert what is said there without"
            " replaces, or ask the person."
        )
    noticed = await turn.memory.notice(text)
    if whose:
        noticed = only_named(noticed)

    def write(tx: Tx) -> Outcome:
        kept = turn.memory.keep_in(
            tx, text, noticed, source=whose or "model", event=turn.item.id, replaces=replaces
        )
        return Outcome(text=told(kept, turn.zone, whose))

    return write


@function
async def archival_storage_search(
    turn: Turn,
    query: Annotated[str, Field(description="What to look for, in a few words.")],
    page: Annotated[int, Field(ge=1, le=10_000, description="Which page, from 1.")] = 1,
) -> Outcome:
    """Search archival storage by meaning and words. Set request_heartbeat to read the result."""
    if not query.strip():
        raise ToolError("The query is empty. Say what to look for, in a few words.")
    found = await turn.memory.search(query, page=page - 1, rerank=True)
    turn.found.extend(of_notes(found.items))
    items = [
        [(head(hit, _when(turn, hit.created_at), turn.zone), hit.text, 1)] for hit in found.items
    ]
    return Outcome(text=_listing(turn, query, found, items))


@function
async def conversation_search(
    turn: Turn,
    query: Annotated[str, Field(description="Words or meaning; empty for dates alone.")] = "",
    since: Annotated[str, Field(description="First day, YYYY-MM-DD.")] = "",
    until: Annotated[str, Field(description="Last day, YYYY-MM-DD, included.")] = "",
    page: Annotated[int, Field(ge=1, le=10_000, description="Which page, from 1.")] = 1,
) -> Outcome:
    """Search all that was ever said, by words, by days, or both. Set request_heartbeat to read
    the result."""
    start = _day("since", since, turn.zone)
    end = _day("until", until, turn.zone, after=True)
    if not query.strip() and start is None and end is None:
        raise ToolError("Give a query, a since or an until day, or several of them.")
    if start and end and start >= end:
        raise ToolError(f"since {since} lies after until {until}. Swap them.")
    if query.strip():
        windows = await turn.memory.search_windows(
            query, since=start, until=end, zone=turn.zone, page=page - 1
        )
        shown = [one for window in windows.items for one in window.turns]
        turn.found.extend(of_messages([*shown, *windows.nearest]))
        besides = [
            (f"[{_when(turn, one.said_at)}] {one.by}: ", one.said, BESIDE_SHARE)
            for one in windows.nearest
        ]
        listed = _windows(turn, windows.items)
        return Outcome(text=_listing(turn, query, windows, listed, besides))
    found = await turn.memory.search_messages(None, since=start, until=end, page=page - 1)
    turn.found.extend(of_messages(found.items))
    items = [[(f"[{_when(turn, hit.said_at)}] {hit.by}: ", hit.said, 1)] for hit in found.items]
    return Outcome(text=_listing(turn, query, found, items))


def _windows(turn: Turn, windows: Sequence[Window]) -> list[Sequence[_Line]]:
    """Each window under its time; what was found is marked, and what stands around it cut short."""
    return [
        [
            (f"[{_when(turn, window.turns[0].said_at)}]", "", 1),
            *(
                (f"> {one.by}: ", one.said, 1)
                if one.id in window.hits
                else (f"  {one.by}: ", one.said, AROUND_SHARE)
                for one in window.turns
            ),
        ]
        for window in windows
        if window.turns
    ]


def _when(turn: Turn, at: datetime) -> str:
    return f"{local_time(at, turn.zone)}, {ago(at, turn.now(), turn.zone)}"


def _day(name: str, text: str, zone: tzinfo, *, after: bool = False) -> datetime | None:
    """Where the local day `text` begins, or ends with `after`, in UTC. None for no text."""
    if not text.strip():
        return None
    try:
        day = date.fromisoformat(text.strip())
        day += timedelta(days=1 if after else 0)
        return datetime.combine(day, time.min, zone).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ToolError(f"{name} is “{text}”; write a day as YYYY-MM-DD.") from error


def _listing(
    turn: Turn,
    query: str,
    found: Page[Any],
    items: Sequence[Sequence[_Line]],
    besides: Sequence[_Line] = (),
) -> str:
    """A page of hits, a few lines each, cut so that all of them are seen; then what is `besides`
    them for its meaning alone."""
    if found.total == 0:
        return "Nothing found. Try other words, or a wider range of days."
    if not items:
        return f"There is no page {found.number + 1}: {found.total} in all, {found.pages} pages."
    head = f"Page {found.number + 1} of {found.pages}, {found.total} in all:"
    more = (
        f"\nFor more ask for page {found.number + 2}, with request_heartbeat."
        if found.number + 1 < found.pages
        else ""
    )
    listing = ""
    for chars in ITEM_CHARS:
        lines, others = (
            [f"{before}{excerpt(text, query, int(share * chars))}" for before, text, share in some]
            for some in (chain.from_iterable(items), besides)
        )
        listing = "\n".join([head, *lines, *([BESIDES] if others else []), *others]) + more
        if turn.fits(listing):
            break
    return listing


def _size(turn: Turn, text: str) -> str:
    return f"The working context has {len(text)} of {turn.memory.limit(text)} characters."
