"""Which tables hold what about a person: the one list that exporting, erasing and linking follow.

A table that is new belongs in here; a test fails until it does.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class Role(Enum):
    """What a table is to its person."""

    MEMORY = "memory"
    """What they said and what is kept of it: exported, and taken back by an import."""
    RECORD = "record"
    """How that came about: exported, but of no use anywhere else."""
    DERIVED = "derived"
    """Made from the others, and made anew after an import."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalTable:
    """A table with rows of persons.

    `person` is the column that tells whose a row is, `key` the one that numbers the rows, None
    where they have no number. `refers` tells which columns hold the number of a row of another of
    these tables: one of the same person's.
    """

    name: str
    role: Role
    key: str | None = "id"
    person: str = "person_id"
    refers: Mapping[str, str] = field(default_factory=dict)


_EVENT = {"event_id": "inbox"}
_CONVERSATION = {"conversation_id": "conversation"}

TABLES: tuple[PersonalTable, ...] = (
    PersonalTable(
        name="person",
        role=Role.MEMORY,
        person="id",
        refers={"evicted_through": "message", "context_shown": "working_context"},
    ),
    PersonalTable(name="account", role=Role.MEMORY, key=None),
    PersonalTable(name="conversation", role=Role.RECORD),
    PersonalTable(name="inbox", role=Role.MEMORY, refers=_CONVERSATION),
    PersonalTable(name="step", role=Role.RECORD, refers=_EVENT),
    PersonalTable(name="tool_done", role=Role.RECORD, key=None, refers={"step_id": "step"}),
    PersonalTable(name="outbox", role=Role.RECORD, refers=_CONVERSATION | _EVENT),
    PersonalTable(name="message", role=Role.MEMORY, refers=_EVENT),
    PersonalTable(name="summary", role=Role.MEMORY, refers={"through": "message"}),
    PersonalTable(
        name="working_context",
        role=Role.MEMORY,
        refers={"restored": "working_context"} | _EVENT,
    ),
    PersonalTable(name="passage", role=Role.MEMORY, refers=_EVENT),
    PersonalTable(name="usage", role=Role.MEMORY, key=None),
    PersonalTable(
        name="schedule",
        role=Role.MEMORY,
        refers={"parent_id": "schedule"} | _CONVERSATION | _EVENT,
    ),
    PersonalTable(
        name="schedule_history", role=Role.RECORD, refers={"schedule_id": "schedule"} | _EVENT
    ),
    PersonalTable(name="timing", role=Role.MEMORY, key=None),
    PersonalTable(name="opener_wish", role=Role.MEMORY, key=None),
    PersonalTable(
        name="opener", role=Role.RECORD, key=None, refers={"outbox_id": "outbox"} | _EVENT
    ),
    PersonalTable(name="dead_letter", role=Role.RECORD),
    PersonalTable(name="vector_block", role=Role.DERIVED),
    PersonalTable(name="unembedded", role=Role.DERIVED),
)
"""In such an order that a row refers to rows of the tables before its own; those of `person` come
last of all, for nothing enforces them."""

INDEXES: Mapping[str, str] = {"message_words": "message", "passage_words": "passage"}
"""Full-text indexes, and the table whose rows each of them finds. Its words are led by their
person's number: rows that get another person are indexed anew."""

BY_ACCOUNT = frozenset({"stranger"})
"""Tables whose rows tell of an account (`platform`, `user`), not of a person."""

NOBODYS = frozenset({"endpoint", "platform", "embedding_model", "sqlite_sequence"})
"""Tables in which there is nothing about anybody."""

VIEWS_OF_INDEXES = frozenset({"message_terms"})
"""What lists the words of an index, and holds nothing itself."""


def table(name: str) -> PersonalTable:
    """The personal table called `name`."""
    return next(one for one in TABLES if one.name == name)
