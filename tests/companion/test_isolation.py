"""Every statement on personal tables is bound to its person, in a life that uses all of it."""

from collections.abc import Sequence
from pathlib import Path

from companion.errors import LLMUnavailableError
from companion.events import ReactionReceived, Sender
from companion.llm.protocol import Message, Reply
from companion.storage import inbox, outbox
from tests.support.person_binding import ALLOWED, Schema, unbound
from tests.support.scripted_llm import ScriptedLLM, calls, says, sends
from tests.support.sql_trace import recorded
from tests.support.world import World, a_world


def busy(messages: Sequence[Message]) -> Reply | Exception:
    """A model that uses everything it has."""
    asked = messages[-2].text
    if "Memory pressure" in asked:
        return calls(("archival_storage_insert", {"text": f"Note of {len(messages)} messages."}))
    if asked.endswith("everything"):
        return calls(
            ("working_context_append", {"text": "Likes everything."}),
            ("working_context_replace", {"old": "Likes everything.", "new": "Likes it all."}),
            ("archival_storage_insert", {"text": "Everything, in detail."}),
            ("archival_storage_search", {"query": "detail"}),
            ("conversation_search", {"query": "word", "since": "2025-05-01"}),
            ("stay_silent", {}),
            ("dance", {}),
            ("send_message", {"message": "All done."}),
        )
    if asked.endswith("nothing"):
        return LLMUnavailableError("down")
    return sends(f"Yes. {len(messages)} " + "la " * 40)


async def live(world: World) -> None:
    for name in ("Anna", "Ben"):
        await world.say("everything", name)
        for _ in range(20):
            await world.say("word " * 30, name)
        for command in ("memory", "remember x", "forget x", "forget yes x", "undo", "search word"):
            await world.say(f"/{command}", name)
        for command in ("usage", "timezone Berlin", "help", "privacy", "nonsense"):
            await world.say(f"/{command}", name)
        await world.happens(
            ReactionReceived(
                id=f"r{name}",
                address=world.address(name),
                sender=Sender(user=name, name=name),
                at=world.clock.now(),
                message="1",
                emoji="👍",
            )
        )
    await world.happens(world.message("everything", group="club"))
    await (await world.memory()).add("To be forgotten: the xylophone.")
    await world.say("/forget yes xylophone")
    await world.db.read(lambda tx: (inbox.open_items(tx), outbox.open_items(tx)))
    await world.say("nothing", "Ben")


async def test_no_statement_on_a_personal_table_forgets_its_person(tmp_path: Path) -> None:
    llm = ScriptedLLM(busy, summary=says("They talked."))
    async with a_world(tmp_path, llm, window=4096) as world, recorded(world.db) as trace:
        await live(world)
        schema = await world.db.read(Schema.of)
    assert unbound(trace.shapes, schema, ALLOWED) == []
    assert len(trace.shapes) > 40
