"""Questions over documents (MemGPT §3.2.1): a retriever finds K passages, a reader answers.

The companion has the K passages in archival storage and pages through them; the baseline has them
in its prompt, each cut so that all of them fit. Both have the same ones: the first K that our own
search gives among all passages of the file, and the gold passage in the last place where it is
not among those. The paper leaves it out there, and measures its retriever with that.
"""

import gzip
import json
import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.errors import OperatorError
from companion.evaluation.bench import Bench, ModelAlone
from companion.evaluation.experiment import Measure, Method, Outcome, Sample, Traits
from companion.evaluation.fresh_home import FreshHome
from companion.evaluation.judging import judge_from_document
from companion.evaluation.listing import read_listing
from companion.evaluation.trace import Exchange
from companion.evaluation.wording import EVERY_PAGE, NOTHING_FOUND

DOCUMENTS = (1, 5, 10, 20, 50, 100, 200, 400, 700)
"""K, as far as the paper's figure 5 goes."""
MOST_STEPS = 200
"""So that 700 documents can be paged through, five a page."""
MARGIN = 12
"""Tokens that a cut passage leaves free: where texts are joined the count may change."""

INSTRUCTIONS = """\
You answer questions from documents that lie in your archival storage. The answer is always there: \
go on searching, page after page and in other words, until you have it. Answer as if it were 2018. \
Quote the words of the document that the answer stands in."""

ALONE = f"""\
Answer the question at the end from the documents below, of which many have nothing to do with it. \
Answer as if it were 2018. Quote the words of the document that the answer stands in. If none has \
the answer, say {NOTHING_FOUND} and nothing else."""

TRAITS = Traits(
    name="docqa",
    title="Questions over documents",
    measures=(
        Measure(key="right", title="answer given"),
        Measure(key="shown", title="answer shown to it"),
        Measure(key="judged", title="right by judge"),
    ),
    x_title="documents",
    instructions=INSTRUCTIONS,
    judged=True,
    max_steps=MOST_STEPS,
)


@dataclass(frozen=True, kw_only=True)
class DocQASample(Sample):
    """A question, its answers, and the passage that they stand in."""

    question: str
    answers: tuple[str, ...]
    gold: str


class DocQA:
    """The experiment, on a file of questions with their gold passages."""

    traits = TRAITS

    def __init__(self, file: Path, documents: Sequence[int] = DOCUMENTS) -> None:
        self._file = file
        self._documents = documents
        self._rows = list[tuple[str, tuple[str, ...], str]]()
        self._ranked: dict[str, list[str]] = {}

    def samples(self, seed: int) -> Sequence[DocQASample]:
        """Every question with every number of documents.

        Raises:
            OperatorError: the file is not there, or of another form.
        """
        self._rows = _read(self._file)
        if not self._rows:
            raise _of_another_form(self._file)
        return [
            DocQASample(
                id=f"{number}-{documents}",
                unit=str(number),
                x=documents,
                question=question,
                answers=answers,
                gold=gold,
            )
            for number, (question, answers, gold) in enumerate(self._rows)
            for documents in self._documents
        ]

    async def prepare(self, samples: Sequence[DocQASample], home: FreshHome) -> None:
        """Put all passages into one archival storage and rank them for each question.

        Done once: storing them anew for each question would take most of the time.
        """
        await home.keep(list(dict.fromkeys(gold for _, _, gold in self._rows)), source="Wikipedia")
        most: dict[str, int] = {}
        for sample in samples:
            most[sample.question] = max(most.get(sample.question, 0), sample.x or 0)
        async with home.storage() as storage:
            memory = await home.memory(storage)
            for question, documents in most.items():
                ranked: list[str] = []
                page, pages = 0, 1
                while len(ranked) < documents and page < pages:
                    found = await memory.search(question, page=page)
                    ranked += [hit.text for hit in found.items]
                    page, pages = page + 1, found.pages
                self._ranked[question] = ranked

    async def run(self, sample: DocQASample, method: Method, bench: Bench) -> Outcome:
        """Ask the question over its documents."""
        documents = self.documents(sample)
        if method == "companion":
            with bench.home() as home:
                await home.keep(documents, source="Wikipedia")
                asked = f"Search archival storage and {EVERY_PAGE}.\n{sample.question}"
                (answer,) = await home.tell(asked)
                await bench.take_down(home)
            shown = shown_of(sample.gold, bench.trace)
        else:
            async with bench.model() as model:
                cut = _that_fit(documents, model, sample.question)
                shown = cut[documents.index(sample.gold)]
                answer = await model.ask(ALONE, "\n\n".join([*cut, sample.question]))
        scores = {
            "right": float(names_one(answer, sample.answers)),
            "shown": float(names_one(shown, sample.answers)),
            "judged": await judge_from_document(bench, sample.question, sample.answers, answer),
        }
        return Outcome(
            question=sample.question,
            gold=sample.answers,
            answer=answer,
            scores=scores,
            details={"documents": len(documents)},
        )

    def documents(self, sample: DocQASample) -> list[str]:
        """The passages that go with `sample`, in the retriever's order."""
        assert sample.x is not None
        found = self._ranked[sample.question][: sample.x]
        return found if sample.gold in found else [*found[: sample.x - 1], sample.gold]


def names_one(text: str, answers: Sequence[str]) -> bool:
    """Whether one of `answers` stands in `text`, articles, case and punctuation apart."""
    plain = f" {_plain(text)} "
    return any(f" {_plain(answer)} " in plain for answer in answers)


def shown_of(gold: str, trace: Sequence[Exchange]) -> str:
    """What searches showed of the passage `gold`."""
    title = gold.partition(":")[0] + ":"
    shown = [
        item
        for exchange in trace
        for call in exchange.calls
        for item in read_listing(call.result).items
        if item.startswith(title) or _middle(item) in gold
    ]
    return "\n".join(shown)


def _middle(item: str) -> str:
    """A listed passage without the marks of what was left out."""
    return item.removeprefix("[…] ").removesuffix(" […]")


def _that_fit(documents: Sequence[str], model: ModelAlone, question: str) -> list[str]:
    """`documents`, each cut to the same number of tokens so that the prompt holds all of them."""
    each = model.room(ALONE, question) // len(documents) - MARGIN
    return [beginning(text, max(each, 0), model) for text in documents]


def beginning(text: str, tokens: int, model: ModelAlone) -> str:
    """As much of the beginning of `text` as `tokens` hold."""
    kept = text
    while kept and (counted := model.counter.count(kept)) > tokens:
        kept = kept[: min(len(kept) - 1, int(len(kept) * tokens / counted))]
    return kept


def _plain(text: str) -> str:
    """As SQuAD's scorer compares: lower case, without punctuation and articles."""
    bare = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", bare).split())


def _read(path: Path) -> list[tuple[str, tuple[str, ...], str]]:
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8") as file:
            return [_row(json.loads(line)) for line in file]
    except (OSError, ValueError, LookupError, TypeError, StopIteration) as error:
        raise _of_another_form(path) from error


def _of_another_form(path: Path) -> OperatorError:
    return OperatorError(
        f"{path} cannot be read as questions with their gold passages, in the form of"
        " nelson-liu/lost-in-the-middle: JSON lines of question, answers and ctxs."
    )


def _row(raw: dict[str, Any]) -> tuple[str, tuple[str, ...], str]:
    gold = next(text for text in raw["ctxs"] if text["isgold"])
    return raw["question"], tuple(raw["answers"]), f"{gold['title']}: {gold['text']}"
