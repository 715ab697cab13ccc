"""Talking to the person, reacting, and choosing not to."""

from dataclasses import replace
from pathlib import Path

import pytest

from companion.events import MessageReceived, OutgoingMessage, ReactionReceived
from companion.text import is_emoji
from tests.support.scripted_llm import ScriptedLLM, calls, sends
from tests.support.world import PLATFORM, World, a_world


def message(world: World, text: str, *, group: str | None = None) -> MessageReceived:
    """A message that the platform has a name for."""
    return replace(world.message(text, group=group), message=f"message {text}")


async def test_an_emoji_is_put_to_the_message_that_is_answered(tmp_path: Path) -> None:
    llm = ScriptedLLM(calls(("react", {"emoji": "❤"}), ("send_message", {"message": "Lovely!"})))
    sent: list[OutgoingMessage] = []
    async with a_world(tmp_path, llm, deliver=False) as world:

        async def send(outgoing: OutgoingMessage) -> None:
            sent.append(outgoing)

        world.companion.deliver(PLATFORM, send)
        await world.happens(message(world, "I passed!"))
        kept = await world.rows("SELECT said FROM message WHERE speaker = 'Mira'")
    assert [(one.text, one.reacts_to) for one in sent] == [
        ("❤", "message I passed!"),
        ("Lovely!", None),
    ]
    assert kept == [("Lovely!",)]


async def test_in_private_a_reaction_alone_is_no_answer(tmp_path: Path) -> None:
    llm = ScriptedLLM(calls(("react", {"emoji": "👍"})), sends("Well done."))
    async with a_world(tmp_path, llm) as world:
        assert await world.happens(message(world, "I passed!")) == ["👍", "Well done."]
    assert "has not got an answer yet" in llm.prompts[1][-2].text


async def test_in_a_group_a_reaction_alone_will_do(tmp_path: Path) -> None:
    llm = ScriptedLLM(calls(("react", {"emoji": "👍"})))
    async with a_world(tmp_path, llm) as world:
        assert await world.happens(message(world, "Mira, I passed!", group="g")) == ["👍"]
    assert len(llm.prompts) == 1


async def test_a_second_reaction_and_words_for_one_are_refused(tmp_path: Path) -> None:
    both = calls(
        ("react", {"emoji": "thumbs up"}), ("react", {"emoji": "👍"}), ("react", {"emoji": "🎉"})
    )
    llm = ScriptedLLM(both, sends("Well done."))
    async with a_world(tmp_path, llm) as world:
        assert await world.happens(message(world, "I passed!")) == ["👍", "Well done."]
    told = [one.text for one in llm.prompts[1] if one.role == "tool"]
    assert told[0] == "Error: Give one emoji and nothing else."
    assert told[2] == "You have reacted to that message already."


async def test_where_messages_have_no_names_there_is_nothing_to_react_to(tmp_path: Path) -> None:
    llm = ScriptedLLM(calls(("react", {"emoji": "👍"})), sends("Well done."))
    async with a_world(tmp_path, llm) as world:
        assert await world.say("I passed!") == ["Well done."]
    (told,) = [one.text for one in llm.prompts[1] if one.role == "tool"]
    assert told == "Error: There is no message here that an emoji could be put to."


async def test_whoever_embeds_the_companion_hears_words_only(tmp_path: Path) -> None:
    llm = ScriptedLLM(calls(("react", {"emoji": "❤"}), ("send_message", {"message": "Lovely!"})))
    async with a_world(tmp_path, llm, deliver=False) as world:
        assert await world.companion.answer(message(world, "I passed!")) == ["Lovely!"]


@pytest.mark.parametrize("emoji", ["👍", "❤️", "👨‍👩‍👧‍👦", "🇵🇹", "👍🏽", "☺", "‼"])
def test_an_emoji_is_one(emoji: str) -> None:
    assert is_emoji(emoji)


@pytest.mark.parametrize(
    "text", ["", " ", "ok", "👍👍", "好", ":)", "👍 yes", "!", "👍" + "\u200d👍" * 20]
)
def test_other_texts_are_not(text: str) -> None:
    assert not is_emoji(text)


async def reacts(world: World, to: str) -> str:
    """What the model reads of a reaction to the message that the platform calls so."""
    reaction = ReactionReceived(
        id=f"reaction to {to}",
        address=world.address("Anna"),
        sender=world.message("").sender,
        at=world.clock.now(),
        message=to,
        emoji="👍",
    )
    await world.happens(reaction)
    (row,) = await world.rows(
        "SELECT text FROM message WHERE kind = 'event' ORDER BY id DESC LIMIT 1"
    )
    return str(row[0]).partition("] ")[2]


async def test_a_reaction_names_what_it_was_put_to(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Well done!"), sends("Word " * 50))
    async with a_world(tmp_path, llm, deliver=False) as world:

        async def send(outgoing: OutgoingMessage) -> str:
            return f"sent {outgoing.id}"

        world.companion.deliver(PLATFORM, send)
        await world.happens(message(world, "I passed!"))
        await world.happens(message(world, "Tell me more"))
        assert await reacts(world, "sent 1") == "(Anna reacted with 👍 to “you: Well done!”)"
        shortened = await reacts(world, "sent 2")
        assert shortened == f"(Anna reacted with 👍 to “you: {('Word ' * 24).strip()}…”)"
        assert await reacts(world, "message I passed!") == "(Anna reacted with 👍 to “I passed!”)"
        assert await reacts(world, "an old one") == "(Anna reacted with 👍)"
