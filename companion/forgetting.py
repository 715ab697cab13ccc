"""What is meant by words that are to be forgotten, in texts of any kind."""

import json
import re
import unicodedata
from collections.abc import Callable
from typing import Any

from companion.memory.words import query_terms

FORGOTTEN = "(forgotten)"
LONG = 6
"""Letters from which on an ending may differ: "hazelnuts" is "hazelnut" too."""
_SENTENCE = re.compile(r"[^.!?。！？\n]*[.!?。！？]+[\s]*|[^.!?。！？\n]+\n?|\n")
_UNSPACED = re.compile("[\u0e00-\u0fff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class Wanted:
    """Tells whether a text speaks of `words`: whether it has all of them that mean something."""

    def __init__(self, words: str) -> None:
        self.words = " ".join(words.split())
        self._patterns = [_pattern(term) for term in query_terms(_folded(words)) if term.strip()]
        self._phrase = _folded(self.words)

    def __call__(self, text: str) -> bool:
        folded = _folded(text)
        spoken = all(pattern.search(folded) for pattern in self._patterns)
        return spoken and (bool(self._patterns) or (bool(self._phrase) and self._phrase in folded))


def _pattern(term: str) -> re.Pattern[str]:
    term = unicodedata.normalize("NFKC", term)  # the index writes symbols in another width
    if _UNSPACED.search(term) or not term[0].isalnum():
        return re.compile(re.escape(term))
    if len(term) < LONG or not term.isalpha():
        return re.compile(rf"(?<!\w){re.escape(term)}(?:e?s)?(?!\w)")
    stem = term.removesuffix("s").removesuffix("e")
    return re.compile(rf"(?<!\w){re.escape(stem)}\w{{0,3}}(?!\w)")


def _folded(text: str) -> str:
    """`text` without case and accents."""
    if text.isascii():
        return text.casefold()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    kept = (character for character in decomposed if not unicodedata.combining(character))
    return unicodedata.normalize("NFC", "".join(kept))


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
            inner = scrubbed(json.loads(text), wanted)
        except (ValueError, RecursionError):
            return FORGOTTEN
        return json.dumps(inner, ensure_ascii=False)
    return FORGOTTEN
