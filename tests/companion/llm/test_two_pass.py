"""A small model in two passes, behind the real agent and a real database."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from companion.events import ReactionReceived, Sender
from companion.llm.protocol import Call, Message, ToolSchema
from companion.llm.two_pass import TwoPass
from tests.support.scripted_small import ScriptedSmall
from tests.support.timers import in_a_while
from tests.support.world import World, a_world

TOOLS = [
    ToolSchema(name, "", {})
    for name in ("send_message", "working_context_append", "archival_storage_insert")
]


async def context(world: World) -> str:
    memory = await world.memory()
    return await memory.working_context()


async def test_a_fact_is_kept_and_the_message_answered(tmp_path: Path) -> None:
    small = ScriptedSmall("What a name!", facts=["Anna has a dog called Bruno"])
    async with a_world(tmp_path, TwoPass(small)) as world:
        assert await world.say("I have a dog called Bruno.") == ["What a name!"]
        assert "Anna has a dog called Bruno\n" in await context(world)


async def test_an_invention_is_not_kept(tmp_path: Path) -> None:
    small = ScriptedSmall(facts=["Anna is 25 years old", "Anna has a dog called Bruno"])
    async with a_world(tmp_path, TwoPass(small)) as world:
        await world.say("I have a dog called Bruno.")
        assert "25" not in await context(world)


async def test_the_same_fact_is_kept_once(tmp_path: Path) -> None:
    small = ScriptedSmall(facts=["Anna has a dog called Bruno"])
    async with a_world(tmp_path, TwoPass(small)) as world:
        await world.say("I have a dog called Bruno.")
        await world.say("Did I say that? I have a dog called Bruno.")
        assert (await context(world)).count("Bruno") == 1


async def test_of_two_facts_the_one_that_says_it_all_is_kept(tmp_path: Path) -> None:
    facts = ["Anna wants to travel to Iceland", "Anna plans a trip to Iceland to see puffins"]
    async with a_world(tmp_path, TwoPass(ScriptedSmall(facts=facts))) as world:
        await world.say("I want to travel to Iceland and see puffins.")
        assert (await context(world)).count("Iceland") == 1
        assert "puffins" in await context(world)


async def test_a_new_home_takes_the_place_of_the_old_one_which_stays_on_record(
    tmp_path: Path,
) -> None:
    small = ScriptedSmall(facts=["Anna lives in Shanghai"])
    async with a_world(tmp_path, TwoPass(small)) as world:
        await world.say("I live in Shanghai.")
        small.facts = ["Anna moved from Shanghai to Berlin"]
        await world.say("I've moved from Shanghai to Berlin.")
        lines = (await context(world)).splitlines()
    assert lines[-1] == (
        "Anna moved from Shanghai to Berlin (until Mon 5 May 2025: Anna lives in Shanghai)"
    )
    assert "Anna lives in Shanghai" not in lines


async def test_only_the_message_itself_is_read_for_facts(tmp_path: Path) -> None:
    small = ScriptedSmall()
    async with a_world(tmp_path, TwoPass(small)) as world:
        await world.say("I have a dog called Bruno.")
        await world.say("How are you? I'm fine.")
    assert small.asked_for_facts[1][-1] == Message("user", "Anna: I'm fine.")
    assert small.asked_for_facts[0][:-1] == small.asked_for_facts[1][:-1]


async def test_a_question_is_not_read_for_facts(tmp_path: Path) -> None:
    small = ScriptedSmall()
    async with a_world(tmp_path, TwoPass(small)) as world:
        await world.say("How are you?")
    assert small.asked_for_facts == []


async def test_each_prompt_begins_with_the_one_before(tmp_path: Path) -> None:
    small = ScriptedSmall(facts=["Anna has a dog called Bruno"])
    async with a_world(tmp_path, TwoPass(small)) as world:
        for number in range(6):
            await world.say(f"Hello number {number}. I have a dog called Bruno.")
    for before, after in zip(small.asked, small.asked[1:], strict=False):
        assert after[: len(before)] == before


async def test_the_prompt_is_short_and_names_no_function(tmp_path: Path) -> None:
    small = ScriptedSmall()
    async with a_world(tmp_path, TwoPass(small)) as world:
        await world.say("Hello!")
    [system, said] = small.asked[0]
    assert said == Message("user", "Hello!")
    assert "You are Mira, warm and plain." in system.text
    assert "send_message" not in system.text
    assert len(system.text) < 1500


async def test_what_is_asked_and_not_in_view_is_searched_first(tmp_path: Path) -> None:
    small = ScriptedSmall()
    async with a_world(tmp_path, TwoPass(small), window=4096) as world:
        await world.say("The cello in the attic was made in Mirecourt.")
        for _ in range(40):
            await world.say("It is raining cats and dogs again, and so on and so forth. " * 8)
        await world.say("Where was my cello made?")
    assert "(From earlier conversations: Page 1" in small.asked[-1][-1].text
    assert "Mirecourt" in small.asked[-1][-1].text


async def test_what_is_in_view_is_not_searched(tmp_path: Path) -> None:
    small = ScriptedSmall()
    async with a_world(tmp_path, TwoPass(small)) as world:
        await world.say("My cello was made in Mirecourt.")
        await world.say("Where was my cello made?")
    assert small.asked[-1][-1] == Message("user", "Where was my cello made?")


async def test_who_asks_for_the_time_is_told_to_the_model(tmp_path: Path) -> None:
    small = ScriptedSmall()
    async with a_world(tmp_path, TwoPass(small)) as world:
        await world.say("What day is it?")
    assert small.asked[0][-1].text.endswith("(It is Mon 5 May 2025 12:00 UTC.)")


async def test_a_long_chat_is_answered_through_flush_and_summary(tmp_path: Path) -> None:
    small = ScriptedSmall("They talked about the weather.", "Yes, quite.")
    async with a_world(tmp_path, TwoPass(small), window=4096) as world:
        for _ in range(60):
            [answer] = await world.say("It is raining cats and dogs again, and so on. " * 12)
            assert answer
    assert max(sum(len(m.text) for m in prompt) for prompt in small.asked) < 16_000


async def test_the_speakers_own_name_is_taken_off_an_answer(tmp_path: Path) -> None:
    async with a_world(tmp_path, TwoPass(ScriptedSmall("Mira: Hello!"))) as world:
        assert await world.say("Hi") == ["Hello!"]


@pytest.mark.parametrize(
    "garbage", ["", "{", "[]", "null", '{"facts": [1, null, {}]}', '{"facts": 5}', "[" * 9000]
)
async def test_garbage_for_facts_costs_no_answer(tmp_path: Path, garbage: str) -> None:
    async with a_world(tmp_path, TwoPass(ScriptedSmall("Hello!", facts=garbage))) as world:
        assert await world.say("I have a dog called Bruno.") == ["Hello!"]


async def test_a_reaction_brings_no_facts(tmp_path: Path) -> None:
    small = ScriptedSmall(facts=["Anna has a dog called Bruno"])
    async with a_world(tmp_path, TwoPass(small)) as world:
        await world.say("Hello?")
        reaction = ReactionReceived(
            id="r1",
            address=world.address("Anna"),
            sender=Sender(user="Anna", name="Anna"),
            at=world.clock.now(),
            message="m1",
            emoji="👍",
        )
        await world.happens(reaction)
    assert small.asked_for_facts == []


async def test_a_fact_that_the_working_context_refuses_goes_to_archival_storage() -> None:
    call = Call("c1", "working_context_append", '{"text": "Anna has a dog"}')
    said = Call("c2", "send_message", '{"message": "Nice!"}')
    prompt = [
        *turn("Anna: I have a dog."),
        Message("assistant", "", (call, said)),
        Message("tool", "Error: The working context would be 4100 characters", (), "c1"),
        Message("tool", "Sent.", (), "c2"),
    ]
    reply = await TwoPass(ScriptedSmall()).complete(prompt, TOOLS, answer_tokens=100)
    [kept] = reply.calls
    assert (kept.name, kept.arguments) == ("archival_storage_insert", '{"text": "Anna has a dog"}')
    assert reply.text == "Nice!"  # as sent already, so the agent does not send it again


async def test_a_summary_is_asked_for_as_it_is() -> None:
    small = ScriptedSmall("They talked.")
    prompt = [Message("system", "Summarise."), Message("user", "Messages: ...")]
    reply = await TwoPass(small).complete(prompt, answer_tokens=100)
    assert reply.text == "They talked."
    assert small.asked == [prompt]


async def test_of_much_to_summarise_the_beginnings_are_read() -> None:
    small = ScriptedSmall("They talked.")
    said = [f"[2025-05-05 12:{n % 60:02} UTC] Anna: number {n}, " + "x" * 500 for n in range(100)]
    prompt = [Message("system", "Summarise."), Message("user", "\n".join(said))]
    await TwoPass(small).complete(prompt, answer_tokens=100)
    [system, material] = small.asked[0]
    assert system.text == "Summarise."
    assert len(material.text) < 7000
    assert "number 0," in material.text
    assert "number 99," in material.text


async def test_what_was_read_is_told_with_the_word_that_it_was_another_prompt() -> None:
    reply = await TwoPass(ScriptedSmall()).complete(turn("Anna: Hi you."), TOOLS, answer_tokens=9)
    assert reply.reworded
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (120, 12)


async def test_warming_up_reads_what_every_turn_begins_with() -> None:
    small = ScriptedSmall()
    two_pass = TwoPass(small)
    await two_pass.warm_up()
    await two_pass.complete(turn("Anna: I have a dog."), TOOLS, answer_tokens=100)
    warm, real = small.asked_for_facts
    assert warm[:-1] == real[:-1]


def turn(said: str) -> Sequence[Message]:
    return (
        Message("system", "Instructions.\n# Working context\n## Persona\nMira\n\n## Person\n"),
        Message("user", f"[Mon 5 May 2025 12:00 UTC, test] {said}"),
    )


async def test_a_reminder_is_scheduled_without_asking_the_model(tmp_path: Path) -> None:
    small = ScriptedSmall("Call Lea now!")
    async with a_world(tmp_path, TwoPass(small)) as world:
        await world.say("/timezone Lisbon")
        assert await world.say("Please remind me tomorrow at 9 to call Lea.") == [
            "I'll remind you: call Lea, Tue 6 May 2025 09:00 Europe/Lisbon."
        ]
        assert small.asked == []
        assert await world.pass_time(timedelta(hours=20)) == ["⏰ call Lea"]


@pytest.mark.parametrize(
    ("hours", "after"), [(1, ""), (3, "\n(this was due at Mon 5 May 2025 13:00 UTC)")]
)
async def test_a_reminder_comes_in_its_own_words_and_not_in_the_models(
    tmp_path: Path, hours: int, after: str
) -> None:
    small = ScriptedSmall("Sure, I'll take out the bread.")
    async with a_world(tmp_path, TwoPass(small)) as world:
        await in_a_while(world, timedelta(hours=1), "take out the bread")
        assert await world.pass_time(timedelta(hours=hours)) == [f"⏰ take out the bread{after}"]


async def test_a_reminder_that_cannot_be_says_why(tmp_path: Path) -> None:
    async with a_world(tmp_path, TwoPass(ScriptedSmall())) as world:
        (where,) = await world.say("remind me tomorrow at 9 to call Lea")
        assert where.startswith("In which time zone are you?")
        await world.say("/timezone Lisbon")
        (past,) = await world.say("remind me on 2020-01-01 at 9 to call Lea")
        assert past.startswith("That reminder can't be: 2020-01-01 09:00 has passed")
