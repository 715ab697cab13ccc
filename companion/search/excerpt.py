"""The part of a long text that a search was about."""

import re

from companion.search.words import query_terms

BEFORE = 4
"""A quarter of what is shown stands before the word that was looked for."""


def excerpt(text: str, query: str, chars: int) -> str:
    """`text`, or of a long one about `chars` characters around the words of `query`.

    The longest word that stands there decides, as the one that tells most; without any the
    beginning is shown.
    """
    if len(text) <= chars:
        return text
    begin = max(0, min(_place(text, query) - chars // BEFORE, len(text) - chars))
    head = "[…] " if begin else ""
    tail = " […]" if begin + chars < len(text) else ""
    return f"{head}{text[begin : begin + chars]}{tail}"


def _place(text: str, query: str) -> int:
    for term in sorted(query_terms(query), key=len, reverse=True):
        if found := re.search(re.escape(term), text, re.IGNORECASE):
            return found.start()
    return 0
