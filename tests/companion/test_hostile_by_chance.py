"""Whatever reaches a companion by chance is answered or refused, and keeps nobody waiting.

COMPANION_HOSTILE sets how many blows there are, COMPANION_HOSTILE_SEED which. They come in parts,
each in a home of its own; COMPANION_HOSTILE_LOG names a file in which each part has a line.
"""

import asyncio
import os
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from telegram import Bot

from adapters.telegram.intake import Intake
from adapters.telegram.to_event import Me
from companion import settings
from companion.error_text import error_text
from companion.errors import OperatorError
from companion.events import MessageReceived
from companion.llm.protocol import Message, Reply, ToolSchema
from companion.people import cards
from companion.people.personas import Personas
from companion.portable import archive
from companion.portable.taking import take_as
from companion.settings import Settings
from companion.storage import access
from companion.turns.worker import FAILED
from tests.support import hostile_blows as blows
from tests.support.bot_api import BOT, TOKEN
from tests.support.scripted_llm import says, sends
from tests.support.stalls import Stalls, stalls_of_this_loop
from tests.support.world import World, a_world

HOSTILE = int(os.environ.get("COMPANION_HOSTILE", "300"))
SEED = os.environ.get("COMPANION_HOSTILE_SEED", "7")
PART = 1000
LOG = os.environ.get("COMPANION_HOSTILE_LOG", "")
LOGGED = 1500
LONGEST_STALL = 0.1
PUT_ASIDE = "can't be read"
"""Said of an update that is none: it is kept for the operator."""
NOWHERE = "http://127.0.0.1:9/"

KINDS = {"said": 8, "model": 5, "happened": 2, "telegram": 3, "card": 1, "export": 1, "settings": 1}
"""What comes how often."""

pytestmark = pytest.mark.timeout(0)


@dataclass
class Ordeal:
    """A companion that takes blows, and what became of them."""

    world: World
    intake: Intake
    personas: Personas
    chance: random.Random
    stalls: Stalls
    caplog: pytest.LogCaptureFixture
    wrong: list[str] = field(default_factory=list)
    came: Counter[str] = field(default_factory=Counter)

    async def take(self, kind: str) -> None:
        """One blow of this kind."""
        self.came[kind] += 1
        match kind:
            case "said" | "model":
                await self._say(blows.said(self.world, self.chance))
            case "happened":
                event = blows.happened(self.world, self.chance)
                self.stalls.now = ascii(event)
                await self.world.happens(event)
            case "telegram":
                update = blows.update(self.chance)
                self.stalls.now = ascii(update)
                await self.intake.take(update)
                await self.world.companion.quiet()
            case _:
                await self._hand_over(kind)
        self._look()

    async def _say(self, event: MessageReceived) -> None:
        self.stalls.now = ascii(event.text)
        if not await self.world.happens(event):
            self.wrong.append(f"no answer to {self.stalls.now[:LOGGED]}")

    async def _hand_over(self, kind: str) -> None:
        """What the operator hands over is good, or refused with a sentence."""
        self.stalls.now = kind
        try:
            if kind == "card":
                card = await asyncio.to_thread(lambda: cards.read(blows.card(self.chance)))
                name = await asyncio.to_thread(self.personas.add, card)
                await self._say(self.world.message(f"/persona {name}", "person 1"))
            elif kind == "export":
                await self._import(await asyncio.to_thread(blows.export, self.chance))
            else:
                settings.parse(blows.settings(self.chance), "companion.toml")
        except OperatorError as error:
            str(error).encode()
        except Exception as error:  # noqa: BLE001 - the others go on
            self.wrong.append(f"{kind}: {error_text(error)}: {error}"[:LOGGED])

    async def _import(self, content: bytes) -> None:
        path = self.world.home / "hostile.zip"
        path.write_bytes(content)
        export = await asyncio.to_thread(archive.read, path)
        memory = await self.world.memory("person 2")
        now = self.world.clock.now()
        await self.world.db.write(
            lambda tx: take_as(tx, export, memory, now, as_named=True), patient=True
        )

    def _look(self) -> None:
        """Note what went wrong: an event that was given up, or a word of failure."""
        for record in self.caplog.records:
            if record.levelname == "ERROR" and PUT_ASIDE not in record.getMessage():
                self.wrong.append(f"{record.getMessage()} after {self.stalls.now}"[:LOGGED])
        self.caplog.clear()
        if any(text == FAILED for _, text in self.world.delivered):
            self.wrong.append(f"failed at {self.stalls.now}"[:LOGGED])
        self.world.delivered.clear()
        self.world.documents.clear()


@dataclass
class Obeying:
    """A model that answers with anything, and then ends its turn."""

    chance: random.Random
    hostile: bool = False

    async def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        *,
        answer_tokens: int,
    ) -> Reply:
        if not tools:
            return says("They talked.")
        if not self.hostile:
            return sends("I see.")
        self.hostile = self.chance.random() < 0.3
        return await blows.answered(self.chance, messages)

    async def close(self) -> None:
        """There is nothing to close."""


async def an_ordeal(
    folder: Path, caplog: pytest.LogCaptureFixture, seed: str, number: int
) -> tuple[Ordeal, str]:
    """So many blows upon a companion of their own."""
    chance = random.Random(seed)
    model = Obeying(chance)
    async with a_world(folder, model) as world:
        intake, personas = _intake(world), Personas(folder, Settings().agent)
        await _prepare(world)
        async with stalls_of_this_loop() as stalls:
            ordeal = Ordeal(world, intake, personas, chance, stalls, caplog)
            for _ in range(number):
                kind = chance.choices(list(KINDS), list(KINDS.values()))[0]
                model.hostile = kind == "model"
                await ordeal.take(kind)
            assert await world.say("/help", "the last")
    what = ", ".join(f"{count} {kind}" for kind, count in sorted(ordeal.came.items()))
    return ordeal, f"seed {seed}: {what}; stalled {stalls.longest:.3f}, held {stalls.held:.3f} s"


def _intake(world: World) -> Intake:
    world.companion.people.trust("telegram")

    async def swallow(message: object) -> None:
        """Telegram takes everything."""

    world.companion.deliver("telegram", swallow)
    return Intake(
        Bot(TOKEN, base_url=NOWHERE, base_file_url=NOWHERE),
        me=Me(id=BOT["id"], username=BOT["username"], name="Mira"),
        listens=frozenset(),
        host=world.companion.platforms,
        handle=world.companion.handle,
        clock=world.clock,
    )


async def _prepare(world: World) -> None:
    """Somebody owns the companion, so that the owner's commands run as well."""
    for name in ("person 0", "person 1", "person 2"):
        await world.say("hello", name)
    owner = await world.person("person 0")
    await world.db.write(lambda tx: access.set_owner(tx, owner, True))


def _log(text: str) -> None:
    with Path(LOG).open("a", encoding="utf-8") as log:
        log.write(f"{text}\n")


async def test_blows_by_chance_are_taken(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    wrong: list[str] = []
    for part in range(-(-HOSTILE // PART)):
        number = min(PART, HOSTILE - part * PART)
        ordeal, line = await an_ordeal(tmp_path / f"{part}", caplog, f"{SEED}/{part}", number)
        stalls = ordeal.stalls
        found = [f"a stall during {stalls.during[:LOGGED]}"] * (stalls.longest >= LONGEST_STALL)
        found += [f"held during {stalls.held_during[:LOGGED]}"] * (stalls.held >= LONGEST_STALL)
        found += ordeal.wrong
        if LOG:
            await asyncio.to_thread(_log, "\n  ".join([line, *found]))
        wrong += found
    assert wrong == []
