"""Updates that are none, and messages with fields of the wrong type: they cost only themselves."""

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.telegram.updates import next_offset
from tests.adapters.telegram.test_webhook import called_at
from tests.support.bot_api import AnswersError, BotApi
from tests.support.scripted_llm import ScriptedLLM
from tests.support.telegram_world import TelegramWorld, echo, on_telegram

SECRET = "the treasure is below the oak"
NO_NUMBERS: tuple[object, ...] = (None, "7", "", -7, 0, 7.5, True, [], 2**40, 10**400)
"""Instead of an update's number."""
NO_UPDATES: tuple[object, ...] = (None, 7, "seven", [], [[]], {})


def private(**more: object) -> dict[str, Any]:
    """A message of a person who may talk to the bot."""
    return {
        "message_id": 900,
        "date": 1_746_446_400,
        "from": {"id": 7, "is_bot": False, "first_name": "User7"},
        "chat": {"id": 7, "type": "private", "first_name": "User7"},
        "text": SECRET,
        **more,
    }


ANNA = {"is_bot": False, "first_name": "Anna"}
FILE = {"file_id": "f", "file_unique_id": "u", "file_name": "a.txt", "mime_type": "text/plain"}
ORIGIN = {"type": "hidden_user", "date": 1_746_446_400, "sender_user_name": "Bob"}
WRONG: Mapping[str, Mapping[str, object]] = {
    "the message is null": {"message": None},
    "the message is a text": {"message": SECRET},
    "the message is a list": {"message": [SECRET]},
    "no message id": {"message": {k: v for k, v in private().items() if k != "message_id"}},
    "the message id is a text": {"message": private(message_id="nine")},
    "the text is a number": {"message": private(text=5)},
    "the text is a list": {"message": private(text=[SECRET])},
    "the text is an object": {"message": private(text={"text": SECRET})},
    "the date is a text": {"message": private(date=SECRET)},
    "the date is null": {"message": private(date=None)},
    "the date is far away": {"message": private(date=10**30)},
    "no chat": {"message": {k: v for k, v in private().items() if k != "chat"}},
    "the chat is a number": {"message": private(chat=7)},
    "the chat has no id": {"message": private(chat={"type": "private"})},
    "the chat's id is a text": {"message": private(chat={"id": SECRET, "type": "private"})},
    "the chat's kind is null": {"message": private(chat={"id": 7, "type": None})},
    "the sender is a text": {"message": private(**{"from": SECRET})},
    "the sender has no id": {"message": private(**{"from": {"first_name": "User7"}})},
    "the sender's id is a text": {"message": private(**{"from": {**ANNA, "id": SECRET}})},
    "the sender's id is an object": {"message": private(**{"from": {**ANNA, "id": {"id": 7}}})},
    "the sender's name is a list": {
        "message": private(**{"from": {"id": 7, "is_bot": False, "first_name": [SECRET]}})
    },
    "the formatting is a number": {"message": private(entities=5)},
    "the formatting has no place": {"message": private(entities=[{"type": "bold"}])},
    "the file's name is a number": {
        "message": private(text=None, document={**FILE, "file_name": 5})
    },
    "the file's size is a text": {
        "message": private(text=None, document={**FILE, "file_size": SECRET})
    },
    "the album is a number": {"message": private(text=None, document=FILE, media_group_id=5)},
    "the origin's name is a number": {
        "message": private(forward_origin={**ORIGIN, "sender_user_name": 5})
    },
    "a group moves to a text": {"message": private(migrate_to_chat_id=SECRET)},
    "the edit has no date": {"edited_message": private(edit_date=SECRET)},
    "the reaction has no chat": {
        "message_reaction": {
            "message_id": 1,
            "date": 1_746_446_400,
            "user": {**ANNA, "id": 7},
            "old_reaction": [],
            "new_reaction": [{"type": "emoji", "emoji": "👍"}],
        }
    },
    "the reaction's emoji is a number": {
        "message_reaction": {
            "chat": {"id": 7, "type": "private"},
            "message_id": 1,
            "date": 1_746_446_400,
            "user": {**ANNA, "id": 7},
            "old_reaction": [],
            "new_reaction": [{"type": "emoji", "emoji": 5}],
        }
    },
    "the press has no sender": {
        "callback_query": {"id": "1", "chat_instance": "1", "data": "1:1", "message": private()}
    },
}


def nested(levels: int) -> dict[str, Any]:
    """A message in reply to a message in reply to a message …"""
    message = private()
    for _ in range(levels):
        message = private(reply_to_message=message)
    return {"message": message}


async def letters(there: TelegramWorld) -> int:
    return len(await there.world.rows("SELECT external_id FROM dead_letter"))


async def quotes_nothing(there: TelegramWorld, caplog: pytest.LogCaptureFixture) -> None:
    assert SECRET not in caplog.text
    kept = await there.world.rows("SELECT external_id, error FROM dead_letter")
    assert SECRET not in str(kept)


async def test_updates_without_a_number_end_nothing_and_are_passed_over(
    tmp_path: Path, api: BotApi, caplog: pytest.LogCaptureFixture
) -> None:
    garbled = [{"update_id": number, "message": private()} for number in NO_NUMBERS]
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)) as there:
        await api.write("first")
        await api.until_sent(1)
        for number, one in enumerate([*garbled, {"message": private()}, *NO_UPDATES]):
            await api.give_garbled(one)
            await api.write(f"after {number}")
        await api.until_sent(1 + len(garbled) + 1 + len(NO_UPDATES))
        await api.until(lambda: not api.waiting)
        assert api.texts[1:] == [f"after {n}" for n in range(len(garbled) + 1 + len(NO_UPDATES))]
        assert await letters(there) == len(garbled) + 1 + len(NO_UPDATES)
        await quotes_nothing(there, caplog)


async def test_a_batch_without_any_number_is_passed_over_and_waited_after(
    tmp_path: Path, api: BotApi
) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)) as there:
        await api.write("first")
        await api.until_sent(1)
        await api.until(lambda: not api.waiting)
        await api.give_garbled({"message": private()}, None, [])
        await api.until(lambda: not api.waiting)
        assert there.pauses.seconds == [1.0] * len(there.pauses.seconds) != []
        await api.write("second")
        assert await api.until_sent(2) == ["first", "second"]
        assert await letters(there) == 3


async def test_without_any_number_to_go_by_nothing_is_confirmed_until_one_comes(
    tmp_path: Path, api: BotApi
) -> None:
    await api.give_garbled({"message": private()}, None)
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)) as there:
        await there.pauses.until(1, 2.0)
        assert len(api.waiting) == 2
        await api.write("hi")
        assert await api.until_sent(1) == ["hi"]
        await api.until(lambda: not api.waiting)
        assert await letters(there) == 2


@pytest.mark.parametrize(
    "body",
    [
        '{"ok": true}',
        '{"ok": true, "result": null}',
        '{"ok": true, "result": {"update_id": 5}}',
        '{"ok": true, "result": "the treasure is below the oak"}',
        '["the treasure is below the oak"]',
        "the treasure is below the oak",
        "[" * 100_000,
        "",
    ],
)
async def test_an_answer_without_a_list_of_updates_is_asked_for_again(
    tmp_path: Path, api: BotApi, caplog: pytest.LogCaptureFixture, body: str
) -> None:
    api.faults["getupdates"].extend([AnswersError(body), AnswersError(body, status=502)])
    api.faults["getme"].append(AnswersError(body))
    await api.write("hi")
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)) as there:
        assert await api.until_sent(1) == ["hi"]
        assert there.pauses.seconds == [1.0, 1.0, 2.0]
    ours = [r.getMessage() for r in caplog.records if r.name.startswith(("adapters", "companion"))]
    assert SECRET not in str(ours)


async def test_fields_of_the_wrong_type_cost_their_message_only_and_nothing_after_a_restart(
    tmp_path: Path, api: BotApi, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = [*map(dict, WRONG.values()), nested(150), nested(300)]
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)) as there:
        for number, one in enumerate(wrong):
            await api.give(copy.deepcopy(one))
            await api.write(f"after {number}")
        await api.until_sent(len(wrong))
        assert api.texts == [f"after {number}" for number in range(len(wrong))]
        kept = await there.world.rows("SELECT external_id FROM dead_letter")
        names = [*WRONG, "150 levels", "300 levels"]
        numbers = {f"123456/update/{1001 + 2 * at}": name for at, name in enumerate(names)}
        assert [name for letter, name in numbers.items() if (letter,) not in kept] == []
        assert len(kept) == len(wrong)
        await quotes_nothing(there, caplog)
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)):
        await api.write("later")
        await api.until(lambda: "later" in api.texts)


async def test_a_web_hook_takes_what_is_no_update_once_and_goes_on(
    tmp_path: Path, api: BotApi, caplog: pytest.LogCaptureFixture
) -> None:
    garbled: list[object] = [{"update_id": one, "message": private()} for one in NO_NUMBERS]
    garbled += [
        *NO_UPDATES,
        *({"update_id": 50 + n, **one} for n, one in enumerate(WRONG.values())),
    ]
    async with called_at(tmp_path, api, ScriptedLLM(echo)) as (telegram, there):
        for one in garbled:
            assert [await telegram.post(one), await telegram.post(one)] == [200, 200]
        assert await letters(there) == len(garbled)
        assert await telegram.post({"update_id": 500, "message": api.message("hi")}) == 200
        assert await api.until_sent(1) == ["hi"]
        await quotes_nothing(there, caplog)


@given(
    st.sets(st.integers(1, 40), min_size=1, max_size=8), st.data(), st.none() | st.integers(1, 10)
)
def test_only_what_came_is_ever_confirmed(
    waiting: set[int], data: st.DataObject, offset: int | None
) -> None:
    asked_for = [one for one in sorted(waiting) if one >= (offset or 0)]
    batch = asked_for[: data.draw(st.integers(0, len(asked_for)))]
    unread = data.draw(st.sets(st.sampled_from(batch))) if batch else set()
    updates = [{} if one in unread else {"update_id": one} for one in batch]
    following = next_offset(updates, offset)
    if following is None:
        assert offset is None
        assert unread == set(batch)
        return
    assert not [one for one in asked_for if one < following and one not in batch]
    assert following >= (offset or 0)
    assert all(one < following for one in set(batch) - unread)
    if batch:
        assert following > (offset or 0)
