"""One person, a thousand turns: CPU and time a turn against the floor, and the database's size."""

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from companion.bench.at_server import seen
from companion.bench.floor import Floor
from companion.bench.meters import Span, timed
from companion.bench.talk import Talk, a_talk
from companion.bench.texts import Texts
from companion.storage.backup import back_up

FRIEND = "Anna"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much is said. Figures of a turn are taken over `block` turns, `rounds` times."""

    turns: int = 1000
    early: int = 10
    block: int = 10
    rounds: int = 12


@dataclass(slots=True)
class LongTalk:
    """Seconds a turn, by round, and bytes for a thousand messages."""

    late_cpu: list[float] = field(default_factory=list)
    late_floor_cpu: list[float] = field(default_factory=list)
    early_cpu: list[float] = field(default_factory=list)
    early_floor_cpu: list[float] = field(default_factory=list)
    added_wall: list[float] = field(default_factory=list)
    database_bytes: int = 0


async def measure(server: str, home: Path, plan: Plan) -> LongTalk:
    """Talk, and measure at the beginning of a conversation and late in one, by turns."""
    result = LongTalk()
    texts = Texts()
    async with a_talk(home, server) as talk:
        floor = Floor(home / "floor.db", server)
        await _say(talk, FRIEND, plan.turns // 2, texts)
        result.database_bytes = await _size(talk, home)
        await _say(talk, FRIEND, plan.turns - plan.turns // 2, texts)
        for number in range(plan.rounds):
            newcomer = f"Newcomer {number}"
            late, floor_late = await _block(talk, floor, server, FRIEND, plan.block, texts)
            result.late_cpu.append(late.cpu)
            result.late_floor_cpu.append(floor_late.cpu)
            result.added_wall.append(late.wall - floor_late.wall)
            await _say(talk, newcomer, plan.early - 1, texts)
            early, floor_early = await _block(talk, floor, server, newcomer, plan.early, texts)
            result.early_cpu.append(early.cpu)
            result.early_floor_cpu.append(floor_early.cpu)
        await floor.close()
    return result


async def _say(talk: Talk, chat: str, turns: int, texts: Texts) -> None:
    for _ in range(turns):
        await talk.say(chat, texts.message())


async def _size(talk: Talk, home: Path) -> int:
    """The database's size, with all vectors and without a log beside it."""
    await talk.rest()
    copy = home / "size.db"
    await asyncio.to_thread(back_up, home / "companion.db", copy)
    return copy.stat().st_size


async def _block(
    talk: Talk, floor: Floor, server: str, chat: str, turns: int, texts: Texts
) -> tuple[Span, Span]:
    """A turn's CPU with all that follows it and the middle wall time, and the same of the floor.

    The floor's wall time is its request's alone.
    """
    said = [texts.message() for _ in range(turns)]
    await talk.rest()
    seen(server)
    walls = []
    with timed() as all_turns:
        for text in said:
            with timed() as turn:
                await talk.say(chat, text)
            walls.append(turn.wall)
        await talk.rest()
    prompts = [json.loads(body) for body in seen(server) if is_of_a_turn(body)][:turns]
    floor_walls = []
    with timed() as whole_floor:
        for text, prompt in zip(said, prompts, strict=False):
            with timed() as request:
                answer = await floor.ask(prompt)
            floor_walls.append(request.wall)
            floor.store(text, answer)
    seen(server)
    return (
        Span(all_turns.cpu / turns, median(walls)),
        Span(whole_floor.cpu / len(prompts), median(floor_walls)),
    )


def is_of_a_turn(body: bytes) -> bool:
    """Whether this is a turn's request and not one for a summary."""
    return b'"tools":' in body
