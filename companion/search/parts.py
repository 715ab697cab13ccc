"""A query that asks for several things, taken apart: "Where did we stay, and what did it cost?"."""

import re

from companion.search.words import asks_something

MOST = 4
"""Parts that are searched by themselves; what asks for more is searched as a whole."""

_WHAT = (
    r"\b(?:what|when|where|who|whom|whose|which|why|how"
    r"|was|wann|wo|wohin|woher|wer|wem|wen|wessen|welche[rsnm]?|warum|wieso|wie)\b"
)
_JOINED = rf",?\s+(?:and|und)\s+(?:also\s+|auch\s+)?(?={_WHAT})"
_BETWEEN = re.compile(rf"[?？]\s*|[;；]\s*|{_JOINED}|[，,]\s*(?:以及|还有|還有)", re.IGNORECASE)
_ASKS = re.compile(rf"{_WHAT}|什么|什麼|谁|誰|哪|几|幾|多少|怎|何", re.IGNORECASE)
_TOLD = re.compile(r"[。！!\n]|\.\s")


def taken_apart(query: str) -> list[str]:
    """The parts of `query`, each of which asks for something; none where it is one question.

    Talk, in which something is told besides, is no such query.
    """
    if _TOLD.search(query):
        return []
    found = [piece for piece in _BETWEEN.split(query.strip()) if piece.strip()]
    several = 1 < len(found) <= MOST
    return found if several and all(map(_is_question, found)) else []


def _is_question(piece: str) -> bool:
    return bool(_ASKS.search(piece)) and asks_something(piece)
