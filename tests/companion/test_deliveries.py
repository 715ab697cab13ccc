"""Bringing the outbox to the platforms."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from companion.errors import DeliveryDelayedError, DeliveryError
from companion.events import OutgoingMessage
from tests.support.scripted_llm import ScriptedLLM, calls, sends
from tests.support.world import PLATFORM, World, a_world

STATES = "SELECT part, state, attempts FROM outbox ORDER BY id"


async def said(world: World, text: str) -> None:
    await world.companion.handle(world.message(text))
    await world.companion.quiet()


async def test_pieces_of_a_conversation_arrive_in_order(tmp_path: Path) -> None:
    llm = ScriptedLLM(calls(*(("send_message", {"message": f"{n}"}) for n in range(9))))
    async with a_world(tmp_path, llm) as world:
        assert await world.say("count") == [f"{n}" for n in range(9)]
        assert await world.rows("SELECT DISTINCT state FROM outbox") == [("sent",)]


async def test_what_no_platform_takes_waits_for_one(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Hello!"), sends("Anybody?"))
    async with a_world(tmp_path, llm, deliver=False) as world:
        await said(world, "Hi")
        assert await world.rows(STATES) == [(0, "waiting", 0)]
    async with a_world(tmp_path, llm) as world:
        await world.companion.quiet()
        assert world.delivered == [("Anna", "Hello!")]


async def test_a_reply_is_marked_as_being_sent_when_the_platform_gets_it(tmp_path: Path) -> None:
    seen: list[tuple[object, ...]] = []
    async with a_world(tmp_path, ScriptedLLM(sends("Hello!")), deliver=False) as world:

        async def look(message: OutgoingMessage) -> None:
            seen.extend(await world.rows(STATES))

        world.companion.deliver(PLATFORM, look)
        await said(world, "Hi")
        assert seen == [(0, "sending", 1)]
        assert await world.rows(STATES) == [(0, "sent", 1)]


async def test_what_a_platform_is_not_ready_for_counts_as_never_sent(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Hello!"), sends("Still here."))
    ready = asyncio.Event()
    async with a_world(tmp_path, llm, deliver=False) as world:

        async def send(message: OutgoingMessage) -> None:
            world.delivered.append((message.address.chat, message.text))

        world.companion.deliver(PLATFORM, send, ready=ready)
        for text in ("Hi", "Are you there?"):
            await world.companion.handle(world.message(text))
        await world.lanes.settled()
        assert await world.rows(STATES) == [(0, "waiting", 0), (0, "waiting", 0)]
        assert world.delivered == []
        ready.set()
        await world.companion.quiet()
        assert world.delivered == [("Anna", "Hello!"), ("Anna", "Still here.")]


async def test_a_refused_message_does_not_hold_up_the_next(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("too rude"), sends("fine"))
    async with a_world(tmp_path, llm, deliver=False) as world:

        async def picky(message: OutgoingMessage) -> None:
            if "rude" in message.text:
                raise DeliveryError("not that")
            world.delivered.append((message.address.chat, message.text))

        world.companion.deliver(PLATFORM, picky)
        await said(world, "Hi")
        await said(world, "Hi again")
        assert [text for _, text in world.delivered] == ["fine"]
        assert await world.rows("SELECT state, error FROM outbox ORDER BY id") == [
            ("refused", "not that"),
            ("sent", None),
        ]


async def test_a_fault_of_the_adapter_costs_one_message_and_no_more(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    llm = ScriptedLLM(sends("one"), sends("two"))
    async with a_world(tmp_path, llm, deliver=False) as world:

        async def broken(message: OutgoingMessage) -> None:
            if message.text == "one":
                raise RuntimeError("a bug")
            world.delivered.append((message.address.chat, message.text))

        world.companion.deliver(PLATFORM, broken)
        await said(world, "Hi")
        await said(world, "Hi again")
        assert [text for _, text in world.delivered] == ["two"]
        assert await world.rows("SELECT state, error FROM outbox ORDER BY id") == [
            ("refused", "RuntimeError in the adapter"),
            ("sent", None),
        ]
    assert "made its adapter fail: RuntimeError at companion/" in caplog.text


async def test_a_delayed_message_is_sent_later_and_the_rest_follows_in_order(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM(calls(("send_message", {"message": "1"}), ("send_message", {"message": "2"})))
    async with a_world(tmp_path, llm, deliver=False) as world:
        refusals = iter([True, True])

        async def busy(message: OutgoingMessage) -> None:
            if next(refusals, False):
                raise DeliveryDelayedError("429", delay=timedelta(0))
            world.delivered.append((message.address.chat, message.text))

        world.companion.deliver(PLATFORM, busy)
        await said(world, "Hi")
        assert [text for _, text in world.delivered] == ["1", "2"]


async def test_a_reply_of_unknown_fate_is_repeated_once_and_no_more(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Hello!")), deliver=False) as world:
        tries = []

        async def silent(message: OutgoingMessage) -> None:
            tries.append(message.id)
            raise DeliveryDelayedError("timed out", delay=timedelta(0), unknown=True)

        world.companion.deliver(PLATFORM, silent)
        await said(world, "Hi")
        assert tries == [1, 1]
        assert await world.rows(STATES) == [(0, "refused", 2)]


async def test_a_platform_that_drops_known_ids_is_tried_until_it_answers(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Hello!")), deliver=False) as world:
        failures = iter(range(5))

        async def flaky(message: OutgoingMessage) -> None:
            if next(failures, None) is not None:
                raise DeliveryDelayedError("timed out", delay=timedelta(0), unknown=True)
            world.delivered.append((message.address.chat, message.text))

        world.companion.deliver(PLATFORM, flaky, repeatable=True)
        await said(world, "Hi")
        assert world.delivered == [("Anna", "Hello!")]


async def test_one_slow_conversation_does_not_hold_up_another(tmp_path: Path) -> None:
    llm = ScriptedLLM(lambda _messages: sends("Hello!"))
    async with a_world(tmp_path, llm, deliver=False) as world:
        released = asyncio.Event()
        ben_has_it = asyncio.Event()

        async def slow_for_anna(message: OutgoingMessage) -> None:
            if message.address.chat == "Anna":
                await released.wait()
            else:
                ben_has_it.set()

        world.companion.deliver(PLATFORM, slow_for_anna)
        await world.companion.handle(world.message("Hi", "Anna"))
        await world.companion.handle(world.message("Hi", "Ben"))
        await ben_has_it.wait()
        released.set()
        await world.companion.quiet()
        assert await world.rows("SELECT DISTINCT state FROM outbox") == [("sent",)]
