"""Plots like the paper's figures, as PNG, with the paper's own numbers beside ours."""

from pathlib import Path
from typing import TYPE_CHECKING

from companion.evaluation.experiment import METHODS, Measure, Method, Traits
from companion.evaluation.quoted import QUOTED, SAID
from companion.evaluation.summary import Figure, Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 7.5, 4.0
"""Inches; the height is a panel's."""
DOTS_PER_INCH = 120
WIDE = 50
"""From this x on the beginning would be lost on an even scale."""
MARKS: dict[Method, str] = {"companion": "o", "baseline": "s"}


class NoPlotError(Exception):
    """matplotlib is not installed; the text says how to get it."""


def draw(traits: Traits, summary: Summary, folder: Path) -> Path:
    """Draw every measure of the run into a file in `folder`, and give that.

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
    panels = [
        measure
        for measure in traits.measures
        if not measure.beside and any(one.measure == measure.key for one in summary.figures)
    ]
    sheet = Sheet(figsize=(WIDTH, HEIGHT * len(panels)), dpi=DOTS_PER_INCH, layout="constrained")
    for number, measure in enumerate(panels, start=1):
        axes = sheet.add_subplot(len(panels), 1, number)
        if traits.x_title:
            _lines(axes, traits, measure, summary)
        else:
            _bars(axes, traits, measure, summary)
    sheet.suptitle(traits.title)
    if note := SAID.get(traits.name):
        sheet.supxlabel(note, fontsize="x-small")
    path = folder / f"{traits.name}.png"
    sheet.savefig(path)
    return path


def _lines(axes: "Axes", traits: Traits, measure: Measure, summary: Summary) -> None:
    for method in METHODS:
        points = _points(summary, method, measure)
        if points:
            axes.errorbar(
                [figure.x or 0 for figure in points],
                [figure.interval.mean for figure in points],
                yerr=list(zip(*map(_span, points), strict=True)),
                label=_who(summary, method),
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
    axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
    axes.grid(alpha=0.3)


def _bars(axes: "Axes", traits: Traits, measure: Measure, summary: Summary) -> None:
    bars: list[tuple[str, float, tuple[float, float], str]] = []
    for method in METHODS:
        for figure in _points(summary, method, measure):
            bars.append((_who(summary, method), figure.interval.mean, _span(figure), "tab:blue"))
    for other in (one for one in traits.measures if one.beside == measure.key):
        for figure in _points(summary, "companion", other):
            bars.append((other.title, figure.interval.mean, _span(figure), "tab:cyan"))
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


def _span(figure: Figure) -> tuple[float, float]:
    """How far the interval goes below and above the mean."""
    it = figure.interval
    return max(0.0, it.mean - it.low), max(0.0, it.high - it.mean)


def _who(summary: Summary, method: Method) -> str:
    run = summary.run
    return f"{run.model}, {method}" if method == "baseline" else f"{run.model} + companion"
