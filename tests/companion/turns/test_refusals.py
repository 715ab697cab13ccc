"""A model that refuses what stands in the prompt already."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from companion.errors import LLMRefusedError, LLMUnavailableError
from companion.llm.protocol import Message, Reply
from companion.storage import memory_state
from companion.storage.memory_state import Summary
from companion.turns.refusals import SET_ASIDE
from companion.turns.worker import LATER, REFUSED
from tests.support.scripted_llm import ScriptedLLM, calls, sends
from tests.support.world import World, a_world

AWFUL = "something awful"
Script = Callable[[Sequence[Message]], Reply]


def refusing(*words: str) -> Script:
    """Answers all but a prompt in which one of `words` stands."""

    def answer(messages: Sequence[Message]) -> Reply:
        shown = "\n".join([message.text + str(message.calls) for message in messages])
        if any(word in shown for word in words):
            raise LLMRefusedError("content filter")
        return sends(f"Answer to {messages[-2].text.rpartition(' ')[2]}")

    return answer


async def summarised(world: World, text: str) -> None:
    """Let `text` be the summary of all that was said before."""
    person = await world.person()
    rows = await world.rows("SELECT MAX(id) FROM message")
    through = rows[0][0]
    assert isinstance(through, int)
    now = world.clock.now()
    await world.db.write(
        lambda tx: memory_state.flush(
            tx, person, through=through, summary=Summary(text, 50), now=now
        )
    )


async def test_a_chat_goes_on_when_an_earlier_message_is_refused(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Oh!"), sends("Well."))) as world:
        await world.say(AWFUL)
        await world.say("My cat is called Miso.")
    async with a_world(tmp_path, ScriptedLLM(refusing(AWFUL))) as world:
        assert await world.say("one") == [REFUSED]
        assert await world.say("two") == ["Answer to two"]
        assert await world.say("three") == ["Answer to three"]
        found = await (await world.memory()).search_messages("awful")
        assert [hit.said for hit in found.items] == [AWFUL]


async def test_the_model_is_told_that_something_is_left_out_and_how_to_find_it(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM(sends("Oh!"), refusing(AWFUL))
    async with a_world(tmp_path, llm) as world:
        await world.say(AWFUL)
        await world.say("one")
        await world.say("two")
    summary = llm.prompts[-1][1].text
    assert "4 messages until 2025-05-05" in summary
    assert "conversation_search" in summary


async def test_what_the_summary_says_is_kept_while_it_is_not_what_is_refused(
    tmp_path: Path,
) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Hello!"))) as world:
        await world.say("Hi")
        await summarised(world, "Anna's sister is Lea.")
    llm = ScriptedLLM(sends("Oh!"), refusing(AWFUL))
    async with a_world(tmp_path, llm) as world:
        await world.say(AWFUL)
        await world.say("one")
        assert await world.say("two") == ["Answer to two"]
    assert "Anna's sister is Lea." in llm.prompts[-1][1].text


async def test_a_summary_that_is_refused_leaves_the_prompt(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Hello!"))) as world:
        await world.say("Hi")
        await summarised(world, f"Anna told of {AWFUL}.")
    async with a_world(tmp_path, ScriptedLLM(sends("Yes?"), refusing(AWFUL))) as world:
        await world.say("Are you there?")
        assert await world.say("one") == [REFUSED]
        assert await world.say("two") == ["Answer to two"]
        assert await world.rows("SELECT COUNT(*) FROM summary WHERE text LIKE '%awful%'") == [(1,)]


async def test_a_summary_that_is_refused_when_nothing_stands_behind_it_is_left_out_at_once(
    tmp_path: Path,
) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Hello!"))) as world:
        await world.say("Hi")
        await summarised(world, f"Anna told of {AWFUL}.")
    async with a_world(tmp_path, ScriptedLLM(refusing(AWFUL))) as world:
        assert await world.say("one") == ["Answer to one"]


async def test_a_working_context_that_is_refused_is_set_aside_and_can_be_brought_back(
    tmp_path: Path,
) -> None:
    kept = calls(
        ("working_context_append", {"text": f"Anna likes {AWFUL}."}),
        ("send_message", {"message": "Noted."}),
    )
    async with a_world(tmp_path, ScriptedLLM(kept, refusing(AWFUL))) as world:
        await world.say("Keep that in mind.")
        assert await world.say("one") == [REFUSED]
        assert await world.say("two") == [SET_ASIDE, "Answer to two"]
        assert await world.say("three") == ["Answer to three"]
        await world.say("/undo")
        assert AWFUL in await (await world.memory()).working_context()


async def test_two_refused_messages_in_a_row_cost_nothing_that_came_before(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Nice."), refusing(AWFUL))
    async with a_world(tmp_path, llm) as world:
        await world.say("My cat is called Miso.")
        assert await world.say(f"{AWFUL} 1") == [REFUSED]
        assert await world.say(f"{AWFUL} 2") == [REFUSED]
        assert await world.say("two") == ["Answer to two"]
        assert await world.rows("SELECT COUNT(*) FROM summary") == [(0,)]
    assert "Miso" in str(llm.prompts[-1])


async def test_a_refusal_that_is_the_first_in_a_row_changes_nothing(tmp_path: Path) -> None:
    refused = LLMRefusedError("a whim")
    llm = ScriptedLLM(
        sends("Nice."), refused, sends("Yes?"), refused, sends("Better."), sends("Good.")
    )
    async with a_world(tmp_path, llm) as world:
        for text in ("My cat is called Miso.", "one", "two", "three", "four", "five"):
            await world.say(text)
        assert await world.rows("SELECT COUNT(*) FROM summary") == [(0,)]
    assert len(llm.prompts) == 6


async def test_quick_messages_are_one_turn_that_is_kept_whole(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Oh!"), refusing(AWFUL))
    async with a_world(tmp_path, llm) as world:
        await world.say(AWFUL)
        await world.say("one")
        for text in ("My cat", "is called Miso"):
            await world.companion.handle(replace(world.message(text), more_may_follow=True))
        assert await world.say("two") == ["Answer to Miso", "Answer to two"]
    answered = str(llm.prompts[-2])
    assert "My cat" in answered
    assert AWFUL not in answered


async def test_a_model_that_goes_away_meanwhile_is_asked_again_later(tmp_path: Path) -> None:
    refused, away = LLMRefusedError("content filter"), LLMUnavailableError("down")
    llm = ScriptedLLM(sends("Oh!"), refused, refused, away, refused, sends("Here."), sends("Yes."))
    async with a_world(tmp_path, llm) as world:
        await world.say(AWFUL)
        assert await world.say("one") == [REFUSED]
        assert await world.say("two") == [LATER]
        assert await world.say("three") == ["Here.", "Yes."]
