"""Runs an experiment: picks samples, asks several side by side, keeps every result."""

import asyncio
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from companion.evaluation.bench import Bench
from companion.evaluation.experiment import Experiment, Method, S, Sample, Traits
from companion.evaluation.fresh_home import SampleFailedError, fresh_home
from companion.evaluation.results import Result, Results
from companion.settings import Settings
from companion.tasks import task_group

Tell = Callable[[Result], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to run, with the experiment's `traits` as they are wanted.

    `limit` is how many samples there are at each x; None takes all.
    """

    traits: Traits
    settings: Settings
    environ: Mapping[str, str]
    methods: Sequence[Method]
    judge: Settings | None = None
    limit: int | None = None
    seed: int = 0
    jobs: int = 1


@dataclass(slots=True)
class Ran:
    """What came of it: all results in the samples' order, and why samples failed, by id."""

    results: list[Result]
    failed: dict[str, str] = field(default_factory=dict)


def chosen(samples: Sequence[S], limit: int | None, seed: int) -> list[S]:
    """At most `limit` of `samples` at each x, drawn by `seed`, in their own order.

    A larger limit adds to those of a smaller one, so that a run can be made larger.
    """
    if limit is None:
        return list(samples)
    by_x: dict[int | None, list[S]] = defaultdict(list)
    for sample in sorted(samples, key=lambda sample: _lot(sample, seed)):
        by_x[sample.x].append(sample)
    taken = {sample.id for group in by_x.values() for sample in group[:limit]}
    return [sample for sample in samples if sample.id in taken]


def _lot(sample: Sample, seed: int) -> float:
    return random.Random(f"{seed} {sample.unit or sample.id}").random()  # noqa: S311 - no secret


async def run(
    experiment: Experiment[S],
    plan: Plan,
    results: Results,
    begin: Callable[[int, int], None],
    tell: Tell,
) -> Ran:
    """Run what `results` does not have yet.

    `begin` hears how many there are in all and are done, `tell` of each result as it comes.
    """
    samples = chosen(experiment.samples(plan.seed), plan.limit, plan.seed)
    every = [(sample, method) for sample in samples for method in plan.methods]
    missing = [one for one in every if (one[0].id, one[1]) not in results.done]
    begin(len(every), len(every) - len(missing))
    ran = Ran([])
    if missing:
        await _prepare(experiment, plan, [sample for sample, _ in missing])
    free = asyncio.Semaphore(plan.jobs)

    async def one(sample: S, method: Method) -> None:
        async with free:
            try:
                result = await _result(experiment, sample, method, plan)
            except SampleFailedError as error:
                ran.failed[f"{sample.id}, {method}"] = str(error)
                return
        results.add(result)
        tell(result)

    async with task_group() as tasks:
        for sample, method in missing:
            tasks.create_task(one(sample, method))
    ran.results = [
        results.done[sample.id, method]
        for sample, method in every
        if (sample.id, method) in results.done
    ]
    return ran


async def _prepare(experiment: Experiment[S], plan: Plan, samples: Sequence[S]) -> None:
    distinct = list({sample.id: sample for sample in samples}.values())
    with fresh_home(plan.settings, plan.environ, plan.traits) as home:
        await experiment.prepare(distinct, home)


async def _result(experiment: Experiment[S], sample: S, method: Method, plan: Plan) -> Result:
    bench = Bench(plan.settings, plan.environ, plan.traits, plan.judge)
    began = perf_counter()
    outcome = await experiment.run(sample, method, bench)
    usage = bench.spending.usage
    return Result(
        id=sample.id,
        method=method,
        x=sample.x,
        question=outcome.question,
        gold=outcome.gold,
        answer=outcome.answer,
        scores=outcome.scores,
        details=outcome.details,
        requests=bench.spending.requests,
        prompt_tokens=usage.prompt_tokens,
        cached_tokens=usage.cached_tokens,
        completion_tokens=usage.completion_tokens,
        cost=usage.cost,
        seconds=perf_counter() - began,
        trace=tuple(bench.trace),
    )
