"""What an experiment is: samples, two ways to answer each, and what is measured of the answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

if TYPE_CHECKING:
    from companion.evaluation.bench import Bench
    from companion.evaluation.fresh_home import FreshHome

Method = Literal["companion", "baseline"]
METHODS: tuple[Method, ...] = ("companion", "baseline")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One figure of an experiment: of each sample 0 or 1 if it is `binary`, else between.

    One that is measured of something else for comparison is drawn in the panel of `beside`.
    """

    key: str
    title: str
    binary: bool = True
    beside: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What the harness needs to know of an experiment.

    `x_title` says what the samples' `x` counts, and is empty where they have none.
    `instructions` take the place of the persona. A model judges answers
    where they are `judged`. `max_steps` and `page_size` are settings of the
    homes that it runs in; None leaves the operator's.
    """

    name: str
    title: str
    measures: tuple[Measure, ...]
    methods: tuple[Method, ...] = METHODS
    x_title: str = ""
    instructions: str = ""
    judged: bool = False
    max_steps: int | None = None
    page_size: int | None = None


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One question. `id` is unique in its experiment; `x` is where it stands in the plot.

    Samples of one `unit` are drawn together at each x.
    """

    id: str
    unit: str = ""
    x: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was asked and answered, and the scores by the measures' keys; None: not measured."""

    question: str
    gold: tuple[str, ...]
    answer: str
    scores: Mapping[str, float | None]
    details: Mapping[str, object] = field(default_factory=dict)


S = TypeVar("S", bound=Sample)


class Experiment(Protocol[S]):
    """One of the paper's experiments, or of ours."""

    @property
    def traits(self) -> Traits:
        """What kind of experiment it is."""

    def samples(self, seed: int) -> Sequence[S]:
        """All samples, always the same for a seed."""

    async def prepare(self, samples: Sequence[S], home: "FreshHome") -> None:
        """Work out what several samples need, in a home that is gone afterwards."""

    async def run(self, sample: S, method: Method, bench: "Bench") -> Outcome:
        """Ask one sample.

        Raises:
            SampleFailedError: there was no answer to judge.
        """
