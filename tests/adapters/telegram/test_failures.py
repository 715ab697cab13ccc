"""What goes wrong between us and Telegram."""

import asyncio
import logging
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.telegram import TokenRefusedError
from adapters.telegram.failures import AGAIN
from companion.llm.protocol import Reply
from companion.storage import platforms
from tests.support.bot_api import (
    BLOCKED,
    CANT_PARSE,
    CONFLICT,
    TOKEN,
    BotApi,
    HangsError,
    HangsUpAfterError,
    HangsUpError,
    too_many,
)
from tests.support.scripted_llm import ScriptedLLM, calls, says
from tests.support.telegram_rules import Refusal
from tests.support.telegram_world import TelegramWorld, echo, on_telegram


def files_of(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file()]


UPDATES = int(os.environ.get("COMPANION_UPDATES", "100"))
"""How many wait at a start of which one can't be read."""


class SlowLLM(ScriptedLLM):
    """Answers once it is told to."""

    def __init__(self, *answers: Any) -> None:
        super().__init__(*answers)
        self.thinking = asyncio.Event()

    async def complete(self, *asked: Any, **more: Any) -> Reply:
        await self.thinking.wait()
        return await super().complete(*asked, **more)


async def health(there: TelegramWorld) -> platforms.Health:
    """What `companion status` would show."""
    (found,) = await there.world.db.read(platforms.all_of_them)
    return found


async def test_429_in_the_middle_of_a_long_answer_is_waited_for_and_the_rest_follows_in_order(
    tmp_path: Path, api: BotApi
) -> None:
    paragraphs = [f"{number} {'x' * 3000}" for number in range(5)]
    api.faults["sendmessage"].extend([None, None, too_many(17)])  # type: ignore[list-item]
    under_pressure = calls(("archival_storage_insert", {"text": "I told a long story."}))
    llm = ScriptedLLM(says("\n\n".join(paragraphs)), under_pressure)
    async with on_telegram(tmp_path, api, llm) as there:
        await api.write("tell me")
        assert await api.until_sent(5) == paragraphs
        await there.world.companion.quiet()
        assert there.pauses.seconds == [17.0]
        assert await there.world.rows("SELECT state, pieces_sent FROM outbox") == [("sent", 4)]


async def test_a_kill_in_the_middle_of_a_long_answer_repeats_one_piece_at_most(
    tmp_path: Path, api: BotApi
) -> None:
    paragraphs = [f"{number} {'x' * 3000}" for number in range(5)]
    api.faults["sendmessage"].extend([None, None, HangsError()])  # type: ignore[list-item]
    async with on_telegram(tmp_path, api, ScriptedLLM(says("\n\n".join(paragraphs)))):
        await api.write("tell me")
        await api.until(lambda: len(api.called("sendMessage")) == 3)
    async with on_telegram(tmp_path, api, ScriptedLLM()):
        assert await api.until_sent(5) == paragraphs


async def test_a_reply_that_arrived_without_a_word_is_repeated_once_at_most(
    tmp_path: Path, api: BotApi
) -> None:
    api.faults["sendmessage"].extend([HangsUpAfterError() for _ in range(9)])
    async with on_telegram(tmp_path, api, ScriptedLLM(says("Hello!"))) as there:
        await api.write("hi")
        await api.until_sent(2)
        await there.world.companion.quiet()
        assert api.texts == ["Hello!", "Hello!"]


async def test_a_send_that_never_left_is_tried_until_it_does(tmp_path: Path, api: BotApi) -> None:
    port = int(api.base.rpartition(":")[2])
    llm = SlowLLM(says("Hello!"))
    async with on_telegram(tmp_path, api, llm) as there:
        await api.write("hi")
        await api.until(lambda: not api.waiting)
        await api.stop()
        llm.thinking.set()
        await there.pauses.until(5, AGAIN.total_seconds())
        async with BotApi(port) as back:
            assert await back.until_sent(1) == ["Hello!"]
            await there.world.companion.quiet()
            assert back.texts == ["Hello!"]


async def test_who_blocked_us_is_left_alone_until_they_come_back(
    tmp_path: Path, api: BotApi, caplog: pytest.LogCaptureFixture
) -> None:
    api.faults["sendmessage"].append(BLOCKED)
    llm = ScriptedLLM(says("One\n\nmore"), says("Welcome back!"))
    async with on_telegram(tmp_path, api, llm) as there:
        await api.write("hi")
        await api.until(lambda: bool(api.called("sendMessage")))
        await there.world.companion.quiet()
        (since,) = await there.world.rows("SELECT unreachable_at FROM conversation")
        assert since != (None,)
        assert len(api.called("sendMessage")) == 1
        await api.write("/start")
        assert await api.until_sent(1) == ["Welcome back!"]
        assert await there.world.rows("SELECT unreachable_at FROM conversation") == [(None,)]
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_formatting_that_is_refused_goes_out_plain(tmp_path: Path, api: BotApi) -> None:
    api.faults["sendmessage"].append(CANT_PARSE)
    async with on_telegram(tmp_path, api, ScriptedLLM(says("**Hello**, a\\_b"))):
        await api.write("hi")
        assert await api.until_sent(1) == ["Hello, a_b"]
        assert api.sent[0]["entities"] == []


async def test_typing_that_fails_does_not_keep_the_answer_back(tmp_path: Path, api: BotApi) -> None:
    api.faults["sendchataction"].append(Refusal(400, "Bad Request: no"))
    async with on_telegram(tmp_path, api, ScriptedLLM(says("Hello!"))):
        await api.write("hi")
        assert await api.until_sent(1) == ["Hello!"]


async def test_typing_is_shown_while_a_turn_runs(tmp_path: Path, api: BotApi) -> None:
    llm = SlowLLM(says("Hello!"))
    async with on_telegram(tmp_path, api, llm):
        await api.write("hi")
        await api.until(lambda: len(api.actions) == 1)
        llm.thinking.set()
        await api.until_sent(1)


async def test_another_poller_is_named_and_we_go_on_when_it_is_gone(
    tmp_path: Path, api: BotApi, caplog: pytest.LogCaptureFixture
) -> None:
    api.faults["getupdates"].extend([CONFLICT, CONFLICT])
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)) as there:
        await api.until(lambda: len(api.called("getUpdates")) == 2)
        assert "Another program" in str((await health(there)).trouble)
        await api.write("hi")
        assert await api.until_sent(1) == ["hi"]
        assert there.pauses.seconds[:2] == [1.0, 2.0]
        await api.until(lambda: not api.waiting)
    assert "Another program asks for the messages" in caplog.text


async def test_a_web_hook_that_was_left_behind_is_named_and_removed(
    tmp_path: Path, api: BotApi, caplog: pytest.LogCaptureFixture
) -> None:
    api.webhook = {"url": "https://old.example.com/hook"}
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)):
        await api.write("hi")
        assert await api.until_sent(1) == ["hi"]
    assert "https://old.example.com/hook" in caplog.text


async def test_a_start_without_network_waits_for_it(tmp_path: Path, api: BotApi) -> None:
    api.faults["getme"].extend([HangsUpError(), HangsUpError(), HangsUpError()])
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)) as there:
        await api.write("hi")
        assert await api.until_sent(1) == ["hi"]
        assert there.pauses.seconds[:3] == [1.0, 2.0, 4.0]


async def test_a_wrong_token_ends_the_run_in_one_line_without_the_token(
    tmp_path: Path, api: BotApi
) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM(), token="1:wrong") as there:
        await asyncio.wait([there.running])
        error = there.running.exception()
    assert isinstance(error, TokenRefusedError)
    assert "1:wrong" not in str(error)
    assert "TELEGRAM_BOT_TOKEN" in str(error)


async def test_a_token_that_is_revoked_later_ends_the_run_too(tmp_path: Path, api: BotApi) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)) as there:
        await api.until(lambda: bool(api.called("getUpdates")))
        api.wrong_token = True
        await api.write("hi")
        await asyncio.wait([there.running])
        error = there.running.exception()
    assert isinstance(error, TokenRefusedError)


async def test_a_cut_poll_is_asked_again_and_loses_nothing(tmp_path: Path, api: BotApi) -> None:
    api.faults["getupdates"].extend(
        [HangsUpAfterError(), Refusal(502, "Bad Gateway"), HangsUpError()]
    )
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)):
        await api.write("hi")
        assert await api.until_sent(1) == ["hi"]


async def test_a_poll_that_hangs_is_given_up_and_asked_again(tmp_path: Path, api: BotApi) -> None:
    api.faults["getupdates"].append(HangsError())
    short = timedelta(seconds=0.1)
    async with on_telegram(
        tmp_path, api, ScriptedLLM(echo), poll_wait=short, poll_hung=short
    ) as there:
        await there.pauses.until(1, 1.0)
        assert "not answered for a long time" in str((await health(there)).trouble)
        await api.write("hi")
        assert await api.until_sent(1) == ["hi"]


async def test_one_update_that_cannot_be_read_is_put_aside_and_the_others_are_answered(
    tmp_path: Path, api: BotApi, caplog: pytest.LogCaptureFixture
) -> None:
    good = [{"message": api.message(f"number {number}")} for number in range(UPDATES - 1)]
    bad = {"message": {"message_id": "no number", "date": "yesterday", "from": {"id": 7}}}
    await api.give(*good[:50], bad, *good[50:])
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)) as there:
        for number in range(100, UPDATES, 100):
            await api.until_sent(number)
        await api.until_sent(UPDATES - 1)
        assert api.texts == [f"number {number}" for number in range(UPDATES - 1)]
        assert (await health(there)).dead_letters == 1
    assert "which can't be read" in caplog.text


async def test_the_token_is_in_no_log_and_no_file(
    tmp_path: Path, api: BotApi, caplog: pytest.LogCaptureFixture
) -> None:
    api.faults["getme"].append(HangsUpError())
    api.faults["sendmessage"].append(HangsUpError())
    with caplog.at_level(logging.INFO):
        async with on_telegram(tmp_path, api, ScriptedLLM(echo)):
            await api.write("hi")
            await api.until_sent(1)
    ours = [r.getMessage() for r in caplog.records if r.name.startswith(("adapters", "companion"))]
    assert ours
    assert not any(TOKEN in text for text in ours)
    assert (tmp_path / "companion.db").is_file()
    assert not [file for file in files_of(tmp_path) if TOKEN.encode() in file.read_bytes()]
