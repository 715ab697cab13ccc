"""A night: when it comes, what it does, and how it is taken back."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from companion.errors import LLMUnavailableError
from companion.llm.protocol import Reply
from companion.llm.two_pass import TwoPass
from companion.settings import NightSettings, Settings
from companion.storage import passages
from tests.support.openers import reasons, wait
from tests.support.scripted_llm import ScriptedLLM, calls, sends
from tests.support.scripted_small import ScriptedSmall
from tests.support.world import World, a_world

MONDAY = datetime(2025, 5, 5, 12, 0, tzinfo=UTC)  # 14:00 in Berlin
MORNING = datetime(2025, 5, 6, 6, 0, tzinfo=UTC)
ON = Settings(night=NightSettings(enabled=True))


def tidies(lines: dict[int, str], notes: dict[tuple[int, ...], str] | None = None) -> Reply:
    """The model's answer at night."""
    return calls(
        (
            "tidy_memory",
            {
                "lines": [{"line": line, "text": text} for line, text in lines.items()],
                "notes": [{"notes": [*ids], "text": text} for ids, text in (notes or {}).items()],
            },
        )
    )


async def a_day(world: World, llm: ScriptedLLM) -> None:
    """Anna talks, and things are kept twice."""
    await world.say("/timezone Berlin")
    for number in range(3):
        llm.will(sends(f"Oh! {number}"))
        await world.say(f"Well, {number}")
    memory = await world.memory()
    for line in ("Has a cat, Minka.", "The cat is Minka.", "Interview next Thursday."):
        await memory.append(line)
    for note in ("Minka is a cat.", "Minka the cat is grey."):
        await memory.add(note)


async def lines(world: World) -> list[str]:
    return (await (await world.memory()).working_context()).splitlines()[4:]


async def notes(world: World) -> list[str]:
    person = await world.person()
    return [one.text for one in await world.db.read(lambda tx: passages.everything(tx, person))]


DONE = tidies({2: "", 3: "Interview on 2025-05-15."}, {(1, 2): "Minka is a grey cat."})


async def test_memory_is_put_in_order_at_night_and_nothing_is_sent(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm, settings=ON) as world:
        await a_day(world, llm)
        llm.will(DONE)
        assert await wait(world, MORNING) == []
        assert await lines(world) == ["Has a cat, Minka.", "Interview on 2025-05-15."]
        assert await notes(world) == ["Minka is a grey cat."]
        llm.will(sends("Morning!"))
        await world.say("Morning!")
    asked = llm.prompts[-2][-1].text
    assert "3. [Mon 5 May 2025 14:00 Europe/Berlin] Interview next Thursday." in asked
    assert "2. [Mon 5 May 2025 14:00 Europe/Berlin] Minka the cat is grey." in asked
    assert "Interview on 2025-05-15." in llm.prompts[-1][0].text
    assert len(llm.prompts[-2]) == 2, "the talk itself is not shown"


async def test_undo_brings_all_of_it_back(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm, settings=ON) as world:
        await a_day(world, llm)
        before = await lines(world), await notes(world)
        llm.will(DONE)
        await wait(world, MORNING)
        await world.say("/undo")
        assert (await lines(world), await notes(world)) == before
        await world.say("/undo")
        assert len(await notes(world)) == 2
        assert await lines(world) == before[0][:2]


async def test_a_night_whose_notes_are_all_that_changed_is_undone_too(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm, settings=ON) as world:
        await a_day(world, llm)
        before = await lines(world), await notes(world)
        llm.will(tidies({}, {(1, 2): "Minka is a grey cat."}))
        await wait(world, MORNING)
        assert await notes(world) == ["Minka is a grey cat."]
        await world.say("/undo")
        assert (await lines(world), await notes(world)) == before


async def test_what_is_forgotten_does_not_come_back_by_an_undo(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm, settings=ON) as world:
        await a_day(world, llm)
        llm.will(tidies({}, {(1, 2): "Minka is a grey cat."}))
        await wait(world, MORNING)
        await world.say("/forget yes Minka")
        await world.say("/undo")
        await world.say("/undo")
        assert await notes(world) == []


async def test_it_is_off_by_default(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await a_day(world, llm)
        await wait(world, MORNING)
        assert await world.rows("SELECT COUNT(*) FROM schedule") == [(0,)]
    assert len(llm.prompts) == 3


async def test_a_day_that_held_nothing_and_a_night_that_is_talked_through_ask_no_model(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm, settings=ON) as world:
        await a_day(world, llm)
        llm.will(DONE)
        await wait(world, MORNING)
        await wait(world, MORNING + timedelta(days=1))
        assert "the day held nothing" in await reasons(world)
        for number in range(12):
            llm.will(sends(f"Ah! {number}"))
            await world.say(f"Still awake, {number}")
            await wait(world, world.clock.now() + timedelta(hours=2))
        assert "they talk" in await reasons(world)
    assert sum(prompt[0].text.startswith("You keep the memory") for prompt in llm.prompts) == 1


async def test_the_days_tokens_are_an_end(tmp_path: Path) -> None:
    llm, frugal = ScriptedLLM(), Settings(night=NightSettings(enabled=True, tokens=1000))
    async with a_world(tmp_path, llm, settings=frugal) as world:
        await a_day(world, llm)
        await world.db.write(
            lambda tx: tx.execute(
                "INSERT INTO tidying (event_id, person_id, at, through, tokens)"
                " SELECT MIN(id), person_id, '2025-05-06T00:10:00+00:00', 0, 1000 FROM inbox"
                " WHERE person_id = 1"
            )
        )
        await wait(world, MORNING)
        assert "the day's tokens are used up" in await reasons(world)
    assert len(llm.prompts) == 3


async def test_a_night_without_a_model_or_with_a_senseless_answer_changes_nothing(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm, settings=ON) as world:
        await a_day(world, llm)
        before = await lines(world), await notes(world)
        llm.will(LLMUnavailableError("down"))
        assert await wait(world, MORNING) == []
        llm.will(calls(("tidy_memory", {"lines": "all"})))
        assert await wait(world, MORNING + timedelta(days=1)) == []
        assert (await lines(world), await notes(world)) == before


async def test_a_small_model_is_not_trusted_with_it(tmp_path: Path) -> None:
    small = ScriptedSmall()
    async with a_world(tmp_path, TwoPass(small), settings=ON) as world:
        for number in range(5):
            await world.say(f"Well, {number}")
        asked = len(small.asked)
        await wait(world, MORNING)
        assert len(small.asked) == asked
