"""Groups and forum topics from end to end."""

from pathlib import Path
from typing import Any

from tests.support.bot_api import BOT, BotApi, group
from tests.support.scripted_llm import ScriptedLLM, calls, says
from tests.support.telegram_rules import Refusal
from tests.support.telegram_world import echo, on_telegram

CHAT = -1001
FORUM = group(-1003, is_forum=True)


def mention(offset: int = 0) -> list[dict[str, Any]]:
    return [{"type": "mention", "offset": offset, "length": len("@mira_test_bot")}]


async def test_it_answers_when_it_is_mentioned_and_in_reply_to_that_message(
    tmp_path: Path, api: BotApi
) -> None:
    llm = ScriptedLLM(echo)
    async with on_telegram(tmp_path, api, llm):
        await api.write("talking among ourselves", chat=group())
        asked = await api.write("@mira_test_bot hello", chat=group(), entities=mention())
        await api.until_sent(1)
        assert api.sent[0]["chat"]["id"] == CHAT
        assert api.sent[0]["reply_parameters"]["message_id"] == asked["message_id"]
        assert len(llm.prompts) == 1
        assert "among ourselves" not in "".join(m.text for m in llm.prompts[0])


async def test_a_group_that_is_listened_to_is_followed_without_an_answer(
    tmp_path: Path, api: BotApi
) -> None:
    llm = ScriptedLLM(echo)
    async with on_telegram(tmp_path, api, llm, listens=(CHAT,)) as there:
        await api.write("the picnic is on Sunday", chat=group(), user=13)
        await api.write("/forget yes everything", chat=group(), user=13)
        await api.write("Mira, when is it?", chat=group())
        assert await api.until_sent(1) == ["Mira, when is it?"]
        assert "a stranger)\n> the picnic is on Sunday" in "".join(m.text for m in llm.prompts[0])
        assert len(llm.prompts) == 1
        assert await there.world.rows("SELECT kind, name FROM person") == [("group", str(CHAT))]


async def test_it_may_stay_silent_in_a_group(tmp_path: Path, api: BotApi) -> None:
    llm = ScriptedLLM(calls(("stay_silent", {})), says("Now."))
    async with on_telegram(tmp_path, api, llm):
        await api.write("Mira knows that", chat=group())
        await api.write("Mira?", chat=group())
        assert await api.until_sent(1) == ["Now."]


async def test_an_answer_goes_to_the_topic_that_was_asked_in(tmp_path: Path, api: BotApi) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)):
        topic = {"message_thread_id": 17, "is_topic_message": True}
        await api.write("Mira, food?", chat=FORUM, **topic)
        await api.write("Mira, general?", chat=FORUM)
        await api.until_sent(2)
        assert [sent["thread"] for sent in api.sent] == ["17", None]


async def test_a_group_is_told_nothing_of_what_was_said_in_private(
    tmp_path: Path, api: BotApi
) -> None:
    llm = ScriptedLLM(echo)
    async with on_telegram(tmp_path, api, llm):
        await api.write("I hate my job")
        await api.until_sent(1)
        await api.write("Mira?", chat=group())
        await api.until_sent(2)
        assert "job" not in "".join(m.text for m in llm.prompts[1])


async def test_a_group_that_became_a_supergroup_keeps_its_memory(
    tmp_path: Path, api: BotApi
) -> None:
    old = {"id": -5, "type": "group", "title": "g"}
    llm = ScriptedLLM(echo)
    async with on_telegram(tmp_path, api, llm) as there:
        await api.write("Mira, it is on Sunday", chat=old)
        await api.until_sent(1)
        await api.give({"message": api.message(chat=old, migrate_to_chat_id=CHAT)})
        await api.write("Mira, when?", chat=group())
        await api.until_sent(2)
        assert "on Sunday" in "".join(m.text for m in llm.prompts[1])
        assert await there.world.rows("SELECT COUNT(*) FROM person") == [(1,)]


async def test_an_answer_to_a_group_that_moved_meanwhile_arrives(
    tmp_path: Path, api: BotApi
) -> None:
    old = {"id": -5, "type": "group", "title": "g"}
    api.faults["sendmessage"].append(
        Refusal(
            400,
            "Bad Request: group chat was upgraded to a supergroup chat",
            {"migrate_to_chat_id": CHAT},
        )
    )
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)) as there:
        await api.write("Mira?", chat=old)
        await api.until_sent(1)
        assert api.sent[0]["chat"]["id"] == CHAT
        assert await there.world.rows("SELECT chat FROM conversation") == [(str(CHAT),)]


async def test_two_bots_do_not_answer_each_other(tmp_path: Path, api: BotApi) -> None:
    llm = ScriptedLLM(echo)
    other = {**BOT, "id": 99, "username": "other_bot"}
    async with on_telegram(tmp_path, api, llm, allowed=(7, 99), listens=(CHAT,)):
        for _ in range(5):
            await api.write("Mira, you are right", chat=group(), **{"from": other})
        await api.write("Mira?", chat=group())
        assert await api.until_sent(1) == ["Mira?"]
        assert len(llm.prompts) == 1
