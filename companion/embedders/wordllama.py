"""The default: token vectors that come inside the wordllama package, summed.

Only the package's files are read. Importing it would pull in requests and set up logging for the
whole process, and its own loader looks for the tokenizer on the network.
"""

import asyncio
import importlib.util
import json
import mmap
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from companion.embedders.protocol import Matrix, normalised
from companion.errors import EmbedderUnavailableError
from companion.footprint import give_back

AT_ONCE = 8
"""Texts embedded without leaving the event loop: a millisecond or two."""
LONGEST = 8000
"""Characters of a text that its vector is made of."""
LATIN = 0x250
"""Where the letters end that the model knows; in other scripts its vectors mean nothing."""


class WordLlama:
    """Sums of token vectors: English, 256 dimensions, a tenth of a millisecond a text.

    A text that is mostly not in Latin letters gets no vector, and is found by its words.
    """

    name = "wordllama-l2-supercat-256"

    def __init__(self) -> None:
        self._model: _Model | None = None

    async def embed(self, texts: Sequence[str], *, as_query: bool = False) -> Matrix:
        if self._model is not None and len(texts) <= AT_ONCE:
            return self._model.embed(texts)
        return await asyncio.to_thread(self._embed_many, texts)

    async def close(self) -> None:
        self._model = None

    def _embed_many(self, texts: Sequence[str]) -> Matrix:
        return self._loaded().embed(texts)

    def _loaded(self) -> "_Model":
        if self._model is None:
            self._model = _Model(_folder())
        return self._model


class _Model:
    """The tokenizer in memory, and the token vectors, which stay on disk."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer = Tokenizer.from_file(
            str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json")
        )
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        give_back()  # 4 MB that reading it took
        with (folder / "weights" / "l2_supercat_256.safetensors").open("rb") as file:
            self._file = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._vectors = _only_tensor(self._file)

    def embed(self, texts: Sequence[str]) -> Matrix:
        rows = np.zeros((len(texts), self._vectors.shape[1]), np.float32)
        for row, text in zip(rows, texts, strict=True):
            if _in_latin(text):
                ids = self._tokenizer.encode(text[:LONGEST], add_special_tokens=False).ids
                row[:] = self._vectors[ids].astype(np.float32).sum(axis=0)
        # give back the memory that reading took: many texts look at most of the 16 MB
        self._file.madvise(mmap.MADV_DONTNEED)
        return normalised(rows)


def _folder() -> Path:
    package = importlib.util.find_spec("wordllama")
    if package is None or package.origin is None:
        raise EmbedderUnavailableError(
            'The package wordllama is missing: install it, or set embedder.kind = "none".'
        )
    return Path(package.origin).parent


def _only_tensor(file: mmap.mmap) -> npt.NDArray[np.float16]:
    """The one tensor in a safetensors file: a length, a JSON header, then the numbers."""
    (length,) = struct.unpack_from("<Q", file)
    entry = json.loads(file[8 : 8 + length])["embedding.weight"]
    begin, end = entry["data_offsets"]
    flat = np.frombuffer(file, "<f2", count=(end - begin) // 2, offset=8 + length + begin)
    return flat.reshape(entry["shape"])


def _in_latin(text: str) -> bool:
    if text.isascii():
        return bool(text) and not text.isspace()
    letters = [character for character in text if character.isalpha()]
    return sum(character < chr(LATIN) for character in letters) * 2 > len(letters)
