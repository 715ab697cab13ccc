"""Whose memory a chat has: never a private one in a chat that others read."""

from dataclasses import replace
from pathlib import Path

from companion.events import MessageReceived
from tests.support.scripted_llm import ScriptedLLM, calls, sends
from tests.support.world import World, a_world

KEEPS = calls(
    ("working_context_append", {"text": "Anna keeps a canary."}),
    ("send_message", {"message": "Safe with me."}),
)
LOOKS = calls(("conversation_search", {"query": "canary", "request_heartbeat": True}))


def in_public(world: World, text: str, thread: str | None = None) -> MessageReceived:
    """A message in the chat that is Anna's own, but that others read now."""
    said = world.message(text)
    return replace(said, address=replace(said.address, private=False, thread=thread))


async def test_a_private_chat_that_turns_public_begins_with_an_empty_memory(tmp_path: Path) -> None:
    llm = ScriptedLLM(KEEPS, LOOKS, sends("No idea."), sends("Your canary!"))
    async with a_world(tmp_path, llm) as world:
        await world.say("My secret is a canary")
        assert await world.happens(in_public(world, "What do you know?")) == ["No idea."]
        assert "canary" not in str(llm.prompts[1])
        assert "Nothing found" in str(llm.prompts[2])
        assert await world.say("And now, in private again?") == ["Your canary!"]
        assert "My secret is a canary" in str(llm.prompts[3])
        assert "What do you know?" not in str(llm.prompts[3])


async def test_a_public_thread_of_a_private_chat_begins_with_an_empty_memory(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM(KEEPS, sends("No idea."))
    async with a_world(tmp_path, llm) as world:
        await world.say("My secret is a canary")
        assert await world.happens(in_public(world, "Hello", thread="5")) == ["No idea."]
        assert "canary" not in str(llm.prompts[1])


async def test_a_public_chat_that_turns_private_has_the_memory_of_its_person(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM(sends("One."), sends("Two."), sends("Three."))
    async with a_world(tmp_path, llm) as world:
        await world.happens(in_public(world, "Said to all"))
        await world.say("Said to one")
        await world.happens(in_public(world, "Said to all again"))
        assert "Said to all" not in str(llm.prompts[1])
        assert "Said to one" not in str(llm.prompts[2])


async def test_what_was_for_one_is_not_delivered_where_others_read(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Between us: a canary."), sends("Hello all."))
    async with a_world(tmp_path, llm, deliver=False) as world:
        await world.say("What is my secret?")
        await world.happens(in_public(world, "Hello"))
    async with a_world(tmp_path, llm) as world:
        await world.companion.quiet()
        assert world.delivered == [("Anna", "Hello all.")]
