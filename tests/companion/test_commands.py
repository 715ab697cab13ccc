"""What a person can ask for with a slash."""

from pathlib import Path

import pytest

from tests.support.scripted_llm import ScriptedLLM, calls, sends
from tests.support.world import a_world


async def test_help_lists_every_command_and_needs_no_model(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        (text,) = await world.say("/help")
    for name in ("memory", "remember", "forget", "undo", "search", "timezone", "usage", "privacy"):
        assert f"/{name}" in text


async def test_help_tells_of_one_command_and_a_slash_alone_asks_for_it(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        for asked in ("/help search", "/help /search"):
            assert await world.say(asked) == ["/search WORDS - find what was said or kept"]
        everything = await world.say("/help")
        assert await world.say("/") == await world.say("/help nothing") == everything


async def test_an_unknown_command_is_answered_and_the_model_never_sees_it(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        (text,) = await world.say("/dance")
        assert text == "I know no /dance. /help lists what I know."
        (text,) = await world.say("/reminder tomorrow at 9 call Lea")
    assert text == "I know no /reminder. Did you mean /reminders? /help lists what I know."


async def test_a_text_that_only_looks_like_a_command_goes_to_the_model(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("A path."), sends("Hello!"))) as world:
        assert await world.say("/usr/bin is a folder") == ["A path."]
        assert await world.say("/start") == ["Hello!"]


async def test_remember_keeps_it_and_memory_shows_it(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        assert await world.say("/remember my sister is called Lea") == ["Saved."]
        (text,) = await world.say("/memory")
        assert text.index("my sister is called Lea") < text.index("You are Mira")


async def test_memory_tells_when_each_was_kept_and_from_which_message(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        calls(
            ("working_context_append", {"text": "Plays the cello."}),
            ("archival_storage_insert", {"text": "The teacher is Ruth."}),
            ("send_message", {"message": "How lovely!"}),
        )
    )
    async with a_world(tmp_path, llm) as world:
        await world.say("I play the cello, and Ruth teaches me")
        await world.say("/remember I like tea")
        (text,) = await world.say("/memory")
    said = "from “I play the cello, and Ruth teaches me”"
    assert f"- Plays the cello. (Mon 5 May 2025 12:00 UTC, {said})" in text
    assert f"- The teacher is Ruth. (Mon 5 May 2025 12:00 UTC, {said})" in text
    assert "- I like tea (Mon 5 May 2025 12:00 UTC)" in text


async def test_privacy_tells_who_sees_what_and_what_one_can_do(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        (text,) = await world.say("/privacy")
    for word in (
        "operator",
        "model",
        "groups",
        "/memory",
        "/forget",
        "/export",
        "/erase",
        "Backups",
    ):
        assert word in text


async def test_what_does_not_fit_in_mind_goes_to_the_notes(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        long = "a long story " * 400
        assert await world.say(f"/remember {long}") == ["Saved in my notes."]
        (answer,) = await world.say(f"/remember {long}")
        assert answer.startswith("I have that already.")


async def test_what_a_person_changed_is_in_the_next_prompt(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Hello!"), sends("Lea!"), sends("I don't know."))
    async with a_world(tmp_path, llm) as world:
        await world.say("Hi")
        await world.say("/remember my sister is called Lea")
        await world.say("What is my sister called?")
        assert "my sister is called Lea" in llm.prompts[-1][0].text
        await world.say("/forget yes sister")
        await world.say("And now?")
        assert "Lea" not in llm.prompts[-1][0].text


async def test_undo_takes_back_the_last_change_to_the_letter(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        await world.say("/remember one")
        before = await (await world.memory()).working_context()
        await world.say("/remember two")
        await world.say("/remember three")
        await world.say("/undo")
        await world.say("/undo")
        assert await (await world.memory()).working_context() == before
        assert len(await world.rows("SELECT id FROM working_context")) == 6


async def test_undo_brings_nothing_back_that_was_taken_back_before(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        await world.say("/remember I like tea")
        await world.say("/undo")
        await world.say("/remember I play the cello")
        assert await world.say("/undo") == ["Taken back.\nNo longer: I play the cello"]
        assert await world.say("/undo") == ["There is no change to take back."]


async def test_undo_reaches_what_the_model_changed(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        calls(
            ("working_context_replace", {"old": "You are Mira, warm", "new": "You are Zorg, cold"}),
            ("send_message", {"message": "Done."}),
        )
    )
    async with a_world(tmp_path, llm) as world:
        await world.say("be cold")
        (text,) = await world.say("/undo")
        assert text == (
            "Taken back.\nNo longer: You are Zorg, cold and plain."
            "\nAgain: You are Mira, warm and plain."
        )
        assert await world.say("/undo") == ["There is no change to take back."]


async def test_an_undo_never_reaches_behind_what_was_forgotten(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        await world.say("/remember I play the cello.")
        await world.say("/remember My favourite colour is teal.")
        await world.say("/forget yes teal")
        before = await (await world.memory()).working_context()
        for _ in range(2):
            assert await world.say("/undo") == [
                "The last change was that I forgot something, and that stays so."
            ]
        assert await (await world.memory()).working_context() == before
        await world.say("/remember I like tea.")
        assert await world.say("/undo") == ["Taken back.\nNo longer: I like tea."]
        assert "forgot" in (await world.say("/undo"))[0]
        assert await (await world.memory()).working_context() == before


async def test_what_is_not_there_to_forget_leaves_the_undo_as_it_was(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        await world.say("/remember I play the cello.")
        assert await world.say("/forget yes teal") == ["I keep nothing about that."]
        assert await world.say("/undo") == ["Taken back.\nNo longer: I play the cello."]


async def test_forget_shows_what_would_go_and_then_does_it(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        await world.say("/remember I am allergic to hazelnuts")
        await (await world.memory()).add("Hazelnuts: mild, since 2019.")
        (asked,) = await world.say("/forget hazelnuts")
        assert "I am allergic to hazelnuts" in asked
        assert "mild, since 2019" in asked
        assert "/forget yes hazelnuts" in asked
        assert await world.say("/forget yes hazelnuts") == ["Forgotten: 2 entries."]
        assert await world.say("/forget hazelnuts") == ["I keep nothing about “hazelnuts”."]
        (text,) = await world.say("/memory")
        assert "hazelnuts" not in text.casefold()


@pytest.mark.parametrize(
    ("word", "told", "kept"),
    [
        ("Yes.", "Forgotten: 1 entry.", False),
        ("да", "Forgotten: 1 entry.", False),
        ("no", "Nothing is changed.", True),
    ],
)
async def test_a_question_is_answered_by_word_too(
    tmp_path: Path, word: str, told: str, kept: bool
) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        await world.say("/remember I like hazelnuts")
        await world.say("/forget hazelnuts")
        assert await world.say(word) == [told]
        assert ("hazelnuts" in (await world.say("/memory"))[0]) is kept


async def test_erasing_is_confirmed_by_word_twice(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        await world.say("/remember I like hazelnuts")
        await world.say("/erase")
        assert "Are you sure?" in (await world.say("yes"))[0]
        assert "I have nothing of yours" in (await world.say("yes"))[0]
        assert await world.rows("SELECT id FROM working_context") == []


async def test_a_yes_that_answers_no_such_question_goes_to_the_model(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Good!"), sends("Fine."), sends("Well then."))
    async with a_world(tmp_path, llm) as world:
        assert await world.say("yes") == ["Good!"]
        await world.say("/forget hazelnuts")
        assert await world.say("yes") == ["Fine."]
        await world.say("/pause")
        assert await world.say("yes") == ["Well then."]


async def test_forget_never_touches_the_persona(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        assert await world.say("/forget Mira") == ["I keep nothing about “Mira”."]


async def test_search_finds_what_was_said_and_kept(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("A cello, how lovely!"))) as world:
        await world.say("I play the cello")
        await (await world.memory()).add("The cello teacher is Ruth.")
        (text,) = await world.say("/search cello")
    assert "Anna: I play the cello" in text
    assert "Mira: A cello, how lovely!" in text
    assert "The cello teacher is Ruth." in text


async def test_search_finds_what_is_kept_in_mind(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        await world.say("/remember my sister is called Lea")
        await world.say("/remember I play the cello")
        for words in ("Lea", "Sisters", "the sister LEA"):
            (text,) = await world.say(f"/search {words}")
            assert text == "- in mind: my sister is called Lea"
        assert await world.say("/search zebra") == ["I found nothing about “zebra”."]


async def test_a_time_zone_is_found_by_name_or_city_and_used_in_the_next_turn(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM(sends("Hi"), sends("Hi"))
    async with a_world(tmp_path, llm) as world:
        await world.say("hi")
        (noted,) = await world.say("/timezone lisbon")
        assert noted == "Noted. For you it is Mon 5 May 2025 13:00 Europe/Lisbon."
        await world.say("hi")
        (unknown,) = await world.say("/timezone Atlantis")
        assert "Europe/Lisbon" in unknown
    assert "[Mon 5 May 2025 13:00 Europe/Lisbon, test] Anna: hi" in llm.prompts[1][-2].text


async def test_usage_tells_what_it_cost(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Hi"))) as world:
        assert await world.say("/usage") == ["Nothing yet."]
        await world.say("hi")
        (text,) = await world.say("/usage")
    assert text == (
        "2025-05-05 scripted: 1 requests, 100 tokens read (0 of them cached), 10 written"
    )


async def test_commands_with_nothing_behind_them_say_what_to_write(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        for name in ("remember", "forget", "search"):
            (text,) = await world.say(f"/{name}")
            assert f"/{name} " in text
