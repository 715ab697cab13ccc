"""A message that is deleted or changed takes along what memory drew from it."""

from dataclasses import replace
from pathlib import Path

from companion.events import MessageDeleted, MessageEdited, MessageReceived
from tests.support.scripted_llm import Answer, ScriptedLLM, calls, says, sends
from tests.support.world import World, a_world

SILENT = calls(("stay_silent", {}))


def keeps(*more: tuple[str, dict[str, str]], answer: str = "I see.") -> Answer:
    return calls(*more, ("send_message", {"message": answer}))


async def say(world: World, text: str, message: str) -> MessageReceived:
    event = replace(world.message(text), message=message)
    await world.happens(event)
    return event


async def delete(world: World, of: MessageReceived) -> list[str]:
    return await world.happens(
        MessageDeleted(
            id=f"d{of.message}",
            address=of.address,
            sender=of.sender,
            at=of.at,
            message=of.message,
        )
    )


async def everywhere(world: World) -> str:
    tables = ("working_context", "passage", "message", "inbox", "step", "tool_done", "summary")
    return str([await world.rows(f"SELECT * FROM {table}") for table in tables])


async def test_lines_notes_and_calls_go_with_a_deleted_message(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        keeps(
            ("working_context_append", {"text": "Likes plums."}),
            ("archival_storage_insert", {"text": "A note on plums."}),
        ),
        keeps(("working_context_append", {"text": "Plays the cello."})),
        SILENT,
    )
    async with a_world(tmp_path, llm) as world:
        plums = await say(world, "I like plums", "1")
        await say(world, "I play the cello", "2")
        assert await delete(world, plums) == []
        assert "plums" not in (await everywhere(world)).casefold()
        assert "Plays the cello." in await (await world.memory()).working_context()
        assert "plums" not in str(llm.prompts[-1]).casefold()
        assert "What you kept was taken out" in str(llm.prompts[-1])


async def test_what_the_message_had_replaced_is_back(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        keeps(("working_context_append", {"text": "Lives in Berlin."})),
        keeps(("working_context_replace", {"old": "in Berlin", "new": "in Rome"})),
        SILENT,
    )
    async with a_world(tmp_path, llm) as world:
        await say(world, "I live in Berlin", "1")
        await delete(world, await say(world, "I live in Rome", "2"))
        text = await (await world.memory()).working_context()
    assert "Lives in Berlin." in text
    assert "Rome" not in text


async def test_what_was_summed_up_of_it_goes_too(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        sends("Oh no!"),
        lambda _: sends("Go on. " + "la " * 60),
        summary=says("Anna broke her ankle. She plays the cello."),
    )
    async with a_world(tmp_path, llm, window=4096) as world:
        ankle = await say(world, "I broke my ankle on Sunday", "1")
        for _ in range(14):
            await world.say("word " * 60)
        await delete(world, ankle)
        (rows,) = {str(row) for row in await world.rows("SELECT text FROM summary")}
    assert "ankle" not in rows
    assert "She plays the cello." in rows


async def test_an_edit_takes_the_old_text_and_what_came_of_it(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        keeps(("working_context_append", {"text": "Likes plums."})),
        calls(("working_context_append", {"text": "Likes pears."}), ("stay_silent", {})),
    )
    async with a_world(tmp_path, llm) as world:
        plums = await say(world, "I like plums", "1")
        await world.happens(
            MessageEdited(
                id="e1",
                address=plums.address,
                sender=plums.sender,
                at=world.clock.now(),
                message="1",
                text="I like pears",
            )
        )
        assert "plums" not in (await everywhere(world)).casefold()
        assert "Likes pears." in await (await world.memory()).working_context()
        (found,) = await world.say("/search pears")
        assert "I like pears" in found


async def test_nothing_else_is_touched_when_nothing_was_kept(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("I see."), keeps(("working_context_append", {"text": "Likes pears."})))
    async with a_world(tmp_path, llm) as world:
        plums = await say(world, "I had plums", "1")
        await say(world, "I like pears", "2")
        assert await delete(world, plums) == []
        assert len(llm.prompts) == 2
        assert "Likes pears." in await (await world.memory()).working_context()


KEPT = (
    ("working_context_append", {"text": "Allergic to hazelnuts."}),
    ("archival_storage_insert", {"text": "Anna is allergic to hazelnuts."}),
)


async def test_what_a_later_turn_kept_of_it_is_shown_with_it_and_goes_with_it(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM(
        sends("Oh."),
        keeps(*KEPT, ("working_context_append", {"text": "Goes to bed early, good night."})),
        SILENT,
    )
    async with a_world(tmp_path, llm) as world:
        nuts = await say(world, "I am allergic to hazelnuts", "1")
        await say(world, "good night", "2")
        (shown,) = await world.say("/memory")
        assert shown.count("from “I am allergic to hazelnuts”") == 2
        await delete(world, nuts)
        (shown,) = await world.say("/memory")
        assert "hazelnuts" not in shown
        assert "hazelnuts" not in str(llm.prompts[-1])
    assert "Goes to bed early, good night." in shown


async def test_what_another_message_says_as_well_stays(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Oh."), sends("So you said."), keeps(*KEPT))
    async with a_world(tmp_path, llm) as world:
        nuts = await say(world, "I am allergic to hazelnuts", "1")
        await say(world, "Yes, allergic to hazelnuts", "2")
        await say(world, "good night", "3")
        await delete(world, nuts)
        (shown,) = await world.say("/memory")
    assert "- Allergic to hazelnuts. (" in shown
    assert "from “Yes, allergic to hazelnuts”" in shown


async def test_an_edit_takes_what_a_later_turn_kept(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Oh."), keeps(*KEPT), SILENT)
    async with a_world(tmp_path, llm) as world:
        nuts = await say(world, "I am allergic to hazelnuts", "1")
        await say(world, "good night", "2")
        await world.happens(
            MessageEdited(
                id="e1",
                address=nuts.address,
                sender=nuts.sender,
                at=world.clock.now(),
                message="1",
                text="I like cake",
            )
        )
        assert "hazelnuts" not in (await world.say("/memory"))[0]
