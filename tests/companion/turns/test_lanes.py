"""One event of a person at a time; persons side by side."""

import asyncio
from datetime import UTC, datetime, timedelta

from companion.events import Address, MessageReceived, Sender
from companion.storage.inbox import InboxItem
from companion.turns.gathering import Batch, Gathering
from companion.turns.lanes import Lanes
from tests.support.virtual_clock import VirtualClock

GATHERING = Gathering(timedelta(0), timedelta(0), VirtualClock())


def item(number: int, person: int = 1) -> InboxItem:
    event = MessageReceived(
        id=str(number),
        address=Address(platform="test", chat=str(person)),
        sender=Sender(user=str(person), name="A"),
        at=datetime(2025, 5, 5, tzinfo=UTC),
        text="hi",
    )
    return InboxItem(
        id=number,
        person=person,
        conversation=person,
        address=event.address,
        event=event,
        received_at=event.at,
    )


async def test_a_persons_events_are_dealt_with_one_at_a_time_in_the_order_of_commit() -> None:
    seen: list[int] = []
    running = 0

    async def work(it: Batch) -> None:
        nonlocal running
        running += 1
        assert running == 1
        await asyncio.sleep(0)
        seen.append(it.lead.id)
        running -= 1

    async with asyncio.TaskGroup() as tasks:
        lanes = Lanes(tasks, work, GATHERING)
        for number in (1, 2, 5, 3, 4):
            lanes.add(item(number))
        await lanes.settled()
    assert seen == [1, 2, 3, 4, 5]


async def test_people_do_not_wait_for_each_other() -> None:
    both = asyncio.Barrier(2)

    async def work(_batch: Batch) -> None:
        await both.wait()

    async with asyncio.TaskGroup() as tasks:
        lanes = Lanes(tasks, work, GATHERING)
        lanes.add(item(1, person=1))
        lanes.add(item(2, person=2))
        await lanes.settled()
    assert not both.broken


async def test_an_event_that_waits_is_tried_again_when_its_time_comes() -> None:
    tries = 0

    async def work(_batch: Batch) -> timedelta | None:
        nonlocal tries
        tries += 1
        return timedelta(microseconds=1) if tries < 3 else None

    async with asyncio.TaskGroup() as tasks:
        Lanes(tasks, work, GATHERING).add(item(1))
    assert tries == 3


async def test_more_from_the_person_ends_the_wait_and_the_order_stays() -> None:
    seen: list[int] = []

    async def work(it: Batch) -> timedelta | None:
        seen.append(it.lead.id)
        return timedelta(hours=1) if seen == [1] else None

    async with asyncio.TaskGroup() as tasks:
        lanes = Lanes(tasks, work, GATHERING)
        lanes.add(item(1))
        await lanes.settled()
        lanes.add(item(2))
        await lanes.settled(1)
    assert seen == [1, 1, 2]


async def test_cancelling_ends_a_lane_in_the_middle_of_its_work() -> None:
    began = asyncio.Event()

    async def work(_batch: Batch) -> None:
        began.set()
        await asyncio.Event().wait()

    async with asyncio.TaskGroup() as tasks:
        lanes = Lanes(tasks, work, GATHERING)
        lanes.add(item(1))
        await began.wait()
        lanes.cancel()
    await lanes.settled()
