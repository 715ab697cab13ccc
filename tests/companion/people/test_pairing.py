"""How strangers get in, and how the operator is spared those who shouldn't."""

import random
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from companion.events import Sender
from companion.people.access import Access
from companion.people.codes import SIGNS, WRONG_TRIES, new_code, shown, typed_code
from companion.people.pairing import (
    MOST_OF_ONE_A_DAY,
    MOST_OPEN,
    MOST_TOLD_TO_WAIT,
    OLD_CODE,
    TOO_MANY_WRONG,
    UNKNOWN_CODE,
    Approved,
)
from companion.storage.database import Database
from tests.support.virtual_clock import VirtualClock

PLACE = "somewhere"
MINUTE = timedelta(minutes=1)


class Door:
    """A companion's door, and what its owner is told."""

    def __init__(self, db: Database) -> None:
        self.clock = VirtualClock()
        self.db = db
        self.access = Access(db, clock=self.clock, rng=random.Random(1))
        self.told: list[str] = []
        self.access.announce = lambda item: self.told.append(getattr(item.event, "text", ""))

    async def knocks(self, user: str) -> str | None:
        """What somebody is told who writes for the first time, or again."""
        return await self.access.turned_away(PLACE, Sender(user=user, name=f"N{user}"), user)

    async def code_of(self, user: str) -> str:
        text = await self.knocks(user)
        assert text is not None
        return text[-9:]

    async def approve(self, who: str) -> Approved | str:
        return await self.db.write(lambda tx: self.access.pairing.approve(tx, who))

    async def admits(self, user: str) -> bool:
        return await self.access.admits(PLACE, user)


@pytest.fixture
async def door(tmp_path: Path) -> AsyncIterator[Door]:
    db = await Database.open(tmp_path / "companion.db")
    yield Door(db)
    await db.close()


def test_a_code_has_no_signs_that_look_alike_and_is_read_however_it_is_typed() -> None:
    assert not set("0O1IL2Z5S8B") & set(SIGNS)
    code = new_code(random.Random(3))
    assert len(code) == 8
    for typed in (code, code.lower(), shown(code), f" {code[:3]} {code[3:]} "):
        assert typed_code(typed) == code
    assert typed_code("12345678") == typed_code("ACDE") == typed_code("") == ""


async def test_nobody_is_admitted_until_their_code_is_approved(door: Door) -> None:
    code = await door.code_of("1")
    assert not await door.admits("1")
    approved = await door.approve(code)
    assert isinstance(approved, Approved)
    assert (approved.person.name, approved.owns) == ("N1", True)
    assert await door.admits("1")
    assert not await door.access.admits("elsewhere", "1")


async def test_the_first_who_is_approved_is_the_owner_and_no_other(door: Door) -> None:
    first = await door.approve(await door.code_of("1"))
    second = await door.approve(await door.code_of("2"))
    assert isinstance(first, Approved)
    assert isinstance(second, Approved)
    assert (first.owns, second.owns) == (True, False)


async def test_an_id_in_the_settings_needs_no_code_and_an_empty_list_admits_nobody(
    door: Door,
) -> None:
    door.access.allow(PLACE, [1])
    door.access.allow("elsewhere", [])
    assert await door.admits("1")
    assert not await door.admits("2")
    assert not await door.access.admits("elsewhere", "1")


async def test_the_same_one_ten_times_in_a_minute_is_answered_once(door: Door) -> None:
    answers = [await door.knocks("1") for _ in range(10)]
    assert [answer is not None for answer in answers] == [True] + [False] * 9
    door.clock.advance(11 * MINUTE)
    assert await door.knocks("1") == answers[0]


async def test_fifty_strangers_in_a_minute_flood_nobody(door: Door) -> None:
    owner = await door.code_of("owner")
    await door.approve(owner)
    door.access.trust("terminal")
    answers = [await door.knocks(f"{user}") for user in range(50)]
    codes = {answer for answer in answers if answer and "this code" in answer.replace("\n", " ")}
    assert len(codes) == MOST_OPEN
    told_to_wait = [answer for answer in answers if answer and "try again later" in answer]
    assert len(told_to_wait) == MOST_TOLD_TO_WAIT
    assert answers.count(None) == 50 - MOST_OPEN - MOST_TOLD_TO_WAIT
    assert len(door.told) == MOST_OPEN
    assert not any(code[-9:] in told for code in codes for told in door.told)


async def test_nobody_gets_codes_all_day(door: Door) -> None:
    given = 0
    for _ in range(12):
        given += await door.knocks("1") is not None
        door.clock.advance(61 * MINUTE)
    assert given == MOST_OF_ONE_A_DAY


async def test_a_code_is_good_for_an_hour_and_once(door: Door) -> None:
    code = await door.code_of("1")
    door.clock.advance(60 * MINUTE)
    assert await door.approve(code) == OLD_CODE
    fresh = await door.code_of("1")
    assert fresh != code
    assert isinstance(await door.approve(fresh), Approved)
    assert await door.approve(fresh) == UNKNOWN_CODE


async def test_five_wrong_codes_lock_for_an_hour_and_numbers_are_still_taken(door: Door) -> None:
    code = await door.code_of("1")
    for _ in range(WRONG_TRIES):
        assert await door.approve("AAAA-AAAA") == UNKNOWN_CODE
    assert await door.approve(code) == TOO_MANY_WRONG
    assert not await door.admits("1")
    assert isinstance(await door.approve(f"{PLACE}:1"), Approved)
    door.clock.advance(60 * MINUTE)
    assert isinstance(await door.approve(await door.code_of("2")), Approved)


async def test_who_is_denied_is_never_answered_again_until_the_operator_lets_them_in(
    door: Door,
) -> None:
    code = await door.code_of("1")
    await door.db.write(lambda tx: door.access.pairing.deny(tx, code))
    door.clock.advance(timedelta(days=40))
    assert await door.knocks("1") is None
    assert isinstance(await door.approve(f"{PLACE}:1"), Approved)
    assert await door.admits("1")


async def test_of_a_denied_account_nothing_but_its_number_is_kept(door: Door) -> None:
    code = await door.code_of("1")
    await door.db.write(lambda tx: door.access.pairing.deny(tx, code))
    rows = await door.db.read(
        lambda tx: tx.execute("SELECT user, chat, name, code FROM stranger").fetchall()
    )
    assert rows == [("1", "", "", None)]


async def test_who_asked_in_vain_is_forgotten_after_a_day(door: Door) -> None:
    await door.knocks("1")
    door.clock.advance(timedelta(days=1))
    await door.knocks("2")
    rows = await door.db.read(lambda tx: tx.execute("SELECT user FROM stranger").fetchall())
    assert rows == [("2",)]
