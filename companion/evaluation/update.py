"""Facts that change: told, contradicted a month later, and asked for.

Ours, not the paper's. A memory that holds both the old fact and the new one has to give the new one
first, and to let the old one be seen for what it is: by its date, or by a mark that it is past.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from companion.errors import OperatorError
from companion.evaluation.bench import Bench
from companion.evaluation.experiment import Measure, Method, Outcome, Sample, Traits
from companion.evaluation.fresh_home import FreshHome
from companion.evaluation.listing import Listing, read_listing
from companion.evaluation.noted import begins, read_noted
from companion.evaluation.trace import Exchange

HOUR, DAY, MONTH = timedelta(hours=1), timedelta(days=1), timedelta(days=30)
MARKED = re.compile(r"\b(until|no longer|past|superseded|replaced|outdated|formerly)\b", re.I)
"""What a search may say of a note that is true no more, before the note itself."""
_ASKED = re.compile(r"^(\d+): “(.*)”$", re.M)
"""A note of which it is asked whether it still holds."""

INSTRUCTIONS = """\
You keep facts for the person. Store each fact that they tell you in archival storage, in their \
words, and see to it that what is true now can be told from what was true before. When they ask, \
search archival storage, and answer in one short sentence with what is true now. Where you can't \
tell which of two facts is true, ask."""
NO_MORE = "is true no more"
"""How the person answers when they are asked whether a note still holds."""

TRAITS = Traits(
    name="update",
    title="Facts that change",
    measures=(
        Measure(key="right", title="answer is the new one"),
        Measure(key="first", title="new fact before the old"),
        Measure(key="top", title="new fact is first of all"),
        Measure(key="dated", title="old fact found with its older date"),
        Measure(key="marked", title="old fact marked as past"),
        Measure(key="at_once", title="old fact past without asking"),
        Measure(key="spared", title="no other fact past"),
    ),
    methods=("companion",),
    instructions=INSTRUCTIONS,
)


@dataclass(frozen=True, kw_only=True)
class UpdateSample(Sample):
    """Facts, the one that contradicts some of them (`old`), and a question about that."""

    facts: tuple[str, ...]
    old: tuple[str, ...]
    new: str
    question: str
    answer: str


class Update:
    """The experiment, on a file of facts in the form of letta-ai/letta-evals."""

    traits = TRAITS

    def __init__(self, file: Path) -> None:
        self._file = file

    def samples(self, seed: int) -> Sequence[UpdateSample]:
        """Every set of facts.

        Raises:
            OperatorError: the file is not there, or of another form.
        """
        try:
            lines = self._file.read_text(encoding="utf-8").splitlines()
            found = [_sample(number, json.loads(line)) for number, line in enumerate(lines)]
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise _of_another_form(self._file) from error
        if not found:
            raise _of_another_form(self._file)
        return found

    async def prepare(self, samples: Sequence[UpdateSample], home: FreshHome) -> None:
        """Nothing is shared."""

    async def run(self, sample: UpdateSample, method: Method, bench: Bench) -> Outcome:
        """Tell the facts, a month later the new one, and a day later ask.

        Asked whether a fact that the new one contradicts still holds, the person says no.
        """
        with bench.home() as home:
            await home.tell(*sample.facts, pause=HOUR)
            await bench.take_down(home)
            home.clock.move(MONTH)
            (said,) = await home.tell(sample.new, pause=HOUR)
            for number, shown in _asked(said).items():
                if _is_old(sample, shown):
                    await home.tell(f"Note {number} {NO_MORE}: {sample.new}")
            home.clock.move(DAY)
            await home.make_vectors()
            (answer,) = await home.tell(sample.question)
            await bench.take_down(home)
        scores = {
            "right": float(_holds(answer, sample.answer)),
            **order(sample, bench.trace),
            **upkeep(sample, bench.trace),
        }
        return Outcome(
            question=sample.question, gold=(sample.answer,), answer=answer, scores=scores
        )


def order(sample: UpdateSample, trace: Sequence[Exchange]) -> dict[str, float | None]:
    """How the last search that showed one of them told the new fact from the old.

    None for all where no search did, or where the facts were kept in other words: then only the
    answer can be judged.
    """
    for listing in reversed(_listings(trace)):
        places = {item.strip(): at for at, item in enumerate(listing.items)}
        new = places.get(sample.new)
        old = [places[fact] for fact in sample.old if fact in places]
        if new is None and not old:
            continue
        heads = [listing.heads[at] for at in old]
        return {
            "first": float(new is not None and all(new < at for at in old)),
            "top": float(new == 0),
            "dated": float(bool(old) and (new is None or listing.heads[new] not in heads)),
            "marked": float(bool(old) and all(MARKED.search(head) for head in heads)),
        }
    return dict.fromkeys(("first", "top", "dated", "marked"))


def upkeep(sample: UpdateSample, trace: Sequence[Exchange]) -> dict[str, float | None]:
    """Whether an old fact became past as soon as the new one was told, and no other ever did.

    None where the new one was kept in other words.
    """
    inserted = [
        (json.loads(call.arguments), read_noted(call.result))
        for exchange in trace
        for call in exchange.calls
        if call.name == "archival_storage_insert"
    ]
    first = next((noted for told, noted in inserted if told.get("text") == sample.new), None)
    if first is None:
        return dict.fromkeys(("at_once", "spared"))
    past = [shown for _, noted in inserted for shown in noted.past.values()]
    return {
        "at_once": float(any(_is_old(sample, shown) for shown in first.past.values())),
        "spared": float(all(_is_old(sample, shown) for shown in past)),
    }


def _is_old(sample: UpdateSample, shown: str) -> bool:
    return any(begins(old, shown) for old in sample.old)


def _asked(said: str) -> dict[int, str]:
    """The notes, by their numbers, of which it was asked whether they still hold."""
    return {int(number): text for number, text in _ASKED.findall(said)}


def _listings(trace: Sequence[Exchange]) -> list[Listing]:
    return [
        read_listing(call.result)
        for exchange in trace
        for call in exchange.calls
        if call.name == "archival_storage_search"
    ]


def _holds(answer: str, gold: str) -> bool:
    return gold.casefold() in answer.casefold()


def _sample(number: int, raw: dict[str, Any]) -> UpdateSample:
    told = raw["agent_args"]["extra"]
    facts = tuple(str(fact).strip() for fact in told["facts"])
    return UpdateSample(
        id=str(number),
        facts=facts,
        old=tuple(facts[at] for at in told["supporting_fact_indices"]),
        new=str(told["contradicting_fact"]).strip().strip('"'),
        question=str(raw["input"]).strip(),
        answer=str(told["contradicting_answer"]).strip(),
    )


def _of_another_form(path: Path) -> OperatorError:
    return OperatorError(
        f"{path} cannot be read as facts that change: JSON lines with input and"
        " agent_args.extra, as letta-ai/letta-evals has them."
    )
