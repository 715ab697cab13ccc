"""What a person wants forgotten is nowhere any more."""

from pathlib import Path

import pytest

from companion.search.forgetting import Wanted, without_sentences
from companion.storage import erase
from tests.support.canaries import holding
from tests.support.scripted_llm import ScriptedLLM, calls, says, sends
from tests.support.world import World, a_world


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("hazelnuts", "I am allergic to Hazelnuts!"),
        ("hazelnuts", "one hazelnut is enough"),
        ("hazelnut", "HAZELNUTS"),
        ("my sister's wedding", "the wedding of her sister"),
        ("Café", "that cafe again"),
        ("榛子", "我对榛子过敏"),
        ("C++", "I like C++ best"),
        ("art", "art is long"),
        ("🐈", "my 🐈 sleeps"),
        ("орехи", "не люблю Орехи"),
    ],
)
def test_words_are_found_in_other_forms(words: str, text: str) -> None:
    assert Wanted(words)(text)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("art", "a party with an artist"),
        ("hazelnuts", "I like nuts"),
        ("Lea's birthday", "Lea has a cat"),
        ("榛子", "我对花生过敏"),
        ("cat", "the cathedral"),
    ],
)
def test_other_words_are_let_be(words: str, text: str) -> None:
    assert not Wanted(words)(text)


def test_of_a_summary_only_the_sentences_go() -> None:
    text = "Anna plays the cello. She can't eat hazelnuts! Her sister is Lea."
    assert without_sentences(text, Wanted("hazelnuts")) == (
        "Anna plays the cello. Her sister is Lea."
    )
    assert without_sentences("Hazelnuts", Wanted("hazelnuts")) == "(forgotten)"


def keeping() -> ScriptedLLM:
    """A model that keeps hazelnuts everywhere, and then talks of something else."""
    return ScriptedLLM(
        calls(
            ("working_context_append", {"text": "Allergic to hazelnuts."}),
            ("working_context_replace", {"old": "to hazelnuts", "new": "to all hazelnuts"}),
            ("archival_storage_insert", {"text": "Hazelnuts: mild, since 2019."}),
            ("conversation_search", {"query": "hazelnuts"}),
            ("send_message", {"message": "No hazelnuts for you, then."}),
        ),
        lambda _: sends("Go on. " + "la " * 60),
        summary=says("Anna can't eat hazelnuts. She plays the cello."),
    )


async def full_of_hazelnuts(world: World) -> None:
    await world.say("I can't eat hazelnuts")
    await world.say("/remember no hazelnut cake either")
    for _ in range(14):
        await world.say("word " * 60)


async def test_forget_shows_all_of_it_and_then_leaves_no_trace(tmp_path: Path) -> None:
    llm = keeping()
    async with a_world(tmp_path, llm, window=4096) as world:
        await full_of_hazelnuts(world)
        assert llm.summaries
        (shown,) = await world.say("/forget hazelnuts")
        for entry in (
            "- Allergic to all hazelnuts.",
            "- no hazelnut cake either",
            "- Hazelnuts: mild, since 2019. (Mon 5 May 2025 12:00 UTC)",
            "- Anna, Mon 5 May 2025 12:00 UTC: I can't eat hazelnuts",
            "- Mira, Mon 5 May 2025 12:00 UTC: No hazelnuts for you, then.",
            "- Anna can't eat hazelnuts.",
        ):
            assert entry in shown
        assert shown.endswith("To do it: /forget yes hazelnuts")
        assert await world.say("/forget yes hazelnuts") == ["Forgotten: 6 entries."]
        assert holding(tmp_path, "hazelnut") == set()
        assert await world.say("/search hazelnuts") == ["I found nothing about “hazelnuts”."]
        llm.prompts.clear()
        await world.say("What can't I eat?")
        assert "hazelnut" not in str(llm.prompts).casefold()
        assert "She plays the cello." in str(llm.prompts)
        for _ in range(5):  # no undo brings it back
            (text,) = await world.say("/undo")
            assert "hazelnut" not in text


async def test_a_purge_that_was_cut_short_is_done_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def held(_db: object) -> bool:
        return False

    with monkeypatch.context() as patched:
        patched.setattr(erase, "purge", held)
        async with a_world(tmp_path, keeping()) as world:
            await world.say("/remember no hazelnut cake")
            assert await world.say("/forget yes hazelnut cake") == ["Forgotten: 1 entry."]
            assert await world.db.read(erase.is_purge_due)
    async with a_world(tmp_path, keeping()) as world:
        assert not await world.db.read(erase.is_purge_due)
        assert holding(tmp_path, "hazelnut") == set()


async def test_after_forgetting_the_chat_goes_on_and_the_others_keep_theirs(
    tmp_path: Path,
) -> None:
    async with a_world(tmp_path, keeping(), window=4096) as world:
        await full_of_hazelnuts(world)
        await world.say("/remember hazelnuts", "Ben")
        await world.say("/forget yes hazelnuts")
        assert (await world.say("And now?"))[0].startswith("Go on.")
        (memory,) = await world.say("/memory", "Ben")
        assert "hazelnuts" in memory


async def test_plain_words_show_the_same_with_buttons(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        sends("Noted, plums it is."),
        calls(("forget", {"words": "plums"})),
        calls(("forget", {"words": "peaches"}), ("send_message", {"message": "I know of none."})),
        sends("Hm?"),
    )
    async with a_world(tmp_path, llm) as world:
        await world.say("/remember I like plums")
        await world.say("Hello")
        (shown,) = await world.say("Please forget that about plums")
        assert "- I like plums" in shown
        assert "that about plums" not in shown, "the request itself is nothing to show"
        assert "I like plums" in await (await world.memory()).working_context()
        (rows,) = await world.rows("SELECT choices FROM outbox WHERE choices IS NOT NULL")
        assert "/forget yes plums" in str(rows)
        assert await world.say("/forget yes plums") == ["Forgotten: 4 entries."]
        assert holding(tmp_path, "plums") == set()
        assert await world.say("And peaches?") == ["I know of none."]
