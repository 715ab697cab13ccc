"""What people say about being written to first, and what they hear about it."""

from datetime import UTC, datetime, time, timedelta
from pathlib import Path

from companion.events import Sender
from companion.llm.two_pass import TwoPass
from companion.openers.offering import OFFER
from companion.settings import OpenerSettings, Settings
from companion.storage import messages, openers
from tests.support.openers import INTERVIEW, agreed, silent, wait, writes
from tests.support.scripted_llm import ScriptedLLM, calls, sends
from tests.support.scripted_small import ScriptedSmall
from tests.support.timers import again_and_again
from tests.support.world import World, a_world

MONDAY = datetime(2025, 5, 5, 12, 0, tzinfo=UTC)
EVE = datetime(2025, 5, 7, 19, 0, tzinfo=UTC)
"""Of the interview, 21:00 in Berlin."""


async def wish(world: World) -> str | None:
    person = await world.person()
    return (await world.db.read(lambda tx: openers.wished(tx, person))).wish


async def test_openers_are_set_and_seen_with_a_command(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        (text,) = await world.say("/openers")
        assert text.startswith("I don't write to you first.\nTo change it:")
        (text,) = await world.say("/openers on")
        assert text.startswith("I'll write to you first now and then. For that I need to know")
        await world.say("/timezone Lisbon")
        assert await world.say("/openers rarely") == ["I'll write to you first, but rarely."]
        (text,) = await world.say("/openers")
        assert text.startswith("I write to you first, but rarely.\n")
        (text,) = await world.say("/openers sometimes")
        assert text == "I don't know “sometimes”. Write /openers on, off, often or rarely."
        assert await wish(world) == "rarely"


async def test_plain_words_reach_the_same(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        calls(("set_openers", {"wish": "often"}), ("send_message", {"message": "Gladly!"})),
        calls(("set_openers", {"wish": "off"}), ("send_message", {"message": "All right."})),
    )
    async with a_world(tmp_path, llm) as world:
        await world.say("Write to me more often!")
        assert await wish(world) == "often"
        await world.say("Please stop that.")
        assert await wish(world) == "off"
        rows = await world.rows("SELECT state FROM schedule WHERE purpose = 'opener'")
    assert rows == [("cancelled",)]


async def test_in_a_group_there_are_none(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        calls(("set_openers", {"wish": "on"}), ("send_message", {"message": "Only in private."}))
    )
    async with a_world(tmp_path, llm) as world:
        (text,) = await world.happens(world.message("/openers on", group="club"))
        assert text == "In groups I never write first. Ask me in a private chat."
        await world.happens(world.message("Write to us first!", group="club"))
        assert await world.rows("SELECT * FROM opener_wish") == []


async def test_muting_openers_leaves_check_ins_and_reminders(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await agreed(world, llm)
        await again_and_again(world, time(15, 0), purpose="check_in", text="did I eat?")
        await world.say("/openers off")
        llm.will(sends("Did you eat?"))
        assert await wait(world, MONDAY + timedelta(hours=8)) == ["Did you eat?"]


async def test_why_names_the_memory_with_its_date(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await agreed(world, llm, f"Hello! {INTERVIEW}")
        assert await world.say("/why") == ["I haven't written to you first so far."]
        llm.will(writes("Good luck!"))
        await wait(world, EVE)
        (text,) = await world.say("/why")
    assert text == (
        "I wrote “Good luck!” on Wed 7 May 2025 19:24 Europe/Berlin because of what you said on"
        f" Mon 5 May 2025 14:00 Europe/Berlin: “{INTERVIEW}”"
    )


async def test_why_names_nothing_that_was_forgotten_since(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await agreed(world, llm)
        llm.will(writes("Good luck!"))
        await wait(world, EVE)
        person = await world.person()
        (row,) = await world.rows("SELECT event_id FROM message WHERE said LIKE '%interview%'")
        event = row[0]
        assert isinstance(event, int)
        await world.db.write(lambda tx: messages.forget(tx, person, event))
        (text,) = await world.say("/why")
    assert text.endswith("because of something that I have forgotten since.")


async def test_why_names_notes_and_what_is_kept_in_mind(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await agreed(world, llm, "Hi!")
        await (await world.memory()).append("Anna's exam is on 8 May.")
        llm.will(writes("Good luck!"))
        await wait(world, EVE)
        (text,) = await world.say("/why")
    assert "what I noted on Mon 5 May 2025 14:00 Europe/Berlin: “Anna's exam is on 8 May.”" in text


async def test_it_is_offered_once_after_a_while_and_off_until_they_agree(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Yes."))
    settings = Settings(openers=OpenerSettings(offer_after=6))
    llm.will(lambda _prompt: sends("Tell me more."))
    async with a_world(tmp_path, llm, settings=settings) as world:
        for number in range(3):
            await world.say(f"This is message {number}")
        assert not any(OFFER in m.text for prompt in llm.prompts for m in prompt)
        for number in range(12):
            await world.say(f"This is another, {number}")
        assert sum(m.text == OFFER for m in llm.prompts[-1]) == 1
        assert await wish(world) is None
        assert await world.rows("SELECT COUNT(*) FROM schedule") == [(0,)]


async def test_who_said_what_they_want_is_not_asked(tmp_path: Path) -> None:
    llm = ScriptedLLM(lambda _prompt: sends("Tell me more."))
    settings = Settings(openers=OpenerSettings(offer_after=2))
    async with a_world(tmp_path, llm, settings=settings) as world:
        await world.say("/openers off")
        for number in range(5):
            await world.say(f"This is message {number}")
    assert not any(m.text == OFFER for m in llm.prompts[-1])


async def test_in_a_group_nothing_is_offered(tmp_path: Path) -> None:
    llm = ScriptedLLM(lambda _prompt: sends("Tell me more."))
    settings = Settings(openers=OpenerSettings(offer_after=2))
    async with a_world(tmp_path, llm, settings=settings) as world:
        for number in range(5):
            await world.happens(world.message(f"This is message {number}", group="club"))
    assert not any(m.text == OFFER for m in llm.prompts[-1])


async def test_an_opener_can_be_had_at_once_for_an_experiment(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Hi!"))
    async with a_world(tmp_path, llm) as world:
        await world.say("hi")
        await (await world.memory()).append("Anna plays the cello.")
        llm.will(writes("What are you practising these days?"))
        anna = Sender(user="Anna", name="Anna")
        text = await world.companion.write_first(world.address("Anna"), anna)
        assert text == "What are you practising these days?"
        llm.will(silent())
        assert await world.companion.write_first(world.address("Anna"), anna) is None
    assert "1. (something you know about them) “Anna plays the cello.”" in llm.prompts[1][-1].text


async def test_a_small_model_writes_first_or_keeps_silent(tmp_path: Path) -> None:
    small = ScriptedSmall(facts='{"number": 1, "text": "Good luck tomorrow!"}')
    async with a_world(tmp_path, TwoPass(small)) as world:
        await world.say("/timezone Berlin")
        await world.say("/openers on")
        await world.say(INTERVIEW)
        assert await wait(world, EVE) == ["Good luck tomorrow!"]
        assert INTERVIEW in small.asked_for_facts[-1][-1].text
        small.facts = '{"number": 0, "text": ""}'
        assert await wait(world, EVE + timedelta(days=2)) == []
        assert await world.rows("SELECT state FROM opener") == [("sent",), ("silent",)]


async def test_a_small_model_that_answers_nonsense_keeps_silent(tmp_path: Path) -> None:
    async with a_world(tmp_path, TwoPass(ScriptedSmall(facts="Good luck!"))) as world:
        await world.say("/timezone Berlin")
        await world.say("/openers on")
        await world.say(INTERVIEW)
        assert await wait(world, EVE) == []
