"""Status and people: looking at a home, also while a companion runs on it."""

import asyncio
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pytest

from companion.clock import SystemClock
from companion.events import Address, MessageReceived, Sender
from companion.home import Home
from companion.llm.protocol import Usage
from companion.storage import inbox, passages, people, usage, vector_blocks
from companion.storage.database import Database, Tx
from tests.companion.cli.conftest import Here

NOON = datetime(2025, 5, 5, 12, 0, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Anna wrote twice and has no answer yet; ten requests were made for her."""
    home = Home(tmp_path / "home")
    home.make()
    asyncio.run(_fill(home))
    return home


async def _fill(home: Home, key: str | None = None) -> None:
    database = await Database.open(home.database, key=key)
    await database.write(_anna)
    await database.close()


def _anna(tx: Tx) -> None:
    address = Address(platform="terminal", chat="anna")
    sender = Sender(user="anna", name="Anna")
    place = people.place(tx, address, sender, NOON)
    for number in range(2):
        event = MessageReceived(
            id=str(number), address=address, sender=sender, at=NOON, text="my secret"
        )
        inbox.add(tx, place, event, NOON)
    for day in range(1, 11):
        used = Usage(prompt_tokens=1000, cached_tokens=900, completion_tokens=20, cost=0.001)
        usage.add(tx, place.person, date(2025, 5, day), "qwen", used)


async def test_status_tells_who_talks_what_waits_and_what_it_costs(here: Here, home: Home) -> None:
    ran = await here(home.path, "status")
    assert ran.code == 0
    assert "Process   none runs now" in ran.out
    assert "Waiting   2 to answer, 0 to deliver, 0 given up" in ran.out
    assert "1  Anna: 0 messages" in ran.out
    used = "qwen: 10 requests, 10,000 tokens read (9,000 cached), 200 written, $0.0100"
    assert used in ran.out
    assert "secret" not in ran.out


async def test_status_tells_what_is_spent_today_and_when_that_is_all_there_is(
    here: Here, home: Home
) -> None:
    assert "Today" not in (await here(home.path, "status")).out
    database = await Database.open(home.database)
    used = Usage(prompt_tokens=1000, cached_tokens=0, completion_tokens=200, cost=0.5)
    today = SystemClock().now().date()
    await database.write(lambda tx: usage.add(tx, 1, today, "qwen", used))
    await database.close()
    assert "Today     1,200 tokens, $0.5000\n" in (await here(home.path, "status")).out
    (home.path / "companion.toml").write_text("[limits]\ntokens_a_day_for_all = 1000\n")
    assert "is used up until midnight UTC" in (await here(home.path, "status")).out
    status = (await here(home.path, "status", "--json")).json
    assert status["today"] == {"tokens": 1200, "cost": 0.5, "used_up": True}


async def test_status_tells_how_far_the_vectors_are(here: Here, home: Home) -> None:
    assert "Search    by words; no vectors yet" in (await here(home.path, "status")).out

    def begin(tx: Tx) -> None:
        for number in range(3):
            passages.add(tx, 1, f"note {number}", source="model", now=NOON)
        model = vector_blocks.use_model(tx, "small")
        made = vector_blocks.waiting(tx, 2)
        vectors = np.ones((2, 4), np.float32)
        vector_blocks.add_vectors(tx, model=model, made=made, vectors=vectors)

    database = await Database.open(home.database)
    await database.write(begin)
    await database.close()
    ran = await here(home.path, "status")
    assert "by vectors of small, of which 2 of 3 are made (66 %)" in ran.out
    vectors = (await here(home.path, "status", "--json")).json["vectors"]
    assert vectors == {"model": "small", "made": 2, "waiting": 1}


async def test_status_for_scripts_has_the_same_as_json(here: Here, home: Home) -> None:
    status = (await here(home.path, "status", "--json")).json
    assert status["running"] is None
    assert status["encrypted"] is False
    (anna,) = status["people"]
    assert (anna["name"], anna["to_answer"]) == ("Anna", 2)
    (used,) = anna["usage"]
    assert (used["requests"], used["cached_tokens"]) == (10, 9000)
    assert used["cost"] == pytest.approx(0.01)


async def test_status_names_the_process_that_runs_and_disturbs_it_in_nothing(
    here: Here, home: Home
) -> None:
    with home.lock(SystemClock()):
        ran = await here(home.path, "status")
    assert ran.code == 0
    assert "Process   process " in ran.out


async def test_status_before_the_first_conversation_makes_nothing(
    here: Here, tmp_path: Path
) -> None:
    home = tmp_path / "none"
    ran = await here(home, "status")
    assert (ran.code, "none yet" in ran.out) == (0, True)
    assert not home.exists()


async def test_status_of_a_home_that_cannot_be_one_fails(here: Here, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for home in (tmp_path / "file", tmp_path / "file" / "home"):
        ran = await here(home, "status")
        assert (ran.code, ran.out) == (2, "")
        assert "there is a file where a folder should be" in ran.err


async def test_status_names_the_models_without_their_keys(here: Here, home: Home) -> None:
    environ = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "sk-secret"}
    ran = await here(home.path, "status", environ=environ)
    assert "Model     auto at http://127.0.0.1:9/v1" in ran.out
    assert "sk-secret" not in ran.out


async def test_status_of_an_encrypted_home_needs_its_key(here: Here, tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.make()
    await _fill(home, key="right")
    assert (
        "encrypted" in (await here(tmp_path, "status", environ={"COMPANION_DB_KEY": "right"})).out
    )
    wrong = await here(tmp_path, "status", environ={"COMPANION_DB_KEY": "wrong"})
    assert (wrong.code, wrong.out) == (2, "")
    assert "COMPANION_DB_KEY does not open" in wrong.err


async def test_people_are_listed_with_their_accounts(here: Here, home: Home) -> None:
    assert (await here(home.path, "people", "list")).out == "1  Anna  (terminal:anna)\n"
    (anna,) = (await here(home.path, "people", "list", "--json")).json
    account = {"platform": "terminal", "user": "anna", "name": "Anna", "revoked": False}
    assert anna["accounts"] == [account]


async def test_people_of_a_home_that_is_not_there_is_a_sentence(here: Here, tmp_path: Path) -> None:
    ran = await here(tmp_path / "none", "people", "list")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("There is nothing in ")


async def test_a_backup_is_restored_on_another_home(here: Here, home: Home, tmp_path: Path) -> None:
    other = tmp_path / "other"
    backup = await here(home.path, "backup", str(tmp_path / "copy.db"))
    assert backup.out == f"{tmp_path / 'copy.db'}\n"
    restored = await here(other, "restore", str(tmp_path / "copy.db"))
    assert restored.code == 0
    assert (await here(other, "people", "list")).out == "1  Anna  (terminal:anna)\n"


async def test_a_backup_goes_among_the_homes_own_unless_named(here: Here, home: Home) -> None:
    ran = await here(home.path, "backup")
    assert [str(path) for path in home.backups.iterdir()] == [ran.out.strip()]


async def test_a_restore_keeps_what_it_replaces(here: Here, home: Home, tmp_path: Path) -> None:
    copy = (await here(home.path, "backup")).out.strip()
    ran = await here(home.path, "restore", copy)
    assert ran.code == 0
    assert "is kept as" in ran.out
    assert (await here(home.path, "people", "list")).out == "1  Anna  (terminal:anna)\n"
