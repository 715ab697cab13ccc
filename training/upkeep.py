"""Weighs the signs by which companion/search/upkeep.py tells that a fact is true no more.

    python -m training.upkeep ../shared/data/memory_update.jsonl [../shared/data/msc_s3_dev.jsonl]

Every other set of facts is learned from; how often the judgement is right and wrong is told for
those and for the others apart. The second file's facts about one person, none of which contradicts
another, tell how often it is wrong in everyday talk.
"""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from companion.embedders.wordllama import WordLlama
from companion.search.upkeep import Known, judge, signs

STEPS, RATE, SHRINK = 4000, 0.5, 1e-3


@dataclass(frozen=True, slots=True)
class Case:
    """A text that comes to others, and which of those it makes untrue. `kind` tells where from."""

    kind: str
    learned: bool
    text: str
    known: tuple[Known, ...]
    untrue: frozenset[int]


def main(update: Path, personas: Path | None = None) -> None:
    cases = asyncio.run(_cases(update, personas))
    names, weights, bias = fitted([case for case in cases if case.learned])
    print("fitted:", dict(zip(names, weights.round(1).tolist(), strict=True)), round(bias, 1))
    for learned in (True, False):
        for kind in sorted({case.kind for case in cases}):
            told = [case for case in cases if case.learned == learned and case.kind == kind]
            print("learned from" if learned else "not learned from", kind, dict(counts(told)))


def counts(cases: Sequence[Case]) -> Counter[str]:
    """How many of what is untrue became past or was named, and how many others became past."""
    found: Counter[str] = Counter()
    for case in cases:
        verdict = judge(case.text, case.known)
        past = set(verdict.past)
        found["texts"] += 1
        found["wrongly past"] += bool(past - case.untrue)
        found["near ones named"] += len(verdict.near)
        if case.untrue:
            found["past"] += bool(past & case.untrue)
            found["past or named"] += bool((past | set(verdict.near)) & case.untrue)
    return found


def fitted(
    cases: Sequence[Case],
) -> tuple[list[str], npt.NDArray[np.float64], float]:
    """A logistic regression over pairs; cases with several untrue ones say little of each."""
    rows, truth, names = [], [], []
    for case in cases:
        for one in case.known:
            if one.text == case.text or (one.id in case.untrue and len(case.untrue) > 1):
                continue
            found = signs(case.text, one.text, one.likeness)
            names = list(found)
            rows.append(list(found.values()))
            truth.append(one.id in case.untrue)
    values, wanted = np.array(rows), np.array(truth, float)
    mean, spread = values.mean(axis=0), values.std(axis=0) + 1e-9
    scaled = (values - mean) / spread
    weights, bias = np.zeros(scaled.shape[1]), 0.0
    for _ in range(STEPS):
        wrong = 1 / (1 + np.exp(-(scaled @ weights + bias))) - wanted
        weights -= RATE * (scaled.T @ wrong / len(wanted) + SHRINK * weights)
        bias -= RATE * float(wrong.mean())
    return names, weights / spread, bias - float((mean * weights / spread).sum())


async def _cases(update: Path, personas: Path | None) -> list[Case]:
    made = [*_of_sets(_lines(update))]
    if personas is not None:
        made += _of_personas(_lines(personas))
    texts = sorted({text for _, _, text, known, _ in made for text in (text, *known)})
    rows = await WordLlama().embed(texts)
    place = {text: at for at, text in enumerate(texts)}
    return [
        Case(
            kind,
            learned,
            text,
            tuple(
                Known(id=at, text=one, likeness=float(rows[place[text]] @ rows[place[one]]))
                for at, one in enumerate(known)
            ),
            frozenset(untrue),
        )
        for kind, learned, text, known, untrue in made
    ]


_Made = tuple[str, bool, str, tuple[str, ...], tuple[int, ...]]


def _of_sets(lines: Sequence[dict[str, object]]) -> Iterator[_Made]:
    sets: dict[tuple[str, ...], bool] = {}
    for line in lines:
        told = line["agent_args"]["extra"]  # type: ignore[index]  # its form is checked by use
        facts = tuple(fact.strip() for fact in told["facts"])
        learned = sets.setdefault(facts, len(sets) % 2 == 0)
        new = told["contradicting_fact"].strip().strip('"')
        yield "contradicting", learned, new, facts, tuple(told["supporting_fact_indices"])
    for facts, learned in sets.items():
        for at in range(1, len(facts)):
            yield "told before", learned, facts[at], facts[:at], ()


def _of_personas(lines: Sequence[dict[str, object]]) -> Iterator[_Made]:
    for number, line in enumerate(lines):
        for persona in line["personas"]:  # type: ignore[attr-defined]  # a list of lists of facts
            facts = tuple(fact.strip() for fact in persona)
            for at in range(1, len(facts)):
                yield "of one person", number % 2 == 0, facts[at], facts[:at], ()


def _lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
