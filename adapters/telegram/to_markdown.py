"""What a person formatted in Telegram, as Markdown for the model."""

from collections import defaultdict
from collections.abc import Callable, Sequence

from telegram import MessageEntity

_MARKS = {
    MessageEntity.BOLD: "**",
    MessageEntity.ITALIC: "_",
    MessageEntity.STRIKETHROUGH: "~~",
    MessageEntity.SPOILER: "||",
    MessageEntity.CODE: "`",
}
_QUOTES = (MessageEntity.BLOCKQUOTE, MessageEntity.EXPANDABLE_BLOCKQUOTE)


def to_markdown(text: str, entities: Sequence[MessageEntity]) -> str:
    """`text` with its entities as Markdown; one that means nothing to a reader is left out.

    Telegram nests entities or keeps them apart, and counts their places in UTF-16 units.
    """
    place = _places(text)
    before: dict[int, list[str]] = defaultdict(list)
    after: dict[int, list[str]] = defaultdict(list)
    for entity in sorted(entities, key=lambda one: (one.offset, -one.length)):
        start, end = place(entity.offset), place(entity.offset + entity.length)
        part = text[start:end]
        if entity.type in _QUOTES:
            for line in _line_starts(part, start):
                before[line].append("> ")
            continue
        marks = _marks(entity, part)
        if marks is None:
            continue
        start, end = start + _blank_at_start(part), start + len(part.rstrip())
        before[start].append(marks[0])
        after[end].insert(0, marks[1])
    pieces: list[str] = []
    for index in range(len(text) + 1):
        pieces += after.get(index, ())
        pieces += before.get(index, ())
        pieces.append(text[index : index + 1])
    return "".join(pieces)


def _marks(entity: MessageEntity, part: str) -> tuple[str, str] | None:
    if not part.strip():
        return None
    if entity.type == MessageEntity.PRE:
        return f"```{entity.language or ''}\n", "\n```"
    if entity.type == MessageEntity.TEXT_LINK and entity.url and entity.url != part:
        return "[", f"]({entity.url})"
    mark = _MARKS.get(entity.type)
    return (mark, mark) if mark else None


def _places(text: str) -> Callable[[int], int]:
    """Turns a place in UTF-16 units into one in code points."""
    units = text.encode("utf-16-le", "surrogatepass")

    def place(offset: int) -> int:
        return len(units[: 2 * offset].decode("utf-16-le", "replace"))

    return place


def _line_starts(part: str, start: int) -> list[int]:
    return [start, *(start + index + 1 for index, c in enumerate(part[:-1]) if c == "\n")]


def _blank_at_start(part: str) -> int:
    return len(part) - len(part.lstrip())
