"""The vector of a query, where one can be had."""

import logging

import numpy as np

from companion.embedders.protocol import Embedder, Matrix
from companion.errors import EmbedderUnavailableError
from companion.storage.database import Tx
from companion.storage.vector_blocks import Ids, Kind, current_model, likeness

logger = logging.getLogger(__name__)


async def query_vector(embedder: Embedder | None, query: str) -> Matrix | None:
    """The vector of `query`; None means that the search goes by words alone.

    So it does for queries of nothing but symbols, whose vectors are near to anything.
    """
    if embedder is None or not any(map(str.isalnum, query)):
        return None
    try:
        (vector,) = await embedder.embed([query], as_query=True)
    except EmbedderUnavailableError as error:
        logger.warning("searching by words alone: %s", error)
        return None
    return vector if vector.any() else None


def near(
    tx: Tx, kind: Kind, embedder: Embedder | None, person: int, vector: Matrix | None
) -> tuple[Ids, Matrix]:
    """Ids of what has a vector of this embedder's, and how like `vector` each is."""
    model = current_model(tx, embedder.name) if embedder and vector is not None else None
    if model is None or vector is None:
        return np.zeros(0, np.int64), np.zeros(0, np.float32)
    return likeness(tx, kind, person=person, model=model, query=vector)
