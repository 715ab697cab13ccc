"""Keeps the word index in step with messages and passages, inside their own transactions."""

import json
from collections.abc import Sequence
from datetime import datetime

import numpy as np

from companion.memory.words import tokens
from companion.storage.database import Tx
from companion.storage.vector_blocks import Ids, Kind, await_vector, remove_vector

# What a token is: a word that was said, one of the speaker's name, or of the date. These are private-use
# characters, which `tokens` lets through in no token.
SAID = "\ue000"
SPEAKER = "\ue001"
DATE = "\ue002"


def add_message(
    tx: Tx, *, person: int, message: int, speaker: str, said: str, said_at: datetime
) -> None:
    """Make what `speaker` said findable; its vector follows later."""
    led = "".join(
        (
            _led(person, SAID, tokens(said)),
            _led(person, SPEAKER, tokens(speaker)),
            _led(person, DATE, (f"{said_at:%Y}", f"{said_at:%B}".lower())),
        )
    )
    tx.execute("INSERT INTO message_words (rowid, tokens) VALUES (?, ?)", (message, led))
    await_vector(tx, "message", person=person, item=message)


def replace_message(
    tx: Tx, *, person: int, message: int, speaker: str, said: str, said_at: datetime
) -> None:
    """Index a message anew after its text changed."""
    remove_message(tx, person=person, message=message)
    add_message(tx, person=person, message=message, speaker=speaker, said=said, said_at=said_at)


def remove_message(tx: Tx, *, person: int, message: int) -> None:
    """Make a message unfindable."""
    tx.execute("DELETE FROM message_words WHERE rowid = ?", (message,))
    remove_vector(tx, "message", person=person, item=message)


def add_passage(tx: Tx, *, person: int, passage: int, text: str) -> None:
    """Make a passage findable; its vector follows later."""
    led = _led(person, SAID, tokens(text))
    tx.execute("INSERT INTO passage_words (rowid, tokens) VALUES (?, ?)", (passage, led))
    await_vector(tx, "passage", person=person, item=passage)


def replace_passage(tx: Tx, *, person: int, passage: int, text: str) -> None:
    """Index a passage anew after its text changed."""
    remove_passage(tx, person=person, passage=passage)
    add_passage(tx, person=person, passage=passage, text=text)


def remove_passage(tx: Tx, *, person: int, passage: int) -> None:
    """Make a passage unfindable."""
    tx.execute("DELETE FROM passage_words WHERE rowid = ?", (passage,))
    remove_vector(tx, "passage", person=person, item=passage)


def with_terms(tx: Tx, kind: Kind, *, person: int, mark: str, terms: Sequence[str]) -> list[Ids]:
    """For each of `terms` the ids that hold it, in order. `mark` is SAID or SPEAKER."""
    table = f"{kind}_words"
    # One text of numbers a term: fetching rows one by one would cost several times the search.
    rows = tx.execute(
        f"SELECT (SELECT group_concat(rowid) FROM {table} WHERE {table} MATCH term.value)"
        " FROM json_each(?) AS term ORDER BY term.key",
        (json.dumps([f'"{person}{mark}{term}"' for term in terms], ensure_ascii=False),),
    )
    return [numbers(listed) for (listed,) in rows.fetchall()]


def numbers(listed: str | None) -> Ids:
    """The numbers in a text that group_concat made; None is none."""
    return np.fromstring(listed or "", np.int64, sep=",")


def _led(person: int, mark: str, found: Sequence[str]) -> str:
    lead = f" {person}{mark}"
    return lead.join(["", *found])
