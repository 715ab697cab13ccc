"""The vector of a query, where one can be had."""

import logging
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Asked:
    """A query's vectors, each under the name of its model: the one in use, then the former."""

    by_model: dict[str, Matrix]


class Queries:
    """Makes the vectors of queries, by the embedder in use and by the former one while its
    vectors are still there."""

    def __init__(self, embedder: Embedder | None, former: Embedder | None = None) -> None:
        self._embedder = embedder
        self._former = former

    async def asked(self, query: str) -> Asked:
        """The vectors of `query`; none means that the search goes by words alone."""
        found = {}
        for embedder in (self._embedder, self._former):
            vector = await query_vector(embedder, query)
            if embedder is not None and vector is not None:
                found[embedder.name] = vector
        return Asked(found)


def near(tx: Tx, kind: Kind, person: int, asked: Asked) -> tuple[Ids, Matrix]:
    """Ids of what has a vector, and how like the query each is.

    What has none yet under the model in use is compared under the former one: each with the
    query's vector of its own model, and by how far it stands above the others of that model.
    """
    compared = []
    for name, vector in asked.by_model.items():
        model = current_model(tx, name)
        if model is not None:
            compared.append(likeness(tx, kind, person=person, model=model, query=vector))
    compared = [(ids, cosines) for ids, cosines in compared if len(ids)]
    if not compared:
        return np.zeros(0, np.int64), np.zeros(0, np.float32)
    (ids, cosines), *others = compared
    for old, old_cosines in others:
        kept = ~np.isin(old, ids)
        cosines = np.concatenate([_standing(cosines), _standing(old_cosines)[kept]])
        ids = np.concatenate([ids, old[kept]])
    return ids, cosines


def _standing(cosines: Matrix) -> Matrix:
    """How many standard deviations each lies above the mean."""
    standing: Matrix = (cosines - cosines.mean()) / max(float(cosines.std()), 1e-6)
    return standing
