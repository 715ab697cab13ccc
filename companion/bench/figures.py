"""Figures with their targets, as a table and as JSON."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One thing measured. `target` is what it has to be, at most or at least; None only informs.

    `lowest` and `highest` are of the repetitions, where there were several.
    """

    name: str
    value: float
    unit: str
    target: float | None = None
    kind: Literal["at most", "at least"] = "at most"
    lowest: float | None = None
    highest: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the target is met, None without one."""
        if self.target is None:
            return None
        return self.value <= self.target if self.kind == "at most" else self.value >= self.target


def as_table(figures: Sequence[Figure]) -> str:
    """The figures as a table in Markdown."""
    lines = ["| figure | measured | range | target | met |", "|---|---|---|---|---|"]
    for figure in figures:
        spread = ""
        if figure.lowest is not None and figure.highest is not None:
            spread = f"{_number(figure.lowest)} to {_number(figure.highest)}"
        target = f"{figure.kind} {_number(figure.target)}" if figure.target is not None else ""
        met = {True: "yes", False: "**no**", None: ""}[figure.met]
        value = f"{_number(figure.value)} {figure.unit}".strip()
        lines.append(f"| {figure.name} | {value} | {spread} | {target} | {met} |")
    return "\n".join(lines)


def as_json(figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """The figures for a script."""
    return [asdict(figure) | {"met": figure.met} for figure in figures]


def _number(value: float) -> str:
    if value == int(value):
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
