"""A second look at the best of a ranking, with their texts at hand."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from companion.search.ranking import Ranking, Weights

LOOKED_AT = 40
"""How many of the best are looked at: more than are shown, as what only asks falls behind."""

_ASKS_WHEN = re.compile(
    r"\b(?:when|what (?:date|day|month|year|time)|which (?:day|month|year)|how long ago)\b"
    r"|什么时候|什麼時候|何时|何時|几号|幾號|哪天|哪年|哪个月|哪個月",
    re.IGNORECASE,
)
_TELLS_WHEN = re.compile(
    r"\b(?:today|yesterday|tonight|tomorrow|ago|last|next|this|week|weekend|month|year|since|just"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{1,2}(?:st|nd|rd|th)"
    r"|january|february|march|april|may|june|july|august|september|october|november|december)\b"
    r"|[昨今明前后後][天年]|[上下这這]个?[周月]|星期|刚刚|剛剛|\d[日号月年]",
    re.IGNORECASE,
)
_QUESTION_MARKS = ("?", "？")
_CLUES = ("asks", "answers", "tells when")
_Number = TypeVar("_Number", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Looked:
    """A turn that is looked at: its text, and that of the turn before it, if there is one."""

    said: str
    before: str = ""


def look_again(query: str, ranking: Ranking, turns: Sequence[Looked], weights: Weights) -> Ranking:
    """`ranking` with its first, whose texts are `turns`, in the order that their texts suggest.

    What only asks tells little, what answers a question more, and who asks when something was is
    helped by a text that names a time.
    """
    when = bool(_ASKS_WHEN.search(query))
    rows = [
        (
            weights.asks * turn.said.rstrip().endswith(_QUESTION_MARKS),
            weights.answers * turn.before.rstrip().endswith(_QUESTION_MARKS),
            weights.tells_when * bool(when and _TELLS_WHEN.search(turn.said)),
        )
        for turn in turns
    ]
    count = len(turns)
    added = dict(zip(_CLUES, np.array(rows, np.float32).reshape(-1, len(_CLUES)).T, strict=True))
    score = np.zeros(count, np.float32)
    for part in (*(part[:count] for part in ranking.parts.values()), *added.values()):
        score += part
    order = np.argsort(-score, kind="stable")
    parts = {name: _reordered(part, order) for name, part in ranking.parts.items()}
    for name, part in added.items():
        parts[name] = np.zeros(len(ranking.ids), np.float32)
        parts[name][:count] = part[order]
    return Ranking(_reordered(ranking.ids, order), parts, nearest=ranking.nearest)


def _reordered(values: npt.NDArray[_Number], order: npt.NDArray[np.intp]) -> npt.NDArray[_Number]:
    """`values`, the first of them in this order."""
    reordered = values.copy()
    reordered[: len(order)] = values[order]
    return reordered
