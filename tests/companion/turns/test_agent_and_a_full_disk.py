"""A turn that the disk cut off goes on where it stopped, once there is room again."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from companion.events import MessageEdited
from companion.llm.protocol import Message, Reply, ToolSchema
from companion.storage.database import Tx
from companion.turns.consequences import LOOK_AGAIN
from tests.support.scripted_llm import ScriptedLLM, calls, sends
from tests.support.world import World, a_world

UNLIMITED = 1_000_000
"""Pages of the database: more than any test fills."""


class FillsTheDisk:
    """Leaves room for the answer of another model, and for little more."""

    def __init__(self, llm: ScriptedLLM, pages: int) -> None:
        self._llm = llm
        self._pages = pages
        self.world: World | None = None

    async def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        *,
        answer_tokens: int,
    ) -> Reply:
        if self.world is not None:
            await limit(self.world, self._pages)
            self.world = None
        return await self._llm.complete(messages, tools, answer_tokens=answer_tokens)

    async def close(self) -> None:
        pass


async def limit(world: World, more_pages: int) -> None:
    """Let the database grow by so many pages."""

    def work(tx: Tx) -> None:
        (pages,) = tx.execute("PRAGMA page_count").fetchone()
        tx.execute(f"PRAGMA max_page_count = {pages + more_pages}")

    await world.db.write(work)


async def test_what_was_done_before_the_disk_was_full_is_not_done_again(tmp_path: Path) -> None:
    note = " ".join(f"word{number}" for number in range(20_000))
    scripted = ScriptedLLM(
        calls(
            ("send_message", {"message": "I keep it."}),
            ("conversation_search", {"query": "keep"}),
            ("archival_storage_insert", {"text": note}),
        ),
        sends("Welcome back."),
    )
    llm = FillsTheDisk(scripted, pages=120)  # the answer takes 100, the note 50 and its index
    async with a_world(tmp_path, llm, window=200_000) as world:
        llm.world = world
        assert await world.say("Keep this") == ["I keep it."]
        assert await world.rows("SELECT id FROM passage") == []

        await limit(world, UNLIMITED)
        assert await world.say("I am back") == ["Welcome back."]
        assert await world.rows("SELECT text FROM passage") == [(note,)]
        said = await world.rows("SELECT said FROM message WHERE said <> '' ORDER BY id")
        assert said == [("Keep this",), ("I keep it.",), ("I am back",), ("Welcome back.",)]


async def test_an_answer_whose_effects_the_disk_does_not_take_is_asked_for_again(
    tmp_path: Path,
) -> None:
    answer = calls(
        ("archival_storage_insert", {"text": "long " * 20_000}),
        ("send_message", {"message": "I keep it."}),
    )
    scripted = ScriptedLLM(answer, answer, sends("Welcome back."))
    llm = FillsTheDisk(scripted, pages=0)
    async with a_world(tmp_path, llm, window=200_000) as world:
        llm.world = world
        assert await world.say("Keep this") == []
        assert await world.rows("SELECT COUNT(*) FROM step") == [(0,)]

        await limit(world, UNLIMITED)
        assert await world.say("I am back") == ["I keep it.", "Welcome back."]
        assert await world.rows("SELECT COUNT(*) FROM passage") == [(1,)]


async def test_an_edit_that_the_disk_cut_off_stands_in_the_queue_once(tmp_path: Path) -> None:
    scripted = ScriptedLLM(
        calls(
            ("working_context_append", {"text": "Anna has a cat."}),
            ("send_message", {"message": "A cat!"}),
        ),
        calls(("archival_storage_insert", {"text": "long " * 20_000})),
        calls(
            ("working_context_append", {"text": "Anna has two cats.", "request_heartbeat": True})
        ),
        calls(("stay_silent", {})),
        sends("Hello."),
    )
    llm = FillsTheDisk(scripted, pages=0)
    async with a_world(tmp_path, llm, window=200_000) as world:
        written = replace(world.message("I have a cat"), message="7")
        assert await world.happens(written) == ["A cat!"]
        llm.world = world
        edit = MessageEdited(
            id="edit",
            address=written.address,
            sender=written.sender,
            at=written.at,
            message="7",
            text="I have two cats",
        )
        assert await world.happens(edit) == []

        await limit(world, UNLIMITED)
        assert await world.say("Hi") == ["Hello."]
        assert "Anna has two cats." in await (await world.memory()).working_context()
        rows = await world.rows(
            "SELECT said FROM message WHERE kind IN ('event', 'alert') ORDER BY id"
        )
        # what was said before the edit is gone; the alert tells to look again
        assert rows == [("",), ("I have two cats",), ("",), ("Hi",)]
        assert LOOK_AGAIN in [message.text for message in scripted.prompts[-1]]
