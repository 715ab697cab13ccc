"""What the model can have happen later, as it sees and says it."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from companion.llm.protocol import Message, Reply
from companion.storage import schedule
from companion.storage.schedule import Scheduled
from companion.timed.planning import MOST
from tests.support.scripted_llm import ScriptedLLM, calls, sends
from tests.support.virtual_clock import VirtualClock
from tests.support.world import World, a_world

HOUR = timedelta(hours=1)


def schedules(when: str, what: str = "call Lea", **more: Any) -> Reply:
    return calls(("schedule_event", {"what": what, "when": when, **more}))


async def planned(world: World, name: str = "Anna") -> list[Scheduled]:
    person = await world.person(name)
    return await world.db.read(lambda tx: schedule.to_come(tx, person))


def result(llm: ScriptedLLM, prompt: int = -1) -> str:
    """What the last call came to, as the model reads it."""
    return next(m.text for m in reversed(llm.prompts[prompt]) if m.role == "tool")


async def test_tomorrow_at_nine_in_tokyo_is_echoed_with_weekday_and_zone(tmp_path: Path) -> None:
    llm = ScriptedLLM(schedules("tomorrow at 9"), sends("Tomorrow, Tuesday, at 9 then."))
    clock = VirtualClock(datetime(2025, 5, 5, 14, 30, tzinfo=UTC))  # 23:30 in Tokyo
    async with a_world(tmp_path, llm, clock=clock) as world:
        await world.say("/timezone Tokyo")
        assert await world.say("remind me tomorrow at 9 to call Lea") == [
            "Tomorrow, Tuesday, at 9 then."
        ]
        (one,) = await planned(world)
        assert one.due_at == datetime(2025, 5, 6, 0, tzinfo=UTC)
    assert result(llm) == f"Scheduled as #{one.id}: Tue 6 May 2025 09:00 Asia/Tokyo."


async def test_tomorrow_said_after_midnight_says_which_day_was_taken(tmp_path: Path) -> None:
    llm = ScriptedLLM(schedules("tomorrow at 9"), sends("Wednesday?"))
    clock = VirtualClock(datetime(2025, 5, 5, 15, 20, tzinfo=UTC))  # 00:20 in Tokyo
    async with a_world(tmp_path, llm, clock=clock) as world:
        await world.say("/timezone Tokyo")
        await world.say("remind me tomorrow at 9")
    assert "Wed 7 May 2025 09:00 Asia/Tokyo." in result(llm)
    assert "say which day you took" in result(llm)


async def test_where_they_are_is_asked_once(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        schedules("tomorrow at 9"),
        sends("Where are you?"),
        schedules("tomorrow at 9"),
        sends("At 9 UTC then."),
    )
    async with a_world(tmp_path, llm) as world:
        assert await world.say("remind me tomorrow at 9") == ["Where are you?"]
        assert "Ask them once where they are" in result(llm)
        assert await planned(world) == []
        await world.say("never mind where")
        assert "say that this is in UTC" in result(llm)
        assert len(await planned(world)) == 1


async def test_in_two_hours_needs_no_zone(tmp_path: Path) -> None:
    llm = ScriptedLLM(schedules("in two hours"), sends("At 14:00 UTC."), sends("Call Lea!"))
    async with a_world(tmp_path, llm) as world:
        await world.say("remind me in two hours")
        assert await world.pass_time(2 * HOUR) == ["Call Lea!"]


async def test_a_place_that_they_tell_counts_at_once_and_moves_what_keeps_to_their_clock(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM(
        calls(
            ("set_timezone", {"place": "Europe/Berlin"}),
            ("schedule_event", {"what": "stretch", "when": "every day at 8"}),
            ("schedule_event", {"what": "the flight", "when": "tomorrow at 10"}),
        ),
        sends("Noted."),
        calls(("set_timezone", {"place": "lisbon"}), ("send_message", {"message": "Enjoy!"})),
        sends("Good morning"),
    )
    async with a_world(tmp_path, llm) as world:
        await world.say("I am in Berlin")
        daily, flight = await planned(world)
        assert daily.due_at == datetime(2025, 5, 6, 6, tzinfo=UTC)
        assert flight.due_at == datetime(2025, 5, 6, 8, tzinfo=UTC)
        await world.say("I flew to Lisbon")
        moved, stayed = await planned(world)
        assert moved.due_at == datetime(2025, 5, 6, 7, tzinfo=UTC)
        assert stayed.due_at == flight.due_at
        await world.say("hi")
    assert "Europe/Lisbon, test] Anna: hi" in llm.prompts[-1][-2].text
    told = next(
        m.text for m in llm.prompts[-1] if m.text.startswith("Noted. For you it is Mon 5 May")
    )
    assert "Berlin" in told
    second = [m.text for m in llm.prompts[-1] if m.text.startswith("Noted. For you it is")][1]
    assert "stretch: next Tue 6 May 2025 08:00 Europe/Lisbon" in second
    assert "the flight: Tue 6 May 2025 09:00 Europe/Lisbon" in second


async def test_a_daily_one_that_came_today_does_not_come_again_further_west(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM(
        calls(
            ("set_timezone", {"place": "Europe/Berlin"}),
            ("schedule_event", {"what": "stretch", "when": "every day at 15:00"}),
            ("send_message", {"message": "Yes."}),
        ),
        sends("Stretch!"),
        calls(("set_timezone", {"place": "Lisbon"}), ("send_message", {"message": "Enjoy!"})),
        sends("Stretch!"),
    )
    async with a_world(tmp_path, llm) as world:
        await world.say("hi")
        assert await world.pass_time(HOUR) == ["Stretch!"]
        await world.say("I am in Lisbon now")
        assert await world.pass_time(HOUR) == []  # it is 15:00 there
        assert await world.pass_time(24 * HOUR) == ["Stretch!"]


async def test_a_leap_day_is_told_of_when_it_is_set(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        schedules("every year on 29 February", "Ben's birthday"), sends("On the 28th.")
    )
    async with a_world(tmp_path, llm) as world:
        await world.say("/timezone Lisbon")
        await world.say("remember Ben's birthday")
        (one,) = await planned(world)
    assert one.due_at == datetime(2026, 2, 28, 9, tzinfo=UTC)
    assert "without a 29 February it comes on the 28th: say so" in result(llm)


async def test_impossible_times_come_back_as_sentences(tmp_path: Path) -> None:
    wrong = ["* * * * * *", "every 1s", "2020-01-01 9:00", "31 February", "9999-01-01 09:00"]
    answers = [reply for when in wrong for reply in (schedules(when), sends(f"No: {when}"))]
    llm = ScriptedLLM(*answers)
    async with a_world(tmp_path, llm) as world:
        await world.say("/timezone Lisbon")
        for _ in wrong:
            await world.say("remind me")
        assert await planned(world) == []
    found = [m.text for m in llm.prompts[-1] if m.role == "tool" and m.text.startswith("Error: ")]
    for part in ("six fields", "too often", "has passed", "no day 31", "a year ahead"):
        assert any(part in text for text in found), part


async def test_a_twenty_first_is_refused_and_so_is_one_within_five_minutes(tmp_path: Path) -> None:
    many = [("schedule_event", {"what": f"n{n}", "when": f"in {n} hours"}) for n in range(1, 23)]
    llm = ScriptedLLM(
        schedules("in 4 minutes"),
        schedules("in 2 minutes"),
        sends("One."),
        calls(*many[:12]),
        calls(*many[12:]),
        sends("Twenty."),
    )
    async with a_world(tmp_path, llm) as world:
        await world.say("remind me twice")
        assert "comes within 5 minutes of that" in result(llm)
        await world.say("and a lot")
        assert len(await planned(world)) == MOST
    assert f"There are {MOST} already" in result(llm)


async def test_listing_and_cancelling(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        schedules("in 2 hours", "call Lea"),
        schedules("in 3 hours", "water the plants"),
        calls(("list_events", {"request_heartbeat": True})),
        calls(("cancel_event", {"event": "lea"}), ("cancel_event", {"event": "horse"})),
        sends("Done."),
    )
    async with a_world(tmp_path, llm) as world:
        await world.say("plan")
        (one,) = await planned(world)
        assert one.text == "water the plants"
        listed = next(m.text for m in llm.prompts[3] if "call Lea: Mon 5 May 2025 14:00" in m.text)
        assert f"#{one.id} water the plants: Mon 5 May 2025 15:00 UTC" in listed
        assert f"None has “horse” in it. Give a number: #{one.id}" in result(llm)


async def test_one_person_cannot_cancel_or_see_what_is_anothers(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        schedules("in 2 hours", "call Lea"),
        sends("Yes."),
        calls(("cancel_event", {"event": "1"}), ("list_events", {"request_heartbeat": True})),
        sends("Nothing."),
    )
    async with a_world(tmp_path, llm) as world:
        await world.say("plan", "Anna")
        (one,) = await planned(world, "Anna")
        assert one.id == 1
        await world.say("cancel all", "Ben")
        assert len(await planned(world, "Anna")) == 1
    assert result(llm) == "Nothing is scheduled."


async def test_it_always_comes_to_the_chat_where_it_was_asked_for(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        schedules("in 1 hour", "remind @friend of what they owe me"),
        sends("I can only write to you."),
        sends("Your friend owes you."),
    )
    async with a_world(tmp_path, llm) as world:
        await world.say("Remind @friend in an hour that they owe me")
        assert "Only this chat hears of it" in result(llm)
        await world.pass_time(HOUR)
        assert world.delivered[-1] == ("Anna", "Your friend owes you.")


async def test_what_a_timed_turn_makes_goes_no_deeper_than_one(tmp_path: Path) -> None:
    def asked(messages: Sequence[Message]) -> Reply:
        """Makes two more whenever it runs, and one that would come daily."""
        if messages[-2].role == "tool":
            return sends(f"So be it {len(messages)}")
        return calls(
            *(("schedule_event", {"what": f"more {n}", "when": f"in {n} hours"}) for n in (1, 2)),
            ("schedule_event", {"what": "daily", "when": "every day at 9"}),
        )

    llm = ScriptedLLM(schedules("in 1 hour", "first"), sends("Yes."), asked)
    async with a_world(tmp_path, llm) as world:
        await world.say("remind me")
        await world.say("/timezone Lisbon")
        await world.pass_time(HOUR)
        assert [one.text for one in await planned(world)] == ["more 1", "more 2"]
        for _ in range(5):
            await world.pass_time(HOUR)
        assert await planned(world) == []
    texts = [m.text for prompt in llm.prompts for m in prompt if m.role == "tool"]
    assert any("once, not again and again" in text for text in texts)
    assert any("made in the turn of another" in text for text in texts)


async def test_quiet_hours_and_a_pause_can_be_set_in_plain_words(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        calls(
            ("set_quiet", {"hours": "22 to 7", "pause": "1 week"}),
            ("schedule_event", {"what": "sleep", "when": "today at 23:00", "kind": "check_in"}),
            ("set_quiet", {"pause": "resume"}),
            ("set_quiet", {}),
        ),
        sends("Done."),
    )
    async with a_world(tmp_path, llm) as world:
        await world.say("/timezone UTC")
        await world.say("leave me alone")
    results = [m.text for m in llm.prompts[1] if m.role == "tool"]
    assert results[0] == (
        "Quiet hours: 22:00-07:00. Only reminders come then. Until Mon 12 May 2025 12:00 UTC only"
        " reminders come. /resume ends that."
    )
    assert "lies in their quiet hours (22:00-07:00)" in results[1]
    assert results[2].startswith("No pause any more.")
    assert results[3] == "Error: Give hours, or a pause, or both."


async def test_a_zone_that_is_none_brings_suggestions(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        calls(("set_timezone", {"place": "+2"}), ("set_timezone", {"place": "Lisabon"})),
        sends("Which city?"),
    )
    async with a_world(tmp_path, llm) as world:
        await world.say("it is +2 here")
    first, second = [m.text for m in llm.prompts[1] if m.role == "tool"]
    assert "Perhaps Europe/Berlin" in first
    assert "Perhaps Europe/Lisbon?" in second
