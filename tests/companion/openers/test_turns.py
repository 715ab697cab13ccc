"""The companion writes first: when, about what, and what the model is told and may do."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

from companion.embedders.wordllama import WordLlama
from companion.errors import LLMUnavailableError
from companion.llm.protocol import Message, Reply, ToolSchema
from companion.settings import OpenerSettings, Settings
from companion.storage import passages, timing
from companion.timed.hours import Hours
from tests.support.openers import INTERVIEW, agreed, reasons, silent, wait, writes
from tests.support.scripted_llm import ScriptedLLM, says, sends
from tests.support.world import a_world

MONDAY = datetime(2025, 5, 5, 12, 0, tzinfo=UTC)  # 14:00 in Berlin
EVENING = datetime(2025, 5, 8, 19, 0, tzinfo=UTC)  # of the interview, 21:00 in Berlin


async def test_how_did_it_go_comes_once_in_the_evening_after(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await agreed(world, llm)
        llm.will(silent("it is only tomorrow"), writes("How was Acme?"))
        assert await wait(world, datetime(2025, 5, 8, 15, 0, tzinfo=UTC)) == []
        assert await wait(world, EVENING) == ["How was Acme?"]
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
        await wait(world, EVENING)
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


class Slow(ScriptedLLM):
    """A model that takes so long over an opener that something happens `meanwhile`."""

    meanwhile: Callable[[], Awaitable[object]] | None = None

    async def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        *,
        answer_tokens: int,
    ) -> Reply:
        if self.meanwhile is not None and any(tool.name == "send_opener" for tool in tools):
            happens, self.meanwhile = self.meanwhile, None
            await happens()
        return await super().complete(messages, tools, answer_tokens=answer_tokens)


async def test_who_writes_while_an_opener_is_thought_of_gets_an_answer_and_no_opener(
    tmp_path: Path,
) -> None:
    llm = Slow()
    async with a_world(tmp_path, llm) as world:
        await agreed(world, llm)
        llm.meanwhile = lambda: world.companion.handle(world.message("Are you there?"))
        llm.will(writes("Good luck!"), sends("Here I am!"))
        assert await wait(world, datetime(2025, 5, 7, 19, 0, tzinfo=UTC)) == ["Here I am!"]
        assert await world.rows("SELECT reason FROM opener") == [("they wrote meanwhile",)]


async def test_what_was_forgotten_meanwhile_is_not_written_about(tmp_path: Path) -> None:
    llm = Slow()
    async with a_world(tmp_path, llm) as world:
        await agreed(world, llm, "Hi!")
        memory = await world.memory()
        kept = await memory.add("Anna's interview is on 8 May.")

        async def forget() -> None:
            await world.db.write(lambda tx: passages.remove(tx, memory.person, kept.id))

        llm.meanwhile = forget
        llm.will(writes("Good luck!"), silent("forgotten"))
        assert await wait(world, datetime(2025, 5, 7, 19, 0, tzinfo=UTC)) == []
    assert "has been forgotten" in llm.prompts[-1][-3].text


async def test_while_the_lane_is_busy_an_opener_is_postponed_not_asked_for(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await agreed(world, llm)
        await wait(world, datetime(2025, 5, 8, 10, 0, tzinfo=UTC))
        llm.will(LLMUnavailableError("down"))
        await world.companion.handle(world.message("Nervous!"))
        await world.companion.quiet()
        asked = len(llm.prompts)
        await wait(world, EVENING)
        assert len(llm.prompts) == asked
        assert "in conversation" in await reasons(world)


async def test_in_quiet_hours_and_pauses_nothing_is_asked_or_sent(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await agreed(world, llm)
        person, asked = await world.person(), len(llm.prompts)
        await world.db.write(lambda tx: timing.set_quiet(tx, person, Hours.parse("17:00-12:00")))
        until = datetime(2025, 5, 7, 20, 0, tzinfo=UTC)
        await wait(world, until)
        assert len(llm.prompts) == asked
        await world.db.write(lambda tx: timing.set_quiet(tx, person, Hours.parse("22:00-22:00")))
        paused = until + timedelta(days=7)
        await world.db.write(lambda tx: timing.set_paused(tx, person, paused))
        await wait(world, EVENING + timedelta(days=1))
        assert len(llm.prompts) == asked
        assert {"paused", "quiet hours 17:00-12:00"} <= set(await reasons(world))


async def test_after_a_pause_nothing_skipped_is_sent_late(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await agreed(world, llm, f"{INTERVIEW} And a wedding on 21 May.")
        person = await world.person()
        pause = MONDAY + timedelta(days=9)
        await world.db.write(lambda tx: timing.set_paused(tx, person, pause))
        await wait(world, MONDAY + timedelta(days=8))
        await world.db.write(lambda tx: timing.set_paused(tx, person, None))
        llm.will(writes("Have a lovely wedding!"))
        heard = await wait(world, datetime(2025, 5, 21, 9, 0, tzinfo=UTC))
    assert heard == ["Have a lovely wedding!"]
    assert "interview" not in llm.prompts[-1][-1].text


async def test_unanswered_it_waits_longer_each_time_and_then_for_them(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    texts = [f"{what}?" for what in ("Acme", "Bach", "Cats", "Dogs", "Eggs", "Figs", "Gulls")]
    async with a_world(tmp_path, llm) as world:
        await agreed(world, llm, "Hi!")
        memory = await world.memory()
        for fact in texts:
            await memory.append(f"Anna likes {fact.lower()[:-1]}.")
        llm.will(*map(writes, texts), sends("Good to hear from you!"), *map(writes, texts[5:]))
        assert await wait(world, MONDAY + timedelta(days=90)) == texts[:5]
        rows = await world.rows("SELECT sent_at FROM outbox JOIN opener ON outbox_id = outbox.id")
        sent = [datetime.fromisoformat(str(row[0])) for row in rows]
        gaps = [(b - a) / timedelta(days=1) for a, b in pairwise(sent)]
        for gap, days in zip(gaps, (1, 2, 4, 8), strict=True):
            assert days <= gap < days + 1
        asked = len(llm.prompts)
        await wait(world, MONDAY + timedelta(days=120))
        assert len(llm.prompts) == asked
        assert "quiet until they write" in await reasons(world)


THINGS = """
apples bees cats dogs eggs figs gulls hats ink jazz kites lemons moss nuts owls pears quilts roses
snow tea urns violets wool yoga
""".split()  # noqa: SIM905 - quoted words are harder to read


async def sent_a_day(folder: Path, wish: str) -> list[int]:
    """How many openers come on each day of a week that has one, to somebody who answers them."""
    llm, things = ScriptedLLM(sends("Hi!")), iter(THINGS)

    def answers(prompt: Sequence[Message]) -> Reply:
        first = prompt[-1].text.startswith("[system] Nobody wrote.")
        return writes(f"{next(things)}?") if first else sends("Oh!")

    async with a_world(folder, llm) as world:
        await world.say("/timezone Berlin")
        await world.say(f"/openers {wish}")
        await world.say("hi")
        for thing in THINGS:
            await (await world.memory()).append(f"Anna likes {thing}.")
        llm.will(answers)
        while world.clock.now() < MONDAY + timedelta(days=7):
            for _ in await wait(world, world.clock.now() + timedelta(hours=2)):
                await world.say("Nice!")
        rows = await world.rows(
            "SELECT substr(sent_at, 1, 10), COUNT(*) FROM outbox"
            " JOIN opener ON outbox_id = outbox.id GROUP BY 1"
        )
    return [number for _, number in rows if isinstance(number, int)]


async def test_often_and_rarely_change_how_often(tmp_path: Path) -> None:
    for wish in ("on", "often", "rarely"):
        (tmp_path / wish).mkdir()
    assert max(await sent_a_day(tmp_path / "on", "on")) == 1
    assert max(await sent_a_day(tmp_path / "often", "often")) == 2
    assert await sent_a_day(tmp_path / "rarely", "rarely") == [1, 1]


async def test_switched_off_by_the_operator_nobody_is_written_to(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    off = Settings(openers=OpenerSettings(enabled=False))
    async with a_world(tmp_path, llm, settings=off) as world:
        await agreed(world, llm)
        assert await wait(world, EVENING) == []
        assert await reasons(world) == ["waits for its moment", "disabled"]
    assert len(llm.prompts) == 1
