"""One person with several accounts: how they become one, and how they part again."""

from collections.abc import Callable, Collection
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from companion.clock import Clock
from companion.context import working_context
from companion.context.limits import Limits
from companion.context.summary import digest
from companion.llm.protocol import TokenCounter
from companion.memory.memories import Memories
from companion.people import merging
from companion.people.merging import Contradiction, Line
from companion.storage import (
    joining,
    links,
    memory_state,
    messages,
    passages,
    people,
    working_contexts,
)
from companion.storage.database import Database, Tx
from companion.storage.joining import Moved
from companion.storage.memory_state import Summary
from companion.storage.people import Account

FROM_ELSEWHERE = "linked"
"""The source of notes that hold what had no room when two became one."""

Told = TypeVar("Told")
Resting = Callable[[int], AbstractAsyncContextManager[None]]
MovedOver = Callable[[int, int, Collection[int] | None], None]


@dataclass(slots=True)
class Hooks:
    """What holds something of people in memory: it waits, and lets go or follows."""

    resting: Resting
    moved: MovedOver
    discard: Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What one of the two brings along."""

    accounts: tuple[Account, ...]
    messages: int
    notes: int
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What would become one."""

    one: Side
    other: Side
    contradictions: tuple[Contradiction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parted:
    """What went with an account, and from when its working context is; None: it begins anew."""

    moved: Moved
    context_of: datetime | None


class Linking:
    """Joins two people and parts them. `hooks` are set before anything is done."""

    def __init__(
        self,
        db: Database,
        *,
        memories: Memories,
        counter: TokenCounter,
        limits: Limits,
        clock: Clock,
    ) -> None:
        self._db = db
        self._memories = memories
        self._counter = counter
        self._limits = limits
        self._clock = clock
        self.hooks: Hooks | None = None

    def side(self, tx: Tx, person: int) -> Side:
        """What the person has."""
        return Side(
            accounts=tuple(people.accounts(tx, person)),
            messages=messages.said_count(tx, person),
            notes=passages.count(tx, person),
            lines=tuple(merging.lines(working_contexts.history(tx, person))),
        )

    def preview(self, tx: Tx, one: int, other: int) -> Preview:
        """What would become one, and what of it contradicts itself."""
        mine, theirs = self.side(tx, one), self.side(tx, other)
        found = merging.contradictions(mine.lines, theirs.lines)
        return Preview(one=mine, other=theirs, contradictions=tuple(found))

    async def join(self, person: int, into: int, tell: Callable[[Tx, Moved], Told]) -> Told:
        """Make `person` one with `into`, in whose lane this runs, and `tell` of it: all or nothing.

        Gives what `tell` does.
        """
        assert self.hooks is not None
        async with self.hooks.resting(person):
            told = await self._db.write(lambda tx: tell(tx, self._join(tx, person, into)))
            self.hooks.moved(person, into, None)
            for one in (person, into):
                self.hooks.discard(one)
        return told

    async def part(self, person: int, account: Account, tell: Callable[[Tx, Parted], Told]) -> Told:
        """Make a person of its own of the account, in the lane of the one that it leaves.

        As in `join`.
        """
        assert self.hooks is not None

        def work(tx: Tx) -> tuple[int, set[int], Told]:
            to = people.new(tx, account, self._clock.now(), like=person)
            parted = self._part(tx, person, to, account)
            return to, people.conversations(tx, to), tell(tx, parted)

        to, conversations, told = await self._db.write(work)
        self.hooks.moved(person, to, conversations)
        self.hooks.discard(person)
        return told

    def _join(self, tx: Tx, person: int, into: int) -> Moved:
        now = self._clock.now()
        one = merging.lines(working_contexts.history(tx, into))
        other = merging.lines(working_contexts.history(tx, person))
        mine = self._memories.of(into).working_context_in(tx)
        theirs = self._memories.of(person).working_context_in(tx)
        summary, left_out = self._summary(tx, person, into)
        joining.set_brought(tx, into, mine.id, now)
        joining.set_brought(tx, person, theirs.id, now)
        links.cancel(tx, person)
        links.cancel(tx, into)
        moved = joining.join(tx, person, into)
        both = self._memories.of(into)
        result = merging.merged(mine.text, one, other, both.limit(mine.text))
        # what an undo goes back to is what this side had before
        working_contexts.add(tx, into, mine.text, cause="before link", now=now)
        version = working_contexts.add(tx, into, result.text, cause="link", now=now)
        memory_state.show(tx, into, version.id)
        if summary is not None:
            memory_state.flush(tx, into, through=None, summary=summary, now=now)
        for text in (*result.left_over, *left_out):
            if not passages.same(tx, into, text):
                passages.add(tx, into, text, source=FROM_ELSEWHERE, now=now)
        return moved

    def _summary(self, tx: Tx, person: int, into: int) -> tuple[Summary | None, list[str]]:
        """The summary of both queues, and what of the old ones had no room in it.

        What one has evicted later than the other takes along what that one still had in view.
        """
        states = [memory_state.load(tx, one).summary for one in (into, person)]
        through = max(memory_state.evicted_through(tx, one) for one in (into, person))
        leaving = sorted(
            (
                entry
                for one in (into, person)
                for entry in messages.queue(tx, one)
                if entry.id <= through
            ),
            key=lambda entry: entry.id,
        )
        old = [state.text for state in states if state is not None]
        if not old and not leaving:
            return None, []
        limit = self._limits.summary
        text = "\n\n".join(old)
        whole = self._counter.count(text)
        both = Summary(text, whole) if old else None
        is_cut = bool(leaving) or whole > limit
        if is_cut:
            text = digest(both, leaving, self._counter, limit)
        kept = Summary(text, self._counter.count(text))
        return kept, old if is_cut and whole > limit // 2 else []

    def _part(self, tx: Tx, person: int, to: int, account: Account) -> Parted:
        now = self._clock.now()
        brought = joining.brought(tx, person, account.platform)
        version = working_contexts.get(tx, person, brought.version) if brought else None
        moved = joining.part(tx, person, to, account.platform)
        persona = working_context.persona(self._memories.of(person).working_context_in(tx).text)
        text = version.text if version else working_context.first(persona)
        own = working_contexts.add(tx, to, text, cause="unlink", now=now)
        memory_state.show(tx, to, own.id)
        joining.set_not_brought(tx, to)
        if len(people.accounts(tx, person)) == 1:
            joining.set_not_brought(tx, person)
        since = brought.linked_at if brought and version else None
        return Parted(moved=moved, context_of=since)
