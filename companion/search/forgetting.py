"""What is meant by words that are to be forgotten, in texts of any kind."""

import json
import re
from collections.abc import Callable
from typing import Any

from companion.foreign_json import read_json
from companion.search.mentions import Words, folded
from companion.search.words import query_terms

FORGOTTEN = "(forgotten)"
_SENTENCE = re.compile(r"[^.!?。！？\n]*[.!?。！？]+[\s]*|[^.!?。！？\n]+\n?|\n")


class Wanted:
    """Tells whether a text speaks of `words`: whether it has all of them that mean something."""

    def __init__(self, words: str) -> None:
        self.words = " ".join(words.split())
        self._telling = Words(words)
        self._phrase = "" if len(self._telling) else folded(self.words)

    def __call__(self, text: str) -> bool:
        if len(self._telling):
            return self._telling.all_in(text)
        return bool(self._phrase) and self._phrase in folded(text)


def shares_words_with(text: str) -> Callable[[str], bool]:
    """Whether a sentence may tell of what `text` told: a third of its words are in there."""
    words = set(query_terms(text))

    def about(sentence: str) -> bool:
        own = set(query_terms(sentence))
        return 3 * len(own & words) >= max(len(own), 1)

    return about


def without_sentences(text: str, wanted: Callable[[str], bool]) -> str:
    """`text` without the sentences that are `wanted`."""
    parts = _SENTENCE.findall(text)
    kept = [part for part in parts if not (part.strip() and wanted(part))]
    if len(kept) < len(parts):
        return "".join(kept).strip() or FORGOTTEN
    return text


def sentences(text: str, wanted: Callable[[str], bool]) -> list[str]:
    """The sentences of `text` that are `wanted`, for somebody to see."""
    found = [part.strip() for part in _SENTENCE.findall(text) if wanted(part)]
    return found or ([text.strip()] if wanted(text) else [])


def scrubbed(value: Any, wanted: Callable[[str], bool]) -> Any:
    """A JSON value, its texts that are `wanted` replaced; JSON inside a text stays JSON."""
    match value:
        case str() if wanted(value):
            return _scrubbed_json(value, wanted)
        case dict():
            return {name: scrubbed(one, wanted) for name, one in value.items()}
        case list():
            return [scrubbed(one, wanted) for one in value]
    return value


def _scrubbed_json(text: str, wanted: Callable[[str], bool]) -> str:
    if text.startswith("{"):
        try:
            inner = scrubbed(read_json(text), wanted)
        except ValueError:
            return FORGOTTEN
        return json.dumps(inner, ensure_ascii=False)
    return FORGOTTEN
