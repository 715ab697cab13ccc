"""Night thoughts: once a day, when a person has been silent for hours, their memory is tidied."""

import asyncio
import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from companion.clock import Clock
from companion.errors import LLMError
from companion.llm.protocol import LLM, Message, Reply
from companion.memory.memories import Memories
from companion.night.asking import TIDY, edits, prompt
from companion.night.tidying import Material, Tidied, tidied
from companion.people.allowance import Allowance
from companion.settings import NightSettings
from companion.storage import (
    memory_state,
    openers,
    passages,
    people,
    remarks,
    schedule,
    tidyings,
    usage,
    working_contexts,
)
from companion.storage.database import Database, Tx
from companion.storage.inbox import InboxItem
from companion.storage.people import Place
from companion.timed.hours import Hours
from companion.timed.purposes import Due, Fire, Purpose, Skip, Verdict, zone_of
from companion.timed.recurrence import Rule
from companion.turns.agent import Agent
from companion.turns.agents import Agents

logger = logging.getLogger(__name__)

NIGHT = "night"
"""The purpose of such a timed event."""
SOMETHING = 4
"""Messages that make a day worth a thought."""
NOTES = 60
"""So many notes are looked at, the newest."""
NOTE_CHARS = 1000
ANSWER_TOKENS = 1500
PATIENCE = timedelta(minutes=2)
"""Somebody may write meanwhile, and would wait."""
DAY = timedelta(days=1)


class Night:
    """Thinks about people at night. It sends nothing, and has no way to."""

    def __init__(
        self,
        db: Database,
        *,
        settings: NightSettings,
        llm: LLM,
        agents: Agents,
        memories: Memories,
        allowance: Allowance,
        clock: Clock,
    ) -> None:
        self._db = db
        self._settings = settings
        self._llm = llm
        self._agents = agents
        self._memories = memories
        self._allowance = allowance
        self._clock = clock
        self._arranged: set[int] = set()

    @property
    def purpose(self) -> Purpose:
        """What the schedule has to know of it. It bothers nobody: no quiet hours keep it back."""
        late = Hours.parse(self._settings.hours).length
        return Purpose(
            name=NIGHT, late=late, cue="night", quiet=False, gate=self._gate, run=self.run
        )

    async def after_turn(self, _agent: Agent, item: InboxItem) -> None:
        """See to it that there are nights for the person of `item`."""
        if not self._settings.enabled or item.person in self._arranged:
            return
        if item.address.private:
            await self._db.write(lambda tx: self._arrange(tx, item), patient=True)
        self._arranged.add(item.person)

    async def run(self, item: InboxItem) -> None:
        """Put the memory of the person of `item` in order.

        Raises:
            TurnEndedError: what they may have of the model today is used up.
        """
        await self._allowance.check(item)
        now = self._clock.now()
        seen = await self._db.read(lambda tx: self._look(tx, item, now))
        reply = await self._asked(seen, item) if seen else None
        if seen is None or reply is None:
            return
        limit = self._memories.of(item.person).limit(seen.material.context)
        result = tidied(seen.material, edits(reply.calls), limit=limit)
        await self._db.write(lambda tx: _keep(tx, item, seen, result, reply, now))
        self._agents.discard(item.person)

    def _gate(self, tx: Tx, due: Due) -> Verdict:
        person, idle = due.scheduled.person, timedelta(hours=self._settings.idle_hours)
        talk = openers.talk(tx, person)
        if not self._settings.enabled:
            return Skip("disabled")
        if talk.busy or (talk.heard is not None and due.now - talk.heard < idle):
            return Skip("they talk")
        if tidyings.day(tx, person).messages < SOMETHING:
            return Skip("the day held nothing")
        midnight = datetime.combine(due.now.date(), time(), due.now.tzinfo)
        if tidyings.spent(tx, midnight) >= self._settings.tokens:
            return Skip("the day's tokens are used up")
        return Fire()

    def _arrange(self, tx: Tx, item: InboxItem) -> None:
        """One night a day, at a moment that is the person's own."""
        if schedule.to_come(tx, item.person, [NIGHT]):
            return
        now, zone = self._clock.now(), zone_of(people.get(tx, item.person).timezone)
        hours = Hours.parse(self._settings.hours)
        begin = datetime.combine(now.date(), hours.begin) + hours.length * _share(item.person)
        rule = Rule(
            repeats="daily",
            first_day=now.astimezone(zone).date(),
            wall_time=begin.time().replace(second=0, microsecond=0),
            zone=zone.key,
        )
        due_at = rule.next(now)
        if due_at is not None:
            place = Place(item.conversation, item.person, item.address)
            schedule.add(tx, place, purpose=NIGHT, text="", rule=rule, due_at=due_at, now=now)

    def _look(self, tx: Tx, item: InboxItem, now: datetime) -> "_Seen | None":
        """What there is to think about; None when it was done, before a restart."""
        if tidyings.is_done(tx, item.person, item.id):
            return None
        person = people.get(tx, item.person)
        version = working_contexts.current(tx, item.person)
        if version is None:
            return None
        told = remarks.of(tx, item.person, now - DAY)
        since = {one.text: one.said_at for one in told if one.source.kind == "context"}
        notes = [
            note
            for note in passages.everything(tx, item.person)
            if note.is_a_note and note.until is None and len(note.text) <= NOTE_CHARS
        ][-NOTES:]
        talk = [one.text for one in told if one.source.kind in ("message", "summary")]
        material = Material(version.text, notes, talk)
        asked = prompt(
            material,
            [since.get(line, version.created_at) for line in material.lines],
            name=person.name,
            now=now,
            zone=zone_of(person.timezone),
        )
        return _Seen(version.id, material, asked, tidyings.day(tx, item.person).newest)

    async def _asked(self, seen: "_Seen", item: InboxItem) -> Reply | None:
        try:
            async with asyncio.timeout(PATIENCE.total_seconds()):
                return await self._llm.complete(seen.asked, (TIDY,), answer_tokens=ANSWER_TOKENS)
        except (LLMError, TimeoutError) as error:
            logger.warning("no thoughts in the night of event %d: %s", item.id, error)
            return None


@dataclass(frozen=True, slots=True)
class _Seen:
    """Memory as the model saw it: the version of the working context, and the newest message."""

    context: int
    material: Material
    asked: Sequence[Message]
    newest: int


def _keep(
    tx: Tx, item: InboxItem, seen: _Seen, result: Tidied, reply: Reply, now: datetime
) -> None:
    """Write down what came of a night: all of it, or nothing where memory changed meanwhile."""
    person, used = item.person, reply.usage
    if reply.model:
        usage.add(tx, person, now.date(), reply.model, used)
    current = working_contexts.current(tx, person)
    unchanged = current is not None and current.id == seen.context
    version, added = None, []
    there = {note.id for note in passages.everything(tx, person)}
    gone = [note for note in result.gone if note.id in there]
    sound = unchanged and len(gone) == len(result.gone) and result.changes(seen.material)
    if sound:
        version = current
        if result.context != seen.material.context:
            version = working_contexts.add(
                tx, person, result.context, cause=NIGHT, now=now, event=item.id
            )
            memory_state.show(tx, person, version.id)
        for note in gone:
            passages.remove(tx, person, note.id)
        for text in result.added:
            if passages.same(tx, person, text) is None:
                added.append(passages.add(tx, person, text, source="model", now=now))
    tidyings.add(
        tx,
        person,
        item.id,
        through=seen.newest,
        tokens=used.prompt_tokens + used.completion_tokens,
        context=version.id if version else None,
        gone=gone if sound else (),
        added=added,
        now=now,
    )


def _share(person: int) -> float:
    """Where in the night hours somebody's moment lies: the same after every start."""
    return hashlib.sha256(f"night {person}".encode()).digest()[0] / 256
