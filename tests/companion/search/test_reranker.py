"""A model that puts the first hits in order, where the settings name one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.memory.person_memory import PersonMemory
from companion.opening import open_storage
from companion.search.reranker import FIRST, PAUSE, judged
from companion.settings import Settings
from companion.storage import messages, past_passages, usage
from companion.storage.database import Database, Tx
from companion.storage.messages import Entry
from tests.support.model_server import Answer, Completion, Hang, ModelServer, fails, says
from tests.support.storage import add
from tests.support.virtual_clock import VirtualClock

TALK = ("a heron by the pond", "a heron on the roof", "the heron flew off", "another heron")


@asynccontextmanager
async def remembering(
    folder: Path,
    server: ModelServer,
    clock: VirtualClock,
    *,
    seconds: float = 5,
    tokens_a_day: int | None = None,
) -> AsyncIterator[tuple[PersonMemory, Database]]:
    """Memory and database of somebody who said `TALK`, a day apart; `server` helps to search."""
    settings = Settings.model_validate(
        {
            "models": [{"name": "judge", "base_url": server.base_url, "price_prompt": 1.0}],
            "embedder": {"kind": "none"},
            "search": {"rerank": "judge", "rerank_seconds": seconds},
            "limits": {"tokens_a_day": "none" if tokens_a_day is None else tokens_a_day},
        }
    )
    async with open_storage(folder, settings=settings, environ={}, clock=clock) as storage:
        person = await storage.db.write(add("Anna"))
        assert person is not None
        for said in TALK:
            clock.advance(timedelta(days=1))
            entry = Entry(
                kind="event", text=said, said_at=clock.now(), tokens=1, speaker="Anna", said=said
            )
            await storage.db.write(partial(messages.add, person=person, entry=entry))
        yield storage.memories.of(person), storage.db


async def found(memory: PersonMemory, query: str = "heron", page: int = 0) -> list[str]:
    windows = await memory.search_windows(query, page=page)
    return [turn.said for window in windows.items for turn in window.turns]


async def test_the_model_puts_the_first_windows_in_order_and_what_it_costs_is_counted(
    tmp_path: Path,
) -> None:
    clock = VirtualClock()
    async with (
        ModelServer([says("4, 2")]) as server,
        remembering(tmp_path, server, clock) as (memory, db),
    ):
        plain = [hit.said for hit in (await memory.search_messages("heron")).items]
        assert await found(memory) == [plain[3], plain[1], plain[0], plain[2]]
        assert (await memory.search_windows("heron", page=1)).total == 4, "from the same order"
        (asked,) = server.requests
        assert "Query: heron" in asked["messages"][1]["content"]
        assert f"Anna: {plain[0]}" in asked["messages"][1]["content"]
        (counted,) = await db.read(lambda tx: usage.of(tx, memory.person))
        assert (counted.requests, counted.usage.prompt_tokens > 0) == (1, True)


@pytest.mark.parametrize(
    "answer",
    [Hang(), fails(401), fails(400), says("I cannot help."), says("2025 of 999999"), says("0")],
)
async def test_whatever_the_model_does_every_hit_stays_in_its_place(
    tmp_path: Path, answer: Answer
) -> None:
    clock = VirtualClock()
    async with (
        ModelServer(lambda _: answer) as server,
        remembering(tmp_path, server, clock, seconds=0.5) as (memory, _),
    ):
        plain = [hit.said for hit in (await memory.search_messages("heron")).items]
        assert await found(memory) == plain


async def test_after_a_failure_the_model_is_left_alone_for_a_while(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with (
        ModelServer([fails(401), says("4")]) as server,
        remembering(tmp_path, server, clock) as (memory, _),
    ):
        for _ in range(3):
            await found(memory)
        assert len(server.requests) == 1
        clock.advance(2 * PAUSE)
        plain = [hit.said for hit in (await memory.search_messages("heron")).items]
        assert (await found(memory))[0] == plain[3]


async def test_what_is_refused_for_one_person_is_asked_for_the_next(tmp_path: Path) -> None:
    refused = Completion(text="", finish="content_filter")
    async with (
        ModelServer([refused, says("4")]) as server,
        remembering(tmp_path, server, VirtualClock()) as (memory, _),
    ):
        plain = [hit.said for hit in (await memory.search_messages("heron")).items]
        assert await found(memory, "the heron") == plain
        assert (await found(memory))[0] == plain[3]
        assert len(server.requests) == 2


async def test_an_answer_that_comes_too_late_is_counted_by_what_was_read_for_it(
    tmp_path: Path,
) -> None:
    async with (
        ModelServer(lambda _: Hang()) as server,
        remembering(tmp_path, server, VirtualClock(), seconds=0.5) as (memory, db),
    ):
        await found(memory)
        (counted,) = await db.read(lambda tx: usage.of(tx, memory.person))
        assert (counted.model, counted.requests) == ("judge", 1)
        assert counted.usage.prompt_tokens > 80
        assert counted.usage.cost > 0


async def test_who_has_used_up_their_day_is_given_the_order_as_it_is(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with (
        ModelServer(lambda _: says("4")) as server,
        remembering(tmp_path, server, clock, tokens_a_day=1) as (memory, _),
    ):
        plain = [hit.said for hit in (await memory.search_messages("heron")).items]
        assert (await found(memory))[0] == plain[3]
        assert await found(memory, "the heron") == plain
        assert len(server.requests) == 1
        clock.advance(timedelta(days=1))
        assert (await found(memory, "a heron"))[0] != plain[0]
        assert len(server.requests) == 2


async def test_one_hit_and_a_persons_own_search_ask_no_model(tmp_path: Path) -> None:
    async with (
        ModelServer() as server,
        remembering(tmp_path, server, VirtualClock()) as (memory, _),
    ):
        assert await found(memory, "pond") == ["a heron by the pond"]
        await memory.search_messages("heron")
        await memory.search("heron")
        assert not server.requests


async def test_a_note_that_is_past_stays_behind_the_one_that_is_true(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with (
        ModelServer([says("3")]) as server,
        remembering(tmp_path, server, clock) as (memory, db),
    ):
        notes = [await memory.add(f"the cat sleeps {where}") for where in ("in", "out", "up")]

        def supersede(tx: Tx) -> None:
            past_passages.supersede(tx, memory.person, notes[0].id, by=notes[1].id, now=clock.now())

        await db.write(supersede)
        plain = [hit.id for hit in (await memory.search("cat")).items]
        assert plain == [notes[2].id, notes[1].id, notes[0].id]
        page = await memory.search("cat", rerank=True)
        assert [hit.id for hit in page.items] == [notes[1].id, notes[0].id, notes[2].id]


@given(st.text(alphabet="0123456789, [].n-", max_size=40), st.integers(0, FIRST), st.integers(0, 9))
def test_no_answer_loses_or_doubles_a_hit(answer: str, numbered: int, beyond: int) -> None:
    order = judged(answer, numbered, numbered + beyond)
    assert sorted(order) == list(range(numbered + beyond))
    assert order[numbered:] == list(range(numbered, numbered + beyond))
