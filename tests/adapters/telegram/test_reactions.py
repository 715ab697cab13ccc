"""Emoji below messages in Telegram."""

from pathlib import Path

import pytest

from adapters.telegram.reactions import allowed
from companion.llm.protocol import Reply
from tests.support.bot_api import NOW, BotApi, person
from tests.support.scripted_llm import ScriptedLLM, calls, sends
from tests.support.telegram_rules import REACTIONS, Refusal
from tests.support.telegram_world import on_telegram


def reacts(emoji: str) -> Reply:
    return calls(("react", {"emoji": emoji}), ("send_message", {"message": "Well done."}))


@pytest.mark.parametrize(
    ("emoji", "put"), [("👍", "👍"), ("❤️", "❤"), ("👏🏽", "👏"), ("😂", "🤣"), ("✅", "👍")]
)
async def test_an_emoji_or_its_nearest_is_put_to_the_message(
    tmp_path: Path, api: BotApi, emoji: str, put: str
) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM(reacts(emoji))):
        written = await api.write("I passed!")
        assert await api.until_sent(1) == ["Well done."]
    assert api.reactions == [("7", str(written["message_id"]), put)]


async def test_an_emoji_that_telegram_does_not_take_is_left_out(
    tmp_path: Path, api: BotApi
) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM(reacts("🧀"))) as talk:
        await api.write("I like cheese")
        assert await api.until_sent(1) == ["Well done."]
        await talk.world.companion.quiet()
        assert await talk.world.rows("SELECT DISTINCT state FROM outbox") == [("sent",)]
    assert api.reactions == []


async def test_a_chat_that_takes_no_emoji_costs_no_answer(tmp_path: Path, api: BotApi) -> None:
    api.faults["setmessagereaction"].append(Refusal(400, "Bad Request: REACTION_INVALID"))
    async with on_telegram(tmp_path, api, ScriptedLLM(reacts("👍"))):
        await api.write("I passed!")
        assert await api.until_sent(1) == ["Well done."]


def test_whatever_is_put_is_in_telegrams_list() -> None:
    for number in range(0x2000, 0x1FB00):
        put = allowed(chr(number))
        assert put is None or put in REACTIONS


async def test_a_reaction_names_the_message_that_it_was_put_to(tmp_path: Path, api: BotApi) -> None:
    llm = ScriptedLLM(sends("Well done."), sends("Glad you like it."))
    async with on_telegram(tmp_path, api, llm) as talk:
        await api.write("I passed!")
        await api.until_sent(1)
        await talk.world.companion.quiet()
        reaction = {
            "chat": {"id": 7, "type": "private", "first_name": "User7"},
            "message_id": api.sent[0]["message_id"],
            "user": person(7),
            "date": NOW,
            "old_reaction": [],
            "new_reaction": [{"type": "emoji", "emoji": "❤"}],
        }
        await api.give({"message_reaction": reaction})
        await api.write("Really!")
        await api.until_sent(2)
    assert "(User7 reacted with ❤ to “you: Well done.”)" in "\n".join(
        message.text for message in llm.prompts[1]
    )
