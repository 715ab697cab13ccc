"""One person's memory: working context, archival storage, recall storage. No agent is needed."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, tzinfo

from companion.clock import Clock
from companion.context import working_context
from companion.errors import ToolError
from companion.llm.protocol import TokenCounter
from companion.memory.keeping import keep, keep_past_lines, take_back
from companion.memory.noticing import Kept, Noticed, NoticedLines, Noticing
from companion.search.page import Page
from companion.storage import (
    forget,
    memory_state,
    passages,
    past_passages,
    tidyings,
    working_contexts,
)
from companion.storage.archival_search import ArchivalStorage, FoundPassage
from companion.storage.database import Database, Tx
from companion.storage.forget import Meant
from companion.storage.passages import Passage
from companion.storage.recall_search import FoundMessage, RecallStorage, Windows
from companion.storage.working_contexts import Version

FORGET = "forget"
"""What made a version that no undo goes back behind."""


class PersonMemory:
    """What is remembered of one person.

    The methods that take a transaction are for whoever writes more with them; the others do one
    thing and commit it.
    """

    def __init__(
        self,
        db: Database,
        person: int,
        *,
        recall: RecallStorage,
        archival: ArchivalStorage,
        noticing: Noticing,
        persona: str,
        chars: int,
        tokens: int,
        counter: TokenCounter,
        clock: Clock,
    ) -> None:
        self._db = db
        self.person = person
        self._recall = recall
        self._archival = archival
        self._noticing = noticing
        self._persona = persona
        self._chars = chars
        self._tokens = tokens
        self._counter = counter
        self._clock = clock

    @property
    def beginning(self) -> str:
        """The working context of somebody of whom nothing is known."""
        return working_context.first(self._persona)

    def working_context_in(self, tx: Tx) -> Version:
        """The working context in force; the first one is made from the persona."""
        version = working_contexts.current(tx, self.person)
        if version is None:
            version = working_contexts.add(
                tx,
                self.person,
                self.beginning,
                cause="start",
                now=self._clock.now(),
            )
        return version

    def append_in(self, tx: Tx, line: str, event: int | None = None) -> Version:
        """Add a line to the working context.

        Raises:
            ToolError: it is there already, or does not fit.
        """
        text = self.working_context_in(tx).text
        changed = working_context.appended(text, line, self.limit(text))
        return self._changed(tx, changed, "working_context_append", event)

    def replace_in(self, tx: Tx, old: str, new: str, event: int | None = None) -> Version:
        """Change the working context where `old` stands, which must be exactly once.

        Lines in whose place others stand are kept as past notes.

        Raises:
            ToolError: `old` is missing or ambiguous, nothing changes, or it does not fit.
        """
        text = self.working_context_in(tx).text
        changed = working_context.replaced(text, old, new, self.limit(text))
        keep_past_lines(tx, self.person, text, changed, now=self._clock.now())
        return self._changed(tx, changed, "working_context_replace", event)

    def set_in(self, tx: Tx, text: str, *, cause: str, event: int | None = None) -> Version:
        """Put `text` in the place of the whole working context."""
        return self._changed(tx, text, cause, event)

    def correct_in(
        self, tx: Tx, line: str, untrue: Sequence[str], event: int | None = None
    ) -> Version:
        """Add a line in place of those that are untrue by it, which are kept as past notes.

        Raises:
            ToolError: it is there already, or does not fit.
        """
        text = self.working_context_in(tx).text
        shorter = working_context.without(text, untrue)
        changed = working_context.appended(shorter, line, self.limit(text))
        keep_past_lines(tx, self.person, text, changed, now=self._clock.now())
        return self._changed(tx, changed, "working_context_append", event)

    def forget_in(self, tx: Tx, wanted: Callable[[str], bool], event: int | None = None) -> None:
        """Take what is `wanted` out of everything. `undo_in` stops there until a newer change."""
        forget.forget(tx, self.person, wanted)
        self._changed(tx, self.working_context_in(tx).text, FORGET, event)

    def begin_anew_in(self, tx: Tx, event: int) -> Version:
        """Set the working context aside and begin another. `undo_in` brings it back."""
        return self._changed(tx, self.beginning, "refused", event)

    def undo_in(self, tx: Tx, event: int | None = None) -> Version | None:
        """Bring back the working context before the last change; None when there was none.

        Raises:
            ToolError: the last change was that something was forgotten.
        """
        version = self.working_context_in(tx)
        made = working_contexts.get(tx, self.person, version.restored or version.id) or version
        if made.cause == FORGET:
            raise ToolError("The last change was that I forgot something, and that stays so.")
        if tidyings.undo(tx, self.person, version.restored or version.id):
            return version
        earlier = working_contexts.before(tx, self.person, version)
        if earlier is None:
            return None
        past_passages.drop_lines(tx, self.person, working_context.about_person(earlier.text))
        return working_contexts.add(
            tx,
            self.person,
            earlier.text,
            cause="undo",
            now=self._clock.now(),
            event=event,
            restored=earlier.restored or earlier.id,
        )

    def take_back_in(self, tx: Tx) -> list[Passage]:
        """Bring back the notes that were made past last, if nothing changed after that."""
        return take_back(tx, self.person, self.working_context_in(tx).created_at)

    async def notice(self, text: str) -> Noticed:
        """Which notes `text` doubles, which are past by it, and which may be."""
        return await self._noticing.notes(text)

    async def notice_lines(self, text: str) -> NoticedLines:
        """The same of the lines in the working context."""
        return await self._noticing.lines(text, await self.working_context())

    def keep_in(
        self,
        tx: Tx,
        text: str,
        noticed: Noticed,
        *,
        source: str = "model",
        event: int | None = None,
        replaces: int | None = None,
    ) -> Kept:
        """Keep a note, by what was `noticed` of it: a double only renews the one that stands, and
        what it contradicts becomes past. `replaces` as in `keeping.keep`.

        Raises:
            ToolError: it is empty, or there is no note of the number that it replaces.
        """
        text = text.strip()
        if not text:
            raise ToolError("There is nothing to keep: the text is empty.")
        now = self._clock.now()
        return keep(
            tx,
            self.person,
            text,
            noticed,
            source=source,
            event=event,
            now=now,
            replaces=replaces,
        )

    def insert_in(
        self, tx: Tx, text: str, *, source: str = "model", event: int | None = None
    ) -> Passage:
        """Keep a passage in archival storage, compared with no other: as of a document.

        Raises:
            ToolError: it is empty or kept already.
        """
        text = text.strip()
        if not text:
            raise ToolError("There is nothing to keep: the text is empty.")
        if passages.same(tx, self.person, text):
            raise ToolError("Archival storage has exactly this text already.")
        return passages.add(
            tx, self.person, text, source=source, now=self._clock.now(), event=event
        )

    def limit(self, text: str) -> int:
        """How many characters the working context may have.

        The setting, or fewer where its text takes more tokens than the window has for it.
        """
        per_token = len(text) / max(self._counter.count(text), 1)
        return min(self._chars, int(self._tokens * per_token))

    async def working_context(self) -> str:
        """The working context in force."""
        return (await self._db.write(self.working_context_in)).text

    async def append(self, line: str) -> str:
        """Add a line to the working context, and give all of it. Errors as in `append_in`."""
        return await self._db.write(lambda tx: self._show(tx, self.append_in(tx, line)))

    async def replace(self, old: str, new: str) -> str:
        """Change the working context, and give all of it. Errors as in `replace_in`."""
        return await self._db.write(lambda tx: self._show(tx, self.replace_in(tx, old, new)))

    async def undo(self) -> str | None:
        """Take back the last change of the working context, and give all of it.

        Errors as in `undo_in`.
        """

        def work(tx: Tx) -> str | None:
            version = self.undo_in(tx)
            return self._show(tx, version) if version else None

        return await self._db.write(work)

    async def add(self, text: str, *, source: str = "person") -> Passage:
        """Keep a passage in archival storage. Errors as in `insert_in`."""
        return await self._db.write(lambda tx: self.insert_in(tx, text, source=source))

    async def search(
        self, query: str, *, page: int = 0, rerank: bool = False
    ) -> Page[FoundPassage]:
        """Passages of archival storage that fit `query`, best first. `page` counts from 0.

        With `rerank` a model puts the first in order, where one is configured for that.
        """
        return await self._archival.search(query, page=page, rerank=rerank)

    async def search_messages(
        self,
        query: str | None = None,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        zone: tzinfo = UTC,
        page: int = 0,
    ) -> Page[FoundMessage]:
        """What was said, by words and meaning, between two moments (UTC), or both.

        Days that the query names, such as "yesterday", are those of `zone`.
        """
        now = self._clock.now().astimezone(zone)
        return await self._recall.search(query, since=since, until=until, now=now, page=page)

    async def search_windows(
        self,
        query: str,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        zone: tzinfo = UTC,
        page: int = 0,
    ) -> Windows:
        """As `search_messages`, each hit with the turns around it."""
        now = self._clock.now().astimezone(zone)
        return await self._recall.search_windows(
            query, since=since, until=until, now=now, page=page
        )

    async def meant(self, wanted: Callable[[str], bool], *, but: int | None = None) -> Meant:
        """What is kept and was said of what is `wanted`, messages of the event `but` left out."""
        return await self._db.read(lambda tx: forget.find(tx, self.person, wanted, but=but))

    def _show(self, tx: Tx, version: Version) -> str:
        """Have the next prompt begin with `version`: no call in the queue tells of it."""
        memory_state.show(tx, self.person, version.id)
        return version.text

    def _changed(self, tx: Tx, text: str, cause: str, event: int | None) -> Version:
        return working_contexts.add(
            tx, self.person, text, cause=cause, now=self._clock.now(), event=event
        )
