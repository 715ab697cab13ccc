"""The figures of a run: by method, by x and by measure, with intervals and what it took."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from companion.evaluation.experiment import METHODS, Measure, Method, Traits
from companion.evaluation.intervals import Interval, average, share
from companion.evaluation.results import Result, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measure by one method at one x, or over all samples where x is None."""

    method: Method
    measure: str
    x: int | None
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """All figures of a run."""

    run: Run
    figures: tuple[Figure, ...]
    models: tuple[str, ...]
    samples: int
    failed: int
    requests: int
    prompt_tokens: int
    completion_tokens: int
    cost: float
    seconds: float

    def record(self) -> dict[str, Any]:
        """The summary for a script."""
        return asdict(self)

    def figure(self, method: Method, measure: str, x: int | None) -> Figure | None:
        """The one figure, or None where nothing was measured."""
        for figure in self.figures:
            if (figure.method, figure.measure, figure.x) == (method, measure, x):
                return figure
        return None


def summarise(traits: Traits, run: Run, results: Sequence[Result], failed: int) -> Summary:
    """The figures of `results`."""
    figures = []
    for method in METHODS:
        mine = [result for result in results if result.method == method]
        points = sorted({one.x for one in mine if one.x is not None})
        for x in (*points,) or (None,):
            at = [one for one in mine if one.x == x]
            figures += [
                found for measure in traits.measures if (found := _figure(measure, method, x, at))
            ]
    return Summary(
        run=run,
        figures=tuple(figures),
        models=tuple(sorted({one.model for each in results for one in each.trace if one.model})),
        samples=len({result.id for result in results}),
        failed=failed,
        requests=sum(result.requests for result in results),
        prompt_tokens=sum(result.prompt_tokens for result in results),
        completion_tokens=sum(result.completion_tokens for result in results),
        cost=sum(result.cost for result in results),
        seconds=sum(result.seconds for result in results),
    )


def _figure(
    measure: Measure, method: Method, x: int | None, results: Sequence[Result]
) -> Figure | None:
    values = [value for result in results if (value := result.scores.get(measure.key)) is not None]
    if not values:
        return None
    interval = share(values) if measure.binary else average(values)
    return Figure(method=method, measure=measure.key, x=x, interval=interval)


def table(traits: Traits, summary: Summary) -> str:
    """The summary for people."""
    run = summary.run
    columns = [
        (method, measure)
        for measure in traits.measures
        for method in METHODS
        if any((f.method, f.measure) == (method, measure.key) for f in summary.figures)
    ]
    several = len({method for method, _ in columns}) > 1
    heads = [
        f"{measure.title}, {method}" if several else measure.title for method, measure in columns
    ]
    rows = []
    for x in sorted({f.x for f in summary.figures}, key=lambda x: -1 if x is None else x):
        cells = [
            _cell(summary.figure(method, measure.key, x), measure) for method, measure in columns
        ]
        rows.append(["all" if x is None else str(x), *cells])
    lines = [
        f"{traits.title}: {_model(summary)}, window {run.window}, {run.page_size} results a page,"
        f" seed {run.seed}, {summary.samples} samples",
        *_in_columns([[traits.x_title, *heads], *rows]),
        f"{summary.requests} requests, {summary.prompt_tokens} prompt and"
        f" {summary.completion_tokens} completion tokens, ${summary.cost:.4f};"
        f" {run.embedder}; 95 % confidence in brackets, number of samples after them",
    ]
    if run.judge:
        lines.append(f"judged by {run.judge}")
    return "\n".join(lines) + "\n"


def _model(summary: Summary) -> str:
    """What answered: as it was named, or as it names itself where the name was left open."""
    return summary.run.model if summary.run.model != "auto" else ", ".join(summary.models)


def _cell(figure: Figure | None, measure: Measure) -> str:
    if figure is None:
        return "-"
    it = figure.interval
    if measure.binary:
        return f"{100 * it.mean:.1f} % ({100 * it.low:.0f} to {100 * it.high:.0f}) {it.samples}"
    return f"{it.mean:.3f} ({it.low:.3f} to {it.high:.3f}) {it.samples}"


def _in_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
