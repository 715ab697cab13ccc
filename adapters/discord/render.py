"""The model's Markdown as Discord shows it: most of it as it stands, the rest in Discord's way."""

import re

from wcwidth import wcswidth

from adapters.discord.split import FENCE
from adapters.text import printable

_ROW = re.compile(r"^\s*\|.*\|\s*$")
_RULE_OF_TABLE = re.compile(r"^\s*\|(\s*:?-+:?\s*\|)+\s*$")
_CELLS = re.compile(r"(?<!\\)\|")
_DEEP_HEADING = re.compile(r"^(#{4,6})\s+(.+?)\s*#*$")
_RULE = re.compile(r"^\s*([-*_])(\s*\1){2,}\s*$")
_IMAGE = re.compile(r"!\[([^\]\n]*)\]\((\S+?)\)")
RULE = "———"


def render(markdown: str) -> str:
    """`markdown` with tables as aligned text, and without what Discord shows as it was typed."""
    lines = printable(markdown).split("\n")
    shown: list[str] = []
    in_code = False
    at = 0
    while at < len(lines):
        line = lines[at]
        if not in_code and _begins_table(lines, at):
            end = at
            while end < len(lines) and _ROW.match(lines[end]):
                end += 1
            shown += [FENCE, *_table(lines[at:end]), FENCE]
            at = end
            continue
        in_code ^= line.count(FENCE) % 2 == 1
        shown.append(line if in_code or FENCE in line else _line(line))
        at += 1
    return "\n".join(shown)


def _line(line: str) -> str:
    heading = _DEEP_HEADING.match(line)
    if heading:
        return f"**{heading[2]}**"
    if _RULE.match(line):
        return RULE
    return _IMAGE.sub(lambda found: f"[{found[1]}]({found[2]})" if found[1] else found[2], line)


def _begins_table(lines: list[str], at: int) -> bool:
    return (
        at + 1 < len(lines)
        and _ROW.match(lines[at]) is not None
        and _RULE_OF_TABLE.match(lines[at + 1]) is not None
    )


def _table(rows: list[str]) -> list[str]:
    """The rows with their columns below each other, wide characters counted as two."""
    cells = [_cells(row) for number, row in enumerate(rows) if number != 1]
    columns = max(len(row) for row in cells)
    cells = [row + [""] * (columns - len(row)) for row in cells]
    widths = [max(_width(row[column]) for row in cells) for column in range(columns)]
    lines = [
        "  ".join(
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in cells
    ]
    return [lines[0], "  ".join("-" * width for width in widths), *lines[1:]]


def _cells(row: str) -> list[str]:
    inner = row.strip().removeprefix("|").removesuffix("|")
    return [_plain(cell.strip()) for cell in _CELLS.split(inner)]


def _plain(cell: str) -> str:
    """In code no markup is shown as such."""
    return cell.replace("\\|", "|").replace("**", "").replace("`", "")


def _width(text: str) -> int:
    return max(wcswidth(text), 0)
