"""A larger model in this process, by the optional package fastembed, which fetches it once."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from companion.embedders.protocol import Matrix, normalised
from companion.errors import EmbedderUnavailableError, SettingsError

if TYPE_CHECKING:
    from fastembed import TextEmbedding

DEFAULT_MODEL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"


class FastEmbedder:
    """Runs one model of fastembed's list in a thread."""

    def __init__(self, model: str | None = None) -> None:
        """Of the model called `model`; fastembed lists those that it can run.

        Raises:
            SettingsError: the package is not installed.
        """
        if importlib.util.find_spec("fastembed") is None:
            raise SettingsError(
                'embedder.kind is "fastembed", and its package is missing:'
                " pip install 'companion[fastembed]'."
            )
        self._model_name = model or DEFAULT_MODEL
        self._model: TextEmbedding | None = None

    @property
    def name(self) -> str:
        return f"{self._model_name} by fastembed"

    async def embed(self, texts: Sequence[str], *, as_query: bool = False) -> Matrix:
        return await asyncio.to_thread(self._embed, list(texts), as_query)

    async def close(self) -> None:
        self._model = None

    def _embed(self, texts: list[str], as_query: bool) -> Matrix:
        model = self._loaded()
        rows = model.query_embed(texts) if as_query else model.passage_embed(texts)
        return normalised(np.asarray(list(rows), np.float32))

    def _loaded(self) -> TextEmbedding:
        if self._model is None:
            from fastembed import TextEmbedding

            try:
                self._model = TextEmbedding(self._model_name)
            except (OSError, RuntimeError, ValueError) as error:
                raise EmbedderUnavailableError(
                    f"{self._model_name} cannot be loaded: {error}"
                ) from error
        return self._model
