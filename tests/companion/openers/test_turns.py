"""The companion writes first: when, about what, and what the model is told and may do."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from companion.embedders.wordllama import WordLlama
from companion.llm.protocol import Reply
from companion.storage import schedule
from tests.support.scripted_llm import ScriptedLLM, calls, says, sends
from tests.support.world import World, a_world

MONDAY = datetime(2025, 5, 5, 12, 0, tzinfo=UTC)  # 14:00 in Berlin
INTERVIEW = "I have an interview at Acme on Thursday."


def writes(text: str, about: int = 1) -> Reply:
    return calls(("send_opener", {"text": text, "about": about}))


def silent(reason: str = "nothing to say") -> Reply:
    return calls(("stay_silent", {"reason": reason}))


async def wait(world: World, until: datetime) -> list[str]:
    """Let time pass, with all that is due meanwhile, and give what is delivered."""
    before = len(world.delivered)
    while world.clock.now() < until:
        following = await world.firing.fire_due()
        await world.companion.quiet()
        world.clock.advance(min(following or until, until) - world.clock.now())
    await world.pass_time()
    return [text for _, text in world.delivered[before:]]


async def agreed(world: World, llm: ScriptedLLM, text: str = INTERVIEW) -> None:
    """Anna lives in Berlin, wants openers and has told of her plan."""
    llm.will(sends("Exciting!"))
    await world.say("/timezone Berlin")
    await world.say("/openers on")
    await world.say(text)


async def reasons(world: World, name: str = "Anna") -> list[str]:
    """What became of the looks of this person, in order, each once."""
    person = await world.person(name)
    past = await world.db.read(lambda tx: schedule.history(tx, person))
    return list(dict.fromkeys(one.reason or one.outcome for one in past))


async def test_how_did_it_go_comes_once_in_the_evening_after(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await agreed(world, llm)
        llm.will(silent("it is only tomorrow"), writes("How was Acme?"))
        assert await wait(world, datetime(2025, 5, 8, 15, 0, tzinfo=UTC)) == []
        assert await wait(world, datetime(2025, 5, 8, 19, 0, tzinfo=UTC)) == ["How was Acme?"]
        assert await wait(world, datetime(2025, 5, 9, 8, 0, tzinfo=UTC)) == []
    brief = llm.prompts[-1][-1].text
    assert "Nobody wrote." in brief
    assert f"“{INTERVIEW}”, said on Mon 5 May 2025 14:00 Europe/Berlin" in brief
    assert "a plan for Thu 8 May 2025: it should be over" in brief


async def test_the_turn_is_an_event_of_its_own_and_the_brief_is_not_kept(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await agreed(world, llm)
        llm.will(writes("Fingers crossed for tomorrow!"), sends("You're welcome!"))
        await wait(world, datetime(2025, 5, 7, 19, 0, tzinfo=UTC))
        await world.say("Thanks!")
    first, answer = llm.prompts[-2], llm.prompts[-1]
    assert first[-3].text.endswith(
        "test] (nobody wrote; you may write to them first, if you have something to say) "
    )
    assert not any("What you could write about" in message.text for message in answer)
    said = [message.text for message in answer if message.role == "user"]
    assert any("(nobody wrote;" in text for text in said)
    assert not any("Fingers crossed" in text for text in said), "it is nobody's but its own"
    assert any("Fingers crossed" in call.arguments for m in answer for call in m.calls)


async def test_the_model_has_no_other_way_to_write_in_that_turn(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await agreed(world, llm)
        llm.will(sends("Hello!"), says("I stay silent."), silent())
        assert await wait(world, datetime(2025, 5, 7, 19, 0, tzinfo=UTC)) == []
        rows = await world.rows("SELECT state, reason FROM opener")
    assert rows == [("silent", "nothing to say")]


async def test_words_for_silence_never_reach_the_chat(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await agreed(world, llm)
        llm.will(writes("[SILENT]"), writes("stay_silent()"), writes("(no message)"), says("..."))
        llm.will(says("..."))
        assert await wait(world, datetime(2025, 5, 7, 19, 0, tzinfo=UTC)) == []
        assert await world.rows("SELECT state, reason FROM opener") == [
            ("silent", "it called nothing")
        ]


async def test_a_draft_like_an_earlier_opener_is_refused_once_with_the_reason(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm, embedder=WordLlama()) as world:
        await agreed(world, llm, "I have an interview on Tuesday, and an exam on Thursday.")
        llm.will(writes("How are you today?"))
        assert await wait(world, datetime(2025, 5, 6, 19, 0, tzinfo=UTC)) == ["How are you today?"]
        llm.will(sends("Good!"))
        await world.say("Fine!")
        llm.will(writes("How are you doing this morning?"), writes("Good luck with the exam!"))
        heard = await wait(world, datetime(2025, 5, 7, 19, 0, tzinfo=UTC))
    assert heard == ["Good luck with the exam!"]
    refused = next(m.text for m in llm.prompts[-1] if m.role == "tool" and "too like" in m.text)
    assert "“How are you today?”" in refused


async def test_a_second_draft_like_an_earlier_one_ends_in_silence(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm, embedder=WordLlama()) as world:
        await agreed(world, llm, "I have an interview on Tuesday, and an exam on Thursday.")
        llm.will(writes("How are you today?"))
        await wait(world, datetime(2025, 5, 6, 19, 0, tzinfo=UTC))
        llm.will(sends("Good!"))
        await world.say("Fine!")
        llm.will(writes("How are you doing this morning?"), writes("Hi Anna, how are you?"))
        assert await wait(world, datetime(2025, 5, 7, 19, 0, tzinfo=UTC)) == []
        rows = await world.rows("SELECT reason FROM opener WHERE state = 'silent'")
    assert rows == [("its drafts were too like earlier ones",)]


async def test_what_came_of_earlier_openers_is_shown(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await agreed(world, llm, "I have an interview on Tuesday, an exam on Friday.")
        llm.will(writes("How was the interview?"))
        await wait(world, datetime(2025, 5, 6, 19, 0, tzinfo=UTC))
        llm.will(sends("Great!"))
        await world.say("It went well!")
        llm.will(writes("Good luck tomorrow!"))
        await wait(world, datetime(2025, 5, 8, 19, 0, tzinfo=UTC))
        llm.will(writes("How was the exam?"))
        await wait(world, datetime(2025, 5, 10, 19, 0, tzinfo=UTC))
    brief = llm.prompts[-1][-1].text
    assert "“How was the interview?” (answered after" in brief
    assert "“Good luck tomorrow!” (no answer in " in brief


async def test_nothing_is_asked_of_the_model_while_a_gate_is_shut(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        llm.will(sends("Exciting!"))
        await world.say(INTERVIEW)
        asked = len(llm.prompts)
        await world.say("/openers on")  # the zone is unknown
        assert await wait(world, MONDAY + timedelta(days=5)) == []
        assert len(llm.prompts) == asked
        assert "zone unknown" in await reasons(world)
        await world.say("/openers off")
        await world.say("/timezone Berlin")
        assert await wait(world, MONDAY + timedelta(days=9)) == []
        assert len(llm.prompts) == asked


async def test_without_an_opinion_nobody_is_written_to(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Exciting!"))
    async with a_world(tmp_path, llm) as world:
        await world.say("/timezone Berlin")
        await world.say(INTERVIEW)
        assert await wait(world, MONDAY + timedelta(days=5)) == []
    assert len(llm.prompts) == 1


async def test_the_reasons_stand_in_the_operators_history(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await agreed(world, llm)
        await wait(world, datetime(2025, 5, 6, 12, 0, tzinfo=UTC))
        assert set(await reasons(world)) >= {"waits for its moment", "nothing to say"}
        llm.will(silent())
        await wait(world, datetime(2025, 5, 8, 14, 0, tzinfo=UTC))
        assert "better later today" in await reasons(world)
