"""Warning, flush and summary, at every window; and what survives a restart."""

from collections.abc import Sequence
from itertools import count
from pathlib import Path

import pytest

from companion.context.fifo_queue import SUMMARY_HEAD
from companion.errors import ContextOverflowError, LLMUnavailableError
from companion.llm.protocol import Message, Reply
from companion.settings import MemorySettings, Settings
from tests.support.scripted_llm import ScriptedLLM, calls, says, sends
from tests.support.simple_counter import SimpleCounter
from tests.support.world import a_world

counter = SimpleCounter()
numbers = count(1)
WINDOWS = [4096, 8192, 32_768, 131_072]


def size(prompt: Sequence[Message]) -> int:
    return sum(counter.message(message) for message in prompt) + 700


def chatty(messages: Sequence[Message]) -> Reply:
    """Answers a person at length, and an alert with a note."""
    if messages[-2].text.startswith("[system alert] Memory pressure"):
        return calls(("archival_storage_insert", {"text": f"Note {next(numbers)}"}))
    return sends(f"I hear you. {len(messages)} " + "la " * 60)


@pytest.mark.parametrize("window", WINDOWS)
async def test_at_every_window_the_prompt_fits_and_the_chat_goes_on(
    tmp_path: Path, window: int
) -> None:
    llm = ScriptedLLM(chatty)
    text = "word " * (window // 50)
    async with a_world(tmp_path, llm, window=window) as world:
        for number in range(60):
            answers = await world.say(f"{number} {text}")
            assert len(answers) == 1
        rows = await world.rows("SELECT COUNT(*) FROM message WHERE kind = 'event'")
    assert max(size(prompt) for prompt in llm.prompts) <= window
    assert len(llm.summaries) >= 1
    assert rows == [(60,)]


async def test_the_warning_comes_once_a_fill_and_gets_a_step(tmp_path: Path) -> None:
    llm = ScriptedLLM(chatty)
    async with a_world(tmp_path, llm, window=4096) as world:
        while not llm.summaries:
            await world.say("word " * 20)
        warned = await world.rows(
            "SELECT COUNT(*) FROM message WHERE text LIKE '%Memory pressure%'"
        )
        notes = await world.rows("SELECT COUNT(*) FROM passage")
    assert warned == [(1,)]
    assert notes == [(1,)]


async def test_a_heartbeat_asked_for_in_the_step_that_is_warned_of_is_kept(
    tmp_path: Path,
) -> None:
    answers = iter(range(1000))

    def on(messages: Sequence[Message]) -> Reply:
        pressed = any("Memory pressure" in message.text for message in messages)
        if pressed:
            return sends("This is the answer.")
        query = f"cat {next(answers)} " + "x" * 300
        return calls(("conversation_search", {"query": query, "request_heartbeat": True}))

    llm = ScriptedLLM(on)
    settings = Settings.model_validate({"agent": {"max_steps": 50}})
    async with a_world(tmp_path, llm, window=4096, settings=settings) as world:
        assert await world.say("Where is my cat?") == ["This is the answer."]


async def test_what_is_evicted_stands_in_the_summary_and_in_recall_storage_for_good(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM(chatty, summary=says("Anna's cat is called Miso."))
    async with a_world(tmp_path, llm, window=4096) as world:
        await world.say("My cat is called Miso.")
        for _ in range(30):
            await world.say("word " * 30)
        prompt = llm.prompts[-1]
        assert prompt[1].text == f"{SUMMARY_HEAD}Anna's cat is called Miso."
        assert not any("My cat is called" in message.text for message in prompt)
        found = await (await world.memory()).search_messages("cat called Miso")
        assert "My cat is called Miso." in [hit.said for hit in found.items]
    asked = llm.summaries[0][-1].text
    assert "My cat is called Miso." in asked
    assert "Summary so far:\n(none)" in asked
    assert "Anna's cat is called Miso." in llm.summaries[1][-1].text


@pytest.mark.parametrize(
    "summary", [LLMUnavailableError("down"), ContextOverflowError(""), says("")]
)
async def test_a_summariser_that_fails_is_replaced_by_a_digest(
    tmp_path: Path, summary: Reply | Exception
) -> None:
    llm = ScriptedLLM(chatty, summary=summary)
    async with a_world(tmp_path, llm, window=4096) as world:
        await world.say("My cat is called Miso.")
        for number in range(40):
            assert await world.say(f"{number} " + "word " * 30)
    told = [prompt[1].text for prompt in llm.prompts if prompt[1].text.startswith(SUMMARY_HEAD)]
    assert "Anna: My cat is called Miso." in told[0]
    assert max(counter.count(text) for text in told) <= 4096 // 16 + 20


async def test_a_summary_that_is_far_too_long_is_bounded(tmp_path: Path) -> None:
    llm = ScriptedLLM(chatty, summary=says("blah " * 50_000))
    async with a_world(tmp_path, llm, window=4096) as world:
        for number in range(40):
            assert await world.say(f"{number} " + "word " * 30)
    assert max(size(prompt) for prompt in llm.prompts) <= 4096


async def test_every_flush_frees_tokens(tmp_path: Path) -> None:
    llm = ScriptedLLM(chatty, summary=says("blah " * 50_000))
    async with a_world(tmp_path, llm, window=4096) as world:
        for _ in range(60):
            await world.say("word " * 25)
        flushes = await world.rows("SELECT COUNT(*) FROM summary")
    assert int(str(flushes[0][0])) <= 15


async def test_one_message_larger_than_the_window_is_answered_and_kept_whole(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM(chatty)
    pasted = "start " + "lorem ipsum " * 20_000 + "the end"
    async with a_world(tmp_path, llm, window=4096) as world:
        assert len(await world.say(pasted)) == 1
        assert len(await world.say("and?")) == 1
        rows = await world.rows("SELECT said FROM message WHERE id = 1")
    assert rows == [(pasted,)]
    shown = llm.prompts[0][1].text
    assert "start" in shown
    assert "the end" in shown
    assert "conversation_search" in shown
    assert size(llm.prompts[0]) <= 4096


async def test_an_endpoint_with_a_smaller_window_than_configured_is_still_answered(
    tmp_path: Path,
) -> None:
    def narrow(messages: Sequence[Message]) -> Reply | Exception:
        if size(messages) > 5000:
            return ContextOverflowError("maximum context length is 5000 tokens")
        return chatty(messages)

    llm = ScriptedLLM(narrow)
    async with a_world(tmp_path, llm, window=8192) as world:
        for number in range(40):
            assert len(await world.say(f"{number} " + "word " * 50)) == 1


async def test_the_working_context_in_the_prompt_is_that_of_the_last_flush(
    tmp_path: Path,
) -> None:
    def learns(messages: Sequence[Message]) -> Reply:
        if messages[-2].text.endswith("I have a cat"):
            return calls(
                ("working_context_append", {"text": "Anna has a cat."}),
                ("send_message", {"message": "Nice!"}),
            )
        return chatty(messages)

    llm = ScriptedLLM(learns)
    async with a_world(tmp_path, llm, window=4096) as world:
        await world.say("I have a cat")
        await world.say("word")
        assert "Anna has a cat." not in llm.prompts[1][0].text
        assert any("Anna has a cat." in call.arguments for m in llm.prompts[1] for call in m.calls)
        while not llm.summaries:
            await world.say("word " * 25)
        await world.say("word")
        assert "Anna has a cat." in llm.prompts[-1][0].text


async def test_queue_summary_and_warning_are_the_same_after_a_restart(tmp_path: Path) -> None:
    llm = ScriptedLLM(chatty)
    async with a_world(tmp_path, llm, window=4096) as world:
        for _ in range(27):
            await world.say("word " * 25)
        clock = world.clock
        await world.say("the last before")
    before = llm.prompts[-1]
    async with a_world(tmp_path, llm, window=4096, clock=clock) as world:
        await world.say("the first after")
    after = llm.prompts[-1]
    assert after[: len(before) - 1] == before[:-1]


async def test_a_window_made_smaller_between_two_starts_still_answers(tmp_path: Path) -> None:
    llm = ScriptedLLM(chatty)
    async with a_world(tmp_path, llm, window=32_768) as world:
        for _ in range(50):
            await world.say("word " * 80)
    async with a_world(tmp_path, llm, window=4096) as world:
        assert len(await world.say("still there?")) == 1
    assert size(llm.prompts[-1]) <= 4096


async def test_the_thresholds_are_settings(tmp_path: Path) -> None:
    memory = MemorySettings(warn_at=0.3, flush_at=0.5, evict=0.1)
    settings = Settings(memory=memory)
    llm = ScriptedLLM(chatty)
    async with a_world(tmp_path, llm, window=8192, settings=settings) as world:
        for _ in range(30):
            await world.say("word " * 25)
        warned = await world.rows(
            "SELECT COUNT(*) FROM message WHERE text LIKE '%Memory pressure%'"
        )
    assert max(size(prompt) for prompt in llm.prompts) <= 8192 // 2
    assert int(str(warned[0][0])) > 1
