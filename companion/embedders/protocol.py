"""What the search asks of whatever makes vectors."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]


class Embedder(Protocol):
    """A model that places texts in a space where nearness is likeness of meaning."""

    @property
    def name(self) -> str:
        """The model and its version: vectors are compared only under the same name."""

    @property
    def trust(self) -> float:
        """What likeness counts in search where words count the rest to 1, as measured."""

    async def embed(self, texts: Sequence[str], *, as_query: bool = False) -> Matrix:
        """A row for each text, of length 1, or 0 where the text means nothing to the model.

        Some models place a query differently from what it should find: `as_query` tells which.

        Raises:
            EmbedderUnavailableError: no vectors can be had now.
        """

    async def close(self) -> None:
        """Let go of connections."""


def normalised(rows: Matrix) -> Matrix:
    """`rows`, each scaled to length 1; rows of zeros stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Matrix = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return scaled
