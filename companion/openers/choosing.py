"""Which of the candidates are put before the model, and whether it is worth waiting for better."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from companion.openers import clues
from companion.openers.candidates import About, Candidate, Kind, Remark
from companion.openers.topics import topic

OFFERED = 6
FACTS = 3
"""Of those offered, at most so many are undated facts."""
_NEAREST = {"message": 0, "passage": 1, "context": 2, "summary": 3}
"""What the person said themselves is named before what was noted of it."""


@dataclass(frozen=True, slots=True)
class Used:
    """What an earlier opener was about, and the words of that; empty where they are gone."""

    about: About
    text: str


def fresh(
    found: Sequence[Candidate],
    remarks: Iterable[Remark],
    now: datetime,
    *,
    used: Sequence[Used] = (),
    names: Iterable[str] = (),
) -> list[Candidate]:
    """Those of `found` that can be written about now or later, the weightiest first.

    Left out is what was `used`, what the person has come back to themselves since, what was called
    off, and what is found twice. `names` are words that every text about this person may hold.
    """
    told = [remark for remark in remarks if remark.by == "person"]
    gone = frozenset(names)
    left = [
        one
        for one in found
        if one.end > now and not _used(one, used, gone) and not _over(one, told, gone)
    ]
    return sorted(
        _distinct(left, gone), key=lambda one: (-one.weight, one.begin, one.about.source.id)
    )


def offered(choice: Sequence[Candidate], now: datetime) -> list[Candidate]:
    """Those to put before the model at `now`: few enough to weigh, other facts each day."""
    ripe = [one for one in choice if one.is_ripe(now)]
    facts = sorted((one for one in ripe if one.kind is Kind.FACT), key=lambda one: _draw(one, now))
    dated = [one for one in ripe if one.kind is not Kind.FACT]
    return [*dated[: OFFERED - min(len(facts), FACTS)], *facts[:FACTS]]


def waits(choice: Sequence[Candidate], now: datetime, until: datetime) -> bool:
    """Whether something weightier than all that is ripe `now` ripens before `until`."""
    ripe = max((one.weight for one in choice if one.is_ripe(now)), default=0)
    return any(one.weight > ripe for one in choice if now < one.begin < until)


def _draw(one: Candidate, now: datetime) -> bytes:
    return hashlib.sha256(f"{now.date()} {one.text}".encode()).digest()


def _used(one: Candidate, used: Iterable[Used], names: frozenset[str]) -> bool:
    return any(
        earlier.about == one.about or _same(one, earlier.about, earlier.text, names)
        for earlier in used
    )


def _over(one: Candidate, told: Iterable[Remark], names: frozenset[str]) -> bool:
    """Whether the person spoke of it since: told how it went, or called it off."""
    if one.kind in (Kind.FACT, Kind.BIRTHDAY):
        return False
    about = topic(one.text) - names
    for remark in told:
        if remark.said_at <= one.said_at or not about & topic(remark.text):
            continue
        if one.kind is not Kind.COMING_UP and (
            one.about.day is None or remark.said_at >= one.begin
        ):
            return True
        if clues.CALLED_OFF.search(remark.text):
            return True
    return False


def _distinct(found: Iterable[Candidate], names: frozenset[str]) -> list[Candidate]:
    """Each matter once, though message, note and summary all tell of it."""
    kept: list[Candidate] = []
    for one in sorted(
        found, key=lambda one: (_NEAREST[one.about.source.kind], -one.said_at.timestamp())
    ):
        if not any(_same(one, other.about, other.text, names) for other in kept):
            kept.append(one)
    return kept


def _same(one: Candidate, about: About, text: str, names: frozenset[str]) -> bool:
    return (
        one.kind is about.kind
        and one.about.day == about.day
        and (one.text == text or _alike(one.text, text, names))
    )


def _alike(text: str, other: str, names: frozenset[str]) -> bool:
    """Whether two texts are about the same: they share half of the shorter one's words."""
    a, b = topic(text) - names, topic(other) - names
    return bool(a & b) and len(a & b) * 2 >= min(len(a), len(b))
