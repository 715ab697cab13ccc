"""What is scheduled and what became of it, from the command line."""

import asyncio
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest

from companion.events import Address, Sender
from companion.home import Home
from companion.storage import people, schedule
from companion.storage.database import Database, Tx
from companion.timed.recurrence import Rule
from tests.companion.cli.conftest import Here

NOON = datetime(2025, 5, 5, 12, 0, tzinfo=UTC)


def _plan(tx: Tx) -> None:
    for name in ("Anna", "Ben"):
        address = Address(platform="terminal", chat=name)
        place = people.place(tx, address, Sender(user=name, name=name), NOON)
        rule = Rule(repeats="daily", first_day=NOON.date(), wall_time=time(14), zone="UTC")
        due_at = NOON + timedelta(hours=2)
        one = schedule.add(
            tx, place, purpose="check_in", text="secret", rule=rule, due_at=due_at, now=NOON
        )
        schedule.note(tx, one, "gated", due_at=NOON, now=NOON, reason="quiet hours 11:00-13:00")
        schedule.note(tx, one, "fired", due_at=NOON, now=NOON)


async def _fill(home: Home) -> None:
    database = await Database.open(home.database)
    await database.write(_plan)
    await database.close()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.make()
    asyncio.run(_fill(home))
    return home


async def test_the_list_has_what_is_to_come_and_no_texts(here: Here, home: Home) -> None:
    ran = await here(home.path, "schedule", "list")
    assert ran.out == (
        "1  Anna  check_in  2025-05-05 14:00Z, every day\n"
        "2  Ben  check_in  2025-05-05 14:00Z, every day\n"
    )
    as_json = (await here(home.path, "schedule", "list", "--of", "ben", "--json")).json
    for named in (("ben",), ("--as", "Ben")):
        assert (await here(home.path, "schedule", "list", *named, "--json")).json == as_json
    assert [(one["id"], one["purpose"], one["repeats"]) for one in as_json] == [
        (2, "check_in", "daily")
    ]


async def test_show_tells_what_fired_and_what_was_kept_back_and_why(here: Here, home: Home) -> None:
    ran = await here(home.path, "schedule", "show", "1")
    assert ran.out.splitlines()[1:] == [
        "   due 2025-05-05 12:00Z gated: quiet hours 11:00-13:00",
        "   due 2025-05-05 12:00Z fired",
    ]
    as_json = (await here(home.path, "schedule", "show", "1", "--json")).json
    assert [each["outcome"] for each in as_json["history"]] == ["gated", "fired"]


async def test_cancel_keeps_it_from_happening(here: Here, home: Home) -> None:
    assert (await here(home.path, "schedule", "cancel", "2")).out.startswith("Cancelled: 2  Ben")
    left = (await here(home.path, "schedule", "list", "--json")).json
    assert [one["id"] for one in left] == [1]
    everything = (await here(home.path, "schedule", "list", "--all", "--json")).json
    assert [one["state"] for one in everything] == ["active", "cancelled"]
    again = await here(home.path, "schedule", "cancel", "2")
    assert (again.code, again.err) == (2, "2 is over already (cancelled).\n")


async def test_a_number_that_nothing_has_is_an_error(here: Here, home: Home) -> None:
    for action in ("show", "cancel"):
        ran = await here(home.path, "schedule", action, "99")
        assert (ran.code, ran.err) == (
            2,
            "Nothing has the number 99. `companion schedule list` shows them.\n",
        )


async def test_an_empty_list_says_so(here: Here, tmp_path: Path) -> None:
    home = Home(tmp_path / "empty")
    home.make()
    await (await Database.open(home.database)).close()
    assert (await here(home.path, "schedule", "list")).out == "Nothing is scheduled.\n"
    assert (await here(home.path, "schedule", "list", "--json")).json == []
