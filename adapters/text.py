"""Text on its way to people, whatever the platform."""

import re

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    """`text` without what a screen would obey instead of show: escapes, bells, carriage returns.

    Lone surrogates, which no encoding can carry, become question marks.
    """
    return _CONTROLS.sub("", text.replace("\r\n", "\n")).encode("utf-8", "replace").decode("utf-8")
