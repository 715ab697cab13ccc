"""One order for what words, meaning, neighbours, speaker and date each say of a query.

docs/search.md tells how the weights were found and what each sign brings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]
Scores = npt.NDArray[np.floating[Any]]
_Flags = npt.NDArray[np.bool_]

REACH = 2
"""Turns each way, in the same sitting, that a turn gains from; what somebody says in several
messages is one turn."""
LONGEST_TURN = 6
"""Messages of a turn; who goes on and on begins another."""
NEARBY = 0.5
"""What a word counts that stands in a turn nearby and not in this one."""
TOGETHER = 2
"""Words of the query that must come together around a turn for it to be found without one."""
NEAREST = 20
"""Most of what is found by meaning alone."""
NEAREST_SHARE = 0.1
"""Most of everything that is found by meaning alone."""
STANDS_OUT = 2.0
"""Standard deviations above the mean likeness from which meaning alone is enough."""
NEAR = 1.0
"""Those from which it is worth a place in a list by meaning alone."""
FOREMOST = 40
"""Among the first so many by all signs, being nearer in meaning than most is enough."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each sign counts; words and meaning are first scaled to 0..1.

    The last three are those of `second_look`.
    """

    words: float = 0.55
    meaning: float = 0.45
    neighbours: float = 1.0
    speaker: float = 0.4
    date: float = 0.4
    asks: float = -0.2
    answers: float = 0.05
    tells_when: float = 0.2

    def trusting(self, meaning: float) -> Self:
        """These, with words and meaning shared out anew, unless they leave one of them out."""
        if not self.words or not self.meaning:
            return self
        return replace(self, words=1 - meaning, meaning=meaning)


MESSAGES = Weights()
PASSAGES = Weights(words=0.5, meaning=0.5, neighbours=0)
"""Passages that were stored one after the other need have nothing in common."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the query and the ids of what holds it."""

    word: str
    ids: Ids


def _no_ids() -> Ids:
    return np.zeros(0, np.int64)


def _no_scores() -> Scores:
    return np.zeros(0, np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What is known about a query.

    `ids` is all that may be found, oldest first, and `sittings` the first of each stretch without
    a long pause. `going_on` is what somebody said right after something else of theirs. `likeness`
    is the cosine with each of `liked`. `spoken` is what somebody said whom the query names, `dated`
    what falls on a date that it names. `dates_alone` says that it asks for nothing else.
    """

    ids: Ids
    terms: Sequence[Term] = ()
    liked: Ids = field(default_factory=_no_ids)
    likeness: Scores = field(default_factory=_no_scores)
    sittings: Ids = field(default_factory=_no_ids)
    going_on: Ids = field(default_factory=_no_ids)
    spoken: Ids = field(default_factory=_no_ids)
    dated: Ids = field(default_factory=_no_ids)
    dates_alone: bool = False


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a query finds, best first, and what each sign adds to its score.

    `previous` is the id of the turn before each in the same sitting, or 0. `nearest` is what is
    near in meaning, nearest first, whatever its words.
    """

    ids: Ids
    parts: dict[str, Scores]
    previous: Ids = field(default_factory=_no_ids)
    nearest: Ids = field(default_factory=_no_ids)

    def in_order(self, places: Sequence[int]) -> "Ranking":
        """The same, with what stands at these places, all of them, in their order."""
        at = np.array(places, np.intp)
        previous = self.previous[at] if len(self.previous) else self.previous
        parts = {name: part[at] for name, part in self.parts.items()}
        return Ranking(self.ids[at], parts, previous, self.nearest)

    def parts_of(self, which: slice) -> list[dict[str, float]]:
        """What each sign adds to the score of each of `which`."""
        columns = [part[which].tolist() for part in self.parts.values()]
        rows = zip(*columns, strict=True) if columns else ((),) * len(self.ids[which])
        return [dict(zip(self.parts, row, strict=True)) for row in rows]


def rank(signs: Signs, weights: Weights) -> Ranking:
    """What the query finds, best first; of equals the newest first.

    Found is what holds one of the words, what lies where several of them come together, what
    stands out by meaning, and of the first by all signs what is nearer in meaning than most. A
    query that names only days finds all that was said then.
    """
    places = _Places(signs.ids)
    near = _Near(places, signs) if weights.neighbours else None
    words, found = _by_words(signs.terms, places, near)
    parts = {"words": words / max(words.max(initial=0), np.finfo(np.float32).tiny)}
    likeness, nearest = None, _no_ids()
    if len(signs.liked):
        likeness = places.spread(signs.liked, signs.likeness)
        parts["words"] *= weights.words
        parts["meaning"] = weights.meaning * _scaled(likeness)
        found[_standing_out(likeness)] = True
        nearest = signs.ids[_nearest(likeness, NEAREST, NEAR)]
    if near:
        own = sum(parts.values(), np.zeros(places.count, np.float32))
        parts["neighbours"] = weights.neighbours * near.best(own)
    parts["speaker"] = weights.speaker * places.flags(signs.spoken)
    parts["date"] = weights.date * places.flags(signs.dated)
    score = sum(parts.values(), np.zeros(places.count, np.float32))
    if signs.dates_alone:
        found |= places.flags(signs.dated)
    if likeness is not None and found.any():
        found[_foremost(score, likeness)] = True
    newest_first = np.flatnonzero(found)[::-1]
    order = newest_first[np.argsort(-score[newest_first], kind="stable")]
    previous = (near.before(signs.ids) if near else np.zeros_like(signs.ids))[order]
    parts = {name: part[order] for name, part in parts.items()}
    return Ranking(signs.ids[order], parts, previous, nearest)


def led(ranking: Ranking, leaders: Mapping[int, int]) -> Ranking:
    """`ranking` with each that has a leader right behind it, at the better one's place.

    A leader that was not found itself comes in with nothing added to its score.
    """
    ids: list[int] = ranking.ids.tolist()
    if leaders.keys().isdisjoint(ids):
        return ranking
    groups: dict[int, list[int]] = {}
    for number in ids:
        group = groups.setdefault(leaders.get(number, number), [])
        if number in leaders:
            group.append(number)
    order = [number for leader, group in groups.items() for number in (leader, *group)]
    place = {number: at for at, number in enumerate(ids)}
    at = np.array([place.get(number, len(ids)) for number in order], np.intp)
    zero = np.zeros(1, np.float32)
    parts = {name: np.concatenate([part, zero])[at] for name, part in ranking.parts.items()}
    previous = np.concatenate([ranking.previous, np.zeros(1, np.int64)])[at]
    return Ranking(np.array(order, np.int64), parts, previous)


def interleaved(rankings: Sequence[Ranking]) -> Ranking:
    """The first of each, then the second of each, and so on, every id once."""
    whole = np.concatenate([ranking.ids for ranking in rankings])
    place = np.concatenate([np.arange(len(ranking.ids)) for ranking in rankings])
    in_turn = np.argsort(place, kind="stable")
    _, first = np.unique(whole[in_turn], return_index=True)
    order = in_turn[np.sort(first)]
    names = dict.fromkeys(name for ranking in rankings for name in ranking.parts)
    parts = {
        name: np.concatenate(
            [one.parts.get(name, np.zeros(len(one.ids), np.float32)) for one in rankings]
        )[order]
        for name in names
    }
    return Ranking(whole[order], parts, nearest=rankings[0].nearest)


def _by_words(
    terms: Sequence[Term], places: "_Places", near: "_Near | None"
) -> tuple[Scores, npt.NDArray[np.bool_]]:
    """Sums of how rare the words are in and around each place, and what is found by them."""
    count = places.count
    score = np.zeros(count, np.float32)
    holds = np.zeros(count, np.bool_)
    together = np.zeros(count, np.int32)
    for term in terms:
        at = places.of(term.ids)
        if not len(at):
            continue
        here = np.zeros(count, np.bool_)
        here[at] = True
        around = near.any(here) if near else here
        rarity = np.float32(np.log1p((count - len(at) + 0.5) / (len(at) + 0.5)))
        score += rarity * np.where(here, np.float32(1), NEARBY * around.astype(np.float32))
        holds |= here
        if len(term.word) > 1:  # a single character says little, and pairs hold it too
            together += here | around
    return score, holds | (together >= TOGETHER)


def _standing_out(likeness: Scores) -> npt.NDArray[np.intp]:
    """The places so much nearer in meaning than the rest that no word is needed, nearest first."""
    count = len(likeness)
    # Among few no value can lie far above the mean: at most (count - 1) / sqrt(count).
    needed = min(STANDS_OUT, 0.9 * (count - 1) / np.sqrt(max(count, 1)))
    return _nearest(likeness, min(NEAREST, int(np.ceil(count * NEAREST_SHARE))), needed)


def _nearest(likeness: Scores, most: int, deviations: float) -> npt.NDArray[np.intp]:
    """At most so many places so far above the mean likeness, nearest first."""
    count = len(likeness)
    if not count:
        return np.zeros(0, np.intp)
    most = min(most, count)
    nearest = np.argpartition(likeness, count - most)[count - most :]
    nearest = nearest[np.argsort(-likeness[nearest], kind="stable")]
    floor = max(likeness.mean() + deviations * likeness.std(), np.finfo(np.float32).tiny)
    near: npt.NDArray[np.intp] = nearest[likeness[nearest] >= floor]
    return near


def _foremost(score: Scores, likeness: Scores) -> npt.NDArray[np.intp]:
    """The first by `score` that are nearer in meaning than most."""
    most = min(FOREMOST, int(np.ceil(len(score) * NEAREST_SHARE)))
    first = np.argpartition(score, len(score) - most)[len(score) - most :]
    nearer: npt.NDArray[np.intp] = first[likeness[first] > likeness.mean()]
    return nearer


class _Places:
    """Where each id stands among all that may be found."""

    def __init__(self, ids: Ids) -> None:
        self.count = len(ids)
        in_order = bool(np.all(ids[1:] > ids[:-1]))  # unless old messages were imported
        self._order = None if in_order else np.argsort(ids, kind="stable")
        self._sorted = ids if self._order is None else ids[self._order]

    def of(self, ids: Ids) -> npt.NDArray[np.intp]:
        """The places of those of `ids` that have one."""
        return self._find(ids)[0]

    def flags(self, ids: Ids) -> _Flags:
        """Which places are those of `ids`."""
        flags = np.zeros(self.count, np.bool_)
        flags[self.of(ids)] = True
        return flags

    def spread(self, ids: Ids, values: Scores) -> Scores:
        """`values` at the places of `ids`; their mean where nothing is known."""
        at, known = self._find(ids)
        spread = np.zeros(self.count, np.float32)
        if len(at):
            spread += values[known].mean()
            spread[at] = values[known]
        return spread

    def _find(self, ids: Ids) -> tuple[npt.NDArray[np.intp], _Flags]:
        if not self.count:
            return np.zeros(0, np.intp), np.zeros(len(ids), np.bool_)
        at = np.minimum(np.searchsorted(self._sorted, ids), self.count - 1)
        known = self._sorted[at] == ids
        at = at[known]
        return at if self._order is None else self._order[at], known


class _Near:
    """Turns that lie close to each other in one sitting, each of one message or several."""

    def __init__(self, places: _Places, signs: Signs) -> None:
        pauses = places.flags(signs.sittings)
        begins = _begin_turns(pauses | ~places.flags(signs.going_on))
        self._firsts = np.flatnonzero(begins)
        self._turn = np.cumsum(begins) - 1
        sitting = np.cumsum(pauses)
        self._goes_on = np.append(False, sitting[1:] == sitting[:-1])[: places.count]
        of_turn = sitting[self._firsts]
        self._steps = [
            (step, of_turn[step:] == of_turn[:-step])
            for step in range(1, min(REACH, len(of_turn) - 1) + 1)
        ]

    def any(self, flags: _Flags) -> _Flags:
        """Which places have a flag in their turn or nearby."""
        if not len(flags):
            return flags
        held = np.logical_or.reduceat(flags, self._firsts)
        around = held.copy()
        for step, together in self._steps:
            around[step:] |= held[:-step] & together
            around[:-step] |= held[step:] & together
        spread: _Flags = around[self._turn]
        return spread

    def best(self, score: Scores) -> Scores:
        """The best score in the turn of each place and nearby."""
        if not len(score):
            return score
        held = np.maximum.reduceat(score, self._firsts)
        best = held.copy()
        for step, together in self._steps:
            np.maximum(best[step:], held[:-step] * together, out=best[step:])
            np.maximum(best[:-step], held[step:] * together, out=best[:-step])
        spread: Scores = best[self._turn]
        return spread

    def before(self, ids: Ids) -> Ids:
        """Which of `ids` stands just before each place; 0 where none is near."""
        before: Ids = np.roll(ids, 1) * self._goes_on
        return before


def _begin_turns(begins: _Flags) -> _Flags:
    """Which places begin a turn, those too where somebody has gone on for `LONGEST_TURN`."""
    place = np.arange(len(begins))
    begun = np.maximum.accumulate(np.where(begins, place, 0))
    again: _Flags = (place - begun) % LONGEST_TURN == 0
    return begins | again


def _scaled(values: Scores) -> Scores:
    """`values` from 0 to 1."""
    if not len(values) or values.max() <= values.min():
        return np.zeros_like(values)
    scaled: Scores = (values - values.min()) / (values.max() - values.min())
    return scaled
