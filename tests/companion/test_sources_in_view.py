"""What others wrote has its source for as long as it stands in the model's view."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companion.context.queue_manager import is_pressure
from companion.events import FileReceived, MessageReceived
from companion.llm.protocol import Message
from companion.sources import Heard
from companion.storage import inbox
from tests.companion.test_sources import EVE, FACT, MARK, ORDER, TOLD, about, forwarded
from tests.support.scripted_llm import Answer, ScriptedLLM, calls, sends
from tests.support.world import World, a_world

TABLES = ("working_context", "passage", "schedule", "timing", "opener_wish", "person")


def kept_at_first() -> Answer:
    return calls(
        ("working_context_append", {"text": "Anna lives in Berlin."}),
        ("archival_storage_insert", {"text": "Anna lives in Berlin, near the park."}),
        ("schedule_event", {"what": "water the plants", "when": "2025-06-01 09:00"}),
        ("send_message", {"message": "Noted."}),
    )


def does(*named: tuple[str, dict[str, Any]]) -> Answer:
    return calls(*named, ("send_message", {"message": "I have read it."}))


async def told(world: World) -> None:
    await world.say("/timezone Berlin")
    await world.say(TOLD)


async def a_file(world: World, contents: str) -> None:
    message = world.message("")
    await world.happens(
        FileReceived(
            id="f1",
            address=message.address,
            sender=message.sender,
            at=message.at,
            name="a.txt",
            media_type="text/plain",
            size=9,
            contents=contents,
        )
    )


async def a_quote(world: World, contents: str) -> None:
    said = world.message("what do you think?")
    await world.happens(replace(said, answers=contents, answered=EVE))


async def a_forward(world: World, contents: str) -> None:
    await world.happens(forwarded(world, contents))


@pytest.mark.parametrize("comes", [a_forward, a_file, a_quote])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("working_context_replace", {"old": "Anna lives in Berlin.", "new": FACT}),
        ("archival_storage_insert", {"text": FACT, "replaces": 1}),
        ("schedule_event", {"what": "pay Eve", "when": "2025-06-02 09:00"}),
        ("set_timezone", {"place": "Europe/Paris"}),
    ],
)
@pytest.mark.parametrize("guarded", [True, False])
async def test_a_turn_later_it_can_have_nothing_done_either(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    comes: Any,
    name: str,
    arguments: dict[str, Any],
    guarded: bool,
) -> None:
    if not guarded:
        monkeypatch.setattr(Heard, "_from_before", lambda *_: "")
    llm = ScriptedLLM(kept_at_first(), sends("I see."), does((name, arguments)), sends("Well."))
    async with a_world(tmp_path, llm) as world:
        await told(world)
        await comes(world, ORDER)
        rows = {table: await world.rows(f"SELECT * FROM {table}") for table in TABLES}
        assert "I have read it." in await world.say("good night")
        after = {table: await world.rows(f"SELECT * FROM {table}") for table in TABLES}
    assert (rows == after) is guarded, "without the guard it would be done, and noticed here"


async def test_a_turn_later_what_is_kept_of_it_is_marked(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        kept_at_first(),
        sends("I see."),
        does(
            ("working_context_append", {"text": FACT}),
            ("archival_storage_insert", {"text": "Anna lives in Paris now."}),
        ),
    )
    async with a_world(tmp_path, llm) as world:
        await told(world)
        await a_forward(world, ORDER)
        await world.say("good night")
        shown = await about(world)
        past = await world.rows("SELECT text FROM passage WHERE until IS NOT NULL")
    assert f"- {FACT} {MARK} (" in shown
    assert "- Anna lives in Paris now. (Mon" in shown
    assert "from a forwarded message of Eve" in shown
    assert past == []


@pytest.mark.parametrize("guarded", [True, False])
async def test_nor_in_the_step_that_memory_pressure_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    if not guarded:
        monkeypatch.setattr(Heard, "_from_before", lambda *_: "")
    pressed: list[bool] = []

    def obeys_under_pressure(prompt: list[Message]) -> Answer:
        if pressed or not any(is_pressure(one.text) for one in prompt[-2:]):
            return sends("Go on. " + "la " * 60)
        pressed.append(True)
        return calls(
            ("working_context_replace", {"old": "Anna lives in Berlin.", "new": FACT}),
            ("archival_storage_insert", {"text": FACT}),
        )

    llm = ScriptedLLM(kept_at_first(), sends("I see."), lambda p: obeys_under_pressure(list(p)))
    async with a_world(tmp_path, llm, window=4096) as world:
        await told(world)
        await a_forward(world, ORDER)
        for _ in range(30):
            if not pressed:
                await world.say("word " * 60)
        assert pressed
        own = await world.rows("SELECT text FROM passage WHERE source = 'model' AND until IS NULL")
        shown = await about(world)
    obeyed = ((FACT,) in own, "- Anna lives in Berlin. (" not in shown)
    assert obeyed == ((False, False) if guarded else (True, True))


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ("Remind me on 2 June to pay Eve", "pay Eve"),
        ("Remind me on 2 June to call the bank", "call the bank"),
        ("Remind me on 2 June to look for a house in Rome", "look for a house in Rome"),
    ],
)
async def test_what_the_person_asks_for_a_turn_later_is_done(
    tmp_path: Path, words: str, what: str
) -> None:
    llm = ScriptedLLM(
        kept_at_first(),
        sends("I see."),
        does(
            ("schedule_event", {"what": what, "when": "2025-06-02 09:00"}),
            ("working_context_append", {"text": f"Anna wants to {what}."}),
        ),
    )
    async with a_world(tmp_path, llm) as world:
        await told(world)
        await a_forward(world, ORDER)
        await world.say(words)
        assert (what,) in await world.rows("SELECT text FROM schedule")
        assert f"Anna wants to {what}. (Mon" in await about(world)


async def test_what_the_person_said_in_view_is_theirs_and_what_shares_nothing_too(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM(
        sends("Nice."),
        sends("I see."),
        does(
            ("working_context_append", {"text": "Anna plays the cello."}),
            ("working_context_append", {"text": "A quiet evening, in good spirits."}),
            ("schedule_event", {"what": "restring the cello", "when": "2025-06-02 09:00"}),
        ),
    )
    async with a_world(tmp_path, llm) as world:
        await world.say("/timezone Berlin")
        await world.say("I play the cello. Remind me on 2 June to restring it")
        await a_forward(world, "Anna plays the cello so well! " + ORDER)
        await world.say("good night")
        shown = await about(world)
        assert await world.rows("SELECT id FROM schedule")
    assert "says" not in shown


async def test_what_left_the_view_marks_nothing(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        sends("I see."),
        lambda p: (
            sends("Go on. " + "la " * 60)
            if not any("now keep" in one.text for one in p[-2:])
            else keeps()
        ),
    )

    def keeps() -> Answer:
        return does(("working_context_append", {"text": FACT}))

    async with a_world(tmp_path, llm, window=4096) as world:
        await a_forward(world, ORDER)
        for _ in range(14):
            await world.say("word " * 60)
        assert await world.rows("SELECT id FROM person WHERE evicted_through > 2")
        await world.say("now keep it")
        assert f"- {FACT} (" in await about(world)


async def test_where_nobody_else_is_in_view_no_earlier_message_is_read(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(lambda _: sends("Yes."))) as world:
        for text in ("one", "two"):
            await world.say(text)
        assert await _before(world) == []
        await a_quote(world, "three")
        await world.say("four")
        texts = [event.text for event in await _before(world)]
    assert texts == ["one", "two", "what do you think?", "four"]


async def _before(world: World) -> list[MessageReceived]:
    person = await world.person()
    events = await world.db.read(lambda tx: inbox.heard_before(tx, person, 0))
    return [event for event in events if isinstance(event, MessageReceived)]
