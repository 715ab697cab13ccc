"""Due rows become events, once each, in order, and not all at once."""

from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest

from companion.events import TimerFired
from companion.storage import inbox, people, schedule, timing
from companion.storage.database import Tx
from companion.timed import firing
from companion.timed.firing import BATCH, SPREAD, claim
from companion.timed.hours import Hours
from companion.timed.purposes import Delay, Due, Fire, Purpose, Purposes, Skip, Verdict
from companion.timed.reminders import REMINDER
from tests.support.scripted_llm import ScriptedLLM, sends
from tests.support.timers import again_and_again, as_it_is, became, in_a_while, place
from tests.support.world import a_world

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def echo() -> ScriptedLLM:
    """A model that says the end of what it was told last, in a reply or a reminder."""
    return ScriptedLLM(lambda messages: sends(messages[-2].text.rpartition(") ")[2]))


async def test_what_is_due_happens_once_and_not_before(tmp_path: Path) -> None:
    async with a_world(tmp_path, echo()) as world:
        await world.say("hi")
        one = await in_a_while(world, HOUR)
        assert await world.pass_time(HOUR - timedelta(seconds=1)) == []
        assert await world.pass_time(timedelta(seconds=1)) == ["call the dentist"]
        assert await world.pass_time(HOUR) == []
        assert (await as_it_is(world, one)).state == "done"
        assert await became(world, one) == [("fired", "")]


async def test_a_daily_event_goes_on(tmp_path: Path) -> None:
    async with a_world(tmp_path, echo()) as world:
        await world.say("hi")
        await again_and_again(world, time(13))
        heard = [await world.pass_time(HOUR) for _ in range(48)]
    assert [hour for hour, texts in enumerate(heard) if texts] == [0, 24]


async def test_the_model_is_told_that_nobody_wrote_and_when_it_was_due(tmp_path: Path) -> None:
    llm = echo()
    async with a_world(tmp_path, llm) as world:
        await world.say("hi")
        await world.say("/timezone Lisbon")
        await in_a_while(world, HOUR)
        await world.pass_time(3 * HOUR)
    told = llm.prompts[-1][-2].text
    assert told.startswith("[Mon 5 May 2025 16:00 Europe/Lisbon, test] (nobody wrote; ")
    assert "due at Mon 5 May 2025 14:00 Europe/Lisbon, 2 hours ago: say so" in told


async def test_after_a_day_without_us_a_reminder_comes_late_and_says_so(tmp_path: Path) -> None:
    async with a_world(tmp_path, echo()) as world:
        await world.say("hi")
        await in_a_while(world, HOUR)
        heard = await world.pass_time(DAY)
    assert heard == ["call the dentist\n(this was due at Mon 5 May 2025 13:00 UTC)"]


async def test_after_more_than_a_day_one_word_tells_of_all_that_was_missed(
    tmp_path: Path,
) -> None:
    llm = echo()
    async with a_world(tmp_path, llm) as world:
        await world.say("hi")
        one = await in_a_while(world, HOUR)
        await in_a_while(world, 2 * HOUR, "water the plants")
        asked = len(llm.prompts)
        (told,) = await world.pass_time(3 * DAY)
        assert "“call the dentist”, due Mon 5 May 2025 13:00" in told
        assert "“water the plants”" in told
        assert len(llm.prompts) == asked
        assert [outcome for outcome, _ in await became(world, one)] == ["missed"]


async def test_a_daily_one_comes_once_after_a_week_and_then_in_its_rhythm(tmp_path: Path) -> None:
    async with a_world(tmp_path, echo()) as world:
        await world.say("hi")
        one = await again_and_again(world, time(13))
        (late,) = await world.pass_time(7 * DAY)
        assert "due at Sun 11 May 2025 13:00" in late
        assert await world.pass_time(HOUR) == ["stretch"]
        assert [outcome for outcome, _ in await became(world, one)] == [
            "missed",
            "fired",
            "fired",
        ]


async def test_what_piled_up_comes_bit_by_bit_in_the_order_in_which_it_was_due(
    tmp_path: Path,
) -> None:
    async with a_world(tmp_path, echo()) as world:
        await world.say("hi")
        for number in range(40):
            await in_a_while(world, timedelta(minutes=50 - number), f"number {number}")
        heard = [await world.pass_time(3 * HOUR)]
        heard += [await world.pass_time(SPREAD) for _ in range(40)]
    assert all(len(texts) <= 1 for texts in heard)
    assert [texts[0].partition("\n")[0] for texts in heard if texts] == [
        f"number {number}" for number in reversed(range(40))
    ]


async def test_each_of_many_people_gets_what_is_theirs(tmp_path: Path) -> None:
    names = [f"P{number}" for number in range(BATCH // 20 + 2)]
    async with a_world(tmp_path, echo()) as world:
        for name in names:
            await world.say("hi", name)
            for number in range(20):
                await in_a_while(world, HOUR, f"{name} {number}", name=name)
        before = len(world.delivered)
        await world.pass_time(HOUR)
        heard = world.delivered[before:]
    assert sorted(heard) == sorted((name, f"{name} {n}") for name in names for n in range(20))
    for name in names:
        assert [text for to, text in heard if to == name] == [f"{name} {n}" for n in range(20)]


async def test_a_clock_that_is_set_back_repeats_nothing(tmp_path: Path) -> None:
    async with a_world(tmp_path, echo()) as world:
        await world.say("hi")
        await again_and_again(world, time(13))
        await in_a_while(world, HOUR, "once")
        assert len(await world.pass_time(HOUR)) == 2
        assert await world.pass_time(-HOUR) == []
        assert await world.pass_time(HOUR) == []
        assert await world.pass_time(DAY) == ["stretch"]


async def test_a_clock_that_is_set_a_day_ahead_loses_nothing(tmp_path: Path) -> None:
    async with a_world(tmp_path, echo()) as world:
        await world.say("hi")
        await in_a_while(world, HOUR, "once")
        await again_and_again(world, time(14))
        heard = await world.pass_time(DAY + timedelta(minutes=30))
        heard += await world.pass_time(SPREAD)
    assert [text.partition("\n")[0] for text in heard] == ["once", "stretch"]


async def test_the_same_moment_is_never_two_events(tmp_path: Path) -> None:
    async with a_world(tmp_path, echo()) as world:
        await world.say("hi")
        one = await in_a_while(world, HOUR)
        await world.pass_time(HOUR)
        # as if the row had not been moved on
        await world.db.write(lambda tx: tx.execute("UPDATE schedule SET state = 'active'"))
        assert await world.pass_time() == []
        assert (await as_it_is(world, one)).state == "done"


async def test_claiming_is_all_or_nothing(tmp_path: Path) -> None:
    async with a_world(tmp_path, echo()) as world:
        await world.say("hi")
        await in_a_while(world, HOUR)
        world.clock.advance(HOUR)
        now = world.clock.now()

        def claims_and_fails(tx: Tx) -> None:
            assert claim(tx, Purposes((REMINDER,)), now)
            raise InterruptedError

        with pytest.raises(InterruptedError):
            await world.db.write(claims_and_fails)
        assert await world.pass_time() == ["call the dentist"]


async def test_a_chat_that_cannot_be_reached_is_waited_for(tmp_path: Path) -> None:
    async with a_world(tmp_path, echo()) as world:
        await world.say("hi")
        where = await place(world)
        one = await in_a_while(world, HOUR)
        now = world.clock.now()
        await world.db.write(lambda tx: people.set_unreachable(tx, where.person, where.id, now))
        assert await world.pass_time(2 * HOUR) == []
        assert (await as_it_is(world, one)).state == "held"
        await world.say("I am back")
        (late,) = await world.pass_time()
        assert late == "call the dentist\n(this was due at Mon 5 May 2025 13:00 UTC)"


async def test_a_gate_is_asked_before_any_model(tmp_path: Path) -> None:
    verdicts: list[Verdict] = [Skip("not today"), Fire(text="Anna's interview", cue="ask")]
    seen: list[Due] = []

    def gate(_tx: Tx, due: Due) -> Verdict:
        seen.append(due)
        return verdicts[0] if len(verdicts) == 1 or due.claimed else verdicts.pop(0)

    opener = Purpose(name="opener", late=HOUR, gate=gate)
    llm = echo()
    async with a_world(tmp_path, llm, more_purposes=[opener]) as world:
        await world.say("hi")
        one = await again_and_again(world, time(13), purpose="opener", text="")
        asked = len(llm.prompts)
        assert await world.pass_time(HOUR) == []
        assert len(llm.prompts) == asked
        assert await world.pass_time(DAY) == ["Anna's interview"]
        assert await became(world, one) == [("gated", "not today"), ("fired", "")]
    assert [due.claimed for due in seen] == [False, False, True]


async def test_what_is_delayed_too_long_is_skipped(tmp_path: Path) -> None:
    def gate(_tx: Tx, due: Due) -> Verdict:
        return Delay(due.now + timedelta(minutes=25), "they are talking")

    opener = Purpose(name="opener", late=HOUR, gate=gate)
    async with a_world(tmp_path, echo(), more_purposes=[opener]) as world:
        await world.say("hi")
        one = await in_a_while(world, HOUR, purpose="opener")
        await world.pass_time(HOUR)
        for _ in range(3):
            await world.pass_time(timedelta(minutes=25))
        outcomes = [outcome for outcome, _ in await became(world, one)]
        assert outcomes == ["delayed", "delayed", "gated"]
        assert (await as_it_is(world, one)).state == "done"


async def test_a_purpose_with_work_of_its_own_asks_no_agent(tmp_path: Path) -> None:
    worked: list[int] = []

    async def tidy(item: inbox.InboxItem) -> None:
        worked.append(item.person)

    night = Purpose(name="night", late=HOUR, run=tidy)
    llm = echo()
    async with a_world(tmp_path, llm, more_purposes=[night]) as world:
        await world.say("hi")
        asked = len(llm.prompts)
        await in_a_while(world, HOUR, purpose="night")
        assert await world.pass_time(HOUR) == []
        assert worked == [await world.person()]
        assert len(llm.prompts) == asked
        assert await world.rows("SELECT COUNT(*) FROM inbox WHERE state <> 'done'") == [(0,)]


async def test_what_nothing_here_knows_is_passed_over(tmp_path: Path) -> None:
    async with a_world(tmp_path, echo()) as world:
        await world.say("hi")
        one = await in_a_while(world, HOUR, purpose="horoscope")
        assert await world.pass_time(HOUR) == []
        ((outcome, reason),) = await became(world, one)
    assert (outcome, reason) == ("gated", "nothing here knows what “horoscope” is for")


async def test_a_zone_that_is_gone_costs_nobody_else_their_reminder(tmp_path: Path) -> None:
    async with a_world(tmp_path, echo()) as world:
        await world.say("hi")
        broken = await again_and_again(world, time(13))
        await in_a_while(world, HOUR)
        await world.db.write(
            lambda tx: tx.execute("UPDATE schedule SET zone = 'Mars/Olympus' WHERE zone = 'UTC'")
        )
        assert await world.pass_time(HOUR) == ["call the dentist"]
        assert (await as_it_is(world, broken)).state == "cancelled"


async def test_a_check_in_waits_for_the_end_of_quiet_hours_and_a_reminder_does_not(
    tmp_path: Path,
) -> None:
    async with a_world(tmp_path, echo()) as world:
        await world.say("hi")
        person = await world.person()
        quiet = Hours(time(12, 30), time(15))
        await world.db.write(lambda tx: timing.set_quiet(tx, person, quiet))
        one = await in_a_while(world, HOUR, "how it went", purpose="check_in")
        await in_a_while(world, HOUR)
        assert await world.pass_time(HOUR) == ["call the dentist"]
        assert await world.pass_time(HOUR) == []
        assert await world.pass_time(HOUR) == ["how it went"]
        assert await became(world, one) == [
            ("delayed", "quiet hours 12:30-15:00"),
            ("fired", ""),
        ]


async def test_events_carry_what_their_turn_needs(tmp_path: Path) -> None:
    async with a_world(tmp_path, echo()) as world:
        await world.say("hi")
        person = await world.person()
        await world.db.write(lambda tx: timing.set_quiet(tx, person, Hours(time(15), time(16))))
        one = await in_a_while(world, HOUR, purpose="check_in")
        now = world.clock.now() + HOUR
        purposes = world.firing._purposes
        claimed = await world.db.write(lambda tx: claim(tx, purposes, now))
    event = claimed[0].event
    assert isinstance(event, TimerFired)
    assert (event.purpose, event.schedule, event.promised) == ("check_in", one.id, False)
    assert event.until == datetime(2025, 5, 5, 15, tzinfo=UTC)
    assert event.at == event.due == now


async def test_nothing_to_do_says_when_to_look_again(tmp_path: Path) -> None:
    async with a_world(tmp_path, echo()) as world:
        assert await world.firing.fire_due() is None
        await world.say("hi")
        one = await in_a_while(world, HOUR)
        assert await world.firing.fire_due() == one.due_at
        assert await world.db.read(schedule.next_moment) == one.due_at
    assert firing.LATE < SPREAD * 3
