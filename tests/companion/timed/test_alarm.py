"""What wakes the companion: by the machine's clock, with the database as it is."""

import asyncio
from datetime import datetime, timedelta
from pathlib import Path

from companion.app import open_companion
from companion.clock import SystemClock
from companion.events import Address, OutgoingMessage, Sender
from companion.home import Home
from companion.running import Companion
from companion.settings import Settings
from companion.storage import people, schedule
from companion.storage.database import Database, Tx
from companion.timed.alarm import EVERY
from companion.timed.recurrence import Rule
from tests.support.model_server import ModelServer, calls

ADDRESS = Address(platform="test", chat="7")


def plan(tx: Tx, at: datetime) -> None:
    place = people.place(tx, ADDRESS, Sender(user="7", name="Anna"), at)
    rule = Rule(repeats="once", at=at)
    schedule.add(tx, place, purpose="reminder", text="call Lea", rule=rule, due_at=at, now=at)


async def a_home(folder: Path, at: datetime) -> None:
    home = Home(folder)
    home.make()
    db = await Database.open(home.database)
    await db.write(lambda tx: plan(tx, at))
    await db.close()


class Chat:
    """Where the reminder comes to."""

    def __init__(self, companion: Companion) -> None:
        self.texts: list[str] = []
        self.came = asyncio.Event()
        companion.deliver("test", self.send)

    async def send(self, message: OutgoingMessage) -> None:
        self.texts.append(message.text)
        self.came.set()


async def test_what_came_due_before_the_start_comes_at_the_start(tmp_path: Path) -> None:
    await a_home(tmp_path, SystemClock().now() - timedelta(hours=3))
    async with (
        ModelServer([calls(send_message={"message": "Call Lea!"})]) as server,
        open_companion(tmp_path, settings=settings(server), environ={}) as companion,
    ):
        chat = Chat(companion)
        async with asyncio.timeout(60):
            await chat.came.wait()
    assert chat.texts[0].startswith("Call Lea!\n(this was due at ")


async def test_it_wakes_at_the_very_moment(tmp_path: Path) -> None:
    due = SystemClock().now() + timedelta(seconds=2)
    await a_home(tmp_path, due)
    async with (
        ModelServer([calls(send_message={"message": "Call Lea!"})]) as server,
        open_companion(tmp_path, settings=settings(server), environ={}) as companion,
    ):
        chat = Chat(companion)
        async with asyncio.timeout(60):
            await chat.came.wait()
        assert SystemClock().now() >= due
    assert chat.texts == ["Call Lea!"]
    assert timedelta(seconds=2) < EVERY, "it was not found by looking every so often"


def settings(server: ModelServer) -> Settings:
    models = [{"base_url": server.base_url, "name": "scripted"}]
    return Settings.model_validate({"models": models, "embedder": {"kind": "none"}})
