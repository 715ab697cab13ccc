"""Letting people in and shutting them out from the command line, also while a companion runs."""

import random
from datetime import UTC, datetime
from pathlib import Path

import pytest

from companion.clock import SystemClock
from companion.events import Sender
from companion.home import Home
from companion.people.access import Access
from companion.storage import access, people
from companion.storage.database import Database, Tx
from tests.companion.cli.conftest import Here

NOON = datetime(2025, 5, 5, 12, 0, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.make()
    return home


async def test_a_code_is_approved_while_the_companion_runs_and_counts_at_once(
    here: Here, home: Home
) -> None:
    with home.lock(SystemClock()):
        database = await Database.open(home.database)
        admission = Access(database, clock=SystemClock(), rng=random.Random(1))
        told = await admission.turned_away("telegram", Sender(user="7", name="Anna"), "7")
        assert told is not None
        listed = await here(home.path, "people", "list")
        assert listed.out == "-  Anna  (telegram:7) asks to be let in\n"
        approved = await here(home.path, "people", "approve", told[-9:])
        assert approved.code == 0
        assert "Anna (telegram:7) may talk with it now." in approved.out
        assert "owner" in approved.out
        assert await admission.admits("telegram", "7")
        gone = await here(home.path, "people", "revoke", "anna", "--json")
        assert gone.json == {"accounts": ["telegram:7"]}
        assert not await admission.admits("telegram", "7")
        again = await here(home.path, "people", "approve", "telegram:7", "--json")
        assert again.json["owner"] is True
        assert await admission.admits("telegram", "7")
        await database.close()


async def test_what_cannot_be_done_is_a_sentence_and_exit_code_2(here: Here, home: Home) -> None:
    missing = await here(home.path, "people", "approve", "ABCD-EFGH")
    assert (missing.code, missing.out) == (2, "")
    database = await Database.open(home.database)
    for user in ("1", "2"):
        sender = Sender(user=user, name="Anna")
        await database.write(
            lambda tx, sender=sender: people.with_account(tx, "telegram", sender, NOON)  # type: ignore[misc]
        )
    await database.close()
    for asked, said in (
        (("approve", "ABCD-EFGH"), "Nobody was given that code"),
        (("deny", "telegram:1"), "talks with it already"),
        (("revoke", "Ben"), "Nobody called Ben"),
        (("revoke", "telegram:9"), "Nobody talks with it as telegram:9"),
        (("revoke", "Anna"), "2 people are called Anna. Name one of their accounts: telegram:1,"),
    ):
        ran = await here(home.path, "people", *asked)
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err


async def test_a_stranger_who_is_denied_is_listed_no_more(here: Here, home: Home) -> None:
    database = await Database.open(home.database)
    admission = Access(database, clock=SystemClock(), rng=random.Random(1))
    await admission.turned_away("telegram", Sender(user="7", name="Eve"), "7")
    await database.close()
    assert (await here(home.path, "people", "deny", "telegram:7", "--json")).json == {
        "account": "telegram:7"
    }
    assert (await here(home.path, "people", "list")).out == "Nobody yet.\n"


async def test_a_database_of_another_version_is_not_touched(here: Here, home: Home) -> None:
    database = await Database.open(home.database)
    await database.write(lambda tx: tx.execute("PRAGMA user_version = 4"))
    await database.close()
    ran = await here(home.path, "people", "approve", "telegram:7")
    assert ran.code == 2
    assert "older version" in ran.err


async def test_who_sits_at_the_terminal_is_not_shut_out(here: Here, home: Home) -> None:
    database = await Database.open(home.database)
    you = Sender(user="you", name="Anna")
    await database.write(lambda tx: people.with_account(tx, "terminal", you, NOON))
    await database.close()
    for who in ("Anna", "terminal:you"):
        ran = await here(home.path, "people", "revoke", who)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("terminal:you can't be shut out: whoever writes there sits at")
    assert "shut out" not in (await here(home.path, "people", "list")).out


async def test_somebody_also_at_the_terminal_is_shut_out_elsewhere_and_owns_no_more(
    here: Here, home: Home
) -> None:
    await (await Database.open(home.database)).close()
    assert (await here(home.path, "people", "approve", "telegram:7", "--json")).json["owner"]
    database = await Database.open(home.database)
    await database.write(
        lambda tx: tx.execute(
            "INSERT INTO account (person_id, platform, user, name, created_at)"
            " SELECT id, 'terminal', 'you', 'Anna', created_at FROM person"
        )
    )
    await database.close()
    ran = await here(home.path, "people", "revoke", "7", "--json")
    assert ran.json == {"accounts": ["telegram:7"]}
    (known,) = (await here(home.path, "people", "list", "--json")).json
    assert known["owner"] is False
    assert {one["user"]: one["revoked"] for one in known["accounts"]} == {"7": True, "you": False}


async def test_approving_who_sits_at_the_terminal_takes_nobodys_place_as_the_owner(
    here: Here, home: Home
) -> None:
    await (await Database.open(home.database)).close()
    first = await here(home.path, "people", "approve", "terminal:you", "--json")
    assert first.json["owner"] is False
    assert (await here(home.path, "people", "approve", "telegram:7", "--json")).json["owner"]


async def test_a_terminal_that_was_once_shut_out_is_heard(home: Home) -> None:
    database = await Database.open(home.database)
    you = Sender(user="you", name="Anna")

    def shut_out(tx: Tx) -> None:
        person = people.with_account(tx, "terminal", you, NOON)
        access.revoke(tx, person, "terminal", "you", NOON)

    await database.write(shut_out)
    admission = Access(database, clock=SystemClock(), rng=random.Random(1))
    assert not await admission.admits("terminal", "you")
    admission.trust("terminal")
    assert await admission.admits("terminal", "you")
    await database.close()
