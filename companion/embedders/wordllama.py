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


LONGEST = 8000
"""Characters of a text that its vector is made of."""
LATIN = 0x250
"""Where the letters end that the model knows; in other scripts its vectors mean nothing."""


class WordLlama:
    """Averages of token vectors: English, 256 dimensions, a tenth of a millisecond a text.

    A text that is mostly not in Latin letters gets no vector, and is found by its words.
    """

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
            ids = tokenizer.encode(text[:LONGEST], add_special_tokens=False).ids
            if ids and _in_latin(text):
                row[:] = table[ids].astype(np.float32).sum(axis=0)
        return normalised(rows)


def _in_latin(text: str) -> bool:
    if text.isascii():
        return True
    letters = [character for character in text if character.isalpha()]
    return sum(character < chr(LATIN) for character in letters) * 2 > len(letters)


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
    mapped = np.memmap(
        path,
        np.float16,
        "r",
        offset=8 + length + entry["data_offsets"][0],
        shape=tuple(entry["shape"]),
    )
    return mapped.view(np.ndarray)
