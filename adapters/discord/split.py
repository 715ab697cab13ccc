"""A text in pieces that Discord takes; blocks of code are closed and opened again at a cut."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from wcwidth import grapheme_boundary_before

LIMIT = 2000
"""Code points of a message."""
LONG_CODE = 2 * LIMIT
"""A block of code that would go over more than two messages is easier to read as a file."""

FENCE = "```"
CLOSING = f"\n{FENCE}"
_TOO_MANY_TICKS = re.compile("`{4,}")
_LANGUAGE = re.compile(r"([\w+#.-]{1,20})\n")
_BLOCK = re.compile(
    r"(?:^|\n)[ \t]*```(?P<language>[\w+#.-]{1,20})?\n(?P<code>.*?)\n?[ \t]*```", re.S
)

# Where a text may be cut, the best place first, and how much of a piece must be filled by then.
# What matches is left out between two pieces.
_BORDERS = (
    (re.compile(r"\n[ \t]*\n\s*"), 0.5),
    (re.compile(r"\n[ \t]*"), 0.5),
    (re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+"), 0.5),
    (re.compile(r"(?<=[。！？])"), 0.5),
    (re.compile(r"\s+"), 0.0),
)
_IN_CODE = (re.compile(r"\n"),)

_ENDINGS = {
    "python": "py",
    "javascript": "js",
    "typescript": "ts",
    "bash": "sh",
    "shell": "sh",
    "markdown": "md",
    "rust": "rs",
    "ruby": "rb",
    "kotlin": "kt",
    "c++": "cpp",
    "c#": "cs",
    "text": "txt",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """One message: a text, or a file with what it is called."""

    text: str
    file: str | None = None


def split(text: str, limit: int = LIMIT, long_code: int = LONG_CODE) -> list[Piece]:
    """`text` in pieces of at most `limit` code points, none of them blank.

    Cut between paragraphs, else lines, sentences or words, and never inside a character of several
    code points unless it is longer than a piece. A block of code of more than `long_code` becomes
    a file.
    """
    text = _TOO_MANY_TICKS.sub(FENCE, text)
    pieces: list[Piece] = []
    at = 0
    for block in _BLOCK.finditer(text):
        if len(block["code"]) > long_code and text.count(FENCE, 0, block.start()) % 2 == 0:
            pieces += _texts(text[at : block.start()], limit)
            pieces.append(Piece(block["code"], _file_name(block["language"])))
            at = block.end()
    return pieces + _texts(text[at:], limit)


def _file_name(language: str | None) -> str:
    ending = (language or "txt").casefold()
    ending = _ENDINGS.get(ending, ending)
    return f"code.{ending if ending.isalnum() else 'txt'}"


def _texts(text: str, limit: int) -> list[Piece]:
    return [Piece(shown) for shown in _cut_up(text.strip(), limit) if shown.strip("`\n\t ")]


def _cut_up(text: str, limit: int) -> Iterator[str]:
    start, opening = 0, ""
    while start < len(text):
        room = limit - len(opening)
        if len(text) - start <= room and text.count(FENCE, start) % 2 == bool(opening):
            yield (opening + text[start:]).rstrip()
            return
        end, following = _place(text, start, min(start + room - len(CLOSING), len(text)), opening)
        body = text[start:end]
        reopening = _open_at_the_end(body, opening)
        yield (opening + body).rstrip() + (CLOSING if reopening else "")
        start, opening = following, reopening


def _open_at_the_end(body: str, opening: str) -> str:
    """What opens the block again that is open behind `body`; empty if none is."""
    if (body.count(FENCE) + bool(opening)) % 2 == 0:
        return ""
    last = body.rfind(FENCE)
    if last < 0:
        return opening
    language = _LANGUAGE.match(body + "\n", last + len(FENCE))
    return f"{FENCE}{language[1] if language else ''}\n"


def _place(text: str, start: int, last: int, opening: str) -> tuple[int, int]:
    """Where the piece from `start` ends, `last` at the latest, and where the next one begins."""
    if last >= len(text):
        return len(text), len(text)
    return next(_places(text, start, max(last, start + 1), opening))


def _places(text: str, start: int, last: int, opening: str) -> Iterator[tuple[int, int]]:
    """Places to cut at, the best first; there always is one."""
    before = _before_a_block(text, start, last, opening)
    if before is not None:
        yield before, before
    for pattern, filled in (*_BORDERS, *((one, 0.0) for one in _IN_CODE)):
        in_code = pattern in _IN_CODE
        earliest = start + max(int((last - start) * filled), 1)
        for match in reversed(list(pattern.finditer(text, start, last + 1))):
            end, following = match.span()
            if earliest <= end <= last and in_code == _in_code(text, start, end, opening):
                yield end, following
    hard = grapheme_boundary_before(text, last + 1)
    hard = _outside_a_fence(text, hard if hard > start else last, start)
    yield hard, hard


def _before_a_block(text: str, start: int, last: int, opening: str) -> int | None:
    """Where the block begins that would be cut, if the piece is well filled by then."""
    if not _in_code(text, start, last, opening):
        return None
    begin = text.rfind(FENCE, start, last)
    return begin if begin >= start + (last - start) // 2 else None


def _in_code(text: str, start: int, end: int, opening: str) -> bool:
    return (text.count(FENCE, start, end) + bool(opening)) % 2 == 1


def _outside_a_fence(text: str, place: int, start: int) -> int:
    """`place`, or the beginning of the fence that it would tear apart."""
    for shift in (1, 2):
        if text.startswith(FENCE, place - shift) and place - shift > start:
            return place - shift
    return place
