"""Six weeks of two people on two platforms, with everything that may go wrong with time.

Anna lives in Berlin and Ben in New York. Both have reminders, check-ins and quiet hours, Anna wants
openers as well. The companion is restarted, killed, and down for a minute, an hour, a day and a
week; the clocks change where both live; Ben blocks the companion and comes back. In the end all
that was promised has come exactly once.
"""

import random
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from companion.errors import OutOfReachError
from companion.event_text import local_time
from companion.events import Address, MessageReceived, OutgoingMessage, Sender
from companion.llm.protocol import Message, Reply
from companion.storage import people, schedule, timing
from companion.storage.database import Tx
from companion.timed.hours import Hours
from companion.timed.recurrence import Repeats, Rule, instant
from tests.support.scripted_llm import ScriptedLLM, calls, sends
from tests.support.virtual_clock import VirtualClock
from tests.support.world import World, a_world

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
WEEKS = 6 * 7
PROMPT = 5 * MINUTE
"""What comes so soon after its time doesn't say when that was."""
LATE_REMINDER, LATE_CHECK_IN = DAY, 6 * HOUR
THOUGHTS = (
    "How did the pottery class turn out?", "Any news from your landlord?",
    "Did Momo like the new food?", "I keep thinking of your trip to Porto.",
    "Was the dentist as bad as you feared?", "Have you finished that thriller?",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with a chat on a platform of their own."""

    name: str
    platform: str
    zone: ZoneInfo
    quiet: Hours

    @property
    def address(self) -> Address:
        return Address(platform=self.platform, chat=self.name)

    @property
    def sender(self) -> Sender:
        return Sender(user=self.name, name=self.name)

    def is_quiet(self, moment: datetime) -> bool:
        return moment.astimezone(self.zone).time() in self.quiet


ANNA = Person("Anna", "paper", ZoneInfo("Europe/Berlin"), Hours(time(22), time(7)))
BEN = Person("Ben", "slate", ZoneInfo("America/New_York"), Hours(time(23), time(8)))


@dataclass(frozen=True, slots=True)
class Promise:
    """Something that a person asked for. `times` are all of its times in these weeks."""

    person: Person
    text: str
    rule: Rule
    times: tuple[datetime, ...]
    purpose: str = "reminder"


@dataclass(frozen=True, slots=True)
class Heard:
    """What came to a chat, and when."""

    platform: str
    chat: str
    text: str
    at: datetime


@dataclass
class Life:
    """The weeks, and all that was heard in them."""

    folder: Path
    clock: VirtualClock
    llm: ScriptedLLM
    heard: list[Heard] = field(default_factory=list)
    blocked: set[str] = field(default_factory=set)
    _had: set[tuple[int, int]] = field(default_factory=set)

    async def send(self, message: OutgoingMessage) -> None:
        """A platform that knows what it has had."""
        if message.address.chat in self.blocked:
            raise OutOfReachError("blocked by the user")
        if (message.id, message.piece) not in self._had:
            self._had.add((message.id, message.piece))
            address = message.address
            self.heard.append(Heard(address.platform, address.chat, message.text, self.clock.now()))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[World]:
        """The companion, until it is killed at the end of the block."""
        async with a_world(self.folder, self.llm, clock=self.clock, deliver=False) as world:
            for person in (ANNA, BEN):
                world.companion.people.trust(person.platform)
                world.companion.deliver(person.platform, self.send, repeatable=True)
            await world.companion.quiet()
            yield world

    async def live_until(self, world: World, until: datetime) -> None:
        """Let everything happen that is due until then."""
        while True:
            following = await world.firing.fire_due()
            await world.companion.quiet()
            now = self.clock.now()
            if now >= until:
                return
            self.clock.advance(max(min(following or until, until) - now, MINUTE / 60))

    async def write(self, world: World, person: Person, text: str) -> None:
        """`person` writes."""
        await world.companion.handle(
            MessageReceived(
                id=f"{person.name} {self.clock.now().isoformat()} {text}",
                address=person.address,
                sender=person.sender,
                at=self.clock.now(),
                text=text,
            )
        )
        await world.companion.quiet()


def model() -> ScriptedLLM:
    """Says what it is to bring up; thinks of something to open with; else it is content."""
    thoughts = iter(THOUGHTS * 20)

    def answer(messages: Sequence[Message]) -> Reply:
        if "What you could write about" in messages[-1].text:
            return calls(("send_opener", {"text": next(thoughts), "about": 1}))
        event = next(m.text for m in reversed(messages[:-1]) if m.text.startswith("["))
        if "(nobody wrote;" in event:
            return sends(event.rpartition(") ")[2])
        return sends("Fine.")

    return ScriptedLLM(answer)


def promised(start: datetime, rng: random.Random) -> list[Promise]:
    """What both asked for."""
    end = start + WEEKS * DAY
    made = []
    for person in (ANNA, BEN):
        first = start.astimezone(person.zone).date()
        daily: list[tuple[str, Repeats, time, str]] = [
            ("takes a pill at night", "daily", time(2, 30), "reminder"),
            ("stretches at midnight", "daily", time(0, 0), "reminder"),
            ("has lunch", "weekdays", time(12, 30), "reminder"),
            ("tells how they slept", "daily", time(6, 45), "check_in"),
            ("tells of the day", "daily", time(21, 15), "check_in"),
        ]
        for what, repeats, at, purpose in daily:
            rule = Rule(repeats=repeats, first_day=first, wall_time=at, zone=person.zone.key)
            times = tuple(_times(rule, start, end))
            made.append(Promise(person, f"{person.name} {what}", rule, times, purpose))
        for number in range(25):
            at_once = start + rng.randint(60, WEEKS * 24 * 60 - 600) * MINUTE
            rule = Rule(repeats="once", at=at_once)
            made.append(Promise(person, f"{person.name} number {number}", rule, (at_once,)))
    return made


def _times(rule: Rule, start: datetime, end: datetime) -> Iterator[datetime]:
    """All times of `rule`, day by day."""
    assert rule.first_day is not None
    assert rule.wall_time is not None
    for days in range(WEEKS + 2):
        day = rule.first_day + timedelta(days=days)
        moment = instant(day, rule.wall_time, ZoneInfo(rule.zone or ""))
        if (rule.repeats == "weekdays" and day.weekday() >= 5) or moment is None:
            continue
        if start < moment <= end:
            yield moment


async def keep(world: World, promises: Sequence[Promise], now: datetime) -> None:
    """Put all of it into the schedule."""

    def work(tx: Tx) -> None:
        for one in promises:
            place = people.place(tx, one.person.address, one.person.sender, now)
            timing.set_quiet(tx, place.person, one.person.quiet)
            schedule.add(
                tx,
                place,
                purpose=one.purpose,
                text=one.text,
                rule=one.rule,
                due_at=one.times[0],
                now=now,
            )

    await world.db.write(work)


@dataclass(frozen=True, slots=True)
class Gap:
    """From `begin` to `end` nothing could come to anybody, or to `only` one."""

    begin: datetime
    end: datetime
    only: Person | None = None


def owed(
    promises: Sequence[Promise], gaps: Sequence[Gap], end: datetime
) -> tuple[Counter[str], Counter[str]]:
    """What has to come until `end`, each with the time when it was due.

    First the things themselves, then those of which only a word comes that they were missed.
    """
    comes: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    refused = {_first_refused(promises, gap) for gap in gaps if gap.only is not None}
    for one in promises:
        for due, following in zip(one.times, (*one.times[1:], None), strict=True):
            moment = _reached(one, due, gaps)
            if following is not None and following <= moment and _key(one, due) not in refused:
                continue  # of several that were missed the last one counts
            allowed = LATE_CHECK_IN if one.purpose == "check_in" else LATE_REMINDER
            if moment - due <= allowed and moment <= end:
                comes[_key(one, due)] += 1
            elif one.purpose == "reminder":
                missed[_key(one, due)] += 1
    return comes, missed


def _first_refused(promises: Sequence[Promise], gap: Gap) -> str:
    """What finds out that its chat can't be reached: it comes again apart from those after it."""
    after = [
        (due, one)
        for one in promises
        for due in one.times
        if due > gap.begin and one.person == gap.only
    ]
    due, one = min(after, key=lambda pair: pair[0])
    assert one.purpose == "reminder"
    return _key(one, due)


def _key(one: Promise, due: datetime) -> str:
    return f"{one.text} {due.isoformat()}"


def _reached(one: Promise, due: datetime, gaps: Sequence[Gap]) -> datetime:
    """When something that is due then can come at the earliest."""
    moment = due
    for gap in gaps:
        if one.purpose == "check_in":
            moment = _after_quiet(one.person, moment)
        if gap.only in (None, one.person) and gap.begin < moment < gap.end:
            moment = gap.end
    return moment


def _after_quiet(person: Person, moment: datetime) -> datetime:
    while person.is_quiet(moment):
        moment = moment.replace(second=0, microsecond=0) + MINUTE
    return moment


def came(promises: Sequence[Promise], heard: Sequence[Heard]) -> Counter[str]:
    """What was heard of the promises, each with the time for which it was."""
    found: Counter[str] = Counter()
    by_text = {one.text: one for one in promises}
    for each in heard:
        text, _, due_at = each.text.partition("\n(this was due at ")
        one = by_text.get(text)
        if one is None:
            continue
        due = max(moment for moment in one.times if moment <= each.at)
        if due_at:
            assert due_at == f"{local_time(due, one.person.zone)})"
        elif one.purpose == "reminder":
            assert each.at - due <= PROMPT
        found[_key(one, due)] += 1
    return found


def told_of(promises: Sequence[Promise], heard: Sequence[Heard]) -> Counter[str]:
    """What the words about missed reminders name."""
    named: Counter[str] = Counter()
    for each in heard:
        for one in promises:
            for due in one.times:
                line = f"“{one.text}”, due {local_time(due, one.person.zone)}"
                named[_key(one, due)] += each.text.count(line)
    return +named


def nobody_elses(heard: Sequence[Heard]) -> None:
    """Everybody heard only what was theirs, where they are."""
    for each in heard:
        mine = ANNA if each.chat == ANNA.name else BEN
        other = BEN if mine is ANNA else ANNA
        assert each.platform == mine.platform
        assert not each.text.startswith(other.name)
        assert f"“{other.name}" not in each.text


def nothing_unasked_in_quiet_hours(promises: Sequence[Promise], heard: Sequence[Heard]) -> None:
    """Check-ins and openers kept out of quiet hours, and of each other's chats."""
    check_ins = {one.text for one in promises if one.purpose == "check_in"}
    for each in heard:
        if each.text in THOUGHTS:
            assert each.chat == ANNA.name
            assert not ANNA.is_quiet(each.at)
        if each.text in check_ins:
            assert not (ANNA if each.chat == ANNA.name else BEN).is_quiet(each.at)
    assert any(each.text in THOUGHTS for each in heard)


def at(start: datetime, days: int, person: Person, clock: time) -> datetime:
    """That time of that day where `person` lives."""
    day = start.astimezone(person.zone).date() + timedelta(days=days)
    moment = instant(day, clock, person.zone)
    assert moment is not None
    return moment


@dataclass(frozen=True, slots=True)
class Weeks:
    """What happens to everybody: when nothing runs, when Ben blocks us, when we are killed."""

    start: datetime
    down: tuple[Gap, ...]
    blocked: Gap
    kills: tuple[datetime, ...]

    @property
    def gaps(self) -> tuple[Gap, ...]:
        return tuple(sorted((*self.down, self.blocked), key=lambda gap: gap.begin))

    def moments(self) -> list[tuple[datetime, str]]:
        """All of it in order, with what people write."""
        found = [(gap.begin, "down") for gap in self.down]
        found += [(self.blocked.begin, "block"), (self.blocked.end, "unblock")]
        found += [(kill, "kill") for kill in self.kills]
        for days in range(1, WEEKS):
            found.append((at(self.start, days, ANNA, time(17, 3)), "Anna writes"))
            if days % 5 == 0:
                found.append((at(self.start, days, BEN, time(10, 11)), "Ben writes"))
        free = [
            (moment, what)
            for moment, what in sorted(found)
            if what == "down" or not any(gap.begin <= moment < gap.end for gap in self.down)
        ]
        return [
            (moment, what)
            for moment, what in free
            if not (what == "Ben writes" and self.blocked.begin <= moment < self.blocked.end)
        ]

    async def pass_by(self, life: Life) -> None:
        """Live through all of it."""
        moments = iter([*self.moments(), (self.start + WEEKS * DAY, "end")])
        what = ""
        while what != "end":
            async with life.running() as world:
                what = await self._until_the_next_death(life, world, moments)
            if what == "down":
                (gap,) = (gap for gap in self.down if gap.begin == life.clock.now())
                life.clock.advance(gap.end - life.clock.now())

    async def _until_the_next_death(
        self, life: Life, world: World, moments: Iterator[tuple[datetime, str]]
    ) -> str:
        for moment, what in moments:
            await life.live_until(world, moment)
            if what == "kill":
                await world.firing.fire_due()  # and then what fired is killed in its turn
            if what in ("kill", "down", "end"):
                return what
            if what == "block":
                life.blocked.add(BEN.name)
            elif what == "unblock":
                life.blocked.clear()
                await life.write(world, BEN, "I am back.")
            else:
                name = what.removesuffix(" writes")
                person = ANNA if name == ANNA.name else BEN
                await life.write(world, person, "My pottery class goes on next Thursday.")
        raise AssertionError("the end comes last")


def weeks(start: datetime, promises: Sequence[Promise], rng: random.Random) -> Weeks:
    """Downtimes of a minute, an hour, a day and a week, a block, and kills just as things fire."""
    lunch = at(start, 3, ANNA, time(12, 30))
    down = (
        Gap(lunch - MINUTE / 2, lunch + MINUTE / 2),
        Gap(start + 9 * DAY, start + 9 * DAY + HOUR),
        Gap(start + 16 * DAY, start + 17 * DAY),
        Gap(start + 23 * DAY, start + 30 * DAY),
    )
    blocked = Gap(at(start, 12, BEN, time(23, 50)), at(start, 14, BEN, time(9, 50)), only=BEN)
    due = sorted(
        moment
        for one in promises
        for moment in one.times
        if not any(gap.begin <= moment < gap.end for gap in (*down, blocked))
    )
    return Weeks(start, down, blocked, tuple(rng.sample(due, 12)))


@pytest.mark.timeout(0)
@pytest.mark.parametrize(
    "start",
    [
        # the clocks go forward on 8 March in New York and on 29 March in Berlin
        datetime(2026, 3, 2, 11, 7, tzinfo=UTC),
        # and back on 25 October in Berlin and on 1 November in New York
        datetime(2026, 10, 5, 11, 7, tzinfo=UTC),
    ],
    ids=["spring", "autumn"],
)
async def test_all_that_was_promised_comes_once_to_whom_it_is_for(
    tmp_path: Path, start: datetime
) -> None:
    rng = random.Random(start.month)
    life = Life(tmp_path, VirtualClock(start), model())
    promises = promised(start, rng)
    these = weeks(start, promises, rng)
    async with life.running() as world:
        for person in (ANNA, BEN):
            await life.write(world, person, f"/timezone {person.zone.key}")
        await life.write(world, ANNA, "/openers often")
        await life.write(world, ANNA, "My pottery class is next Thursday.")
        await keep(world, promises, life.clock.now())
    await these.pass_by(life)
    comes, missed = owed(promises, these.gaps, start + WEEKS * DAY)
    assert came(promises, life.heard) == comes
    assert told_of(promises, life.heard) == missed
    nobody_elses(life.heard)
    nothing_unasked_in_quiet_hours(promises, life.heard)
