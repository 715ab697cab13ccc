"""The default: token vectors that come inside the wordllama package, averaged.

Only the package's files are read. Importing it would pull in requests and set up logging for the
whole process, and its own loader looks for the tokenizer on the network.
"""

import asyncio
import importlib.util
import json
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from companion.embedders.protocol import Matrix, normalised
from companion.errors import EmbedderUnavailableError

AT_ONCE = 8
"""Texts embedded without leaving the event loop: under a millisecond."""


class WordLlama:
    """Averages of token vectors: English, 256 dimensions, a tenth of a millisecond a text."""

    name = "wordllama-l2-supercat-256"

    def __init__(self) -> None:
        self._model: tuple[Tokenizer, npt.NDArray[np.float16]] | None = None

    async def embed(self, texts: Sequence[str], *, as_query: bool = False) -> Matrix:
        if len(texts) <= AT_ONCE:
            return self._embed(texts)
        return await asyncio.to_thread(self._embed, texts)

    async def close(self) -> None:
        self._model = None

    def _embed(self, texts: Sequence[str]) -> Matrix:
        if self._model is None:
            self._model = _load()
        tokenizer, table = self._model
        rows = np.zeros((len(texts), table.shape[1]), np.float32)
        for row, text in zip(rows, texts, strict=True):
            ids = tokenizer.encode(text, add_special_tokens=False).ids
            if ids:
                row[:] = table[ids].sum(axis=0, dtype=np.float32)
        return normalised(rows)


def _load() -> tuple[Tokenizer, npt.NDArray[np.float16]]:
    package = importlib.util.find_spec("wordllama")
    if package is None or package.origin is None:
        raise EmbedderUnavailableError(
            "The package wordllama is missing: install it, or set [embedder] kind to none."
        )
    folder = Path(package.origin).parent
    tokenizer = Tokenizer.from_file(
        str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json")
    )
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer, _table(folder / "weights" / "l2_supercat_256.safetensors")


def _table(path: Path) -> npt.NDArray[np.float16]:
    """The one tensor in a safetensors file, left on disk and read where it is looked at."""
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        entry = json.loads(file.read(length))["embedding.weight"]
    return np.memmap(
        path,
        np.float16,
        "r",
        offset=8 + length + entry["data_offsets"][0],
        shape=tuple(entry["shape"]),
    )
