"""Makes vectors of texts in the background: text first, its vector soon after."""

import asyncio
import logging
from datetime import timedelta
from functools import partial

from companion.embedders.protocol import Embedder
from companion.errors import DatabaseError, EmbedderUnavailableError
from companion.storage import vector_blocks
from companion.storage.database import Database
from companion.storage.vector_blocks import Waiting

logger = logging.getLogger(__name__)

BATCH = 64
GATHER = timedelta(seconds=1)
"""From the first new text to its vector, so that texts that come together share a commit."""
FIRST_RETRY = timedelta(seconds=5)
LAST_RETRY = timedelta(minutes=10)


class Vectorizer:
    """Fills in missing vectors, newest texts first.

    What is missing is written in the database, so it goes on after a restart, and begins anew
    when the embedder is another. While the embedder is down the search goes by words.
    """

    def __init__(
        self,
        db: Database,
        embedder: Embedder,
        *,
        gather: timedelta = GATHER,
        retry: timedelta = FIRST_RETRY,
    ) -> None:
        self._db = db
        self._embedder = embedder
        self._gather = gather
        self._retry = retry
        self._model: int | None = None
        self._old_kept = True

    async def run(self) -> None:
        """Fill in what is missing now and whenever something was written, until cancelled."""
        retry, written = self._retry, self._db.written
        written.set()
        while True:
            await written.wait()
            await asyncio.sleep(self._gather.total_seconds())
            try:
                await self.run_once()
                retry = self._retry
            except (EmbedderUnavailableError, DatabaseError) as error:
                logger.warning("no vectors for now, next try in %s: %s", retry, error)
                await asyncio.sleep(retry.total_seconds())
                retry = min(retry * 2, LAST_RETRY)
                written.set()

    async def run_once(self) -> int:
        """Fill in all that is missing now; returns how many vectors were made.

        Raises:
            EmbedderUnavailableError: the embedder is down; what was made before is kept.
        """
        if self._model is None:
            name = self._embedder.name
            self._model = await self._db.write(lambda tx: vector_blocks.use_model(tx, name))
        made = 0
        while batch := await self._waiting():
            vectors = await self._embedder.embed([one.text for one in batch])
            await self._db.write(
                partial(vector_blocks.add_vectors, model=self._model, made=batch, vectors=vectors)
            )
            made += len(batch)
        if self._old_kept:
            await self._db.write(vector_blocks.drop_old_models)
            self._old_kept = False
        return made

    async def _waiting(self) -> list[Waiting]:
        self._db.written.clear()  # before looking: what is written from now on is looked at again
        return await self._db.read(lambda tx: vector_blocks.waiting(tx, BATCH))
