"""What a character knows of its world, told to the model when it comes up."""

from collections.abc import Iterable, Sequence

from companion.people.cards import Lore

MOST_CHARS = 1500
"""Told at once."""
SHORTEST_KEY = 2
READ = 4096
"""Characters of what was said that are searched for keys."""


def told(lore: Sequence[Lore], said: str, shown: Iterable[str]) -> str:
    """What of `lore` belongs to `said` and stands in none of the texts `shown`; empty for nothing.

    Keys are plain words, found wherever they stand.
    """
    if not lore or not said:
        return ""
    wanted = said[:READ].casefold()
    known = "\n".join(shown)
    parts: list[str] = []
    for entry in lore:
        if any(len(key) >= SHORTEST_KEY and key.casefold() in wanted for key in entry.keys):
            fits = sum(map(len, parts)) + len(entry.text) <= MOST_CHARS
            if fits and entry.text not in known:
                parts.append(entry.text)
    return "".join(f"\n[of your world: {part}]" for part in parts)
