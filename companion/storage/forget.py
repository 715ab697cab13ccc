"""What a person wants forgotten: found wherever it stands, and taken out of there."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from companion.context import working_context
from companion.search.forgetting import FORGOTTEN, scrubbed, sentences, without_sentences
from companion.storage import (
    drawn,
    memory_state,
    messages,
    passages,
    tidyings,
    working_contexts,
)
from companion.storage.database import Tx
from companion.storage.messages import Spoken
from companion.storage.passages import Passage

Wanted = Callable[[str], bool]
"""Whether a text is meant."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The columns of a table that may tell of it though nobody is shown them."""

    table: str
    plain: tuple[str, ...] = ()
    as_json: tuple[str, ...] = ()
    key: tuple[str, ...] = ("id",)


TEXTS = (
    Texts("message", plain=("text", "source"), as_json=("calls",)),
    Texts("passage", plain=("source",)),
    Texts("tidied_passage", plain=("source",)),
    Texts("inbox", as_json=("body",)),
    Texts("step", as_json=("reply",)),
    Texts("tool_done", plain=("result",), key=("step_id", "number")),
    Texts("outbox", plain=("text",), as_json=("choices",)),
    Texts("dead_letter", plain=("body",)),
    Texts("schedule", plain=("text",)),
    Texts("opener", plain=("reason",), key=("event_id",)),
)


@dataclass(frozen=True, slots=True)
class Meant:
    """What there is of it: lines that are kept in mind, notes, messages, plans, and sentences of
    the summary."""

    lines: tuple[str, ...]
    passages: tuple[Passage, ...]
    said: tuple[Spoken, ...]
    plans: tuple[tuple[str, datetime], ...]
    summed_up: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many entries that is."""
        parts = (self.lines, self.passages, self.said, self.plans, self.summed_up)
        return sum(len(part) for part in parts)


def find(tx: Tx, person: int, wanted: Wanted, *, but: int | None = None) -> Meant:
    """What is meant, messages of the event `but` left out: those ask for it."""
    now = working_contexts.current(tx, person)
    summary = memory_state.load(tx, person).summary
    plans = tx.execute(
        "SELECT text, due_at FROM schedule WHERE person_id = :person"
        " AND state IN ('active', 'held') ORDER BY due_at",
        {"person": person},
    )
    return Meant(
        tuple(filter(wanted, working_context.about_person(now.text) if now else ())),
        tuple(p for p in passages.everything(tx, person) if wanted(p.text)),
        tuple(s for s in messages.spoken(tx, person, but=but) if wanted(s.said)),
        tuple((text, datetime.fromisoformat(at)) for text, at in plans if wanted(text)),
        tuple(sentences(summary.text, wanted)) if summary else (),
    )


def forget(tx: Tx, person: int, wanted: Wanted) -> None:
    """Take it out of everything: of the past as well, and of what only the program sees."""
    working_contexts.rewrite(tx, person, lambda text: _without_lines(text, wanted))
    kept = [p for p in passages.everything(tx, person) if wanted(p.text)]
    drawn.drop(tx, person, (), kept)
    memory_state.rewrite_summaries(tx, person, lambda text: _without_any(text, wanted))
    messages.forget_said(tx, person, wanted)
    tidyings.forget(tx, person, wanted)
    tx.execute(
        "UPDATE schedule SET state = 'cancelled' WHERE person_id = :person AND id IN"
        " (SELECT value FROM json_each(:ids)) AND state IN ('active', 'held')",
        {"person": person, "ids": json.dumps(_plans(tx, person, wanted))},
    )
    for texts in TEXTS:
        _scrub(tx, person, texts, wanted)


def _without_lines(text: str, wanted: Wanted) -> str:
    gone = frozenset(line for line in working_context.about_person(text) if wanted(line))
    return working_context.without(text, gone) if gone else text


def _without_any(text: str, wanted: Wanted) -> str:
    shorter = without_sentences(text, wanted)
    # what no sentence says by itself, all of them may say together
    return FORGOTTEN if wanted(shorter) else shorter


def _plans(tx: Tx, person: int, wanted: Wanted) -> list[int]:
    rows = tx.execute("SELECT id, text FROM schedule WHERE person_id = :person", {"person": person})
    return [number for number, text in rows if wanted(text)]


def _scrub(tx: Tx, person: int, texts: Texts, wanted: Wanted) -> None:
    """Replace the texts of a table that are meant."""
    columns = [*texts.plain, *texts.as_json]
    rows = tx.execute(
        f"SELECT {', '.join([*texts.key, *columns])} FROM {texts.table} WHERE person_id = :person",
        {"person": person},
    ).fetchall()
    for row in rows:
        old = dict(zip(columns, row[len(texts.key) :], strict=True))
        new = {name: _scrubbed(old[name], name in texts.as_json, wanted) for name in columns}
        if new != old:
            key = dict(zip(texts.key, row, strict=False))
            tx.execute(
                f"UPDATE {texts.table} SET {', '.join(f'{name} = :{name}' for name in columns)}"
                f" WHERE {' AND '.join(f'{name} = :{name}' for name in texts.key)}"
                " AND person_id = :person",
                {"person": person, **key, **new},
            )


def _scrubbed(value: Any, is_json: bool, wanted: Wanted) -> Any:
    if not isinstance(value, str) or not wanted(value):
        return value
    if not is_json:
        return FORGOTTEN
    return json.dumps(scrubbed(json.loads(value), wanted), ensure_ascii=False)
