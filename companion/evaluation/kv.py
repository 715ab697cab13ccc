"""Nested key-value retrieval (MemGPT §3.2.2): the value of a key may be a key itself.

140 pairs of UUIDs lie in archival storage, ten a page of results. The agent is given a key and
has to follow values until one is no key. The baseline has all pairs in its prompt.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from companion.errors import OperatorError
from companion.evaluation.bench import Bench, ModelAlone
from companion.evaluation.experiment import Measure, Method, Outcome, Sample, Traits
from companion.evaluation.fresh_home import FreshHome
from companion.evaluation.wording import UUID, pair

MOST_NESTINGS = 4
PAGE = 10
"""As in the paper's appendix, a page of results."""

INSTRUCTIONS = """\
You answer questions about pairs of keys and values that lie in your archival storage. The answer \
is always there. A value may be a key itself: then look up that key too, and go on. Search for \
each value before you answer, through all pages of the results, and stop only when you have seen \
that it is no key. Then send that value with send_message, and nothing else."""

ALONE = """\
Below are pairs of keys and values; all of them are UUIDs. Give the value of the key that is asked \
for at the end. If that value is itself a key, look up its value in turn, and go on until a value \
is no key. Answer with that last value and nothing else."""

TRAITS = Traits(
    name="kv",
    title="Nested key-value retrieval",
    measures=(Measure(key="right", title="right"),),
    x_title="nesting levels",
    instructions=INSTRUCTIONS,
    max_steps=60,
    page_size=PAGE,
)

Pair = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class KVSample(Sample):
    """The pairs, the key that is asked for, and the last value."""

    pairs: tuple[Pair, ...]
    key: str
    value: str


class KV:
    """The experiment, on the pairs and orderings in a folder."""

    traits = TRAITS

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def samples(self, seed: int) -> Sequence[KVSample]:
        """A sample for each ordering in the folder.

        Raises:
            OperatorError: the files are not there, or of another form.
        """
        pairs = [(str(key), str(value)) for key, value in _read(self._folder / "pairs.json")]
        found = []
        for nestings in range(MOST_NESTINGS + 1):
            file = self._folder / f"orderings_{nestings}_nestings.jsonl"
            for number, line in enumerate(_read_lines(file)):
                found.append(nested(f"{nestings}-{number}", pairs, line))
        return found

    async def prepare(self, samples: Sequence[KVSample], home: FreshHome) -> None:
        """Nothing is shared."""

    async def run(self, sample: KVSample, method: Method, bench: Bench) -> Outcome:
        """Ask for the value of the first key."""
        question = f"What is the value of the key {sample.key}?"
        details: dict[str, object] = {}
        if method == "companion":
            with bench.home() as home:
                await home.keep([pair(*one) for one in sample.pairs], source="pairs.json")
                (answer,) = await home.tell(question)
                await bench.take_down(home)
        else:
            async with bench.model() as model:
                shown = _that_fit(sample.pairs, model, question)
                details["pairs_shown"] = len(shown)
                answer = await model.ask(ALONE, "\n".join([*shown, question]))
        return Outcome(
            question=question,
            gold=(sample.value,),
            answer=answer,
            scores={"right": float(is_right(sample, answer))},
            details=details,
        )


def nested(name: str, pairs: Sequence[Pair], order: Sequence[int]) -> KVSample:
    """`pairs` with the value of each that `order` names replaced by the key of the next."""
    changed = list(pairs)
    for at, following in pairwise(order):
        changed[at] = (pairs[at][0], pairs[following][0])
    return KVSample(
        id=name,
        x=len(order) - 1,
        pairs=tuple(changed),
        key=pairs[order[0]][0],
        value=pairs[order[-1]][1],
    )


def _that_fit(pairs: Sequence[Pair], model: ModelAlone, question: str) -> list[str]:
    """The pairs, without those at the end that the window has no room for."""
    lines = [pair(*one) for one in pairs]
    room = model.room(ALONE, question)
    while lines and model.counter.count("\n".join(lines)) > room:
        del lines[-1]
    return lines


def is_right(sample: KVSample, answer: str) -> bool:
    """Whether the last value is in the answer, with no more besides than the way to it."""
    named = set(UUID.findall(answer))
    assert sample.x is not None
    return sample.value in named and len(named) <= sample.x + 2


def _read(path: Path) -> list[list[str]]:
    try:
        return list(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise _not_there(path) from error


def _read_lines(path: Path) -> list[list[int]]:
    try:
        return [list(map(int, json.loads(line))) for line in path.read_text().splitlines()]
    except (OSError, ValueError, TypeError) as error:
        raise _not_there(path) from error


def _not_there(path: Path) -> OperatorError:
    return OperatorError(
        f"{path} cannot be read. The folder needs pairs.json and orderings_0_nestings.jsonl to"
        f" orderings_{MOST_NESTINGS}_nestings.jsonl, as letta-ai/letta 0.3.17 has them."
    )
