"""Six weeks of two people on two platforms, with everything that happens to a program meanwhile."""

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from companion.errors import OutOfReachError
from companion.events import Address, MessageReceived, OutgoingMessage, Sender
from companion.llm.build import build_llm
from companion.settings import ModelSettings
from companion.timed.hours import Hours
from tests.support.model_refusals import Asked
from tests.support.model_server import Completion, ModelServer, calls, says
from tests.support.openers import wait
from tests.support.virtual_clock import VirtualClock
from tests.support.world import PLATFORM, World, a_world

DAY = timedelta(days=1)
WEEKS = 6 * 7
THINGS = """
apples bees cats dogs eggs figs gulls hats ink jazz kites lemons moss nuts owls pears quilts roses
snow tea urns violets wool yoga amber birch clay dunes elm fog glass hail iron jade kelp lace mint
nylon oak pine quartz reeds salt thyme umber vines wax yarn zinc basil coral
""".split()  # noqa: SIM905 - quoted words are harder to read
BEFORE, AFTER = "Good luck with {}", "How was it yesterday, with {}"
_OPENERS = re.compile("(?:Good luck with|How was it yesterday, with) (.*)")
DOWN = (timedelta(minutes=1), timedelta(hours=1), DAY, 7 * DAY)


@dataclass
class Life:
    """One person: where they are and talk, and what reached them."""

    name: str
    platform: str
    zone: ZoneInfo
    things: Iterator[str]
    told: set[str] = field(default_factory=set)
    openers: list[tuple[datetime, str]] = field(default_factory=list)
    heard: list[datetime] = field(default_factory=list)
    blocked: bool = False

    def message(self, text: str, now: datetime, number: int) -> MessageReceived:
        return MessageReceived(
            id=f"{self.name}{number}",
            address=Address(platform=self.platform, chat=self.name),
            sender=Sender(user=self.name, name=self.name),
            at=now,
            text=text,
        )


def lives() -> tuple[Life, Life]:
    """Anna in Berlin on one platform, Ben in New York on another; what they tell never overlaps."""
    anna = Life("Anna", PLATFORM, ZoneInfo("Europe/Berlin"), iter(THINGS[::2]))
    ben = Life("Ben", "other", ZoneInfo("America/New_York"), iter(THINGS[1::2]))
    return anna, ben


def answers(asked: Asked) -> Completion:
    """Writes first about the first that it is offered; else answers."""
    if not asked.get("tools"):
        return says("They talked.")
    if not any(tool["function"]["name"] == "send_opener" for tool in asked["tools"]):
        return calls(send_message={"message": "I see."})
    offered = re.search(r"^1\. .*?“(.*?)”", asked["messages"][-1]["content"], re.MULTILINE)
    assert offered is not None
    thing = next(thing for thing in THINGS if f" {thing}." in offered[1])
    over = "it should be over" in offered[0]
    return calls(send_opener={"text": (AFTER if over else BEFORE).format(thing), "about": 1})


class Weeks:
    """Plays the weeks, and keeps what was delivered."""

    def __init__(self, folder: Path, server: ModelServer, start: datetime) -> None:
        self.folder = folder
        self.clock = VirtualClock(start)
        self.rng = random.Random(start.month)
        self.anna, self.ben = lives()
        models = [ModelSettings(name="scripted", base_url=server.base_url)]
        self.llm = build_llm(models, {}, None, self.clock, self.rng)
        self.number = 0

    async def send(self, message: OutgoingMessage) -> None:
        life = self.anna if message.address.platform == PLATFORM else self.ben
        assert message.address.chat == life.name, "it went to somebody else"
        if life.blocked:
            raise OutOfReachError("blocked")
        if (opener := _OPENERS.fullmatch(message.text)) is not None:
            life.openers.append((self.clock.now(), opener[1]))
        life.heard.append(self.clock.now())

    async def say(self, world: World, life: Life, text: str) -> None:
        self.number += 1
        await world.companion.handle(life.message(text, self.clock.now(), self.number))
        await world.companion.quiet()

    async def play(self) -> None:
        """All of it, with a kill and a downtime now and then."""
        end = self.clock.now() + WEEKS * DAY
        days, downs = 0, iter(DOWN * 2)
        while self.clock.now() < end:
            async with a_world(self.folder, self.llm, clock=self.clock, deliver=False) as world:
                for platform in (PLATFORM, "other"):
                    world.companion.people.trust(platform)
                    world.companion.deliver(platform, self.send)
                if days == 0:
                    await self._begin(world)
                for _ in range(self.rng.randint(2, 6)):
                    days += 1
                    await self._day(world, days)
            self.clock.advance(next(downs, timedelta(minutes=1)))

    async def _begin(self, world: World) -> None:
        for life in (self.anna, self.ben):
            await self.say(world, life, f"/timezone {life.zone.key}")
            await self.say(world, life, "/openers on")
        await self.say(world, self.anna, "/quiet 19:00-10:00")

    async def _day(self, world: World, number: int) -> None:
        """Each tells of a plan for the day after, at some hour; Ben is silent for a while, blocks
        the bot, and comes back."""
        silent, self.ben.blocked = 14 <= number < 28, 21 <= number < 28
        until = self.clock.now() + DAY
        for life in sorted((self.anna, self.ben), key=lambda _life: self.rng.random()):
            await wait(world, self.clock.now() + timedelta(hours=self.rng.uniform(1, 11)))
            thing = next(life.things, None)
            if thing is None or (life is self.ben and silent):
                continue
            life.told.add(thing)
            life.heard.append(self.clock.now())
            await self.say(world, life, f"Tomorrow it is {thing}.")
        await wait(world, until)


@pytest.mark.parametrize("start", ["2026-02-27T12:00", "2026-10-16T12:00"])
async def test_openers_come_once_to_the_right_person_at_a_good_hour(
    tmp_path: Path, start: str
) -> None:
    """Clocks are changed in both zones meanwhile."""
    async with ModelServer(answers) as server:
        weeks = Weeks(tmp_path, server, datetime.fromisoformat(start).replace(tzinfo=UTC))
        await weeks.play()
        await weeks.llm.close()
        first = sum("send_opener" in str(asked.get("tools")) for asked in server.requests)
    for life in (weeks.anna, weeks.ben):
        _is_as_promised(life)
    quiet = Hours.parse("19:00-10:00")
    assert not any(at.astimezone(weeks.anna.zone).time() in quiet for at, _ in weeks.anna.openers)
    async with a_world(tmp_path, weeks.llm, clock=weeks.clock, deliver=False) as world:
        asked = await world.rows("SELECT COUNT(*) FROM opener")
        fired = await world.rows("SELECT COUNT(*) FROM inbox WHERE kind = 'TimerFired'")
        kept = await world.rows("SELECT COUNT(*) FROM outbox WHERE state IN ('waiting', 'sending')")
    assert asked == [(first,)], "a model was asked for each opener once, and for no gate"
    assert fired == asked
    assert kept == [(0,)]


def _is_as_promised(life: Life) -> None:
    hours = Hours.parse("09:00-21:00")
    assert len(life.openers) > 6, life.name
    for at, thing in life.openers:
        assert thing in life.told, "it was told by somebody else"
        assert at.astimezone(life.zone).time() in hours
        before = [heard for heard in life.heard if heard < at]
        assert at - max(before) >= timedelta(hours=4)
    a_thing = Counter(thing for _, thing in life.openers)
    assert max(a_thing.values()) <= 2, "before and after it, and no more"
    a_day = Counter(at.astimezone(life.zone).date() for at, _ in life.openers)
    assert max(a_day.values()) == 1
