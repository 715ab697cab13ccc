"""Reminders, time zones, quiet hours and pauses, asked for with a slash."""

from datetime import time, timedelta
from pathlib import Path

import pytest

from companion.storage import timing
from companion.timed import pausing
from companion.timed.hours import Hours
from tests.support.scripted_llm import ScriptedLLM, sends
from tests.support.timers import again_and_again, became, in_a_while
from tests.support.world import World, a_world

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


async def timing_of(world: World) -> timing.Timing:
    person = await world.person()
    return await world.db.read(lambda tx: timing.get(tx, person))


@pytest.mark.parametrize(
    ("words", "zone"),
    [
        ("Europe/Lisbon", "Europe/Lisbon"),
        ("europe/lisbon", "Europe/Lisbon"),
        ("lisbon", "Europe/Lisbon"),
        ("New York", "America/New_York"),
        ("buenos aires", "America/Argentina/Buenos_Aires"),
        ("UTC", "UTC"),
    ],
)
async def test_a_zone_is_found_by_its_name_or_city(tmp_path: Path, words: str, zone: str) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        (noted,) = await world.say(f"/timezone {words}")
        assert noted.endswith(f" {zone}.")
        (again,) = await world.say("/timezone")
        assert noted == f"Noted. {again}"


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("UTC+2", "Is it like in Europe/Berlin, Europe/Paris, Africa/Johannesburg"),
        ("-3", "America/Sao_Paulo"),
        ("+5:30", "Is it like in Asia/Kolkata?"),
        ("CET", "Do you mean Europe/Berlin, Europe/Paris? Write /timezone Europe/Berlin"),
        ("Lisabon", "Do you mean Europe/Lisbon?"),
        ("Atlantis Under The Sea", "I know no time zone “Atlantis Under The Sea”."),
        ("+99", "I know no time zone “+99”."),
        ("'; DROP TABLE person", "I know no time zone"),
    ],
)
async def test_what_leaves_the_zone_open_is_answered_with_a_question(
    tmp_path: Path, words: str, answer: str
) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        (text,) = await world.say(f"/timezone {words}")
        assert answer in text
        assert "I don't know where you are" in (await world.say("/timezone"))[0]


async def test_reminders_are_added_listed_and_cancelled(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Time to call Lea!"))
    async with a_world(tmp_path, llm) as world:
        await world.say("/timezone Lisbon")
        assert await world.say("/reminders tomorrow at 9 call Lea") == [
            "#1 call Lea: Tue 6 May 2025 09:00 Europe/Lisbon"
        ]
        await world.say("/reminders every weekday at 8: stretch")
        (text,) = await world.say("/reminders")
        assert text.startswith(
            "#2 stretch: Tue 6 May 2025 08:00 Europe/Lisbon, every weekday\n"
            "#1 call Lea: Tue 6 May 2025 09:00 Europe/Lisbon\n"
        )
        assert (await world.say("/reminders cancel stretch"))[0].startswith("Cancelled: #2")
        assert "“7” in it" in (await world.say("/reminders cancel 7"))[0]
        assert "Which one?" in (await world.say("/reminders cancel"))[0]
        assert await world.pass_time(20 * HOUR) == ["Time to call Lea!"]
        assert "Nothing is scheduled." in (await world.say("/reminders"))[0]


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("call Lea", "I find no time at the beginning of that."),
        ("tomorrow", "And of what?"),
        ("every minute breathe", "too often"),
        ("2020-01-01 9:00 call Lea", "has passed"),
        ("tomorrow at 9 " + "x" * 600, "500 are the most"),
    ],
)
async def test_what_cannot_be_added_says_why(tmp_path: Path, words: str, answer: str) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        await world.say("/timezone Lisbon")
        assert answer in (await world.say(f"/reminders {words}"))[0]


async def test_where_they_are_is_asked_before_the_first(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        (text,) = await world.say("/reminders tomorrow at 9 call Lea")
        assert text.startswith("In which time zone are you?")
        (text,) = await world.say("/reminders tomorrow at 9 call Lea")
        assert text == "#1 call Lea: Tue 6 May 2025 09:00 UTC"


async def test_a_reminder_can_be_put_off(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Hi"), sends("Call!"), sends("Call now!"), sends("The dentist again!"))
    async with a_world(tmp_path, llm) as world:
        await world.say("hi")
        assert await world.say("/snooze 10m") == ["There was no reminder that I could repeat."]
        one = await in_a_while(world, HOUR)
        await world.pass_time(HOUR)
        (text,) = await world.say("/snooze")
        assert text.endswith("call the dentist: Mon 5 May 2025 13:10 UTC")
        assert await world.pass_time(timedelta(minutes=10)) == ["Call now!"]
        (told,) = await world.say("/snooze soonish")
        assert told == "I can't read “soonish”. Write it like /snooze 10m or /snooze tomorrow."
        await world.say(f"/snooze 1h #{one.id}")
        assert await world.pass_time(HOUR) == ["The dentist again!"]


async def test_who_puts_off_again_moves_it(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Hi"), sends("Call!"))) as world:
        await world.say("/timezone Lisbon")
        await world.say("hi")
        await in_a_while(world, HOUR)
        await world.pass_time(HOUR)
        await world.say("/reminders tomorrow at 9 call the dentist")
        for when in ("10m", "12m", "2h"):
            await world.say(f"/snooze {when}")
        (text,) = await world.say("/reminders")
    assert [line.split(": ")[1] for line in text.splitlines()[:2]] == [
        "Mon 5 May 2025 16:00 Europe/Lisbon",
        "Tue 6 May 2025 09:00 Europe/Lisbon",
    ]


async def test_two_things_may_be_due_at_one_time(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        await world.say("/timezone Lisbon")
        for what in ("the pill", "call Lea"):
            assert what in (await world.say(f"/reminders tomorrow at 9 {what}"))[0]
        assert "the pill" in (await world.say("/reminders"))[0]


@pytest.mark.parametrize("when", ["in 2 hours", "next Friday 18:30", "tomorrow 18:30"])
async def test_a_time_alone_is_no_reminder(tmp_path: Path, when: str) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        assert await world.say(f"/reminders {when}") == [
            f"And of what? Write it behind the time: /reminders {when} call Lea."
        ]


async def test_a_reminder_comes_with_buttons_to_put_it_off(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Hi"), sends("Call!"))) as world:
        await world.say("hi")
        one = await in_a_while(world, HOUR)
        await world.pass_time(HOUR)
        rows = await world.rows("SELECT choices FROM outbox ORDER BY id DESC LIMIT 1")
    assert f"/snooze 1h #{one.id}" in str(rows)


async def test_nobody_puts_off_what_is_anothers(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(lambda _: sends("Yes"))) as world:
        await world.say("hi", "Anna")
        await world.say("hi", "Ben")
        one = await in_a_while(world, HOUR, name="Anna")
        await world.pass_time(HOUR)
        (text,) = await world.say(f"/snooze 1h #{one.id}", "Ben")
    assert text == "There was no reminder that I could repeat."


@pytest.mark.parametrize(
    ("words", "hours"),
    [
        ("23:00-08:00", Hours(time(23), time(8))),
        ("23-8", Hours(time(23), time(8))),
        ("22:30 to 7", Hours(time(22, 30), time(7))),
        ("22:00-22:00", Hours(time(22), time(22))),
        ("00:00-00:00", Hours(time(0), time(0))),
        ("none", Hours(time(0), time(0))),
    ],
)
async def test_quiet_hours_are_read_as_people_write_them(
    tmp_path: Path, words: str, hours: Hours
) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        (text,) = await world.say(f"/quiet {words}")
        assert (await timing_of(world)).quiet == hours
        assert ("No quiet hours." in text) == (hours.begin == hours.end)
        assert "Quiet hours: " in (await world.say("/quiet"))[0]
        assert "no hours that I can read" in (await world.say("/quiet at night"))[0]
        assert (await timing_of(world)).quiet == hours


async def test_quiet_hours_name_the_check_ins_that_lie_in_them(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Hi"))) as world:
        await world.say("hi")
        await again_and_again(world, time(7), purpose="check_in", text="how they slept")
        (text,) = await world.say("/quiet 23:00-08:00")
    assert "These lie in them, and will wait:\n#1 how they slept (check-in)" in text


async def test_a_pause_keeps_check_ins_back_and_nothing_of_it_is_made_up_for(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM(sends("Hi"), lambda _: sends("How are you?"))
    async with a_world(tmp_path, llm) as world:
        await world.say("hi")
        one = await again_and_again(world, time(13), purpose="check_in")
        (text,) = await world.say("/pause 1w")
        assert text.startswith("Until Mon 12 May 2025 12:00 UTC only reminders come.")
        assert await world.pass_time(HOUR) == []
        assert await world.pass_time(DAY) == []
        await world.say("/resume")
        assert await world.pass_time(HOUR) == []
        assert await world.pass_time(DAY) == ["How are you?"]
        assert await became(world, one) == [
            ("gated", "paused"),
            ("gated", "paused"),
            ("fired", ""),
        ]


@pytest.mark.parametrize(
    ("words", "until"),
    [
        ("1w", "Mon 12 May 2025 12:00 UTC"),
        ("3 days", "Thu 8 May 2025 12:00 UTC"),
        ("until friday 18:00", "Fri 9 May 2025 18:00 UTC"),
        ("for 2 hours", "Mon 5 May 2025 14:00 UTC"),
    ],
)
async def test_how_long_a_pause_lasts(tmp_path: Path, words: str, until: str) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        assert (await world.say(f"/pause {words}"))[0].startswith(f"Until {until}")
        assert "ahead" in (await world.say("/pause 900 days"))[0]
        assert "no time at all" in (await world.say("/pause 0d"))[0]
        for nothing in ("a bit", "soon", "every day", "daily at 9"):
            (told,) = await world.say(f"/pause {nothing}")
            assert told == f"I can't read “{nothing}”. {pausing.HOW_LONG}"


async def test_a_pause_without_words_asks_for_how_long(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        assert (await world.say("/pause"))[0].startswith("For how long?")
        rows = await world.rows("SELECT choices FROM outbox ORDER BY id DESC LIMIT 1")
        assert "/pause 1 day" in str(rows)
        assert "/pause 4 weeks" in str(rows)
        assert await world.rows("SELECT paused_until FROM timing") == []


async def test_reminders_come_in_quiet_hours_and_pauses(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Hi"), sends("Take the pill!"))
    async with a_world(tmp_path, llm) as world:
        await world.say("hi")
        await world.say("/quiet 12:30-14:00")
        await world.say("/pause 1w")
        await in_a_while(world, HOUR, "take the pill")
        assert await world.pass_time(HOUR) == ["Take the pill!"]
