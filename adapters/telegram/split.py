"""Rich text in pieces that Telegram takes."""

import re
from collections.abc import Iterable, Iterator

from telegram import MessageEntity
from telegram.constants import MessageLimit
from wcwidth import grapheme_boundary_before

from adapters.telegram.rich import Rich
from companion.text import is_blank

LIMIT = int(MessageLimit.MAX_TEXT_LENGTH)
"""Code points of a message, counted after rendering."""
MOST_SPANS = int(MessageLimit.MESSAGE_ENTITIES)
"""Telegram drops the formatting beyond so many."""

_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_LINE = re.compile(r"\n[ \t]*")
_CODE_LINE = re.compile(r"\n")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[.!?…][\"'”’»)\]])\s+|(?<=[。！？])")
_WORD = re.compile(r"\s+")
# Where a text may be cut, the best place first, and how much of a piece must be filled by then.
# What matches is left out between two pieces.
_BORDERS = (
    (_PARAGRAPH, 0.3),
    (_LINE, 0.5),
    (_CODE_LINE, 0.5),
    (_SENTENCE, 0.5),
    (_WORD, 0.2),
    (_CODE_LINE, 0.0),
    (_WORD, 0.0),
)
_URL = re.compile(r"\bhttps?://\S+")
_WHOLE = {MessageEntity.TEXT_LINK, MessageEntity.CODE}


def split(rich: Rich, limit: int = LIMIT) -> list[Rich]:
    """`rich` in pieces of at most `limit` code points.

    Cut between paragraphs, else lines, sentences or words; in a link, in inline code or between
    characters only where one of them is longer than a piece; never inside a character of several
    code points. Formatting that reaches over a cut, such as a block of code with its language,
    goes on in the next piece. The blank space at a cut is left out.
    """
    pieces = []
    start = 0
    while start < len(rich.text):
        end, following = _cut(rich, start, limit)
        piece = rich.part(start, end)
        if not is_blank(piece.text):
            pieces.append(piece)
        start = following
    return pieces


def _cut(rich: Rich, start: int, limit: int) -> tuple[int, int]:
    """Where the piece that begins at `start` ends, and where the next one begins."""
    last = min(start + limit, _before_too_many(rich, start))
    if last >= len(rich.text):
        return len(rich.text), len(rich.text)
    return next(_places(rich, start, last))


def _before_too_many(rich: Rich, start: int) -> int:
    """Where the first span begins that is one too many for a piece from `start` on."""
    begins = sorted(span.start for span in rich.spans if span.end > start)
    if len(begins) <= MOST_SPANS:
        return len(rich.text)
    return max(begins[MOST_SPANS], start + 1)


def _places(rich: Rich, start: int, last: int) -> Iterator[tuple[int, int]]:
    """Places to cut at, the best first; there always is one."""
    pre = _around(rich, start, last, {MessageEntity.PRE})
    whole = [*_around(rich, start, last, _WHOLE), *_urls(rich.text, start, last)]
    for pattern, filled in _BORDERS:
        earliest = start + max(int((last - start) * filled), 1)
        for match in reversed(list(pattern.finditer(rich.text, start, last + 1))):
            end, following = match.span()
            if not earliest <= end <= last or _inside(end, whole):
                continue
            if (pattern is _CODE_LINE) == _inside(end, pre) and _is_border(rich.text, following):
                yield end, following
    hard = grapheme_boundary_before(rich.text, last + 1)
    for first, _ in whole:
        if first < hard and _inside(hard, whole) and first > start:
            yield first, first
    if hard > start:
        yield hard, hard
    yield last, last


def _around(rich: Rich, start: int, last: int, kinds: set[str]) -> list[tuple[int, int]]:
    return [
        (span.start, span.end)
        for span in rich.spans
        if span.kind in kinds and span.start < last and span.end > start
    ]


def _urls(text: str, start: int, last: int) -> list[tuple[int, int]]:
    return [match.span() for match in _URL.finditer(text, start) if match.start() < last]


def _inside(place: int, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(first < place < end for first, end in ranges)


def _is_border(text: str, place: int) -> bool:
    return place >= len(text) or grapheme_boundary_before(text, place + 1) == place
