"""How much of what answers a question is among the first results of recall storage.

No model is asked. Every turn is stored as a message with its speaker and date, and every question
is searched as it stands. R@k is the share of the turns that answer it found among the first k
results, any@k whether one of them is; both are means over questions.
"""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from companion.embedders.protocol import Embedder
from companion.evaluation.chats import Chat, Question, read_chats
from companion.events import Address, Sender
from companion.memory.ranking import MESSAGES, Weights
from companion.memory.vectors import Vectorizer
from companion.storage import messages, people
from companion.storage.database import Database, Tx
from companion.storage.messages import Entry
from companion.storage.recall_search import RecallStorage

DEPTHS = (5, 10, 20)
RESAMPLES = 2000
"""Of the bootstrap that gives the intervals; whole questions are drawn."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A question, and the ids of the turns that were found for it, best first."""

    question: Question
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over questions in percent, and where 95 % of resampled means lie."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Line:
    """The figures of one category: R@k and any@k by k."""

    category: str
    questions: int
    recall: dict[int, Figure]
    any: dict[int, Figure]


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
    path: Path, embedder: Embedder | None, ways: Iterable[str] = ("all signs",)
) -> dict[str, Report]:
    """A report on each of `ways` to search the chats in `path`."""
    chats = read_chats(path)
    with TemporaryDirectory() as folder:
        db = await Database.open(Path(folder) / "eval.db")
        try:
            stored = [await store(db, chat) for chat in chats]
            if embedder is not None:
                await Vectorizer(db, embedder).run_once()
            return {way: await _report(db, embedder, chats, stored, way) for way in ways}
        finally:
            await db.close()


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
    return Line(category, len(answered), recall, some)


def _figure(values: Sequence[float]) -> Figure:
    drawn = np.asarray(values)
    picks = np.random.default_rng(0).integers(0, len(drawn), (RESAMPLES, len(drawn)))
    low, high = np.percentile(drawn[picks].mean(axis=1), [2.5, 97.5])
    return Figure(100 * float(drawn.mean()), 100 * float(low), 100 * float(high))
