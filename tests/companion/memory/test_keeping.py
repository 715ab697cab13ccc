"""A correction wins at once; what was true stays as past, and can be asked for and brought back."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from companion.events import FileReceived, MessageDeleted
from companion.storage import passages, remarks
from companion.storage.passages import Passage
from tests.support.scripted_llm import Answer, ScriptedLLM, calls, sends
from tests.support.virtual_clock import VirtualClock
from tests.support.world import World, a_world

MARCH = datetime(2025, 3, 5, 12, tzinfo=UTC)
MONTH = timedelta(days=31)


def doing(name: str, **arguments: Any) -> Answer:
    return calls((name, {**arguments, "request_heartbeat": True}))


async def asked(world: World, llm: ScriptedLLM, name: str, **arguments: Any) -> str:
    """What the model gets for one call, made in a turn of its own."""
    llm.will(doing(name, **arguments), sends("ok"))
    await world.say("go on")
    return [message.text for message in llm.prompts[-1] if message.role == "tool"][-1]


async def keep(world: World, llm: ScriptedLLM, text: str, **more: Any) -> str:
    return await asked(world, llm, "archival_storage_insert", text=text, **more)


async def notes(world: World) -> list[Passage]:
    person = await world.person()
    return await world.db.read(lambda tx: passages.everything(tx, person))


async def moved(world: World, llm: ScriptedLLM) -> str:
    """They live in Shanghai, and a month later in Berlin; what the model is told of that."""
    await keep(world, llm, "Robin lives in Shanghai.")
    world.clock.advance(MONTH)
    return await keep(world, llm, "Robin lives in Berlin.")


async def test_the_model_is_told_what_became_past(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm, clock=VirtualClock(MARCH)) as world:
        told = await moved(world, llm)
        old, new = await notes(world)
    assert told.startswith("Kept in archival storage as note 2. Past from now on")
    assert "note 1 of 5 March 2025: “Robin lives in Shanghai.”" in told
    assert (old.until, old.superseded_by) == (MARCH + MONTH, new.id)
    assert new.until is None


async def test_what_is_true_is_found_first_and_what_was_is_marked(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm, clock=VirtualClock(MARCH)) as world:
        await moved(world, llm)
        found = await asked(world, llm, "archival_storage_search", query="Shanghai")
        shown = await world.say("/search Shanghai")
    assert found.index("Robin lives in Berlin.") < found.index("] Robin lives in Shanghai.")
    (past,) = [line for line in found.splitlines() if line.endswith("] Robin lives in Shanghai.")]
    assert "[kept Wed 5 Mar 2025" in past
    assert "true until Sat 5 Apr 2025" in past
    assert "now: “Robin lives in Berlin.”" in past
    assert "until Sat 5 Apr 2025" in shown[0]


async def test_undo_brings_back_what_became_past(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm, clock=VirtualClock(MARCH)) as world:
        await moved(world, llm)
        (answer,) = await world.say("/undo")
        assert answer == "Taken back. True again in my notes: “Robin lives in Shanghai.”"
        assert [note.until for note in await notes(world)] == [None, None]
        assert await world.say("/undo") == ["There is no change to take back."]


async def test_the_model_brings_back_what_is_true_as_well(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm, clock=VirtualClock(MARCH)) as world:
        await moved(world, llm)
        await keep(world, llm, "Robin lives in Shanghai.", replaces=0)
        assert [note.until for note in await notes(world)] == [None, None]


async def test_what_turns_true_again_takes_its_place_back(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm, clock=VirtualClock(MARCH)) as world:
        await moved(world, llm)
        world.clock.advance(MONTH)
        await keep(world, llm, "Robin lives in Shanghai.")
        old, new = await notes(world)
    assert old.until is None
    assert old.told_at == MARCH + 2 * MONTH
    assert new.superseded_by == old.id


async def test_a_note_that_is_named_can_be_replaced_by_its_number(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm, clock=VirtualClock(MARCH)) as world:
        await keep(world, llm, "Robin likes tea.")
        named = await keep(world, llm, "Robin likes coffee.")
        assert "There is also: note 1 of 5 March 2025: “Robin likes tea.”" in named
        assert [note.until for note in await notes(world)] == [None, None]
        told = await keep(world, llm, "Robin likes coffee.", replaces=1)
        assert "Past from now on" in told
        assert [note.until for note in await notes(world)] == [MARCH, None]


async def test_a_number_of_nobodys_or_somebody_elses_note_is_refused(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("hi"))
    async with a_world(tmp_path, llm) as world:
        await world.say("Hello", name="Ben")
        await (await world.memory("Ben")).add("Ben likes tea.")
        told = await keep(world, llm, "Anna likes coffee.", replaces=1)
        assert "There is no note 1." in told
        assert await notes(world) == []
        ben = await world.person("Ben")
        (theirs,) = await world.db.read(lambda tx: passages.everything(tx, ben))
    assert theirs.until is None


async def test_a_double_renews_the_date_and_is_shown_once(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm, clock=VirtualClock(MARCH)) as world:
        await keep(world, llm, "Robin likes herons.")
        world.clock.advance(MONTH)
        told = await keep(world, llm, "Robin really likes herons!")
        (note,) = await notes(world)
    assert "note 1 of 5 March 2025: “Robin likes herons.”. Its date is renewed." in told
    assert (note.created_at, note.told_at) == (MARCH, MARCH + MONTH)


async def test_a_file_makes_nothing_past(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await keep(world, llm, "Robin lives in Shanghai.")
        llm.will(doing("archival_storage_insert", text="Robin lives in Rome."), sends("ok"))
        sent = world.message("")
        file = FileReceived(
            id="f1",
            address=sent.address,
            sender=sent.sender,
            at=sent.at,
            name="cv.txt",
            media_type="text/plain",
            size=1,
        )
        await world.happens(file)
        assert [note.until for note in await notes(world)] == [None, None]


async def test_a_deleted_correction_leaves_what_was_true_before(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await keep(world, llm, "Robin lives in Shanghai.")
        llm.will(doing("archival_storage_insert", text="Robin lives in Berlin."), sends("ok"))
        sent = replace(world.message("I live in Berlin"), message="7")
        await world.happens(sent)
        llm.will(calls(("stay_silent", {})))
        gone = MessageDeleted(
            id="d7", address=sent.address, sender=sent.sender, at=sent.at, message="7"
        )
        await world.happens(gone)
        (note,) = await notes(world)
    assert (note.text, note.until) == ("Robin lives in Shanghai.", None)


async def test_a_person_who_corrects_is_told_what_was_there(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm, clock=VirtualClock(MARCH)) as world:
        assert await world.say("/remember I live in Shanghai") == ["Saved."]
        assert (await world.say("/remember I live in Shanghai!"))[0].startswith("I have that")
        world.clock.advance(MONTH)
        (answer,) = await world.say("/remember I live in Berlin now")
        assert answer.startswith("Saved. I had until now: “I live in Shanghai”.")
        text = await (await world.memory()).working_context()
        assert "I live in Berlin now" in text
        assert "Shanghai" not in text
        (past,) = await notes(world)
        assert (past.text, past.created_at, past.until) == (
            "I live in Shanghai",
            MARCH,
            MARCH + MONTH,
        )
        assert "(until Sat 5 Apr 2025" in (await world.say("/memory"))[0]
        (undone,) = await world.say("/undo")
        assert undone.splitlines() == [
            "Taken back.",
            "No longer: I live in Berlin now",
            "Again: I live in Shanghai",
        ]
        assert await notes(world) == []


async def test_a_line_that_is_replaced_can_be_asked_for(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm, clock=VirtualClock(MARCH)) as world:
        await asked(world, llm, "working_context_append", text="Anna lives in Shanghai.")
        told = await asked(world, llm, "working_context_append", text="Anna lives in Berlin.")
        assert "But it also says: “Anna lives in Shanghai.”" in told
        world.clock.advance(MONTH)
        await asked(world, llm, "working_context_replace", old="Anna lives in Shanghai.\n", new="")
        found = await asked(world, llm, "archival_storage_search", query="where Anna lived")
    assert "true until Sat 5 Apr 2025" in found
    assert found.endswith("] Anna lives in Shanghai.")


async def test_a_line_that_is_deleted_or_told_in_more_words_is_no_past(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await asked(world, llm, "working_context_append", text="Likes plums.")
        await asked(world, llm, "working_context_replace", old="plums.", new="plums and figs.")
        await asked(world, llm, "working_context_replace", old="Likes plums and figs.", new="")
        assert await notes(world) == []


async def test_a_double_of_a_line_is_answered_with_the_line(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await asked(world, llm, "working_context_append", text="Anna likes herons.")
        told = await asked(world, llm, "working_context_append", text="Anna really likes herons")
    assert "says that already: “Anna likes herons.”" in told


async def test_nothing_is_written_about_that_is_past(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await moved(world, llm)
        person = await world.person()
        told = await world.db.read(lambda tx: remarks.of(tx, person, world.clock.now()))
    kept = [one.text for one in told if one.source.kind == "passage"]
    assert kept == ["Robin lives in Berlin."]


async def test_what_is_past_is_forgotten_too(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await moved(world, llm)
        await world.say("/forget yes Berlin")
        (note,) = await notes(world)
        assert (note.text, note.superseded_by) == ("Robin lives in Shanghai.", None)
        assert note.until is not None
        await world.say("/forget yes Shanghai")
        assert await notes(world) == []
