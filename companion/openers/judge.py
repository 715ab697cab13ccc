"""Judges the gates with what storage knows: the gate of the purpose "opener"."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo

from companion.openers.candidates import Candidate, Remark, candidates, sentences
from companion.openers.choosing import Used, fresh, offered, waits
from companion.openers.gates import Gate, Rhythm, Situation, shut
from companion.openers.spread import next_look
from companion.search.words import names as name_parts
from companion.settings import OpenerSettings
from companion.storage import openers, people, remarks, schedule, timing
from companion.storage.database import Tx
from companion.storage.openers import Opener, Wish
from companion.storage.schedule import Scheduled
from companion.timed.hours import Hours
from companion.timed.purposes import Delay, Due, Fire, Skip, Verdict, zone_of

REMEMBERED = 10
"""Openers that a new one is held against."""
READ_BACK = timedelta(days=60)
"""How far back in what was said something to write about is looked for."""
AT_A_LOOK = timedelta(minutes=10)
"""So long after a moment to look it is still that moment: the lane or the machine was busy."""
WAITS = "waits for its moment"
MAY_OPEN = (
    Gate.IN_CONVERSATION,
    Gate.UNDER_WAY,
    Gate.BACKING_OFF,
    Gate.MINIMUM_GAP,
    Gate.NOTHING_TO_SAY,
    Gate.BETTER_LATER,
    Gate.OUTSIDE_HOURS,
    Gate.QUIET_HOURS,
)
"""Gates that may open before the day is over; the others are looked at again tomorrow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matter:
    """What there is to write about to a person: what was `found`, and of that the `choice`.

    `names` are the words by which the person and the companion are called; `earlier` are the last
    openers, the newest first.
    """

    name: str
    names: frozenset[str]
    heard: datetime | None
    found: Sequence[Candidate]
    choice: Sequence[Candidate]
    earlier: Sequence[Opener]

    def offered(self, now: datetime) -> list[Candidate]:
        """What is put before the model at `now`."""
        return offered(self.choice, now)


class Judge:
    """Decides whether the companion may write first to somebody now, and about what."""

    def __init__(self, settings: OpenerSettings, companion_name: str) -> None:
        self._settings = settings
        self._companion_name = companion_name

    @property
    def hours(self) -> Hours:
        """When openers may come at all, by each person's own clock."""
        return Hours.parse(self._settings.hours)

    def gate(self, tx: Tx, due: Due) -> Verdict:
        """Whether the opener that is `due` happens now; for the schedule."""
        person = due.scheduled.person
        if not due.claimed and not self._is_look(person, due.zone, due.now):
            return Delay(self._next_look(person, due.zone, due.now), WAITS)
        gate = self.shut(tx, person, due.scheduled.conversation, due.now)
        if gate is None:
            return Fire()
        if gate not in MAY_OPEN:
            return Skip(gate.value)
        if due.claimed:  # its row has gone on to tomorrow
            self.look_again_today(tx, due.scheduled, due.zone, due.now)
            return Skip(gate.value)
        return Delay(self._next_look(person, due.zone, due.now), gate.value)

    def look_again_today(self, tx: Tx, one: Scheduled, zone: tzinfo, now: datetime) -> None:
        """Have the schedule look again before the person's day is over, if a look is left."""
        look = self._next_look(one.person, zone, now)
        if look.astimezone(zone).date() == now.astimezone(zone).date():
            schedule.look_again(tx, one, look, look)

    def _next_look(self, person: int, zone: tzinfo, now: datetime) -> datetime:
        return next_look(person, self.hours, zone, now)

    def shut(self, tx: Tx, person: int, conversation: int, now: datetime) -> Gate | None:
        """The gate that is shut for the person now, None when all are open."""
        openers.settle(tx, person)
        situation = self._situation(tx, person, conversation, now)
        gate = shut(situation, now)
        if gate is not None:
            return gate
        assert situation.zone is not None
        assert situation.rhythm is not None
        matter = self.matter(tx, person, situation.zone, now)
        if not matter.offered(now):
            return Gate.NOTHING_TO_SAY
        last = situation.sent_today + 1 >= situation.rhythm.cap
        until = self.end_of_hours(now, situation.zone)
        return Gate.BETTER_LATER if last and waits(matter.choice, now, until) else None

    def matter(self, tx: Tx, person: int, zone: tzinfo, now: datetime) -> Matter:
        """What there is to write about, from memory and what was written before."""
        told = remarks.of(tx, person, now - READ_BACK)
        earlier = openers.latest(tx, person, REMEMBERED)
        name = people.get(tx, person).name
        names = frozenset((*name_parts(name), *name_parts(self._companion_name)))
        found = candidates(told, now, zone)
        return Matter(
            name=name,
            names=names,
            heard=openers.talk(tx, person).heard,
            found=found,
            choice=fresh(found, told, now, used=_used(tx, person, earlier), names=names),
            earlier=earlier,
        )

    def _situation(self, tx: Tx, person: int, conversation: int, now: datetime) -> Situation:
        someone = people.get(tx, person)
        zone = zone_of(someone.timezone) if someone.timezone else None
        midnight = _midnight(now, zone or UTC)
        wished = openers.wished(tx, person)
        said = timing.get(tx, person)
        talk = openers.talk(tx, person)
        earlier = openers.latest(tx, person, REMEMBERED)
        return Situation(
            enabled=self._settings.enabled,
            allowed=someone.kind == "person" and not openers.is_shut_out(tx, person, conversation),
            rhythm=self.rhythm(wished.wish),
            paused_until=said.paused_until,
            reachable=not people.is_unreachable(tx, person, conversation),
            zone=zone,
            hours=self.hours,
            quiet=said.quiet,
            busy=talk.busy,
            under_way=talk.under_way,
            heard=talk.heard,
            said=talk.said,
            last_opener=earlier[0].written_at if earlier else None,
            unanswered=_unanswered(earlier, wished.wished_at),
            sent_today=sum(one.written_at >= midnight for one in earlier),
            asked_today=openers.silences(tx, person, midnight),
        )

    def rhythm(self, wish: Wish | None) -> Rhythm | None:
        """How often somebody who wants this is written to; None for never."""
        cap, gap = self._settings.cap, timedelta(hours=self._settings.gap_hours)
        match wish:
            case "on":
                return Rhythm(cap=cap, gap=gap)
            case "often":
                return Rhythm(cap=cap * 2, gap=gap / 2)
            case "rarely":
                return Rhythm(cap=1, gap=gap, apart=timedelta(days=self._settings.rarely_days))
        return None

    def _is_look(self, person: int, zone: tzinfo, now: datetime) -> bool:
        return self._next_look(person, zone, now - AT_A_LOOK) <= now

    def end_of_hours(self, now: datetime, zone: tzinfo) -> datetime:
        """When the hours that now is in come to their end."""
        local = now.astimezone(zone)
        end = datetime.combine(local.date(), self.hours.end, zone)
        end = end if end > local else end + timedelta(days=1)
        return end.astimezone(UTC)


def _used(tx: Tx, person: int, earlier: Sequence[Opener]) -> list[Used]:
    found = []
    for one in earlier:
        if one.about is not None:
            remark = remarks.find(tx, person, one.about.source)
            found.append(Used(one.about, sentence_of(remark, one.about.sentence)))
    return found


def sentence_of(remark: Remark | None, number: int) -> str:
    """A sentence of what is remembered, counted from 0; empty where it is gone."""
    texts = sentences(remark.text) if remark else []
    return texts[number] if number < len(texts) else ""


def _unanswered(earlier: Sequence[Opener], since: datetime | None) -> int:
    """How many openers in a row nobody answered; what was wished anew begins anew."""
    number = 0
    for one in earlier:
        if one.answered_at is not None or (since is not None and one.written_at < since):
            break
        number += 1
    return number


def _midnight(now: datetime, zone: tzinfo) -> datetime:
    return datetime.combine(now.astimezone(zone).date(), time(), zone).astimezone(UTC)
