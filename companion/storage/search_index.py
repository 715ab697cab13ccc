"""Keeps the word index in step with messages and passages, inside their own transactions."""

import json
from collections.abc import Sequence
from datetime import timedelta
from enum import Enum, auto

import numpy as np

from companion.search.ranking import Term
from companion.search.words import names, tokens
from companion.storage.database import Tx
from companion.storage.vector_blocks import Ids, Kind, await_vector, remove_vector

# What a token is: a word that was said, a name of who said it, or the sign that a sitting began or
# that somebody went on.
# These are private-use characters, which `tokens` lets through in no token.
SAID = "\ue000"
SPEAKER = "\ue001"
SITTING = "\ue002"
_WHOLE = "\ue003"
"""Ends a name, so that it is not stemmed."""

MOST_CHARS = 400_000
"""Of one text, a long novel's worth, are found by their words; what comes behind is kept and not
found. More at once would keep everybody waiting."""

GOES_ON = "\ue004"

PAUSE = timedelta(hours=3)
"""A silence after which a new sitting begins, whose turns are no neighbours of what was before."""


def add_message(tx: Tx, *, person: int, message: int, speaker: str, said: str) -> None:
    """Make what `speaker` said findable; its row is there already, its vector follows later."""
    _add_words(tx, person=person, message=message, speaker=speaker, said=said)
    await_vector(tx, "message", person=person, item=message)


def _add_words(tx: Tx, *, person: int, message: int, speaker: str, said: str) -> None:
    led = _said(person, said) + _led(person, SPEAKER, [name + _WHOLE for name in names(speaker)])
    match _place(tx, person, message):
        case _Place.BEGINS:
            led += _led(person, SITTING, [""])
        case _Place.GOES_ON:
            led += _led(person, GOES_ON, [""])
    tx.execute("INSERT INTO message_words (rowid, tokens) VALUES (?, ?)", (message, led))


def index_anew(tx: Tx, kind: Kind, *, person: int, item: int) -> None:
    """Make the words of a row findable that is another person's from now on."""
    if kind == "passage":
        row = tx.execute(
            "SELECT text FROM passage WHERE id = ? AND person_id = ?", (item, person)
        ).fetchone()
        _add_passage_words(tx, person=person, passage=item, text=row[0])
        return
    speaker, said = tx.execute(
        "SELECT speaker, said FROM message WHERE id = ? AND person_id = ?", (item, person)
    ).fetchone()
    if said:
        _add_words(tx, person=person, message=item, speaker=speaker, said=said)


def remove_message(tx: Tx, *, person: int, message: int) -> None:
    """Make a message unfindable, while its row is still there."""
    tx.execute(
        "DELETE FROM message_words WHERE rowid IN"
        " (SELECT id FROM message WHERE id = ? AND person_id = ?)",
        (message, person),
    )
    remove_vector(tx, "message", person=person, item=message)


def add_passage(tx: Tx, *, person: int, passage: int, text: str) -> None:
    """Make a passage findable; its vector follows later."""
    _add_passage_words(tx, person=person, passage=passage, text=text)
    await_vector(tx, "passage", person=person, item=passage)


def _add_passage_words(tx: Tx, *, person: int, passage: int, text: str) -> None:
    led = _said(person, text)
    tx.execute("INSERT INTO passage_words (rowid, tokens) VALUES (?, ?)", (passage, led))


def remove_passage(tx: Tx, *, person: int, passage: int) -> None:
    """Make a passage unfindable, while its row is still there."""
    tx.execute(
        "DELETE FROM passage_words WHERE rowid IN"
        " (SELECT id FROM passage WHERE id = ? AND person_id = ?)",
        (passage, person),
    )
    remove_vector(tx, "passage", person=person, item=passage)


def speakers(tx: Tx, person: int) -> list[str]:
    """The names of all who ever said something to this person or for them."""
    lead = f"{person}{SPEAKER}"
    rows = tx.execute(
        "SELECT term FROM message_terms WHERE term >= ? AND term < ?",
        (lead, f"{person}{SITTING}"),
    )
    return [term.removeprefix(lead).removesuffix(_WHOLE) for (term,) in rows.fetchall()]


def with_terms(tx: Tx, kind: Kind, *, person: int, terms: Sequence[str]) -> list[Term]:
    """For each of `terms` what holds it."""
    led = [f"{person}{SAID}{term}" for term in terms]
    return list(map(Term, terms, _holding(tx, kind, led)))


def spoken_by(tx: Tx, *, person: int, named: Sequence[str]) -> Ids:
    """What was said by those of `named`."""
    led = [f"{person}{SPEAKER}{name}{_WHOLE}" for name in named]
    return np.concatenate([numbers(None), *_holding(tx, "message", led)])


def sittings(tx: Tx, person: int) -> Ids:
    """The first message of each sitting."""
    (first,) = _holding(tx, "message", [f"{person}{SITTING}"])
    return first


def going_on(tx: Tx, person: int) -> Ids:
    """The messages of somebody who had said the one before in the same sitting as well."""
    (some,) = _holding(tx, "message", [f"{person}{GOES_ON}"])
    return some


def _holding(tx: Tx, kind: Kind, led: Sequence[str]) -> list[Ids]:
    table = f"{kind}_words"
    # One text of numbers a token: fetching rows one by one would cost several times the search.
    rows = tx.execute(
        f"SELECT (SELECT group_concat(rowid) FROM {table} WHERE {table} MATCH token.value)"
        " FROM json_each(?) AS token ORDER BY token.key",
        (json.dumps([f'"{token}"' for token in led], ensure_ascii=False),),
    )
    return [numbers(listed) for (listed,) in rows.fetchall()]


class _Place(Enum):
    """What a message is in its sitting: the first, or what the same person or another says next."""

    BEGINS = auto()
    GOES_ON = auto()
    REPLIES = auto()


def _place(tx: Tx, person: int, message: int) -> _Place:
    before = tx.execute(
        "SELECT unixepoch(message.said_at) - unixepoch(earlier.said_at),"
        " message.speaker = earlier.speaker FROM message, message AS earlier"
        " WHERE message.id = :message AND message.person_id = :person"
        " AND earlier.person_id = :person AND earlier.said <> ''"
        " AND (earlier.said_at, earlier.id) < (message.said_at, message.id)"
        " ORDER BY earlier.said_at DESC, earlier.id DESC LIMIT 1",
        {"person": person, "message": message},
    ).fetchone()
    if before is None or before[0] > PAUSE.total_seconds():
        return _Place.BEGINS
    return _Place.GOES_ON if before[1] else _Place.REPLIES


def numbers(listed: str | None) -> Ids:
    """The numbers in a text that group_concat made; None is none."""
    return np.fromstring(listed or "", np.int64, sep=",")


def _said(person: int, text: str) -> str:
    """The tokens of what was said, as far as it is found by its words."""
    return _led(person, SAID, tokens(text[:MOST_CHARS]))


def _led(person: int, mark: str, found: Sequence[str]) -> str:
    lead = f" {person}{mark}"
    return lead.join(["", *found])
