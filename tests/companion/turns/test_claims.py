""" "Saved" is said only when it was."""

from pathlib import Path

import pytest

from companion.turns.claims import UNSAVED, claims_saved
from tests.support.scripted_llm import ScriptedLLM, calls, sends
from tests.support.world import a_world


@pytest.mark.parametrize(
    "text",
    [
        "I've saved that!",
        "Done. I have made a note of it.",
        "I'll remember that.",
        "Got it, I’ll keep that in mind.",
        "Noted.",
        "I wrote it down for you.",
        "Hab ich mir notiert!",
        "Das merke ich mir.",
        "J'ai noté ton anniversaire.",
        "Ya lo he guardado.",
        "Me lo ho segnato: l'ho salvato.",
        "Já anotei.",
        "Я запомнил.",
        "我记住了。",
        "覚えておきますね。",
    ],
)
def test_it_is_heard_in_many_languages(text: str) -> None:
    assert claims_saved(text)


@pytest.mark.parametrize(
    "text",
    [
        "I remember that you like plums.",
        "Did you save the file?",
        "You noted that yourself.",
        "Take a note of the platform number.",
        "That saved my day!",
        "Notiert dir jemand die Nummer?",
        "What will you remember of it?",
    ],
)
def test_other_talk_of_saving_is_no_claim(text: str) -> None:
    assert not claims_saved(text)


async def test_who_says_saved_without_a_call_gets_a_step_to_save_it(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        sends("Lovely! I've saved that."),
        calls(("working_context_append", {"text": "Plays the cello."})),
    )
    async with a_world(tmp_path, llm) as world:
        assert await world.say("I play the cello") == ["Lovely! I've saved that."]
        assert [UNSAVED in message.text for message in llm.prompts[1]].count(True) == 1
        assert "Plays the cello." in await (await world.memory()).working_context()


async def test_or_to_say_plainly_that_it_is_not_saved(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Noted!"), sends("To be plain: I did not write it down."))
    async with a_world(tmp_path, llm) as world:
        assert await world.say("I play the cello") == [
            "Noted!",
            "To be plain: I did not write it down.",
        ]


async def test_it_is_told_only_once_a_turn(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Noted!"), sends("Noted, really!"))
    async with a_world(tmp_path, llm) as world:
        assert await world.say("I play the cello") == ["Noted!", "Noted, really!"]


async def test_who_did_save_it_is_told_nothing(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        calls(
            ("archival_storage_insert", {"text": "Plays the cello."}),
            ("send_message", {"message": "I've saved that."}),
        )
    )
    async with a_world(tmp_path, llm) as world:
        assert await world.say("I play the cello") == ["I've saved that."]


async def test_a_search_is_no_saving(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        calls(
            ("archival_storage_search", {"query": "cello"}),
            ("send_message", {"message": "I've noted it."}),
        ),
        sends("I have not kept it, sorry."),
    )
    async with a_world(tmp_path, llm) as world:
        assert len(await world.say("I play the cello")) == 2


def test_of_a_very_long_text_the_beginning_and_the_end_are_read() -> None:
    assert claims_saved("I've saved that. " + "word " * 100_000)
    assert claims_saved("word " * 100_000 + "I've saved that.")
    assert not claims_saved("word " * 100_000)
