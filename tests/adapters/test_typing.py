"""The sign that somebody types."""

import asyncio
from datetime import timedelta

from adapters.typing import TypingSigns
from companion.events import Address

HERE = Address(platform="test", chat="1")
MOMENT = timedelta(milliseconds=1)


async def test_typing_is_shown_anew_and_ends_with_the_turn() -> None:
    shown: list[Address] = []
    often = asyncio.Event()

    async def show(address: Address) -> None:
        shown.append(address)
        if len(shown) == 3:
            often.set()

    async with asyncio.TaskGroup() as tasks:
        signs = TypingSigns(show, tasks, lasts=MOMENT)
        signs.show(HERE, True)
        await often.wait()
        signs.show(HERE, False)
    # the group has ended: nothing goes on to show it
    assert set(shown) == {HERE}


async def test_an_answer_that_comes_at_once_needs_no_sign() -> None:
    shown: list[Address] = []

    async def show(address: Address) -> None:
        shown.append(address)

    async with asyncio.TaskGroup() as tasks:
        signs = TypingSigns(show, tasks, lasts=MOMENT)
        signs.show(HERE, True)
        signs.show(HERE, False)
    assert shown == []
