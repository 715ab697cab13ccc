"""Every person's memory in one home."""

from companion.clock import Clock
from companion.context.limits import Limits
from companion.embedders.protocol import Embedder
from companion.llm.protocol import TokenCounter
from companion.memory.noticing import Noticing
from companion.memory.person_memory import PersonMemory
from companion.search.reranker import Reranker
from companion.settings import MemorySettings
from companion.storage.archival_search import ArchivalStorage
from companion.storage.database import Database
from companion.storage.recall_search import RecallStorage


class Memories:
    """Gives each person's memory. `persona` is what a new working context begins with."""

    def __init__(
        self,
        db: Database,
        *,
        settings: MemorySettings,
        persona: str,
        limits: Limits,
        embedder: Embedder | None,
        former: Embedder | None = None,
        reranker: Reranker | None = None,
        counter: TokenCounter,
        clock: Clock,
    ) -> None:
        self._db = db
        self._settings = settings
        self._persona = persona
        self._limits = limits
        self._embedder = embedder
        self._former = former
        self._reranker = reranker
        self._counter = counter
        self._clock = clock

    @property
    def embedder(self) -> Embedder | None:
        """What makes vectors of texts, where there is something that does."""
        return self._embedder

    def of(self, person: int) -> PersonMemory:
        """The memory of one person."""
        page = self._settings.page_size
        archival = ArchivalStorage(
            self._db,
            self._embedder,
            person,
            page_size=page,
            former=self._former,
            reranker=self._reranker,
        )
        return PersonMemory(
            self._db,
            person,
            recall=RecallStorage(
                self._db,
                self._embedder,
                person,
                page_size=page,
                former=self._former,
                reranker=self._reranker,
            ),
            archival=archival,
            noticing=Noticing(archival, self._embedder),
            persona=self._persona,
            chars=self._settings.working_context_chars,
            tokens=self._limits.working_context,
            counter=self._counter,
            clock=self._clock,
        )
