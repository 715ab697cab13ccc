"""What it takes to claim what is due among a million things that are scheduled."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from companion.bench.figures import Figure
from companion.bench.meters import Span, timed
from companion.storage.database import Database, Tx
from companion.storage.inbox import InboxItem
from companion.timed.firing import Firing
from companion.timed.purposes import Purposes
from companion.timed.reminders import CHECK_IN, REMINDER

NOON = datetime(2025, 5, 5, 12, tzinfo=UTC)
CLAIM_SECONDS = 0.2
BLOCK_MILLISECONDS = 20
TICK = 0.001

PEOPLE = """
    WITH RECURSIVE number (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM number WHERE n < :people)
    INSERT INTO person (id, name, timezone, created_at)
    SELECT n, 'P' || n, 'Europe/Lisbon', :now FROM number
"""
CHATS = """
    INSERT INTO conversation (id, person_id, platform, chat, private, created_at)
    SELECT id, id, 'bench', 'c' || id, 1, :now FROM person
"""
ROWS = """
    WITH RECURSIVE number (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM number WHERE n < :rows)
    INSERT INTO schedule (person_id, conversation_id, purpose, text, repeats, first_day, wall_time,
                          zone, due_at, next_at, created_at)
    SELECT 1 + n % :people, 1 + n % :people, 'reminder', 'number ' || n, 'daily', '2025-05-05',
           '13:00', 'Europe/Lisbon',
           at, at, :now
      FROM (SELECT n, iif(n <= :due, :now, strftime('%Y-%m-%dT%H:%M:00+00:00', :now,
                                                    (n % 500000) || ' minutes')) AS at FROM number)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much is scheduled, for how many, and how much of it is due; as often as `repeats`."""

    rows: int = 1_000_000
    people: int = 10_000
    due: int = 2_000
    repeats: int = 5

    @classmethod
    def quick(cls) -> "Plan":
        """A tenth of it."""
        return cls(rows=100_000, people=1_000, due=200, repeats=2)


@dataclass(slots=True)
class Standing:
    """A clock that stands."""

    time: datetime = NOON

    def now(self) -> datetime:
        return self.time


class Collected:
    """Takes events, and does nothing with them."""

    def __init__(self) -> None:
        self.items: list[InboxItem] = []

    def add(self, item: InboxItem) -> None:
        self.items.append(item)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """One claiming: how long it took, and how long it kept the event loop from anything else."""

    span: Span
    blocked: float
    fired: int
    doubled: int


def measure(plan: Plan, tell: Callable[[str], None]) -> list[Figure]:
    """Figures of claiming what is due."""
    with TemporaryDirectory() as folder:
        claimed = asyncio.run(_measure(plan, Path(folder), tell))
    seconds = [one.span.wall for one in claimed]
    blocked = [one.blocked * 1000 for one in claimed]
    wrong = sum(abs(plan.due - one.fired) + one.doubled for one in claimed)
    return [
        _figure(f"claiming {plan.due:,} of {plan.rows:,} rows", seconds, "s", CLAIM_SECONDS),
        _figure("CPU of that", [one.span.cpu for one in claimed], "s", None),
        _figure("the event loop was blocked at most", blocked, "ms", BLOCK_MILLISECONDS),
        Figure(name="lost or doubled", value=wrong, unit="", target=0),
    ]


def _figure(name: str, values: Sequence[float], unit: str, target: float | None) -> Figure:
    ordered = sorted(values)
    return Figure(
        name=name,
        value=ordered[len(ordered) // 2],
        unit=unit,
        target=target,
        lowest=ordered[0],
        highest=ordered[-1],
    )


async def _measure(plan: Plan, folder: Path, tell: Callable[[str], None]) -> list[Claimed]:
    tell(f"with {plan.rows:,} rows, which takes a moment to fill in")
    async with _filled(folder / "companion.db", plan) as db:
        return [await _claim(db, plan, day) for day in range(plan.repeats)]


@asynccontextmanager
async def _filled(path: Path, plan: Plan) -> AsyncIterator[Database]:
    db = await Database.open(path)
    try:
        await db.write(lambda tx: fill(tx, rows=plan.rows, people=plan.people, due=plan.due))
        yield db
    finally:
        await db.close()


def fill(tx: Tx, *, rows: int, people: int, due: int) -> None:
    """Have so many things scheduled, so many of them due at NOON, daily, and the others later."""
    values = {"rows": rows, "people": people, "due": due, "now": NOON.isoformat()}
    for statement in (PEOPLE, CHATS, ROWS):
        tx.execute(statement, values)


async def _claim(db: Database, plan: Plan, day: int) -> Claimed:
    """Claim what is due, while something else wants to run; the first `due` are due anew."""
    await db.write(lambda tx: _due_again(tx, plan.due, NOON + timedelta(days=day)))
    lanes, clock = Collected(), Standing(NOON + timedelta(days=day))
    firing = Firing(db, purposes=Purposes((REMINDER, CHECK_IN)), lanes=lanes, clock=clock)
    ticking = asyncio.create_task(_longest_gap())
    await asyncio.sleep(0)
    with timed() as span:
        await firing.fire_due()
    ticking.cancel()
    times = Counter(item.event.id for item in lanes.items)
    ours = {name for name in times if int(name.split(":")[1]) <= plan.due}
    return Claimed(
        span=span,
        blocked=await ticking,
        fired=len(ours),
        doubled=sum(times.values()) - len(times),
    )


def _due_again(tx: Tx, due: int, now: datetime) -> None:
    """Let the first `due` rows be due at `now`, and nothing else before tomorrow."""
    later = (now + timedelta(days=2)).isoformat()
    tx.execute(
        "UPDATE schedule SET next_at = :later WHERE state = 'active' AND next_at < :later",
        {"later": later},
    )
    tx.execute(
        "UPDATE schedule SET due_at = :now, next_at = :now WHERE id <= :due",
        {"now": now.isoformat(), "due": due},
    )


async def _longest_gap() -> float:
    """How long the event loop let the next tick wait at most, until this is cancelled."""
    longest, last = 0.0, time.perf_counter()
    try:
        while True:
            await asyncio.sleep(TICK)
            now = time.perf_counter()
            longest, last = max(longest, now - last - TICK), now
    except asyncio.CancelledError:
        return longest
