"""The default: token vectors that come inside the wordllama package, summed; ours for Chinese.

Only the package's files are read. Importing it would pull in requests and set up logging for the
whole process, and its own loader looks for the tokenizer on the network.
"""

import asyncio
import importlib.util
import json
import os
import re
import struct
import weakref
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from companion.embedders.han import HanCharacters
from companion.embedders.protocol import Matrix, normalised
from companion.errors import EmbedderUnavailableError
from companion.footprint import give_back

AT_ONCE = 8
"""Texts embedded without leaving the event loop: a millisecond or two."""
LONGEST = 8000
"""Characters of a text that its vector is made of."""
LATIN = 0x250
"""Where the letters end that the model knows; in other scripts its vectors mean nothing."""
_HAN = re.compile(r"[\u4e00-\u9fff]")


class WordLlama:
    """Sums of token vectors: English, 256 dimensions, a tenth of a millisecond a text.

    Chinese characters have vectors of their own, in the last half of the 256 numbers, which count
    where a text is not mostly in Latin letters. What has neither is found by its words alone.
    """

    name = "wordllama-l2-supercat-256-han"
    trust = 0.45

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
        self._vectors = _Vectors(folder / "weights" / "l2_supercat_256.safetensors")
        self._han: HanCharacters | None = None

    def embed(self, texts: Sequence[str]) -> Matrix:
        cut = [text[:LONGEST] for text in texts]
        latin = [text if _mostly_latin(text) else "" for text in cut]
        encoded = self._tokenizer.encode_batch_fast(latin, add_special_tokens=False)
        sums = self._vectors.sums([one.ids for one in encoded])
        for text, total in zip(cut, sums, strict=True):
            if not _mostly_latin(text) and (characters := _HAN.findall(text)):
                self._han = self._han or HanCharacters()
                total[-self._han.size :] = self._han.sum(characters)
        return normalised(sums)


class _Vectors:
    """The one tensor in a safetensors file: a length, a JSON header, then the numbers.

    Rows are read as they are needed. Mapped into memory they would be little quicker to sum, and
    take 16 MB after many texts.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDONLY)
        weakref.finalize(self, os.close, self._file)
        (length,) = struct.unpack("<Q", os.pread(self._file, 8, 0))
        entry = json.loads(os.pread(self._file, length, 8))["embedding.weight"]
        self._begin = 8 + length + entry["data_offsets"][0]
        self._width = entry["shape"][1]

    def sums(self, lists: Sequence[Sequence[int]]) -> Matrix:
        """For each of `lists` the sum of its rows; zeros for none."""
        distinct = sorted({number for numbers in lists for number in numbers})
        place = {number: at for at, number in enumerate(distinct)}
        rows = self._rows(distinct)
        sums = np.zeros((len(lists), self._width), np.float32)
        for total, numbers in zip(sums, lists, strict=True):
            total[:] = rows[[place[number] for number in numbers]].sum(axis=0)
        return sums

    def _rows(self, numbers: Sequence[int]) -> Matrix:
        size = 2 * self._width
        read = b"".join([os.pread(self._file, size, self._begin + size * n) for n in numbers])
        return np.frombuffer(read, "<f2").reshape(-1, self._width).astype(np.float32)


def _folder() -> Path:
    package = importlib.util.find_spec("wordllama")
    if package is None or package.origin is None:
        raise EmbedderUnavailableError(
            'The package wordllama is missing: install it, or set embedder.kind = "none".'
        )
    return Path(package.origin).parent


def _mostly_latin(text: str) -> bool:
    if text.isascii():
        return bool(text) and not text.isspace()
    letters = [character for character in text if character.isalpha()]
    return sum(character < chr(LATIN) for character in letters) * 2 > len(letters)
