"""The agents of the people who talk at the moment, built from storage when they are needed."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from companion import event_text
from companion.clock import Clock
from companion.context.fifo_queue import FifoQueue
from companion.context.limits import Limits
from companion.context.main_context import Counts, MainContext
from companion.context.queue_manager import QueueManager
from companion.deliveries import Deliveries
from companion.functions.executor import FunctionExecutor
from companion.llm.protocol import LLM, TokenCounter
from companion.memory.memories import Memories
from companion.memory.person_memory import PersonMemory
from companion.people.allowance import Allowance
from companion.people.personas import Personas
from companion.settings import Settings
from companion.storage import memory_state, messages, passages, people, working_contexts
from companion.storage.database import Database, Tx
from companion.storage.erase import Gone
from companion.storage.memory_state import QueueState
from companion.storage.messages import Entry
from companion.storage.people import Person
from companion.turns.agent import Agent

KEPT = 200
"""Agents held in memory; who has been silent longest is let go, and comes back from storage."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    person: Person
    state: QueueState
    entries: Sequence[Entry]
    shown: str
    counts: Counts


class Agents:
    """Gives each person's agent."""

    def __init__(
        self,
        db: Database,
        *,
        settings: Settings,
        memories: Memories,
        limits: Limits,
        llm: LLM,
        counter: TokenCounter,
        executor: FunctionExecutor,
        deliveries: Deliveries,
        allowance: Allowance,
        personas: Personas,
        clock: Clock,
    ) -> None:
        self._db = db
        self._settings = settings
        self._memories = memories
        self._limits = limits
        self._llm = llm
        self._counter = counter
        self._executor = executor
        self._deliveries = deliveries
        self._allowance = allowance
        self._personas = personas
        self._clock = clock
        self._agents: OrderedDict[int, Agent] = OrderedDict()

    async def get(self, person: int) -> Agent:
        """The person's agent, as it stands in storage or, if it ran lately, in memory."""
        agent = self._agents.pop(person, None) or await self._load(person)
        self._agents[person] = agent
        if len(self._agents) > KEPT:
            self._agents.popitem(last=False)
        return agent

    def discard(self, person: int) -> None:
        """Forget what is in memory of the person's agent: storage has changed, or it failed."""
        self._agents.pop(person, None)

    def gone(self, gone: Gone) -> None:
        """Somebody was erased, and from these groups what they said there."""
        for person in {gone.person, *gone.groups} - {None}:
            self.discard(person)  # type: ignore[arg-type]

    async def _load(self, person: int) -> Agent:
        memory = self._memories.of(person)
        loaded = await self._db.write(lambda tx: _load(tx, person, memory))
        persona = self._personas.chosen(loaded.person.persona)
        context = MainContext(
            shown=loaded.shown,
            counts=loaded.counts,
            zone=event_text.zone(loaded.person.timezone),
            tools=self._executor.schemas,
            counter=self._counter,
            clock=self._clock,
        )
        queue = QueueManager(
            self._db,
            person,
            state=loaded.state,
            queue=FifoQueue(loaded.entries, loaded.state.summary),
            context=context,
            llm=self._llm,
            counter=self._counter,
            limits=self._limits,
            clock=self._clock,
        )
        return Agent(
            self._db,
            person,
            name=persona.name,
            lore=persona.lore,
            queue=queue,
            memory=memory,
            executor=self._executor,
            deliveries=self._deliveries,
            allowance=self._allowance,
            llm=self._llm,
            counter=self._counter,
            limits=self._limits,
            max_steps=self._settings.agent.max_steps,
            clock=self._clock,
        )


def _load(tx: Tx, person: int, memory: PersonMemory) -> _Loaded:
    current = memory.working_context_in(tx)
    state = memory_state.load(tx, person)
    shown = working_contexts.get(tx, person, state.shown) if state.shown else None
    if shown is None:
        memory_state.show(tx, person, current.id)
        shown = current
    return _Loaded(
        people.get(tx, person),
        state,
        messages.queue(tx, person),
        shown.text,
        Counts(messages.said_count(tx, person), passages.count(tx, person)),
    )
