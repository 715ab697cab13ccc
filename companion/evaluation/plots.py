"""Plots like the paper's figures, as PNG, with the paper's own numbers beside ours."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from companion.evaluation.experiment import METHODS, Measure, Method, Traits
from companion.evaluation.quoted import QUOTED, SAID
from companion.evaluation.summary import Figure, Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INCHES = (7.0, 5.0)
DOTS_PER_INCH = 120
WIDE = 50
"""From this x on the beginning would be lost on an even scale."""
MARKS: dict[Method, str] = {"companion": "o", "baseline": "s"}


class NoPlotError(Exception):
    """matplotlib is not installed; the text says how to get it."""


def draw(traits: Traits, summary: Summary, folder: Path) -> list[Path]:
    """Draw every measure of the run into `folder`, and give the files.

    Raises:
        NoPlotError: matplotlib is missing.
    """
    try:
        from matplotlib.figure import Figure as Sheet
    except ImportError as error:
        raise NoPlotError(
            'No plot was drawn, for that needs matplotlib: pip install "companion[eval]". Then run'
            " the same command with --resume; nothing is asked again."
        ) from error
    drawn = []
    for measure in traits.measures:
        if not any(figure.measure == measure.key for figure in summary.figures):
            continue
        sheet = Sheet(figsize=INCHES, dpi=DOTS_PER_INCH, layout="constrained")
        axes = sheet.add_subplot()
        if traits.x_title:
            _lines(axes, traits, measure, summary)
        else:
            _bars(axes, traits, measure, summary)
        sheet.suptitle(f"{traits.title}: {measure.title}")
        if note := SAID.get(traits.name):
            sheet.supxlabel(note, fontsize="x-small")
        path = folder / f"{traits.name}-{measure.key}.png"
        sheet.savefig(path)
        drawn.append(path)
    return drawn


def _lines(axes: "Axes", traits: Traits, measure: Measure, summary: Summary) -> None:
    for method in METHODS:
        points = _points(summary, method, measure)
        if points:
            axes.errorbar(
                [figure.x or 0 for figure in points],
                [figure.interval.mean for figure in points],
                yerr=_reach(points),
                label=f"{_who(summary, method)}",
                marker=MARKS[method],
                capsize=3,
            )
    for quoted in QUOTED[traits.name]:
        if quoted.measure == measure.key:
            at, values = zip(*quoted.points, strict=True)
            axes.plot(at, values, linestyle=":", marker="x", label=f"quoted: {quoted.label}")
    axes.set_xlabel(traits.x_title)
    axes.set_ylabel(measure.title)
    axes.set_ylim(-0.03, 1.03)
    xs = sorted({figure.x or 0 for figure in summary.figures})
    if xs[-1] > WIDE:
        axes.set_xscale("log")
    axes.set_xticks(xs, list(map(str, xs)))
    axes.minorticks_off()
    axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=2)
    axes.grid(alpha=0.3)


def _bars(axes: "Axes", traits: Traits, measure: Measure, summary: Summary) -> None:
    bars: list[tuple[str, float, tuple[float, float], str]] = []
    for method in METHODS:
        for figure in _points(summary, method, measure):
            (low,), (high,) = _reach([figure])
            bars.append((_who(summary, method), figure.interval.mean, (low, high), "tab:blue"))
    for quoted in QUOTED[traits.name]:
        if quoted.measure == measure.key:
            value = quoted.points[0][1]
            bars.append((f"quoted: {quoted.label}", value, (0.0, 0.0), "lightgrey"))
    bars.reverse()
    names, values, reaches, colours = zip(*bars, strict=True)
    axes.barh(names, values, color=colours, xerr=list(zip(*reaches, strict=True)), capsize=3)
    axes.set_xlabel(measure.title)
    axes.set_xlim(0, max(1.0, *values))
    axes.tick_params(labelsize="small")


def _points(summary: Summary, method: Method, measure: Measure) -> list[Figure]:
    return [
        figure
        for figure in summary.figures
        if (figure.method, figure.measure) == (method, measure.key)
    ]


def _reach(figures: Sequence[Figure]) -> tuple[list[float], list[float]]:
    """How far each interval goes below and above its mean."""
    below = [max(0.0, one.interval.mean - one.interval.low) for one in figures]
    above = [max(0.0, one.interval.high - one.interval.mean) for one in figures]
    return below, above


def _who(summary: Summary, method: Method) -> str:
    run = summary.run
    return f"{run.model}, {method}" if method == "baseline" else f"{run.model} + companion"
