"""Real recall and archival storage in a real file, filled by what a test says was said."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np

from companion.embedders.protocol import Embedder, Matrix, normalised
from companion.errors import EmbedderUnavailableError
from companion.memory.vectors import Vectorizer
from companion.storage import messages, passages
from companion.storage.archival_search import ArchivalStorage
from companion.storage.database import Database
from companion.storage.messages import Entry
from companion.storage.recall_search import RecallStorage
from tests.support.storage import add

MORNING = datetime(2026, 5, 5, 9, tzinfo=UTC)


class TopicEmbedder:
    """Places texts by the topics in them: a dimension for each group of words."""

    trust = 0.45

    def __init__(
        self,
        *topics: str,
        name: str = "topics",
        before: Callable[[Sequence[str]], Awaitable[None]] | None = None,
    ) -> None:
        """`before` is awaited with the texts before each answer."""
        self.name = name
        self.down = False
        self.asked: list[str] = []
        self.before = before
        self._topics = [topic.split() for topic in topics]

    async def embed(self, texts: Sequence[str], *, as_query: bool = False) -> Matrix:
        if self.before is not None:
            await self.before(texts)
        if self.down:
            raise EmbedderUnavailableError("The endpoint is down.")
        self.asked += texts
        return normalised(
            np.array(
                [
                    [sum(text.lower().count(word) for word in topic) for topic in self._topics]
                    for text in texts
                ],
                np.float32,
            )
        )

    async def close(self) -> None:
        self.asked.clear()


class Remembered:
    """What is remembered of one person, by default."""

    def __init__(self, db: Database, person: int, embedder: Embedder | None) -> None:
        self.db = db
        self.person = person
        self.embedder = embedder
        self._latest = MORNING

    async def hear(
        self, *said: str, speaker: str = "Anna", at: datetime | None = None, person: int = 0
    ) -> list[int]:
        """Store messages, a minute apart, and give their ids."""
        ids = []
        for text in said:
            self._latest = at or self._latest + timedelta(minutes=1)
            entry = Entry(
                kind="event",
                text=text,
                said_at=self._latest,
                tokens=1,
                speaker=speaker,
                said=text,
            )
            stored = await self.db.write(
                partial(messages.add, person=person or self.person, entry=entry)
            )
            ids.append(stored.id)
        return ids

    async def keep(self, *texts: str, source: str = "model") -> list[int]:
        """Store passages and give their ids."""
        work = partial(passages.add, person=self.person, source=source, now=MORNING)
        return [(await self.db.write(partial(work, text=text))).id for text in texts]

    async def embed(self) -> int:
        """Make the vectors that are missing, and tell how many those were."""
        assert self.embedder is not None
        return await Vectorizer(self.db, self.embedder).run_once()

    def recall(
        self,
        *,
        page_size: int = 5,
        embedder: Embedder | None = None,
        former: Embedder | None = None,
    ) -> RecallStorage:
        return RecallStorage(
            self.db, embedder or self.embedder, self.person, page_size=page_size, former=former
        )

    def archival(self, *, page_size: int = 5) -> ArchivalStorage:
        return ArchivalStorage(self.db, self.embedder, self.person, page_size=page_size)

    async def found(self, query: str | None, *, page_size: int = 50) -> list[str]:
        """What recall storage finds, best first."""
        page = await self.recall(page_size=page_size).search(query)
        assert page.total == len(page.items)
        return [hit.said for hit in page.items]


@asynccontextmanager
async def remembering(folder: Path, embedder: Embedder | None = None) -> AsyncIterator[Remembered]:
    """A database of one person in `folder`."""
    db = await Database.open(folder / "companion.db")
    try:
        person = await db.write(add("Anna"))
        assert person is not None
        yield Remembered(db, person, embedder)
    finally:
        await db.close()
