"""What was exported is the same again where it was taken back."""

import json
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

from companion.cli.whom import person_meant
from companion.home import Home
from companion.opening import open_storage
from companion.settings import Settings
from companion.storage import messages
from companion.storage.database import Tx
from companion.storage.personal import TABLES, Role
from tests.companion.cli.conftest import Here
from tests.support.canaries import CANARY, OTHER, holding, living
from tests.support.scripted_llm import ScriptedLLM, sends
from tests.support.world import a_world

SETTINGS = Settings.model_validate({"embedder": {"kind": "none"}})
NUMBERS = {"id", "person_id", "event_id", "conversation_id", "context_shown", "evicted_through"}
NUMBERS |= {"through", "restored", "superseded_by"}


def remembered(tx: Tx, who: str) -> dict[str, list[dict[str, Any]]]:
    """All that makes up a person's memory, without the numbers of the rows."""
    person = person_meant(tx, who).id
    found = {}
    for table in TABLES:
        if table.role is Role.MEMORY and table.name != "inbox":
            rows = tx.execute(
                f"SELECT * FROM {table.name} WHERE {table.person} = ? ORDER BY 1", (person,)
            )
            names = [column[0] for column in rows.description]
            left_out = (
                NUMBERS | set(table.anew) | ({"created_at"} if table.name == "person" else set())
            )
            found[table.name] = [
                {n: v for n, v in zip(names, row, strict=True) if n not in left_out} for row in rows
            ]
    return found


async def memory_of(home: Path, who: str) -> dict[str, list[dict[str, Any]]]:
    async with open_storage(home, settings=SETTINGS, environ={}) as storage:
        return await storage.db.read(lambda tx: remembered(tx, who))


async def test_memory_is_the_same_on_another_installation(here: Here, tmp_path: Path) -> None:
    async with living(tmp_path / "old"):
        pass
    file = tmp_path / "anna.zip"
    ran = await here(tmp_path / "old", "memory", "export", "Anna", "-o", str(file))
    assert (ran.code, ran.out) == (0, f"{file}\n")
    Home(tmp_path / "new").make()
    ran = await here(tmp_path / "new", "import", str(file))
    assert ran.code == 0, ran.err
    assert ran.out.startswith("New for Anna (number 1): ")
    old, new = await memory_of(tmp_path / "old", "Anna"), await memory_of(tmp_path / "new", "Anna")
    assert new == old
    assert holding(tmp_path / "new", CANARY) >= {"attachments/1/photo.txt"}
    again = await here(tmp_path / "new", "import", str(file))
    assert again.out == "Nothing was new: all of that is there already, for Anna.\n"
    assert await memory_of(tmp_path / "new", "Anna") == old


async def test_who_comes_along_is_known_and_goes_on_where_they_were(
    here: Here, tmp_path: Path
) -> None:
    async with living(tmp_path / "old") as world:
        queue = await world.db.read(lambda tx: [e.text for e in messages.queue(tx, 1)])
    file = str(tmp_path / "anna.zip")
    await here(tmp_path / "old", "memory", "export", "Anna", "-o", file)
    Home(tmp_path / "new").make()
    await here(tmp_path / "new", "import", file)
    llm = ScriptedLLM(sends("I do."))
    async with a_world(tmp_path / "new", llm, window=16_384) as world:
        assert await world.db.read(lambda tx: [e.text for e in messages.queue(tx, 1)]) == queue
        assert await world.say("Do you know me?") == ["I do."]
        assert CANARY in llm.prompts[0][0].text
        (found,) = await world.say(f"/search {CANARY}")
        assert "note of Mon 5 May 2025" in found
    # what was taken is no message of this platform's that an edit could mean
    async with open_storage(tmp_path / "new", settings=SETTINGS, environ={}) as storage:
        assert await storage.db.read(
            lambda tx: tx.execute("SELECT COUNT(*) FROM inbox WHERE message <> ''").fetchone()
        ) == (0,)


async def test_what_is_given_to_somebody_of_ours_comes_before_what_they_have(
    here: Here, tmp_path: Path
) -> None:
    async with living(tmp_path / "old"):
        pass
    file = str(tmp_path / "anna.zip")
    await here(tmp_path / "old", "memory", "export", "Anna", "-o", file)
    llm = ScriptedLLM(sends("Hello, Carla!"), sends("Plums."))
    async with a_world(tmp_path / "new", llm) as world:
        await world.say("I am Carla", "Carla")
        await world.say("/remember plums", "Carla")
    for new in (True, False):
        ran = await here(tmp_path / "new", "import", file, "--as", "carla")
        assert ran.out.startswith("New for Carla (number 1)" if new else "Nothing was new")
    async with a_world(tmp_path / "new", llm, window=16_384) as world:
        assert len(await world.rows("SELECT id FROM person")) == 1
        assert await world.rows("SELECT user FROM account") == [("Carla",)]
        await world.say("What do I like?", "Carla")
        told = str(llm.prompts[-1])
        assert "Hello, Carla!" in told
        assert "plums" in told
        assert f"Loves the {CANARY}." in llm.prompts[-1][0].text
        assert f"The {CANARY}!" not in told, "old messages are searched, not in the queue"
        (found,) = await world.say(f"/search {CANARY}", "Carla")
        assert f"All about the {CANARY}" in found


async def test_what_is_past_is_past_there_too_by_the_same_note(here: Here, tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Hello!"))
    async with a_world(tmp_path / "old", llm) as world:
        await world.say("I am Anna")
        memory = await world.memory()
        for text in ("Anna lives in Shanghai.", "Anna lives in Berlin."):
            noticed = await memory.notice(text)
            keep = partial(memory.keep_in, text=text, noticed=noticed)
            await world.db.write(keep)
    file = str(tmp_path / "anna.zip")
    await here(tmp_path / "old", "memory", "export", "Anna", "-o", file)
    Home(tmp_path / "new").make()
    assert (await here(tmp_path / "new", "import", file)).code == 0
    told = await here(tmp_path / "new", "memory", "search", "Shanghai", "--of", "Anna", "--json")
    true, past = json.loads(told.out)["archival"]
    assert (true["text"], true["until"]) == ("Anna lives in Berlin.", None)
    assert past["now"] == "Anna lives in Berlin."
    assert past["until"] is not None
    shown = await here(tmp_path / "new", "memory", "show", "--of", "Anna")
    assert "(model, true until " in shown.out


async def test_of_another_person_nothing_is_in_an_export(here: Here, tmp_path: Path) -> None:
    async with living(tmp_path / "old"):
        pass
    file = tmp_path / "anna.zip"
    await here(tmp_path / "old", "memory", "export", "Anna", "-o", str(file))
    with zipfile.ZipFile(file) as archive:
        told = {name: archive.read(name).decode() for name in archive.namelist()}
    assert not [name for name, text in told.items() if OTHER in text]
    assert {name for name, text in told.items() if CANARY in text} >= {
        "memory.md",
        "messages.md",
        "data/message.jsonl",
        "data/working_context.jsonl",
        "data/passage.jsonl",
        "data/summary.jsonl",
        "data/inbox.jsonl",
        "data/outbox.jsonl",
        "data/step.jsonl",
        "files/photo.txt",
    }
    assert json.loads(told["manifest.json"])["format"] == "companion-export"
