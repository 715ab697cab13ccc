"""Which tables hold what about a person: the one list that exporting, erasing and linking follow.

A table that is new belongs in here; a test fails until it does.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

NOW = "now"
"""Stands for the time of an import."""


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

    For what an import takes back: two rows of a person's that agree in the columns `same` are one
    and the same. `anew` says what a column holds where the row has come to, whatever it held
    before, and `not_exported` which columns are left out.
    """

    name: str
    role: Role
    key: str | None = "id"
    person: str = "person_id"
    refers: Mapping[str, str] = field(default_factory=dict)
    same: tuple[str, ...] = ()
    anew: Mapping[str, str | int | None] = field(default_factory=dict)
    not_exported: frozenset[str] = frozenset()


_EVENT = {"event_id": "inbox"}
_CONVERSATION = {"conversation_id": "conversation"}

TABLES: tuple[PersonalTable, ...] = (
    PersonalTable(
        name="person",
        role=Role.MEMORY,
        person="id",
        refers={"evicted_through": "message", "context_shown": "working_context"},
        # another operator tells them anew what is stored
        anew={"owner": 0, "told_at": None},
    ),
    PersonalTable(
        name="account",
        role=Role.MEMORY,
        key=None,
        same=("platform", "user"),
        # who may talk is decided anew on every installation
        anew={
            "created_at": NOW,
            "admitted_at": None,
            "revoked_at": None,
            "brought": None,
            "linked_at": None,
        },
    ),
    PersonalTable(
        name="conversation",
        role=Role.MEMORY,
        same=("platform", "chat", "thread"),
        # what another bot read last there says nothing here
        anew={"created_at": NOW, "last_message": None, "unreachable_at": None},
    ),
    PersonalTable(
        name="inbox",
        role=Role.MEMORY,
        refers=_CONVERSATION,
        same=("kind", "body", "received_at"),
        # another bot's ids may be those of other messages here
        anew={
            "source": "import",
            "message": None,
            "state": "done",
            "attempts": 0,
            "error": None,
        },
    ),
    PersonalTable(name="step", role=Role.RECORD, refers=_EVENT),
    PersonalTable(name="tool_done", role=Role.RECORD, key=None, refers={"step_id": "step"}),
    PersonalTable(
        name="outbox",
        role=Role.RECORD,
        refers=_CONVERSATION | _EVENT,
        not_exported=frozenset({"document"}),
    ),
    PersonalTable(
        name="delivered",
        role=Role.RECORD,
        key=None,
        refers=_CONVERSATION | {"outbox_id": "outbox"},
    ),
    PersonalTable(
        name="message",
        role=Role.MEMORY,
        refers=_EVENT,
        same=("kind", "speaker", "said", "said_at", "text", "calls", "call_id"),
    ),
    PersonalTable(
        name="summary",
        role=Role.MEMORY,
        refers={"through": "message"},
        same=("text", "created_at"),
    ),
    PersonalTable(
        name="working_context",
        role=Role.MEMORY,
        refers={"restored": "working_context"} | _EVENT,
        same=("text", "cause", "created_at"),
    ),
    PersonalTable(
        name="passage",
        role=Role.MEMORY,
        refers={"superseded_by": "passage"} | _EVENT,
        same=("text", "source", "created_at"),
    ),
    PersonalTable(name="usage", role=Role.MEMORY, key=None, same=("day", "model")),
    PersonalTable(
        name="schedule",
        role=Role.MEMORY,
        refers={"parent_id": "schedule"} | _CONVERSATION | _EVENT,
        same=("purpose", "text", "created_at"),
    ),
    PersonalTable(
        name="schedule_history", role=Role.RECORD, refers={"schedule_id": "schedule"} | _EVENT
    ),
    PersonalTable(name="timing", role=Role.MEMORY, key=None, same=("person_id",)),
    PersonalTable(
        name="tidying",
        role=Role.RECORD,
        key=None,
        refers={"through": "message", "context_id": "working_context"} | _EVENT,
    ),
    PersonalTable(
        name="tidied_passage", role=Role.RECORD, refers={"passage_id": "passage"} | _EVENT
    ),
    PersonalTable(name="opener_wish", role=Role.MEMORY, key=None, same=("person_id",)),
    PersonalTable(
        name="opener", role=Role.RECORD, key=None, refers={"outbox_id": "outbox"} | _EVENT
    ),
    PersonalTable(
        name="link",
        role=Role.RECORD,
        key=None,
        # the one exception: this is another person's
        refers={"other_id": "person"},
        not_exported=frozenset({"code", "other_id"}),
    ),
    PersonalTable(name="wrong_link", role=Role.RECORD, key=None),
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

NOBODYS = frozenset(
    {
        "endpoint",
        "platform",
        "pruned",
        "embedding_model",
        "erased",
        "wrong_code",
        "sqlite_sequence",
    }
)
"""Tables in which there is nothing about anybody."""

VIEWS_OF_INDEXES = frozenset({"message_terms"})
"""What lists the words of an index, and holds nothing itself."""


def table(name: str) -> PersonalTable:
    """The personal table called `name`."""
    return next(one for one in TABLES if one.name == name)
