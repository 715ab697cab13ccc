"""Whether a text speaks of words, without an index: case, accents and endings may differ."""

import re
import unicodedata
from collections.abc import Sequence

from companion.search.words import pieces, query_terms

LONG = 6
"""Letters from which on an ending may differ: "hazelnuts" is "hazelnut" too."""
_UNSPACED = re.compile("[\u0e00-\u0fff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class Words:
    """The words of `text` that mean something, to be looked for in others."""

    def __init__(self, text: str) -> None:
        self._patterns = [_pattern(term) for term in query_terms(folded(text)) if term.strip()]

    def __len__(self) -> int:
        return len(self._patterns)

    def all_in(self, text: str) -> bool:
        """Whether all of them stand in `text`."""
        text = folded(text)
        return all(pattern.search(text) for pattern in self._patterns)

    def found_in(self, text: str) -> int:
        """How many of them stand in `text`."""
        text = folded(text)
        return sum(1 for pattern in self._patterns if pattern.search(text))


def lines_with(lines: Sequence[str], query: str) -> list[str]:
    """Those of `lines` that have half of the words of `query` or more, the fittest first."""
    words = Words(query)
    counts = {line: words.found_in(line) for line in lines}
    fitting = [line for line, count in counts.items() if count and 2 * count >= len(words)]
    return sorted(fitting, key=lambda line: -counts[line])


def folded(text: str) -> str:
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


def _pattern(term: str) -> re.Pattern[str]:
    term = unicodedata.normalize("NFKC", term)  # the index writes symbols in another width
    if _UNSPACED.search(term) or not term[0].isalnum():
        return re.compile(re.escape(term))
    if len(term) < LONG or not term.isalpha():
        return re.compile(rf"(?<!\w){re.escape(term)}(?:e?s)?(?!\w)")
    stem = term.removesuffix("s").removesuffix("e")
    return re.compile(rf"(?<!\w){re.escape(stem)}\w{{0,3}}(?!\w)")
