"""Text from outside: made storable, and shown short where it is long."""

import unicodedata
from collections.abc import Callable

from wcwidth import iter_graphemes

NAME_CHARS = 40
NAME_READ = 1000
"""Of a name, so many characters are looked at; no platform allows as many."""
LONGEST_EMOJI = 16
"""Code points; families and flags have many."""
MOST_CHARS_A_TOKEN = 16
"""A text with fewer tokens is made of blanks, or of one word said again and again."""
_MARKUP = set('[]{}<>:"`|\\')


def clean(text: str) -> str:
    """`text` as it can be stored: without NUL, lone surrogates replaced."""
    if "\0" in text:
        text = text.replace("\0", "")
    if text.isascii():
        return text
    try:
        text.encode()  # the quick way to see that nothing is to be done
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def counted(number: int, noun: str) -> str:
    """As in "1 note" and "2,000 notes"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def is_blank(text: str) -> bool:
    """True when nobody would see anything of `text`: only spaces, controls and the like."""
    return all(
        (kind := unicodedata.category(character)) in ("Cc", "Cf") or kind[0] == "Z"
        for character in text
    )


def is_emoji(text: str) -> bool:
    """True for one emoji and nothing else."""
    return (
        len(text) <= LONGEST_EMOJI
        and len(list(iter_graphemes(text))) == 1
        and unicodedata.category(text[0]) in ("So", "Sm", "Po")
        and not text[0].isascii()
    )


def neutral_name(name: str) -> str:
    """A name from a platform as it may stand in a prompt: one short line without markup."""
    kept = (
        " " if character.isspace() else character
        for character in clean(name[:NAME_READ])
        if character.isspace()
        or (character not in _MARKUP and unicodedata.category(character)[0] != "C")
    )
    return " ".join("".join(kept).split())[:NAME_CHARS].strip() or "somebody"


def cut(text: str, limit: int, count: Callable[[str], int]) -> str:
    """`text`, or its beginning and end with a pointer between, in at most `limit` tokens.

    The pointer says how much is missing and where it is found. `count` gives tokens.
    """
    if len(text) <= limit:
        return text
    # counting all of a very long text would keep everybody waiting
    counted = text[: limit * MOST_CHARS_A_TOKEN]
    tokens = count(counted)
    if tokens <= limit and len(counted) == len(text):
        return text
    keep = int(len(counted) * min(limit / max(tokens, 1), 1))
    while keep > 0:
        head, tail = keep * 3 // 4, keep // 4
        pointer = (
            f" [… {len(text) - head - tail:,} characters are not shown here; all of it is in"
            " recall storage, conversation_search finds it …] "
        )
        shown = text[:head] + pointer + (text[-tail:] if tail else "")
        if count(shown) <= limit:
            return shown
        keep = keep * 4 // 5 - 1
    return f"[… {len(text):,} characters, in recall storage …]"
