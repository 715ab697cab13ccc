"""A home of one sample's own: what is stored in it before, and the talk with its companion."""

import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from companion.app import open_companion
from companion.errors import CompanionError, LLMError
from companion.evaluation.experiment import Traits
from companion.evaluation.history import Said, put_history
from companion.evaluation.story_clock import StoryClock
from companion.events import Address, MessageReceived, Sender
from companion.llm.protocol import Reply, Usage
from companion.memory.person_memory import PersonMemory
from companion.opening import Storage, open_storage
from companion.settings import Settings
from companion.storage import inbox, journal, passages, people, usage
from companion.storage.database import Tx
from companion.storage.journal import Step

PLATFORM = "eval"
PERSON = "Robin"
PERSONA = "experiment"
ADDRESS = Address(platform=PLATFORM, chat=PERSON)
SENDER = Sender(user=PERSON, name=PERSON)


class SampleFailedError(CompanionError):
    """There is no answer to judge: no model gave one, or the turn broke."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a sample's requests took together."""

    requests: int
    usage: Usage


class FreshHome:
    """A home with one person in it, whose companion is opened for each thing that happens."""

    def __init__(
        self, folder: Path, settings: Settings, environ: Mapping[str, str], clock: StoryClock
    ) -> None:
        self.clock = clock
        self.settings = settings
        self._folder = folder
        self._environ = environ
        self._events = 0
        self._traced: set[tuple[int, Reply]] = set()
        self._spent = Spent(0, Usage())

    @asynccontextmanager
    async def storage(self) -> AsyncIterator[Storage]:
        """The home's storage, without an agent."""
        async with open_storage(
            self._folder, settings=self.settings, environ=self._environ, clock=self.clock
        ) as storage:
            yield storage

    async def person(self, storage: Storage) -> int:
        """The one person, made when nothing has happened yet."""
        now = self.clock.now()
        return (await storage.db.write(lambda tx: people.place(tx, ADDRESS, SENDER, now))).person

    async def memory(self, storage: Storage) -> PersonMemory:
        """The person's memory."""
        return storage.memories.of(await self.person(storage))

    async def keep(self, texts: Sequence[str], source: str) -> None:
        """Put `texts` into archival storage, as an upload does, and make their vectors."""
        async with self.storage() as storage:
            person = await self.person(storage)
            now = self.clock.now()

            def work(tx: Tx) -> None:
                for text in texts:
                    passages.add(tx, person, text, source=source, now=now)

            await storage.db.write(work)
            await _make_vectors(storage)

    async def live_through(self, history: Sequence[Said], *, evicted: bool) -> None:
        """Have said `history` before; if it is `evicted`, only recall storage tells of it."""
        async with self.storage() as storage:
            person = await self.person(storage)
            await put_history(storage, person, history, ADDRESS, SENDER, evicted=evicted)
            await _make_vectors(storage)

    async def make_vectors(self) -> None:
        """Make the vectors of all that is new, which else happens within a second or two."""
        async with self.storage() as storage:
            await _make_vectors(storage)

    async def tell(self, *texts: str, pause: timedelta = timedelta(0)) -> list[str]:
        """Say each of `texts`, a `pause` after each, and give what is answered to each.

        Raises:
            SampleFailedError: one got no answer.
        """
        answers = []
        async with open_companion(
            self._folder, settings=self.settings, environ=self._environ, clock=self.clock
        ) as companion:
            companion.people.trust(PLATFORM)
            for text in texts:
                self._events += 1
                event = MessageReceived(
                    id=f"told-{self._events}",
                    address=ADDRESS,
                    sender=SENDER,
                    at=self.clock.now(),
                    text=text,
                )
                answers.append("\n".join(await companion.answer(event)))
                self.clock.move(pause)
        await self._check()
        return answers

    async def write_first(self) -> str | None:
        """What the companion writes first, None when it keeps silent.

        Raises:
            SampleFailedError: no model answered.
        """
        async with open_companion(
            self._folder, settings=self.settings, environ=self._environ, clock=self.clock
        ) as companion:
            try:
                written = await companion.write_first(ADDRESS, SENDER)
            except LLMError as error:
                raise SampleFailedError(str(error)) from error
        return written

    async def trace(self) -> list[Step]:
        """The model's answers since the last time, with their calls and results."""
        async with self.storage() as storage:
            person = await self.person(storage)
            steps = await storage.db.read(lambda tx: journal.all_steps(tx, person))
        # not by the row's id alone: what is pruned leaves its number to others
        new = [step for step in steps if (step.id, step.reply) not in self._traced]
        self._traced.update((step.id, step.reply) for step in steps)
        return new

    async def spent(self) -> Spent:
        """What the requests took since the last time."""
        async with self.storage() as storage:
            person = await self.person(storage)
            rows = await storage.db.read(lambda tx: usage.of(tx, person))
        requests = sum(row.requests for row in rows)
        total = sum((row.usage for row in rows), start=Usage())
        before, self._spent = self._spent, Spent(requests, total)
        return Spent(
            requests - before.requests,
            Usage(
                total.prompt_tokens - before.usage.prompt_tokens,
                total.cached_tokens - before.usage.cached_tokens,
                total.completion_tokens - before.usage.completion_tokens,
                total.cost - before.usage.cost,
            ),
        )

    async def _check(self) -> None:
        async with self.storage() as storage:
            person = await self.person(storage)
            failures = await storage.db.read(lambda tx: inbox.failures(tx, person))
        if failures:
            raise SampleFailedError(failures[0])


async def _make_vectors(storage: Storage) -> None:
    if storage.vectorizer is not None:
        await storage.vectorizer.run_once()


@contextmanager
def fresh_home(
    settings: Settings, environ: Mapping[str, str], traits: Traits, begin: datetime | None = None
) -> Iterator[FreshHome]:
    """A home for one sample of an experiment with these `traits`, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="companion-eval-") as folder:
        clock = StoryClock(begin) if begin else StoryClock()
        if traits.instructions:
            place = Path(folder) / "personas" / f"{PERSONA}.md"
            place.parent.mkdir()
            place.write_text(traits.instructions, encoding="utf-8")
        yield FreshHome(Path(folder), _adapted(settings, traits), environ, clock)


def _adapted(settings: Settings, traits: Traits) -> Settings:
    """`settings` for `traits`, and nothing said to the person but answers."""
    agent: dict[str, object] = {"persona": PERSONA} if traits.instructions else {}
    if traits.max_steps is not None:
        agent["max_steps"] = traits.max_steps
    memory = {} if traits.page_size is None else {"page_size": traits.page_size}
    return settings.model_copy(
        update={
            "agent": settings.agent.model_copy(update=agent),
            "memory": settings.memory.model_copy(update=memory),
            "people": settings.people.model_copy(update={"hello": ""}),
            "openers": settings.openers.model_copy(update={"offer_after": 0}),
        }
    )
