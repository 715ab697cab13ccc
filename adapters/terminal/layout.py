"""Text laid out for a screen, so that no word is cut at its edge."""

import textwrap

WIDEST = 100
"""Longer lines are hard to read."""


def hanging(text: str, *, indent: int, columns: int) -> str:
    """`text` for a place `indent` columns in, its later lines under the first.

    Lines that start with a space, as code does, are left alone, and so are words that are too
    long: links stay whole.
    """
    margin = " " * indent
    width = max(min(columns, WIDEST), indent + 20)
    lines = [line for paragraph in text.split("\n") for line in _wrapped(paragraph, width, margin)]
    return "\n".join(lines)[indent:]


def _wrapped(line: str, width: int, margin: str) -> list[str]:
    if line.startswith((" ", "\t")):
        return [margin + line]
    return textwrap.wrap(
        line,
        width,
        initial_indent=margin,
        subsequent_indent=margin,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [margin]
