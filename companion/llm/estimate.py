"""How many tokens a text is, where nobody knows how the model cuts it.

The figures are fitted to cl100k, the older and hungrier of two tables that are known, over forty
kinds of text: see docs/decisions/0021-counting-tokens.md.
"""

import re
from functools import lru_cache
from math import ceil

# Tokens for one character, by the alphabet's first and last one. cl100k knows few words of them.
_ALPHABETS = (
    ("\u0080-\u024f\u0300-\u036f\u1e00-\u1eff", 1.05),  # Latin with accents
    ("\u0370-\u03ff", 1.1),  # Greek
    ("\u0400-\u052f", 0.7),  # Cyrillic
    ("\u0590-\u06ff", 1.15),  # Hebrew, Arabic
    ("\u0900-\u097f\u0e00-\u0e7f", 1.25),  # Devanagari, Thai
    ("\u0980-\u0dff", 1.6),  # the other scripts of India
    ("\u3000-\u30ff\uac00-\ud7af", 1.4),  # Kana, Hangul
    ("\u3400-\u9fff\uf900-\ufaff\uff00-\uffef", 1.6),  # Chinese characters
)
# A single space costs nothing, so it is no piece.
_PATTERN = re.compile(
    r"([A-Z]?[a-z]+)|([A-Z]+)|([0-9]+)|(\s{2,}|[^\S ])|([!-/:-@\[-`{-~]+)|"
    + "|".join(f"([{alphabet}]+)" for alphabet, _ in _ALPHABETS)
    + r"|([^ ])",
    re.S,
)
_WORD, _CAPITALS, _DIGITS, _SPACE, _MARKS = 1, 2, 3, 4, 5
_PER_CHARACTER = dict(enumerate((cost for _, cost in _ALPHABETS), _MARKS + 1))


_BLANKS = re.compile(r"\s\s")
_KEPT_CHARS = 40


def estimate(text: str) -> int:
    """About as many tokens as `text` has for most models, rather more than less."""
    words = text.split(" ")
    if max(map(len, words)) > _KEPT_CHARS or _BLANKS.search(text):
        return ceil(_tokens(text))
    return ceil(sum(map(_word_tokens, words)))


@lru_cache(maxsize=8192)
def _word_tokens(text: str) -> float:
    """Tokens of what stands between spaces. People say the same words again and again."""
    return _tokens(text)


def _tokens(text: str) -> float:
    total = 0.0
    for piece in _PATTERN.finditer(text):
        start, end = piece.span()
        kind, length = piece.lastindex or 0, end - start
        if kind == _WORD:
            total += _word(length)
        elif kind == _CAPITALS:
            total += ceil(length / 2.5)
        elif kind == _DIGITS:
            total += ceil(length / 2)
        elif kind == _SPACE:
            total += 1 + length // 16
        elif kind == _MARKS:
            total += ceil(length / 2)
        elif kind in _PER_CHARACTER:
            total += length * _PER_CHARACTER[kind]
        else:  # emoji, symbols, rare scripts: most of their bytes are tokens
            total += 0.75 * len(piece[0].encode(errors="replace"))
    return total


def _word(length: int) -> int:
    if length <= 6:
        return 1
    if length <= 20:
        return ceil(length / 3.5)
    return ceil(length / 1.7)  # no word: a key, a hash, a run of one letter
