"""What the MemGPT paper reports (arXiv 2310.08560v2): quoted, none of it measured here.

Only what the paper prints as a number is here. Its figures 5 and 7 are drawings; of figure 7 the
text (§3.2.2) names the points where a line reaches zero, and of figure 5 (§3.2.1) none.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """One line or bar of the paper's. `points` are x and value; x is None for a bar."""

    label: str
    measure: str
    points: tuple[tuple[int | None, float], ...]


def _bar(label: str, **values: float) -> tuple[Quoted, ...]:
    return tuple(
        Quoted(label=label, measure=measure, points=((None, value),))
        for measure, value in values.items()
    )


QUOTED: dict[str, tuple[Quoted, ...]] = {
    "kv": (
        Quoted(label="GPT-3.5 Turbo alone", measure="right", points=((1, 0.0),)),
        Quoted(label="GPT-4 and GPT-4 Turbo alone", measure="right", points=((3, 0.0),)),
    ),
    "docqa": (),
    "dmr": (
        *_bar("GPT-3.5 Turbo", judged=0.387, rouge=0.394),
        *_bar("GPT-3.5 Turbo + MemGPT", judged=0.669, rouge=0.629),
        *_bar("GPT-4", judged=0.321, rouge=0.296),
        *_bar("GPT-4 + MemGPT", judged=0.925, rouge=0.814),
        *_bar("GPT-4 Turbo", judged=0.353, rouge=0.359),
        *_bar("GPT-4 Turbo + MemGPT", judged=0.934, rouge=0.827),
    ),
    "opener": (
        *_bar("human", sim_1=0.800, sim_3=0.800, sim_h=1.000),
        *_bar("GPT-3.5 Turbo + MemGPT", sim_1=0.830, sim_3=0.812, sim_h=0.817),
        *_bar("GPT-4 + MemGPT", sim_1=0.868, sim_3=0.843, sim_h=0.773),
        *_bar("GPT-4 Turbo + MemGPT", sim_1=0.857, sim_3=0.828, sim_h=0.767),
    ),
    "update": (),
}
"""By experiment: tables 2 and 3, and what §3.2.2 says of figure 7."""

SAID = {
    "kv": "The paper: MemGPT with GPT-4 is unaffected by nesting (no figures printed)",
    "opener": "The paper's cosines are by another embedding model: compare with the human's beside",
    "docqa": "The paper: MemGPT is unaffected by the number of documents (no figures printed)",
}
"""What it says in words, for the plot's foot."""
