"""A vector for each Chinese character, so that Chinese is found by meaning without a larger model.

training/han_characters.py made them, from multilingual-e5-small (MIT licence).
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from companion.embedders.protocol import Matrix

FILE = Path(__file__).with_name("han.npz")


class HanCharacters:
    """The 7,600 most usual characters, simplified and traditional; 2 MB once they are loaded."""

    def __init__(self) -> None:
        with np.load(FILE) as kept:
            self._place = {one: at for at, one in enumerate(str(kept["characters"]))}
            self._scales = kept["scales"]
            self._rows = kept["rows"]

    @property
    def size(self) -> int:
        """Numbers of a vector."""
        return int(self._rows.shape[1])

    def sum(self, characters: Iterable[str]) -> Matrix:
        """The sum of the vectors of those that are known: usual ones are short, rare ones long."""
        at = [self._place[one] for one in characters if one in self._place]
        total: Matrix = self._scales[at] @ self._rows[at].astype(np.float32)
        return total
