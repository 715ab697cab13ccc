"""The turn of an opener: the model is shown what there is to write about; it writes or declines."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from companion.clock import Clock
from companion.embedders.protocol import Embedder
from companion.events import TimerFired
from companion.functions.errand import Errand
from companion.functions.executor import FunctionExecutor
from companion.functions.memory import archival_storage_search, conversation_search
from companion.memory.memories import Memories
from companion.openers.arranging import OPENER
from companion.openers.brief import CUE, NUDGE, brief
from companion.openers.candidates import About
from companion.openers.drafting import Draft, drafting
from companion.openers.judge import Judge, Matter
from companion.openers.likeness import too_like
from companion.settings import Settings
from companion.storage import inbox, openers, outbox, people, schedule
from companion.storage.database import Database, Tx
from companion.storage.inbox import InboxItem
from companion.storage.people import Place
from companion.timed.purposes import Purpose, zone_of
from companion.turns.agents import Agents
from companion.turns.gathering import Batch

STEPS = 5
"""Of the model's in one such turn: a search or two, a draft, and one more."""
NO_WORD = "it called nothing"
DAY = timedelta(days=1)


def opener_turns(
    db: Database, *, settings: Settings, agents: Agents, memories: Memories, clock: Clock
) -> "OpenerTurns":
    """Openers as the settings want them."""
    judge = Judge(settings.openers, settings.agent.name)
    return OpenerTurns(db, judge=judge, agents=agents, embedder=memories.embedder, clock=clock)


class OpenerTurns:
    """Runs the turns of openers."""

    def __init__(
        self, db: Database, *, judge: Judge, agents: Agents, embedder: Embedder | None, clock: Clock
    ) -> None:
        self._db = db
        self._judge = judge
        self._agents = agents
        self._embedder = embedder
        self._clock = clock

    @property
    def purpose(self) -> Purpose:
        """What the schedule has to know of openers."""
        return Purpose(name=OPENER, late=DAY, cue=CUE, gate=self._judge.gate, run=self.run)

    async def run(self, item: InboxItem) -> None:
        """Let the model write to the person of `item`, or decline.

        Raises:
            LLMError: no model answers.
        """
        now = self._clock.now()
        matter = await self._db.read(lambda tx: self._matter(tx, item.person, now))
        offered = await self._db.write(lambda tx: _offered(tx, item, matter, now))
        if offered:
            agent = await self._agents.get(item.person)
            errand = await self._errand(item, matter, offered, now)
            await agent.handle(Batch(item), errand=errand)
        await self._db.write(partial(self._close, item), patient=True)

    async def write_now(self, place: Place) -> str | None:
        """What the companion writes first to somebody now, whatever the gates say; None if it
        keeps silent. For experiments: it goes on its way like any opener.

        Raises:
            LLMError: no model answers.
        """
        now = self._clock.now()
        event = TimerFired(
            id=f"{OPENER}:{place.person}:{now.isoformat()}",
            address=place.address,
            at=now,
            due=now,
            text="",
            purpose=OPENER,
            cue=CUE,
        )
        item = await self._db.write(lambda tx: inbox.add(tx, place, event, now))
        if item is None:
            return None
        await self.run(item)
        texts = await self._db.read(lambda tx: outbox.sent_texts(tx, item.person, item.id))
        return texts[0] if texts else None

    def _matter(self, tx: Tx, person: int, now: datetime) -> Matter:
        zone = zone_of(people.get(tx, person).timezone)
        return self._judge.matter(tx, person, zone, now)

    async def _errand(
        self, item: InboxItem, matter: Matter, offered: Sequence[About], now: datetime
    ) -> Errand:
        person = await self._db.read(lambda tx: people.get(tx, item.person))
        texts = [one.text for one in matter.earlier]
        repeats = partial(too_like, earlier=texts, embedder=self._embedder, names=matter.names)
        zone = zone_of(person.timezone)
        draft = Draft(offered, self._judge.end_of_hours(now, zone), repeats)
        found = {one.about: one for one in matter.found}
        return Errand(
            brief=brief(
                [found.get(about) for about in offered],
                matter.earlier,
                name=matter.name,
                heard=matter.heard,
                now=now,
                zone=zone,
            ),
            executor=FunctionExecutor(
                (*drafting(draft), conversation_search, archival_storage_search)
            ),
            nudge=NUDGE,
            max_steps=STEPS,
        )

    def _close(self, item: InboxItem, tx: Tx) -> None:
        """Close the event, and look again today if the person wants more of it."""
        inbox.finish(tx, item.person, item.id)
        openers.silent(tx, item.person, item.id, NO_WORD)
        event = item.event
        one = (
            schedule.get(tx, item.person, event.schedule) if isinstance(event, TimerFired) else None
        )
        rhythm = self._judge.rhythm(openers.wished(tx, item.person).wish)
        if one is not None and one.state == "active" and rhythm is not None and rhythm.cap > 1:
            zone = zone_of(people.get(tx, item.person).timezone)
            self._judge.look_again_today(tx, one, zone, self._clock.now())


def _offered(tx: Tx, item: InboxItem, matter: Matter, now: datetime) -> Sequence[About]:
    """What is put before the model: the same as before a restart, if it was asked then."""
    before = openers.offered(tx, item.person, item.id)
    if before is not None:
        return before
    offered = [one.about for one in matter.offered(now)]
    if offered:
        openers.asked(tx, item.person, item.id, offered, now)
    return offered
