"""What is remembered of a person, from the command line."""

import asyncio
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from companion.context import working_context
from companion.events import Address, Sender
from companion.home import Home
from companion.storage import messages, passages, people, working_contexts
from companion.storage.database import Database, Tx
from companion.storage.messages import Entry
from tests.companion.cli.conftest import Here
from tests.support.canaries import holding

NOON = datetime(2025, 5, 5, 12, 0, tzinfo=UTC)


def _remember(tx: Tx, name: str, said: str) -> None:
    address = Address(platform="terminal", chat=name.casefold())
    place = people.place(tx, address, Sender(user=name.casefold(), name=name), NOON)
    working_contexts.add(tx, place.person, f"{name} plays the cello.", cause="start", now=NOON)
    for speaker in (name, "Mira"):
        entry = Entry(
            kind="event",
            text=said,
            said_at=NOON,
            tokens=9,
            speaker=speaker,
            said=f"{speaker}: {said}",
        )
        messages.add(tx, place.person, entry)
    passages.add(tx, place.person, f"Teacher of {name}: Ruth.", source="model", now=NOON)


async def _fill(home: Home, *people_and_words: tuple[str, str]) -> None:
    database = await Database.open(home.database)
    for name, said in people_and_words:
        await database.write(partial(_remember, name=name, said=said))
    await database.close()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.make()
    asyncio.run(_fill(home, ("Anna", "上海 is far"), ("Ben", "the sea is near")))
    return home


async def test_show_has_the_working_context_and_what_was_kept(here: Here, home: Home) -> None:
    ran = await here(home.path, "memory", "show", "--of", "anna")
    assert ran.out == "Anna plays the cello.\n\n2025-05-05 (model)\nTeacher of Anna: Ruth.\n"
    for named in (("anna",), ("--as", "Anna"), ("1",)):
        assert (await here(home.path, "memory", "show", *named)).out == ran.out
    as_json = (await here(home.path, "memory", "show", "--of", "1", "--json")).json
    assert as_json["working_context"] == "Anna plays the cello."
    assert [passage["text"] for passage in as_json["archival"]] == ["Teacher of Anna: Ruth."]


async def test_search_finds_what_this_person_said_and_nothing_of_anothers(
    here: Here, home: Home
) -> None:
    found = await here(home.path, "memory", "search", "sea", "--of", "Ben")
    assert "Ben: the sea is near" in found.out
    assert "sea" not in (
        await here(home.path, "memory", "search", "sea", "--of", "Anna")
    ).out.replace("Nothing was found for 'sea'.", "")


async def test_search_finds_what_is_kept_in_mind(here: Here, home: Home) -> None:
    text = working_context.with_lines(working_context.first("You are Mira."), ["Plays the cello."])
    database = await Database.open(home.database)
    await database.write(lambda tx: working_contexts.add(tx, 1, text, cause="test", now=NOON))
    await database.close()
    ran = await here(home.path, "memory", "search", "cello", "--of", "Anna")
    assert ran.out.splitlines()[0] == "In mind: Plays the cello."
    found = (await here(home.path, "memory", "search", "cello", "--of", "Anna", "--json")).json
    assert found["in_mind"] == ["Plays the cello."]
    assert "cello" not in (await here(home.path, "memory", "search", "Ruth", "--of", "Ben")).out


async def test_search_explains_what_each_sign_adds_to_a_score(here: Here, home: Home) -> None:
    ran = await here(
        home.path, "memory", "search", "what did Mira say of the sea", "--as", "Ben", "--explain"
    )
    first, why, *_ = ran.out.splitlines()
    assert first == "2025-05-05 12:00  Mira: Mira: the sea is near"
    total, _, parts = why.strip().partition(" = ")
    shares = dict(part.rsplit(" ", 1) for part in parts.split(" + "))
    assert {"words", "neighbours", "speaker"} == set(shares)
    assert float(total) == pytest.approx(sum(map(float, shares.values())), abs=0.02)
    assert ran.out.endswith("Found in all: 2 messages, 0 notes.\n")


async def test_search_finds_words_in_any_script_and_tells_when_there_is_nothing(
    here: Here, home: Home
) -> None:
    found = (await here(home.path, "memory", "search", "上海", "--of", "Anna", "--json")).json
    assert {hit["speaker"] for hit in found["recall"]} == {"Anna", "Mira"}
    nothing = await here(
        home.path, "memory", "search", "xylophone", "--of", "Anna", environ={"COMPANION_CONFIG": ""}
    )
    assert nothing.code == 0


async def test_export_writes_a_zip_and_never_over_another_file(
    here: Here, home: Home, tmp_path: Path
) -> None:
    file = str(tmp_path / "anna.zip")
    assert (await here(home.path, "memory", "export", "Anna", "-o", file)).out == f"{file}\n"
    again = await here(home.path, "memory", "export", "Anna", "-o", file)
    assert again.err == f"There is a file at {file} already. Name another one.\n"
    nowhere = await here(home.path, "memory", "export", "Anna", "-o", str(tmp_path / "a/b.zip"))
    assert (nowhere.code, "cannot be written" in nowhere.err) == (2, True)


async def test_erase_asks_first_and_leaves_the_others(here: Here, home: Home) -> None:
    asked = await here(home.path, "memory", "erase", "Anna")
    assert asked.err == "Add --yes to erase everything of Anna for good.\n"
    ran = await here(home.path, "memory", "erase", "anna", "--yes")
    assert ran.out.startswith("Everything of Anna is erased.\nBackups that you made")
    assert holding(home.path, "Ruth") == {"companion.db"}  # Ben has a teacher of that name too
    assert (await here(home.path, "memory", "show")).out.startswith("Ben plays the cello.")


async def test_a_restored_backup_has_nobody_who_was_erased(
    here: Here, home: Home, tmp_path: Path
) -> None:
    copy = str(tmp_path / "copy.db")
    await here(home.path, "backup", copy)
    await here(home.path, "memory", "erase", "Anna", "--yes")
    assert (await here(home.path, "restore", copy)).code == 0
    assert "上海" not in (await here(home.path, "memory", "search", "上海", "--json")).out
    assert holding(home.path, "is far") == set()


async def test_whom_it_is_about_must_be_clear(here: Here, home: Home) -> None:
    assert (await here(home.path, "memory", "show")).err == (
        "Say whom. By number and name there are: 1 Anna, 2 Ben.\n"
    )
    missing = await here(home.path, "memory", "show", "--of", "Carl")
    assert (missing.code, missing.err) == (
        2,
        "Nobody here is called Carl. By number and name there are: 1 Anna, 2 Ben.\n",
    )


async def test_the_only_person_need_not_be_named(here: Here, tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.make()
    await _fill(home, ("Anna", "hello"))
    assert "cello" in (await here(home.path, "memory", "show")).out


async def test_somebody_unknown_named_with_an_option_is_not_taken_for_the_only_person(
    here: Here, tmp_path: Path
) -> None:
    home = Home(tmp_path / "home")
    home.make()
    await _fill(home, ("Anna", "hello"))
    for option in ("--of", "--as"):
        ran = await here(home.path, "memory", "erase", option, "Carl", "--yes")
        assert (ran.code, ran.out) == (2, "")
        assert "Nobody here is called Carl." in ran.err
    assert (await here(home.path, "memory", "show")).code == 0
