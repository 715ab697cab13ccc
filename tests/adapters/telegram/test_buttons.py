"""Buttons below a message in Telegram."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.support.bot_api import NOT_MODIFIED, BotApi, group
from tests.support.scripted_llm import ScriptedLLM
from tests.support.telegram_world import echo, on_telegram

MAY = "bicycle"


async def asks(api: BotApi, **more: Any) -> dict[str, Any]:
    """The question whether to forget something."""
    before = len(api.sent)
    await api.write(f"/remember my {MAY} is green", **more)
    await api.write(f"/forget {MAY}", **more)
    await api.until_sent(before + 2)
    return api.sent[-1]


async def test_a_press_does_what_the_button_says_and_puts_the_buttons_away(
    tmp_path: Path, api: BotApi
) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM()):
        question = await asks(api)
        assert [[b["text"] for b in row] for row in question["keyboard"]] == [
            ["Forget it", "Keep it"]
        ]
        await api.press(question, "Forget it")
        await api.until(lambda: not question["keyboard"])
        texts = await api.until_sent(3)
    assert texts[-1] == "Forgotten: 1 entry."
    assert api.answered == [""]


async def test_a_no_only_puts_the_buttons_away(tmp_path: Path, api: BotApi) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)):
        question = await asks(api)
        await api.press(question, "Keep it")
        await api.until(lambda: not question["keyboard"])
        await api.write("Hi")
        assert (await api.until_sent(3))[-1] == "Hi"


async def test_whoever_presses_twice_is_heard_once(tmp_path: Path, api: BotApi) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)):
        question = await asks(api)
        (data, _) = [button["callback_data"] for button in question["keyboard"][0]]
        await api.press_data(question, data)
        await api.press_data(question, data)
        await api.until(lambda: len(api.answered) == 2)
        await api.write("Hi")
        texts = await api.until_sent(4)
    assert texts[-2:] == ["Forgotten: 1 entry.", "Hi"]


async def test_whoever_presses_too_late_is_told(tmp_path: Path, api: BotApi) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM()) as talk:
        question = await asks(api)
        talk.world.clock.advance(timedelta(days=4))
        await api.press(question, "Forget it")
        await api.until(lambda: len(api.answered) == 1)
    assert api.answered == ["That question is over. You can still write what you want."]
    assert question["keyboard"] == []


async def test_a_press_that_no_button_of_ours_stands_for_does_nothing(
    tmp_path: Path, api: BotApi
) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)):
        question = await asks(api)
        await api.press_data(question, "choice/2/0/000000000000")
        await api.press_data(question, "something else")
        await api.write("Hi")
        assert (await api.until_sent(3))[-1] == "Hi"


async def test_whoever_may_not_talk_may_not_press(tmp_path: Path, api: BotApi) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM(echo)):
        question = await asks(api, chat=group())
        await api.press(question, "Forget it", user=8)
        await api.write("Mira, hi", chat=group())
        assert (await api.until_sent(3))[-1] == "Mira, hi"


async def test_buttons_that_are_gone_already_are_no_failure(tmp_path: Path, api: BotApi) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM()):
        question = await asks(api)
        api.faults["editmessagereplymarkup"].append(NOT_MODIFIED)
        await api.press(question, "Forget it")
        assert (await api.until_sent(3))[-1] == "Forgotten: 1 entry."


async def test_a_press_that_came_before_the_start_is_taken_in(tmp_path: Path, api: BotApi) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM()) as talk:
        question = await asks(api)
        await talk.world.companion.quiet()
    await api.press(question, "Forget it")
    api.unanswered.clear()  # Telegram waits for a few seconds only
    async with on_telegram(tmp_path, api, ScriptedLLM()):
        assert (await api.until_sent(3))[-1] == "Forgotten: 1 entry."


async def test_the_buttons_stand_below_the_last_piece(tmp_path: Path, api: BotApi) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM()):
        for number in range(12):
            await api.write(f"/remember {MAY} {number} " + "and so on " * 150)
        await api.write(f"/forget {MAY}")
        await api.until_sent(14)
    assert [bool(sent["keyboard"]) for sent in api.sent[12:]] == [False, True]
