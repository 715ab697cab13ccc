"""Makes one person of two, and two of one: what moves, by the one list of personal tables."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from companion.storage import messages, past_passages, search_index, vector_blocks
from companion.storage.database import Tx
from companion.storage.personal import INDEXES, TABLES, PersonalTable
from companion.storage.vector_blocks import Kind

STAYS = frozenset({"person", "account", "working_context", "summary", "usage"})
"""What can't be told apart by the chat that it came from, when accounts part."""

_KINDS: dict[str, Kind] = {"message": "message", "passage": "passage"}


@dataclass(frozen=True, slots=True)
class Moved:
    """How much that was said, and how many notes, went to another person."""

    messages: int
    passages: int


def join(tx: Tx, person: int, into: int) -> Moved:
    """All rows of `person` become those of `into`, and `person` is no more.

    Where each has a row and there can be one only, usage is added up, and `into`'s stands else.
    Texts are left as they are: whose working context is in force is for the caller.
    """
    said = messages.said_count(tx, person)
    moving = {kind: _numbers(tx, kind, person) for kind in _KINDS}
    for kind, items in moving.items():
        _drop_words(tx, kind, person, items)
    _add_up_usage(tx, person, into)
    for listed in TABLES:
        if listed.name not in ("person", "unembedded"):
            _give(tx, listed, person, into)
    for kind, items in moving.items():
        _index(tx, kind, into, items)
    _wait_anew(tx, person, into, moving)
    _join_rows_of_persons(tx, person, into)
    return Moved(said, len(moving["passage"]))


def part(tx: Tx, person: int, to: int, platform: str) -> Moved:
    """What was said on `platform`, and what was made of it, becomes that of the new person `to`.

    A row goes along with the conversation, event or row that it refers to. What is in `STAYS`
    stays; the account itself goes.
    """
    numbers = {"person": person, "to": to, "platform": platform}
    _to_where_it_was_made(tx, person)
    tx.execute(
        "UPDATE account SET person_id = :to WHERE person_id = :person AND platform = :platform",
        numbers,
    )
    tx.execute(
        "UPDATE conversation SET person_id = :to"
        " WHERE person_id = :person AND platform = :platform AND private",
        numbers,
    )
    before = {kind: set(_numbers(tx, kind, person)) for kind in _KINDS}
    for listed in TABLES:
        if listed.name not in STAYS:
            _let_go(tx, listed, person, to)
    moving = {kind: sorted(before[kind] - set(_numbers(tx, kind, person))) for kind in _KINDS}
    for owner in (person, to):
        past_passages.untie(tx, owner)
    for kind, items in moving.items():
        # by their rows, which are the new person's: the words are led by the old one's number
        _drop_words(tx, kind, to, items)
        _index(tx, kind, to, items)
        vector_blocks.split(tx, _KINDS[kind], person=person, to=to, items=np.array(items, "<i8"))
    _wait_anew(tx, person, to, moving)
    return Moved(messages.said_count(tx, to), len(moving["passage"]))


def follow(tx: Tx, person: int, conversation: int) -> None:
    """What is to come for somebody with several accounts arrives where they wrote last: here."""
    tx.execute(
        "UPDATE schedule SET conversation_id = :conversation WHERE person_id = :person"
        " AND state IN ('active', 'held') AND conversation_id <> :conversation"
        " AND conversation_id IN"
        " (SELECT id FROM conversation WHERE person_id = :person AND private)"
        " AND (SELECT COUNT(*) FROM account WHERE person_id = :person) > 1",
        {"person": person, "conversation": conversation},
    )


def _to_where_it_was_made(tx: Tx, person: int) -> None:
    """What is to come belongs to the chat again in which it was asked for."""
    tx.execute(
        "UPDATE schedule SET conversation_id = (SELECT inbox.conversation_id FROM inbox"
        "   WHERE inbox.id = schedule.event_id AND inbox.person_id = :person)"
        " WHERE person_id = :person AND event_id IN"
        " (SELECT id FROM inbox WHERE person_id = :person)",
        {"person": person},
    )


def set_brought(tx: Tx, person: int, version: int, now: datetime) -> None:
    """Every account of the person that came in no earlier link brought this working context."""
    tx.execute(
        "UPDATE account SET brought = :version, linked_at = :now"
        " WHERE person_id = :person AND brought IS NULL",
        {"version": version, "now": now.isoformat(), "person": person},
    )


@dataclass(frozen=True, slots=True)
class Brought:
    """What an account brought along: a version of the working context, and when."""

    version: int
    linked_at: datetime


def brought(tx: Tx, person: int, platform: str) -> Brought | None:
    """What the person's account on `platform` brought along when it was linked."""
    row = tx.execute(
        "SELECT brought, linked_at FROM account WHERE person_id = :person"
        " AND platform = :platform AND brought IS NOT NULL",
        {"person": person, "platform": platform},
    ).fetchone()
    return Brought(row[0], datetime.fromisoformat(row[1])) if row else None


def set_not_brought(tx: Tx, person: int) -> None:
    """The person's accounts stand for themselves."""
    tx.execute(
        "UPDATE account SET brought = NULL, linked_at = NULL WHERE person_id = :person",
        {"person": person},
    )


def _numbers(tx: Tx, kind: str, person: int) -> list[int]:
    rows = tx.execute(f"SELECT id FROM {kind} WHERE person_id = :person", {"person": person})
    return [row[0] for row in rows]


def _drop_words(tx: Tx, kind: str, person: int, items: Iterable[int]) -> None:
    (index,) = (name for name, table in INDEXES.items() if table == kind)
    tx.executemany(
        f"DELETE FROM {index} WHERE rowid IN"
        f" (SELECT id FROM {kind} WHERE id = :item AND person_id = :person)",
        [{"item": item, "person": person} for item in items],
    )


def _index(tx: Tx, kind: str, person: int, items: Iterable[int]) -> None:
    for item in items:
        search_index.index_anew(tx, _KINDS[kind], person=person, item=item)


def _add_up_usage(tx: Tx, person: int, into: int) -> None:
    tx.execute(
        "INSERT INTO usage (person_id, day, model, requests, prompt_tokens, cached_tokens,"
        " completion_tokens, cost) SELECT :into, day, model, requests, prompt_tokens,"
        " cached_tokens, completion_tokens, cost FROM usage WHERE person_id = :person"
        " ON CONFLICT (person_id, day, model) DO UPDATE SET requests = requests"
        " + excluded.requests, prompt_tokens = prompt_tokens + excluded.prompt_tokens,"
        " cached_tokens = cached_tokens + excluded.cached_tokens,"
        " completion_tokens = completion_tokens + excluded.completion_tokens,"
        " cost = cost + excluded.cost",
        {"person": person, "into": into},
    )
    tx.execute("DELETE FROM usage WHERE person_id = :person", {"person": person})


def _give(tx: Tx, listed: PersonalTable, person: int, into: int) -> None:
    """All of the table's rows; one that the other has already is left out."""
    numbers = {"person": person, "into": into}
    tx.execute(
        f"UPDATE OR IGNORE {listed.name} SET {listed.person} = :into"
        f" WHERE {listed.person} = :person",
        numbers,
    )
    tx.execute(f"DELETE FROM {listed.name} WHERE {listed.person} = :person", {"person": person})


def _let_go(tx: Tx, listed: PersonalTable, person: int, to: int) -> None:
    """The table's rows that refer to one which has gone."""
    for column, table in listed.refers.items():
        if table not in STAYS and table != listed.name:
            tx.execute(
                f"UPDATE {listed.name} SET person_id = :to WHERE person_id = :person"
                f" AND {column} IN (SELECT id FROM {table} WHERE person_id = :to)",
                {"person": person, "to": to},
            )


def _wait_anew(tx: Tx, person: int, to: int, moving: dict[str, list[int]]) -> None:
    """Give those a wait of their own that wait for a vector, so that none made meanwhile counts."""
    rows = tx.execute(
        "SELECT kind, item_id FROM unembedded WHERE person_id = :person", {"person": person}
    ).fetchall()
    gone = {kind: set(items) for kind, items in moving.items()}
    for kind, item in rows:
        if item in gone[kind]:
            tx.execute(
                "DELETE FROM unembedded"
                " WHERE kind = :kind AND item_id = :item AND person_id = :person",
                {"kind": kind, "item": item, "person": person},
            )
            vector_blocks.await_vector(tx, kind, person=to, item=item)


def _join_rows_of_persons(tx: Tx, person: int, into: int) -> None:
    """One row of two: the older date, the owner's rights, the time zone that is known, and a
    queue of what neither has evicted."""
    tx.execute(
        "UPDATE person SET created_at = MIN(created_at, (SELECT other.created_at"
        "   FROM person AS other WHERE other.id = :person)),"
        " owner = MAX(owner, (SELECT other.owner FROM person AS other WHERE other.id = :person)),"
        " timezone = COALESCE(timezone, (SELECT other.timezone FROM person AS other"
        "   WHERE other.id = :person)),"
        " told_at = COALESCE(told_at, (SELECT other.told_at FROM person AS other"
        "   WHERE other.id = :person)),"
        " evicted_through = MAX(evicted_through, (SELECT other.evicted_through"
        "   FROM person AS other WHERE other.id = :person)),"
        " warned = 0 WHERE id = :into",
        {"person": person, "into": into},
    )
    tx.execute("DELETE FROM person WHERE id = :person", {"person": person})
