"""Several messages answered together, edits and reactions, from end to end."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from companion.llm.protocol import Message, Reply
from companion.settings import Settings
from tests.support.bot_api import NOW, BotApi, person
from tests.support.scripted_llm import ScriptedLLM, calls, says, sends
from tests.support.telegram_world import echo, on_telegram

GATHERING = Settings.model_validate({"gathering": {"pause_seconds": 0.5, "at_most_seconds": 5}})
A_MINUTE = timedelta(minutes=1)
PHOTO = [{"file_id": "f", "file_unique_id": "u", "width": 1, "height": 1, "file_size": 9}]


def prompt(llm: ScriptedLLM, number: int) -> str:
    return "\n".join(message.text for message in llm.prompts[number])


async def test_a_forward_and_its_comment_are_one_turn(tmp_path: Path, api: BotApi) -> None:
    llm = ScriptedLLM(says("I see."))
    origin = {"type": "user", "date": 1, "sender_user": person(99)}
    async with on_telegram(tmp_path, api, llm, settings=GATHERING):
        await api.write("what do you make of this?", date=NOW)
        await api.write("I quit!", date=NOW + 1, forward_origin=origin)
        assert await api.until_sent(1) == ["I see."]
    assert len(llm.prompts) == 1
    assert "what do you make of this?" in prompt(llm, 0)
    assert "> I quit!" in prompt(llm, 0)


async def test_three_quick_messages_get_one_answer_and_a_command_among_them_runs_at_once(
    tmp_path: Path, api: BotApi
) -> None:
    llm = ScriptedLLM(says("All three."))
    async with on_telegram(tmp_path, api, llm, settings=GATHERING):
        await api.write("one", date=NOW)
        await api.write("/privacy", date=NOW)
        await api.write("two", date=NOW + 1)
        await api.write("three", date=NOW + 1)
        await api.until_sent(2)
    assert "database" in api.texts[0]
    assert api.texts[1] == "All three."
    assert len(llm.prompts) == 1


async def test_an_album_is_one_event(tmp_path: Path, api: BotApi) -> None:
    llm = ScriptedLLM(says("Lovely."))
    async with on_telegram(tmp_path, api, llm, settings=GATHERING):
        for caption in ("the sea", "the sky", "us"):
            given = api.message(photo=PHOTO, caption=caption, media_group_id="1", date=NOW)
            await api.give({"message": given})
        assert await api.until_sent(1) == ["Lovely."]
    assert len(llm.prompts) == 1
    assert prompt(llm, 0).count("User7 sent 3 files") == 1
    assert all(words in prompt(llm, 0) for words in ("the sea", "the sky", "us"))


async def test_gathered_messages_are_answered_once_after_a_kill(
    tmp_path: Path, api: BotApi
) -> None:
    asked = asyncio.Event()

    class ThinkingLLM(ScriptedLLM):
        async def complete(self, *_asked: Any, **_more: Any) -> Reply:
            asked.set()
            await asyncio.Event().wait()
            raise AssertionError

    async with on_telegram(tmp_path, api, ThinkingLLM(), settings=GATHERING):
        await api.write("one", date=NOW)
        await api.write("two", date=NOW)
        await asked.wait()
    llm = ScriptedLLM(echo)
    async with on_telegram(tmp_path, api, llm, settings=GATHERING) as there:
        assert await api.until_sent(1) == ["two"]
        assert prompt(llm, 0).count("User7: one") == 1
        await there.world.companion.quiet()
        assert await there.world.rows("SELECT DISTINCT state FROM inbox") == [("done",)]


async def test_an_edit_before_the_answer_is_what_gets_answered(tmp_path: Path, api: BotApi) -> None:
    llm = ScriptedLLM(echo)
    async with on_telegram(tmp_path, api, llm, settings=GATHERING) as there:
        first = await api.write("what is 2 + 2?", date=NOW)
        await api.give(
            {"edited_message": {**first, "text": "what is 3 + 3?", "edit_date": NOW + 1}}
        )
        assert await api.until_sent(1) == ["what is 3 + 3?"]
        await there.world.companion.quiet()
    assert "2 + 2" not in prompt(llm, 0)


async def test_an_edit_while_it_thinks_is_answered_too(tmp_path: Path, api: BotApi) -> None:
    edited = asyncio.Event()

    class SlowLLM(ScriptedLLM):
        async def complete(self, *asked: Any, **more: Any) -> Reply:
            await edited.wait()
            return await super().complete(*asked, **more)

    def answer(messages: Sequence[Message]) -> Reply:
        return sends("six" if "3 + 3" in messages[-2].text else "four")

    async with on_telegram(tmp_path, api, SlowLLM(answer)) as there:
        first = await api.write("what is 2 + 2?")
        await api.until(lambda: bool(api.actions))
        await api.give({"edited_message": {**first, "text": "what is 3 + 3?", "edit_date": NOW}})
        await api.until(lambda: not api.waiting)
        there.world.clock.advance(A_MINUTE)
        edited.set()
        assert await api.until_sent(2) == ["four", "six"]


async def test_an_edit_after_the_answer_is_noted_and_answered_by_nobody(
    tmp_path: Path, api: BotApi
) -> None:
    llm = ScriptedLLM(says("Fine."), says("Yes."))
    async with on_telegram(tmp_path, api, llm) as there:
        first = await api.write("I am fine")
        await api.until_sent(1)
        await there.world.companion.quiet()
        there.world.clock.advance(A_MINUTE)
        await api.give({"edited_message": {**first, "text": "I am not", "edit_date": NOW}})
        await api.until(lambda: not api.waiting)
        await there.world.companion.quiet()
        assert len(llm.prompts) == 1
        await api.write("really")
        await api.until_sent(2)
    assert "changed an earlier message to) I am not" in prompt(llm, 1)


async def test_an_edit_of_what_was_remembered_is_looked_at_again(
    tmp_path: Path, api: BotApi
) -> None:
    llm = ScriptedLLM(
        calls(
            ("working_context_append", {"text": "Born on 3 May."}),
            ("send_message", {"message": "Noted."}),
        ),
        calls(
            ("working_context_append", {"text": "Born on 4 May."}),
            ("stay_silent", {}),
        ),
    )
    async with on_telegram(tmp_path, api, llm) as there:
        first = await api.write("I was born on 3 May")
        await api.until_sent(1)
        await there.world.companion.quiet()
        there.world.clock.advance(A_MINUTE)
        edit = {**first, "text": "I was born on 4 May", "edit_date": NOW}
        await api.give({"edited_message": edit})
        await api.until(lambda: not api.waiting)
        await there.world.companion.quiet()
        assert api.texts == ["Noted."]
        texts = [str(row) for row in await there.world.rows("SELECT text FROM working_context")]
        assert "4 May" in texts[-1]
        assert "3 May" not in str(texts)
    assert "kept something from it" in prompt(llm, 1)


async def test_an_edited_command_does_not_run_again(tmp_path: Path, api: BotApi) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)) as there:
        first = await api.write("/remember I like tea")
        await api.until_sent(1)
        edit = {**first, "text": "/remember I like coffee", "edit_date": NOW}
        await api.give({"edited_message": edit})
        await api.write("hello")
        assert await api.until_sent(2) == ["Saved.", "hello"]
        rows = await there.world.rows("SELECT text FROM working_context")
        assert not any("coffee" in str(row[0]) for row in rows)


async def test_a_reaction_is_seen_in_the_next_turn(tmp_path: Path, api: BotApi) -> None:
    llm = ScriptedLLM(echo)
    reaction = {
        "chat": {"id": 7, "type": "private"},
        "message_id": 1,
        "date": NOW,
        "user": person(7),
        "old_reaction": [],
        "new_reaction": [{"type": "emoji", "emoji": "❤"}],
    }
    async with on_telegram(tmp_path, api, llm):
        await api.give({"message_reaction": reaction})
        await api.write("did you see?")
        await api.until_sent(1)
    assert "reacted with ❤" in prompt(llm, 0)
