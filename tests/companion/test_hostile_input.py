"""Whatever somebody sends is answered, harms nothing, and keeps nobody waiting."""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from companion.events import Author, FileReceived, Sender
from companion.llm.protocol import Message, Reply
from companion.text import cut
from companion.turns.worker import FAILED
from tests.support.hostile import BITS, NAMED
from tests.support.scripted_llm import ScriptedLLM, calls
from tests.support.stalls import Stalls, stalls_of_this_loop
from tests.support.world import World, a_world

LONGEST_STALL = 0.1
"""Seconds for which the event loop may work without a pause."""
EACH_NTH = 16
"""Of the named inputs every so many are sent in a run, unless COMPANION_HOSTILE is set."""


def obliging(messages: Sequence[Message]) -> Reply:
    """A model that does with a message all that it can, and repeats it."""
    said = messages[-2].text.partition("]")[2][:2000] or "?"
    return calls(
        ("working_context_append", {"text": said[:100]}),
        ("archival_storage_insert", {"text": said}),
        ("conversation_search", {"query": said, "since": said[:10]}),
        ("send_message", {"message": f"You said: {said}"}),
    )


@asynccontextmanager
async def watched(folder: Path) -> AsyncIterator[tuple[World, Stalls]]:
    """A world whose model does what it is told, and how its event loop fares."""
    async with (
        a_world(folder, ScriptedLLM(obliging)) as world,
        stalls_of_this_loop() as stalls,
    ):
        yield world, stalls
    assert stalls.longest < LONGEST_STALL, f"during {stalls.during}"


def faults(caplog: pytest.LogCaptureFixture, world: World) -> list[str]:
    """What went wrong: an event that was given up, or a word of failure."""
    logged = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    return logged + [text for _, text in world.delivered if text == FAILED]


def some(names: Sequence[str]) -> list[str]:
    return list(names) if "COMPANION_HOSTILE" in os.environ else list(names)[::EACH_NTH]


def test_there_are_more_than_three_hundred() -> None:
    assert len(NAMED) >= 300


async def test_named_inputs_are_answered_one_by_one(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with watched(tmp_path) as (world, stalls):
        for name in some(sorted(NAMED)):
            stalls.now = name
            assert await world.say(NAMED[name]), name
            assert faults(caplog, world) == [], name
        assert await world.say("/help")


async def test_names_of_people_and_files_and_what_is_replied_to(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with watched(tmp_path) as (world, stalls):
        for number, (name, bit) in enumerate((name, BITS[name]) for name in some(sorted(BITS))):
            stalls.now = name
            message = world.message("hello", "Anna")
            sender = Sender(user="Anna", name=bit)
            by = Author(user="1", name=bit)
            quoting = replace(message, sender=sender, answers=bit[:500], answered=by)
            assert await world.happens(quoting), name
            passed_on = replace(world.message(bit), id=f"p{number}", forwarded=by)
            assert await world.happens(passed_on), name
            file = FileReceived(
                id=f"f{number}",
                address=message.address,
                sender=sender,
                at=message.at,
                name=bit,
                media_type=bit[:50],
                size=1,
                text=bit[:500],
            )
            assert await world.happens(file), name
            assert faults(caplog, world) == [], name


async def test_a_line_of_sixteen_megabytes_keeps_nobody_waiting(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with watched(tmp_path) as (world, _):
        assert await world.say("lorem жук " * 1_600_000)
        assert faults(caplog, world) == []
        (row,) = await world.rows("SELECT MAX(LENGTH(said)) FROM message")
        assert int(str(row[0])) > 15_000_000, "it is stored whole"


def test_a_text_is_cut_without_counting_all_of_it() -> None:
    counted: list[int] = []

    def count(text: str) -> int:
        counted.append(len(text))
        return len(text) // 4

    shown = cut("lorem " * 1_000_000, 100, count)
    assert len(shown) < 600
    assert max(counted) <= 1600
