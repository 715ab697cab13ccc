"""Texts as the tokens that the full-text index holds, and queries as the tokens to look for.

Every script comes down to tokens parted by spaces, so that one index serves all: words without
accents; for scripts that put no space between words, characters and pairs of characters; symbols
and what is written with them ("C++", "node.js", "50%", emoji). Stemming is left to the index.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

LONGEST = 40
"""Characters of a token that count; what is longer is a link or a key, and rarely typed."""

MOST_TERMS = 200
"""Of a query; what is longer is a text that somebody pasted."""
PIECE = 16_384
"""Characters that are folded at once: nothing else runs meanwhile. A query has one piece."""

# What ends or parts words and means nothing alone. Dot, colon and hyphen may stand inside.
_PUNCTUATION = r"\s\x00-\x1f\x7f.,;:!?\"'()\[\]{}`-"
_CHUNK = re.compile(rf"[^{_PUNCTUATION}]+(?:[.:-]+[^{_PUNCTUATION}]+)*")

_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Scripts without spaces, and Hangul, where particles cling to the word.
_UNSPACED = rf"{_HAN}\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u31f0-\u31ff\uac00-\ud7af"
# Vowel signs and the like: part of a word, though not letters to Python's `\w`.
_MARKS = r"\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff"
_PART = re.compile(rf"([{_UNSPACED}]+)|((?:(?![{_UNSPACED}])(?:[^\W_]|[{_MARKS}]))+)|([^.:-])")
_KEPT_MARK = re.compile(f"[{_MARKS}{_UNSPACED}]")
_ONE_HAN = re.compile(f"[{_HAN}]")
_SHIFT = 0xFEE0
"""From an ASCII symbol to its full-width form, which the index takes for a letter."""


class _Folding(dict[int, str]):
    """What a character becomes once it has no case and no accent; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if code < 0x80 or category[0] in "LN":
            folded = character
        elif 0x1F3FB <= code <= 0x1F3FF:
            folded = ""  # an emoji's skin tone
        elif category[0] == "M":
            folded = character if _KEPT_MARK.match(character) else ""
        elif category[0] == "S" or category == "Cn":  # emoji newer than Python's tables
            folded = f" {character} "
        else:
            folded = "" if category[0] == "C" else " "
        self[code] = folded
        return folded


_FOLDING = _Folding()
_FULL_WIDTH = {code: code + _SHIFT for code in range(0x21, 0x7F) if not chr(code).isalnum()}


@dataclass(frozen=True, slots=True)
class _Chunk:
    """What stands between spaces: its parts, and the whole where symbols join the parts."""

    parts: list[str]
    whole: str | None


def tokens(text: str) -> list[str]:
    """All tokens of `text`, for the index. None of them holds ASCII but letters and digits."""
    found: list[str] = []
    for chunk in (one for piece in pieces(text) for one in _CHUNK.findall(_fold(piece))):
        if chunk.isascii() and chunk.isalnum():
            found.append(chunk[:LONGEST])
            continue
        split = _split(chunk)
        found += split.parts
        if split.whole is not None:
            found.append(split.whole)
    return found


def query_terms(text: str) -> list[str]:
    """The tokens to look for, each once, in order; empty where `text` names nothing to look for.

    Words that stand in every text are left out unless there are no others, and so are the single
    letters of what is written with symbols: "C++" does not ask for "c".
    """
    found: list[str] = []
    for chunk in _CHUNK.findall(_fold(next(pieces(text), ""))):
        if chunk.isascii() and chunk.isalnum():
            found.append(chunk[:LONGEST])
            continue
        split = _split(chunk)
        if split.whole is None:
            found += split.parts
        else:
            found += [part for part in split.parts if len(part) > 1]
            found.append(split.whole)
    distinct = list(dict.fromkeys(found))
    return ([term for term in distinct if not _empty(term)] or distinct)[:MOST_TERMS]


def asks_something(query: str) -> bool:
    """Whether `query` holds a word that does not stand in every text."""
    return not all(map(_empty, query_terms(query)))


def names(speaker: str) -> list[str]:
    """The parts of a speaker's name by which a query may name them.

    A name that is an empty word, such as Will, is none of them: too many queries hold it.
    """
    return [
        part
        for chunk in _CHUNK.findall(_fold(speaker))
        for unspaced, word, _ in _PART.findall(chunk)
        if len(part := (unspaced or word)[:LONGEST]) > 1 and part not in STOP_WORDS
    ]


def named_in(query: str, among: Iterable[str]) -> list[str]:
    """Which of the names `among` stand in `query`."""
    folded = _fold(query)
    return [name for name in among if _naming(name).search(folded)]


def without_names(query: str, named: Iterable[str]) -> str:
    """`query` without these names, or all of it where it is nothing else."""
    rest = query
    for name in named:
        rest = _naming(name).sub(" ", rest)
    return rest if query_terms(rest) else query


def _naming(name: str) -> re.Pattern[str]:
    quoted = re.escape(name)
    if re.match(f"[{_UNSPACED}]", name):
        return re.compile(quoted)
    return re.compile(rf"\b{quoted}\b(?:['’]s\b)?", re.IGNORECASE)


def pieces(text: str) -> Iterator[str]:
    """`text` in parts of at most `PIECE` characters, words kept whole where that can be."""
    begin = 0
    while len(text) - begin > PIECE:
        end = begin + PIECE
        space = max(text.rfind(" ", begin, end), text.rfind("\n", begin, end))
        end = space + 1 if space >= begin else end
        yield text[begin:end]
        begin = end
    if begin < len(text):
        yield text[begin:]


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return unicodedata.normalize("NFC", decomposed.translate(_FOLDING))


def _split(chunk: str) -> _Chunk:
    parts: list[str] = []
    joined = "." in chunk or ":" in chunk or "-" in chunk
    pieces = 0
    for unspaced, word, symbol in _PART.findall(chunk):
        pieces += 1
        if unspaced:
            parts += _grams(unspaced)
        elif word:
            parts.append(word[:LONGEST])
        else:
            joined = True
            parts.append(symbol.translate(_FULL_WIDTH))
    whole = chunk.translate(_FULL_WIDTH)[:LONGEST] if joined and pieces > 1 else None
    return _Chunk(parts, whole)


def _empty(term: str) -> bool:
    """Whether `term` stands in so many texts that it tells nothing."""
    return term in STOP_WORDS or STOP_CHARACTERS.issuperset(term)


def _grams(run: str) -> list[str]:
    pairs = [run[at : at + 2] for at in range(len(run) - 1)]
    return pairs + (_ONE_HAN.findall(run) if pairs else [run])


# Chinese particles, pronouns and auxiliaries; a pair of two of them is as empty as each.
STOP_CHARACTERS = frozenset(
    "的了是在我你您他她它们們这這那有和就都也很还還不没沒吗嗎呢吧啊哦呀嘛么麼个個之与與及或但而且被把"
    "给給对對从從到让讓以所因为為什怎样樣会會能可要想说說得着著过過地去来來上下里裡后後前时時又再太真"
    "只每些已最更比"
)

STOP_WORDS = frozenset(
    """
    a about after again all also am an and any are aren as at be because been before being
    but by can could couldn d did didn do does doesn doing don down during each few for from
    further get go had hadn has hasn have haven having he her here hers herself him himself
    his how i if in into is isn it its itself just ll m me more most my myself no nor not
    now of off on once only or other our ours ourselves out over own re s same she should
    shouldn so some such t than that the their theirs them themselves then there these they
    this those through to too under until up ve very was wasn we were weren what when where
    which while who whom why will with won would wouldn you your yours yourself yourselves
    """.split()  # noqa: SIM905 - 150 quoted words are harder to read
)
