"""One order for what words, meaning, neighbours, speaker and date each say of a query."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float32]

REACH = 2
"""Turns each way that a turn gains from."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each sign counts; words and meaning are first scaled to 0..1."""

    words: float = 0.5
    meaning: float = 0.5
    neighbours: float = 0.5
    speaker: float = 0.15
    date: float = 0.2
    nearest: int = 100


def _no_ids() -> Ids:
    return np.zeros(0, np.int64)


def _no_scores() -> Scores:
    return np.zeros(0, np.float32)


@dataclass(frozen=True, slots=True)
class Signs:
    """What is known about a query: ids by sign. `ids` is everything that may be found, in order."""

    ids: Ids
    terms: Sequence[Ids] = ()
    liked: Ids = field(default_factory=_no_ids)
    likeness: Scores = field(default_factory=_no_scores)
    speakers: Sequence[Ids] = ()
    dated: Ids = field(default_factory=_no_ids)


def rank(signs: Signs, weights: Weights) -> Ids:
    """The hits, best first; of equals the newest first."""
    count = len(signs.ids)
    places = _Places(signs.ids)
    words = np.zeros(count, np.float32)
    for term in signs.terms:
        at = places.of(term)
        words[at] += np.log1p((count - len(at) + 0.5) / (len(at) + 0.5))
    hit = words > 0
    score = weights.words * _scaled(words)
    if len(signs.liked):
        at, kept = places.of_with(signs.liked)
        likeness = np.zeros(count, np.float32)
        likeness[at] = signs.likeness[kept]
        score += weights.meaning * _scaled(likeness)
        nearest = np.argsort(-likeness, kind="stable")[: weights.nearest]
        hit[nearest[likeness[nearest] > 0]] = True
    score = score + weights.neighbours * _best_neighbour(score)
    for spoken in signs.speakers:
        score[places.of(spoken)] += weights.speaker
    score[places.of(signs.dated)] += weights.date
    found = np.flatnonzero(hit)[::-1]
    return signs.ids[found[np.argsort(-score[found], kind="stable")]]


class _Places:
    """Where each id stands."""

    def __init__(self, ids: Ids) -> None:
        self._order = np.argsort(ids, kind="stable")
        self._sorted = ids[self._order]

    def of(self, ids: Ids) -> npt.NDArray[np.intp]:
        return self.of_with(ids)[0]

    def of_with(self, ids: Ids) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
        """The places of those of `ids` that have one, and which of them have."""
        if not len(self._sorted):
            return np.zeros(0, np.intp), np.zeros(len(ids), np.bool_)
        at = np.minimum(np.searchsorted(self._sorted, ids), len(self._sorted) - 1)
        kept = self._sorted[at] == ids
        return self._order[at[kept]], kept


def _scaled(values: Scores) -> Scores:
    """`values` from 0 to 1."""
    if not len(values) or values.max() <= values.min():
        return np.zeros_like(values)
    low = values.min()
    scaled: Scores = (values - low) / (values.max() - low)
    return scaled


def _best_neighbour(score: Scores) -> Scores:
    """For each turn the best score among the turns around it."""
    padded = np.concatenate([np.zeros(REACH, np.float32), score, np.zeros(REACH, np.float32)])
    count = len(score)
    around = [
        padded[REACH + step : REACH + step + count] for step in range(-REACH, REACH + 1) if step
    ]
    best: Scores = np.maximum.reduce(around)
    return best
