"""What is meant by words that are to be forgotten, in texts of any kind."""

import json
import re
import unicodedata
from collections.abc import Callable
from typing import Any

from companion.foreign_json import read_json
from companion.memory.words import pieces, query_terms

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
        self._phrase = "" if self._patterns else _folded(self.words)

    def __call__(self, text: str) -> bool:
        folded = _folded(text)
        if not self._patterns:
            return bool(self._phrase) and self._phrase in folded
        return all(pattern.search(folded) for pattern in self._patterns)


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
    return "".join(map(_without_accents, pieces(text)))


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", decomposed.translate(_NO_ACCENTS))


class _NoAccents(dict[int, int | None]):
    """What each character becomes; filled as characters are met."""

    def __missing__(self, code: int) -> int | None:
        self[code] = kept = None if unicodedata.combining(chr(code)) else code
        return kept


_NO_ACCENTS = _NoAccents()


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
