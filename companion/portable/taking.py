"""An export taken back: as the person it is of, or as one of ours."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from companion.context import working_context
from companion.errors import OperatorError, ToolError
from companion.event_text import zone
from companion.memory.person_memory import PersonMemory
from companion.portable.archive import Export
from companion.storage import inbox, memory_state, messages, passages, people, working_contexts
from companion.storage.connection import SqlError
from companion.storage.database import Tx
from companion.storage.rows import Taken, take


@dataclass(frozen=True, slots=True)
class Outcome:
    """Who has it now, and what was new."""

    person: int
    name: str
    taken: Taken

    @property
    def added(self) -> int:
        """How many rows were new."""
        return sum(self.taken.added.values())


def owner(tx: Tx, export: Export, now: datetime) -> int:
    """Who has the export's accounts and chats here; somebody new when nobody has any of them.

    Raises:
        OperatorError: several people have.
    """
    found = {
        person.id
        for row in export.rows["account"]
        if (person := people.by_account(tx, str(row.get("platform")), str(row.get("user"))))
    }
    found |= {
        whose
        for row in export.rows["conversation"]
        if (whose := people.by_chat(tx, str(row.get("platform")), str(row.get("chat"))))
    }
    if len(found) > 1:
        raise OperatorError(
            "The accounts in this file belong to several people here. Say --as whom to take it."
        )
    if found:
        return found.pop()
    row = export.rows["person"][0] if export.rows["person"] else {}
    kind = "group" if row.get("kind") == "group" else "person"
    return people.add(tx, kind, export.name or "somebody", now)


def take_as(
    tx: Tx, export: Export, memory: PersonMemory, now: datetime, *, as_named: bool
) -> Outcome:
    """Give everything in `export` to the person of `memory`.

    With `as_named` the operator said whose it is: they keep their own accounts and chats.

    Raises:
        OperatorError: something in it can't be read; nothing was taken.
    """
    person = memory.person
    fresh = working_contexts.current(tx, person) is None and not messages.said_count(tx, person)
    rows = dict(export.rows)
    if as_named:
        rows["account"], rows["conversation"] = [], []
    try:
        taken = take(tx, person, rows, now=now, before=not fresh)
        if fresh:
            _stand_where_it_stood(tx, person, rows["person"], taken)
        else:
            _keep_in_mind(tx, memory, rows["working_context"], now)
        _require_readable(tx, person)
    except (SqlError, ValidationError, ValueError, KeyError, TypeError) as error:
        raise OperatorError(
            f"The file holds what no companion writes ({type(error).__name__}: {error})."
            " Nothing was taken."
        ) from error
    return Outcome(person, people.get(tx, person).name, taken)


def _stand_where_it_stood(tx: Tx, person: int, rows: list[dict[str, Any]], taken: Taken) -> None:
    """Have the queue begin where it began, and the prompt show the version that it showed."""
    row = rows[0] if rows else {}
    evicted = [
        new
        for old, new in taken.numbers["message"].items()
        if old <= int(row.get("evicted_through") or 0)
    ]
    people.take_up(
        tx,
        person,
        zone=row.get("timezone"),
        warned=bool(row.get("warned")),
        evicted_through=max(evicted, default=0),
        context_shown=taken.numbers["working_context"].get(row.get("context_shown") or 0),
    )


def _keep_in_mind(tx: Tx, memory: PersonMemory, rows: list[dict[str, Any]], now: datetime) -> None:
    """Add what was kept in mind there to what is kept in mind here, or to the notes."""
    newest = max(rows, key=lambda row: int(row.get("id") or 0), default=None)
    if newest is None:
        return
    for line in working_context.about_person(str(newest["text"])):
        try:
            memory.append_in(tx, line)
        except ToolError:
            text = memory.working_context_in(tx).text
            if line in text or passages.same(tx, memory.person, line):
                continue
            passages.add(tx, memory.person, line, source="import", now=now)
    memory_state.show(tx, memory.person, memory.working_context_in(tx).id)


def _require_readable(tx: Tx, person: int) -> None:
    """Read what was taken as the program will, to find out now what it could not read."""
    messages.everything(tx, person)
    inbox.everything(tx, person)
    working_contexts.history(tx, person)
    zone(people.get(tx, person).timezone)
