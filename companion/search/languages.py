"""Whether the default embedder knows the language that a text is in."""

import re

from companion.search.words import STOP_WORDS

LATIN = 0x250
"""Where the Latin letters end."""
TELLING = 8
"""Words from which on an English text holds two of its commonest, nearly always."""
COMMONEST = 2
"""Of those; one alone may be a word of another language, such as "in"."""
_WORD = re.compile(r"[^\W\d_]+")


def known_to_default(text: str) -> bool:
    """Whether `text` is English, or too short to tell."""
    letters = [character for character in text if character.isalpha()]
    if sum(character >= chr(LATIN) for character in letters) * 2 > len(letters):
        return False
    words = _WORD.findall(text.casefold())
    return len(words) < TELLING or len(STOP_WORDS.intersection(words)) >= COMMONEST
