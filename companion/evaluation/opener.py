"""Conversation openers (MemGPT §3.1.2): what the companion writes first, after some sessions.

An opener is compared with the sentences that describe the person, which it never sees, by the
cosine of their vectors: SIM-1 with the nearest of them, SIM-3 the mean of the three nearest. SIM-H
compares it with what a human wrote at that place. The human's opener is scored beside it. Where
the companion has nothing to say it keeps silent; that is counted, and not compared.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from companion.embedders.protocol import Embedder
from companion.errors import OperatorError
from companion.evaluation.bench import Bench
from companion.evaluation.experiment import Measure, Method, Outcome, Sample, Traits
from companion.evaluation.fresh_home import FreshHome
from companion.evaluation.history import Said
from companion.evaluation.sessions import Recorded, read_sessions

Open = Callable[[FreshHome], Awaitable[str | None]]
"""Has the companion of a home write first, and gives what it wrote, None for nothing."""
ASKED = "(nobody wrote; the companion may)"

TRAITS = Traits(
    name="opener",
    title="Conversation openers",
    measures=(
        Measure(key="wrote", title="wrote"),
        Measure(key="sim_1", title="SIM-1", binary=False),
        Measure(key="sim_3", title="SIM-3", binary=False),
        Measure(key="sim_h", title="SIM-H", binary=False),
        Measure(key="human_1", title="human's SIM-1", binary=False, beside="sim_1"),
        Measure(key="human_3", title="human's SIM-3", binary=False, beside="sim_3"),
    ),
    methods=("companion",),
)


@dataclass(frozen=True, kw_only=True)
class OpenerSample(Sample):
    """What was said, what a human wrote then, and sentences about the person."""

    sessions: tuple[Said, ...]
    human: str
    persona: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Likeness:
    """An opener's cosines."""

    sim_1: float
    sim_3: float
    sim_h: float


async def as_in_life(home: FreshHome) -> str | None:
    """Write first as the companion does it by itself, its gates aside."""
    return await home.write_first()


class Opener:
    """The experiment, on a file in Multi-Session Chat's form; `embedder` makes the vectors."""

    traits = TRAITS

    def __init__(self, file: Path, embedder: Embedder | None, opens: Open = as_in_life) -> None:
        """
        Raises:
            OperatorError: there is no embedder to compare with.
        """
        if embedder is None:
            raise OperatorError(
                "Openers are compared by an embedding model, and embedder.kind is none: name one."
            )
        self._file = file
        self._embedder = embedder
        self._opens = opens

    def samples(self, seed: int) -> Sequence[OpenerSample]:
        """Every record.

        Raises:
            OperatorError: the file is not there, or of another form.
        """
        return [_sample(self._file, record) for record in read_sessions(self._file)]

    async def prepare(self, samples: Sequence[OpenerSample], home: FreshHome) -> None:
        """Nothing is shared."""

    async def run(self, sample: OpenerSample, method: Method, bench: Bench) -> Outcome:
        """Have the companion write first."""
        with bench.home() as home:
            await home.live_through(sample.sessions, evicted=False)
            opener = await self._opens(home)
            await bench.take_down(home)
        scores: dict[str, float | None] = {"wrote": float(bool(opener))}
        if opener:
            ours = await likeness(self._embedder, opener, sample)
            scores |= {"sim_1": ours.sim_1, "sim_3": ours.sim_3, "sim_h": ours.sim_h}
        theirs = await likeness(self._embedder, sample.human, sample)
        scores |= {"human_1": theirs.sim_1, "human_3": theirs.sim_3}
        return Outcome(question=ASKED, gold=(sample.human,), answer=opener or "", scores=scores)


async def likeness(embedder: Embedder, opener: str, sample: OpenerSample) -> Likeness:
    """How near `opener` is to the person's sentences and to the human's opener."""
    vectors = await embedder.embed([opener, sample.human, *sample.persona])
    nearest = np.sort(vectors[2:] @ vectors[0])[::-1]
    return Likeness(float(nearest[0]), float(nearest[:3].mean()), float(vectors[1] @ vectors[0]))


def _sample(path: Path, record: Recorded) -> OpenerSample:
    if not record.persona or not record.following:
        raise OperatorError(
            f"{path}, line {record.number + 1}: an opener needs a session that follows and"
            " sentences about the second speaker under personas."
        )
    return OpenerSample(
        id=str(record.number),
        sessions=record.history,
        human=record.following[0],
        persona=record.persona,
    )
