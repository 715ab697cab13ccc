"""Erasing a person leaves nothing of them, in whatever state the home is found."""

import shutil
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from companion.clock import SystemClock
from companion.errors import OperatorError
from companion.home import Home
from companion.ledger import Ledger
from companion.opening import open_storage
from companion.settings import Settings
from companion.storage import erase, erase_groups, people
from companion.storage.backup import back_up
from companion.storage.database import Tx
from companion.storage.restore import restore
from tests.support.canaries import CANARY, OTHER, holding, living
from tests.support.scripted_llm import ScriptedLLM, sends
from tests.support.world import PLATFORM, a_world

SETTINGS = Settings.model_validate({"embedder": {"kind": "none"}})
BEN = 3
"""Anna is 1, and their group 2."""


def of_ben(tx: Tx) -> list[tuple[object, ...]]:
    """What there is of Ben's in the tables that matter most."""
    tables = ("message", "working_context", "passage", "summary", "outbox", "inbox")
    return [
        row
        for table in tables
        for row in tx.execute(f"SELECT * FROM {table} WHERE person_id = ?", (BEN,))
    ]


@pytest.fixture
async def home(tmp_path: Path) -> Path:
    """A home in which Anna, Ben and their group have memories."""
    async with living(tmp_path / "home"):
        pass
    return tmp_path / "home"


async def test_no_byte_of_an_erased_person_is_left_and_every_one_of_the_others(
    tmp_path: Path,
) -> None:
    async with living(tmp_path) as world:
        assert holding(tmp_path, CANARY) >= {
            "companion.db-wal",
            "history/test/Anna",
            "attachments/1/photo.txt",
            "companion.before-update-20250101T000000Z-v1.db",
            "logs/companion.log",
        }
        before = await world.db.read(of_ben)
        (farewell,) = await world.say("/erase yes everything")
        assert "I have nothing of yours" in farewell
        assert holding(tmp_path, CANARY) == set()
        assert await world.db.read(of_ben) == before
        assert {"companion.db", f"attachments/{BEN}/photo.txt", "history/test/Ben"} <= holding(
            tmp_path, OTHER
        )
        (found,) = await world.say(f"/search {OTHER}", "Ben")
        assert OTHER in found
    assert holding(tmp_path, CANARY) == set()


async def test_without_a_purge_the_scan_would_find_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def no_purge(_db: object) -> bool:
        return True

    monkeypatch.setattr(erase, "purge", no_purge)
    async with living(tmp_path) as world:
        await world.say("/erase yes everything")
        assert holding(tmp_path, CANARY)


async def test_it_asks_twice_and_only_in_private(tmp_path: Path) -> None:
    async with living(tmp_path) as world:
        (first,) = await world.say("/erase")
        assert first.endswith("To go on: /erase yes")
        (second,) = await world.say("/erase yes")
        assert second.endswith("/erase yes everything")
        group = await world.happens(world.message("/erase yes everything", group="club"))
        assert group == ["That is for the two of us: write /erase to me in our private chat."]
        assert await (await world.memory()).search(CANARY)


async def test_who_was_erased_and_writes_again_is_a_stranger(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Hello, Anna!"), sends("Pleased to meet you."), sends("No."))
    async with a_world(tmp_path, llm) as world:
        await world.say("I am Anna, and I like plums")
        await world.say("/remember plums")
        world.clock.advance(timedelta(minutes=1))
        await world.say("/erase yes everything")
        world.clock.advance(timedelta(minutes=1))
        assert await world.say("Hello?") == ["Pleased to meet you."]
        assert "plums" not in str(llm.prompts[-1])
        assert await world.say("/search plums") == ["I found nothing about “plums”."]
        assert len(await world.rows("SELECT id FROM person")) == 1
    # the ledger is about who was there before
    async with a_world(tmp_path, llm, clock=world.clock) as world:
        assert await world.say("Do you know me?") == ["No."]
        assert "Hello?" in str(llm.prompts[-1])


async def test_what_waits_for_an_answer_is_erased_too(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(), deliver=False) as world:
        await world.companion.handle(world.message("/remember plums"))
        await world.companion.quiet()
        world.clock.advance(timedelta(minutes=1))
        await world.companion.handle(world.message("/erase yes everything"))
        await world.companion.handle(world.message("/help", known_as="too quick"))
        await world.companion.quiet()
        sent: list[str] = []

        async def send(message: object) -> None:
            sent.append(message.text)  # type: ignore[attr-defined]

        world.companion.deliver(PLATFORM, send)
        await world.companion.quiet()
    assert not any("Saved" in text for text in sent)
    assert any("I have nothing of yours" in text for text in sent)


async def test_in_groups_what_they_said_goes_and_what_others_said_stays(tmp_path: Path) -> None:
    async with living(tmp_path) as world:
        await world.say("/erase yes everything")
        rows = await world.rows(
            "SELECT speaker, said FROM message WHERE person_id = 2 AND said <> ''"
        )
        assert {speaker for speaker, _ in rows} == {"Ben", "Mira"}
        (club,) = await world.rows(
            "SELECT text FROM working_context WHERE person_id = 2 ORDER BY id DESC LIMIT 1"
        )
        assert OTHER in str(club)


async def test_what_others_quoted_is_gone_and_what_they_said_themselves_stays(
    tmp_path: Path,
) -> None:
    async with living(tmp_path) as world:
        quoting = "SELECT text FROM message WHERE person_id = 2 AND said = 'So true'"
        ((before,),) = await world.rows(quoting)
        assert f"(in reply to “Anna: The {CANARY}!”): So true" in str(before)
        planned = "SELECT text FROM schedule WHERE person_id = 2 ORDER BY text DESC"
        plans = await world.rows(planned)
        bens = [(text,) for (text,) in plans if OTHER in str(text)]
        assert 0 < len(bens) < len(plans)
        await world.say("/erase yes everything")
        ((after,),) = await world.rows(quoting)
        assert str(after).endswith("Ben: So true")
        assert await world.rows(planned) == bens
        (found,) = await world.happens(world.message("/search true", "Ben", group="club"))
        assert "So true" in found


@pytest.mark.parametrize("guard", ["_unquote", "_unschedule", "_reactions"])
async def test_without_looking_there_the_scan_would_find_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guard: str
) -> None:
    monkeypatch.setattr(erase_groups, guard, lambda *_: set())
    async with living(tmp_path) as world:
        await world.say("/erase yes everything")
        assert "companion.db" in holding(tmp_path, CANARY)


async def test_a_restored_backup_erases_again_what_was_erased(home: Path, tmp_path: Path) -> None:
    backup, place = tmp_path / "backup.db", Home(home)
    back_up(place.database, backup)
    async with open_storage(home, settings=SETTINGS, environ={}) as storage:
        await storage.erasing.erase(1)
    assert restore(backup, place, clock=SystemClock()) is not None
    assert "companion.db" in holding(home, CANARY)
    async with open_storage(home, settings=SETTINGS, environ={}) as storage:
        assert await storage.db.read(of_ben)
    assert holding(home, CANARY) == set()
    assert any(file.startswith("companion.replaced-") for file in holding(home, OTHER))


async def test_without_the_ledger_a_restored_backup_would_give_them_back(
    home: Path, tmp_path: Path
) -> None:
    backup, place = tmp_path / "backup.db", Home(home)
    back_up(place.database, backup)
    async with open_storage(home, settings=SETTINGS, environ={}) as storage:
        await storage.erasing.erase(1)
    place.erased.unlink()
    restore(backup, place, clock=SystemClock())
    async with open_storage(home, settings=SETTINGS, environ={}):
        pass
    assert holding(home, CANARY)


async def test_the_ledger_names_nobody(home: Path) -> None:
    async with open_storage(home, settings=SETTINGS, environ={}) as storage:
        await storage.erasing.erase(1)
    text = Home(home).erased.read_text(encoding="utf-8")
    assert "Anna" not in text
    assert PLATFORM not in text
    assert Home(home).erased.stat().st_mode & 0o077 == 0


def test_a_ledger_that_cannot_be_read_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "erased.jsonl").write_text("what?", encoding="utf-8")
    with pytest.raises(OperatorError, match="Bring it back from a copy"):
        Ledger(tmp_path / "erased.jsonl")


async def test_the_erasing_of_a_group_leaves_its_people(home: Path) -> None:
    async with open_storage(home, settings=SETTINGS, environ={}) as storage:
        await storage.erasing.erase(2)
        left = await storage.db.read(people.everybody)
    assert [person.id for person in left] == [1, BEN]


def test_an_erasure_that_is_killed_is_finished_by_the_next_start(
    home: Path, tmp_path: Path
) -> None:
    killed = 0
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.erasing_child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as lives:
        while _life(lives, shutil.copytree(home, tmp_path / str(killed)), killed + 1):
            copy = tmp_path / str(killed)
            killed += 1
            assert _life(lives, copy, 0) == 0
            assert holding(copy, CANARY) == set(), f"killed at point {killed}"
            assert holding(copy, OTHER)
        lives.communicate()
    assert killed >= 5


def _life(lives: "subprocess.Popen[str]", home: Path, kill_at: int) -> int:
    """The exit code of a life that ends at this point, or by itself."""
    assert lives.stdin is not None
    assert lives.stdout is not None
    lives.stdin.write(f"{home} {kill_at}\n")
    lives.stdin.flush()
    code = int(lives.stdout.readline())
    assert code in (0, -signal.SIGKILL)
    return code
