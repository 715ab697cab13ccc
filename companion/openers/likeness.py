"""Whether a draft says again what was said before: in the same words, or the same question anew."""

from collections.abc import Iterable, Sequence

from companion.embedders.protocol import Embedder
from companion.errors import EmbedderUnavailableError
from companion.openers.topics import topic
from companion.search.words import tokens

MEANING = 0.7
"""The likeness of two vectors from which on they ask the same. Measured with the default embedder:
rewordings lie at 0.72 to 0.87, the same question about something else at 0.10 to 0.51."""
WORDS = 0.4
"""The share of common words, for two texts about the same."""
CHARACTERS = 0.7
"""The share of the shorter one's pairs of characters that the other has, in scripts whose vectors
mean nothing and whose words nothing parts."""
UNSPACED = "\u3000"


async def too_like(
    draft: str, earlier: Sequence[str], embedder: Embedder | None, names: Iterable[str] = ()
) -> str | None:
    """That of the `earlier` texts which `draft` repeats, or None. `names` tell nothing."""
    if not earlier:
        return None
    near = await _meanings(draft, earlier, embedder)
    gone = frozenset(names)
    for text, likeness in zip(earlier, near, strict=True):
        if _repeats(draft, text, likeness, gone):
            return text
    return None


async def _meanings(
    draft: str, earlier: Sequence[str], embedder: Embedder | None
) -> list[float | None]:
    """How like in meaning each is; None where that cannot be told."""
    if embedder is None:
        return [None] * len(earlier)
    try:
        first, *others = await embedder.embed([draft, *earlier])
    except EmbedderUnavailableError:
        return [None] * len(earlier)
    return [float(first @ other) if first.any() and other.any() else None for other in others]


def _repeats(draft: str, text: str, likeness: float | None, names: frozenset[str]) -> bool:
    if likeness is not None and likeness >= MEANING:
        return True
    a, b = topic(draft) - names, topic(text) - names
    if not a and not b:
        return True  # small talk, both of them
    words, others = set(tokens(draft)), set(tokens(text))
    common = len(words & others)
    if max(draft) >= UNSPACED and common >= CHARACTERS * min(len(words), len(others)):
        return True
    about_the_same = len(a & b) * 2 > min(len(a), len(b))
    return about_the_same and common >= WORDS * len(words | others)
