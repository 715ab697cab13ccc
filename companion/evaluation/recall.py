"""How much of what answers a question is among the first results of recall storage.

No model is asked. Every turn is stored as a message with its speaker and date, and every question
is searched as it stands. R@k is the share of the turns that answer it found among the first k
results, any@k whether one of them is, MRR one by the place of the first of them, 0 where it is
beyond the last k; all are means over questions.
"""

import math
import random
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from companion.embedders.protocol import Embedder
from companion.evaluation.chats import Chat, Question, read_chats
from companion.evaluation.intervals import average
from companion.events import Address, Sender
from companion.memory.vectors import Vectorizer
from companion.search.ranking import MESSAGES, Weights
from companion.storage import messages, people
from companion.storage.database import Database, Tx
from companion.storage.messages import Entry
from companion.storage.recall_search import RecallStorage

DEPTHS = (5, 10, 20)


@dataclass(frozen=True, slots=True)
class Answered:
    """A question, and the ids of the turns that were found for it, best first."""

    question: Question
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over questions, in percent but for MRR, and where 95 % of resampled means lie."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Line:
    """The figures of one category: R@k and any@k by k, and MRR, from 0 to 1."""

    category: str
    questions: int
    recall: dict[int, Figure]
    any: dict[int, Figure]
    mrr: Figure


@dataclass(frozen=True, slots=True)
class Report:
    """All figures of one way to search, and what a query cost in milliseconds of CPU."""

    lines: tuple[Line, ...]
    cpu_ms: float


_NO_SECOND_LOOK = {"asks": 0.0, "answers": 0.0, "tells_when": 0.0}
ABLATIONS: dict[str, Weights | None] = {
    "all signs": MESSAGES,
    "without meaning": None,
    "without neighbours": replace(MESSAGES, neighbours=0),
    "without speaker": replace(MESSAGES, speaker=0),
    "without date": replace(MESSAGES, date=0),
    "without a second look": replace(MESSAGES, **_NO_SECOND_LOOK),
    "meaning alone": Weights(
        words=0, meaning=1, neighbours=0, speaker=0, date=0, **_NO_SECOND_LOOK
    ),
    "words alone": Weights(words=1, meaning=0, neighbours=0, speaker=0, date=0, **_NO_SECOND_LOOK),
}
"""Ways to search, each less one sign; None searches without an embedder."""


async def measure(
    path: Path,
    embedder: Embedder | None,
    ways: Iterable[str] = ("all signs",),
    *,
    limit: int | None = None,
    seed: int = 0,
) -> dict[str, Report]:
    """A report on each of `ways` to search the chats in `path`.

    `limit` is how many questions of each category are asked, drawn by `seed`; None asks all.
    """
    chats = asking(read_chats(path), limit, seed)
    with TemporaryDirectory() as folder:
        db = await Database.open(Path(folder) / "eval.db")
        try:
            stored = [await store(db, chat) for chat in chats]
            if embedder is not None:
                await Vectorizer(db, embedder).run_once()
            return {way: await _report(db, embedder, chats, stored, way) for way in ways}
        finally:
            await db.close()


def asking(chats: Sequence[Chat], limit: int | None, seed: int) -> list[Chat]:
    """`chats` with at most `limit` questions of each category among all of them."""
    if limit is None:
        return list(chats)
    every = [question for chat in chats for question in chat.questions]
    random.Random(seed).shuffle(every)  # noqa: S311 - which questions, no secret
    left = dict.fromkeys((question.category for question in every), limit)
    taken = set()
    for question in every:
        if left[question.category]:
            left[question.category] -= 1
            taken.add(question)
    return [
        replace(chat, questions=tuple(one for one in chat.questions if one in taken))
        for chat in chats
    ]


@dataclass(frozen=True, slots=True)
class Stored:
    """A chat in the database: whose it is, and the id of the turn of each message."""

    person: int
    turns: dict[int, str]


async def store(db: Database, chat: Chat) -> Stored:
    """Store `chat` as the messages of a person of its own."""

    def work(tx: Tx) -> Stored:
        began = chat.turns[0].said_at
        address = Address(platform="evaluation", chat=chat.name)
        sender = Sender(user=chat.name, name=chat.turns[0].speaker)
        person = people.place(tx, address, sender, began).person
        turns = {}
        for turn in chat.turns:
            entry = Entry(
                kind="event",
                text="",
                said_at=turn.said_at,
                tokens=0,
                speaker=turn.speaker,
                said=turn.said,
            )
            turns[messages.add(tx, person, entry).id] = turn.id
        return Stored(person, turns)

    return await db.write(work)


async def _report(
    db: Database,
    embedder: Embedder | None,
    chats: Sequence[Chat],
    stored: Sequence[Stored],
    way: str,
) -> Report:
    weights = ABLATIONS[way]
    answered = []
    began = time.process_time()
    for chat, one in zip(chats, stored, strict=True):
        recall = RecallStorage(
            db,
            embedder if weights else None,
            one.person,
            page_size=max(DEPTHS),
            weights=weights or MESSAGES,
        )
        for question in chat.questions:
            page = await recall.search(question.text)
            found = tuple(one.turns[hit.id] for hit in page.items)
            answered.append(Answered(question, found))
    spent = time.process_time() - began
    return Report(figures(answered), 1000 * spent / max(len(answered), 1))


def figures(answered: Sequence[Answered]) -> tuple[Line, ...]:
    """A line for each category, and one for all."""
    categories = sorted({one.question.category for one in answered})
    lines = [
        _line(category, [one for one in answered if one.question.category == category])
        for category in categories
    ]
    return (*lines, _line("all", answered)) if len(lines) > 1 else tuple(lines)


def _line(category: str, answered: Sequence[Answered]) -> Line:
    recall, some = {}, {}
    for depth in DEPTHS:
        shares = [
            len(one.question.evidence.intersection(one.found[:depth])) / len(one.question.evidence)
            for one in answered
        ]
        recall[depth] = _figure(shares)
        some[depth] = _figure([float(share > 0) for share in shares])
    mrr = average([_reciprocal(one) for one in answered])
    return Line(category, len(answered), recall, some, Figure(mrr.mean, mrr.low, mrr.high))


def _reciprocal(one: Answered) -> float:
    """One by the place of the first turn that answers, 0 where none was found."""
    places = (at for at, turn in enumerate(one.found, start=1) if turn in one.question.evidence)
    return 1 / next(places, math.inf)


def _figure(values: Sequence[float]) -> Figure:
    it = average(values)
    return Figure(100 * it.mean, 100 * it.low, 100 * it.high)
