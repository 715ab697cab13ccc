"""The model's Markdown as Telegram shows it.

Entities, not HTML: nothing has to be escaped, so that no character of the text can make Telegram
refuse it, and what counts for the limit is what the person sees.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from telegram import MessageEntity
from wcwidth import wcswidth

from adapters.telegram.rich import Rich, Span
from companion.text import is_blank

RULE = "———"
DEEPEST = 60
"""Nesting beyond this is shown as it was written; the parser would leave it out."""


@cache
def _parser() -> MarkdownIt:
    """CommonMark with what chat models write, without what they don't mean: a line under a text
    is no heading, an indented line no code, and "[1]: source" shall stay readable."""
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST})
    return parser.enable(["strikethrough", "table"]).disable(["lheading", "code", "reference"])


def render(markdown: str) -> Rich:
    """`markdown` as rich text; as it stands where nothing would be left to see."""
    tokens = _parser().parse(markdown)
    if any(token.level >= DEEPEST - 2 for token in tokens):
        return Rich(markdown.strip())
    writer = _Writer()
    _blocks(writer, SyntaxTreeNode(tokens).children, "\n\n")
    rich = writer.rich()
    return Rich(markdown.strip()) if is_blank(rich.text) else rich


class _Writer:
    """Collects text, and the spans that were open while it was written."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._spans: list[Span] = []
        self._open: list[str] = []
        self.indent = ""

    def write(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def line_end(self) -> None:
        """The next line of the same block."""
        self.write(f"\n{self.indent}")

    @contextmanager
    def span(
        self, kind: str, *, url: str | None = None, language: str | None = None
    ) -> Iterator[None]:
        """What is written meanwhile is of this kind. In its own kind a span means nothing more."""
        start, nested = self._length, kind in self._open
        self._open.append(kind)
        try:
            yield
        finally:
            self._open.pop()
            if self._length > start and not nested:
                self._spans.append(
                    Span(start=start, end=self._length, kind=kind, url=url, language=language)
                )

    def rich(self) -> Rich:
        """All of it, without the blank space around it; outer spans before those in them."""
        text = "".join(self._parts)
        start = len(text) - len(text.lstrip())
        rich = Rich(text, tuple(self._spans)).part(start, max(len(text.rstrip()), start))
        return Rich(rich.text, tuple(sorted(rich.spans, key=lambda s: (s.start, -s.end))))


def _blocks(writer: _Writer, nodes: Sequence[SyntaxTreeNode], between: str) -> None:
    for number, node in enumerate(nodes):
        if number:
            writer.write(between + writer.indent)
        _block(writer, node)


def _block(writer: _Writer, node: SyntaxTreeNode) -> None:
    match node.type:
        case "heading":
            with writer.span(MessageEntity.BOLD):
                _inlines(writer, node.children)
        case "bullet_list" | "ordered_list":
            _list(writer, node)
        case "blockquote":
            with writer.span(MessageEntity.BLOCKQUOTE):
                _blocks(writer, node.children, "\n")
        case "fence":
            with writer.span(MessageEntity.PRE, language=next(iter(node.info.split()), None)):
                writer.write(node.content.removesuffix("\n"))
        case "hr":
            writer.write(RULE)
        case "table":
            with writer.span(MessageEntity.PRE):
                writer.write(_table(node))
        case _:
            _inlines(writer, node.children)


def _list(writer: _Writer, node: SyntaxTreeNode) -> None:
    number = int(node.attrs.get("start", 1))
    tight = all(
        child.hidden
        for item in node.children
        for child in item.children
        if child.type == "paragraph"
    )
    outer = writer.indent
    for index, item in enumerate(node.children):
        if index:
            writer.write(("\n" if tight else "\n\n") + outer)
        if node.type == "ordered_list":
            mark = f"{number + index}{item.markup} "
        else:
            mark = "+ " if item.markup == "+" else "• "
        writer.write(mark)
        writer.indent = outer + " " * (len(mark) if len(mark) < 4 else 3)
        _blocks(writer, item.children, "\n" if tight else "\n\n")
        writer.indent = outer


def _inlines(writer: _Writer, nodes: Sequence[SyntaxTreeNode]) -> None:
    for node in nodes:
        _inline(writer, node)


_KINDS = {
    "strong": MessageEntity.BOLD,
    "em": MessageEntity.ITALIC,
    "s": MessageEntity.STRIKETHROUGH,
}


def _inline(writer: _Writer, node: SyntaxTreeNode) -> None:
    match node.type:
        case "softbreak" | "hardbreak":
            writer.line_end()
        case "code_inline":
            with writer.span(MessageEntity.CODE):
                writer.write(node.content)
        case "strong" | "em" | "s":
            with writer.span(_KINDS[node.type]):
                _inlines(writer, node.children)
        case "link":
            _link(writer, node.children, str(node.attrs.get("href", "")), node.markup)
        case "image":
            _link(writer, node.children, str(node.attrs.get("src", "")), "")
        case "inline":
            _inlines(writer, node.children)
        case _:
            writer.write(node.content)


def _link(writer: _Writer, label: Sequence[SyntaxTreeNode], url: str, markup: str) -> None:
    """A link that Telegram follows, or else the label with the address behind it."""
    if markup == "autolink":
        _inlines(writer, label)
    elif not _visible(label):
        writer.write(url)
    elif url.startswith(("http://", "https://", "tg://")):
        with writer.span(MessageEntity.TEXT_LINK, url=url):
            _inlines(writer, label)
    else:
        _inlines(writer, label)
        address = url.removeprefix("mailto:").removeprefix("tel:")
        if address and address != _plain(label):
            writer.write(f" ({address})")


def _visible(nodes: Sequence[SyntaxTreeNode]) -> bool:
    return bool(_plain(nodes).strip())


def _plain(nodes: Sequence[SyntaxTreeNode]) -> str:
    writer = _Writer()
    _inlines(writer, nodes)
    return writer.rich().text


def _table(node: SyntaxTreeNode) -> str:
    """The rows with their columns below each other, wide characters counted as two."""
    rows = [
        [_plain(cell.children) for cell in row.children]
        for part in node.children
        for row in part.children
    ]
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    lines = [
        " | ".join(c + " " * (w - _width(c)) for c, w in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    lines.insert(1, "-+-".join("-" * width for width in widths))
    return "\n".join(lines)


def _width(text: str) -> int:
    return max(wcswidth(text), 0)
