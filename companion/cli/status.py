"""`companion status`: what runs, who talks, what waits and what it costs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from companion.cli.arguments import Subparsers, operators_home, operators_settings, print_json

if TYPE_CHECKING:
    from companion.home import Home
    from companion.settings import LimitsSettings
    from companion.storage.database import Database, Tx
    from companion.storage.vector_blocks import Progress


def add(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("status", help="what runs, who talks, what it costs")
    parser.add_argument("--json", action="store_true", help="for scripts")
    parser.set_defaults(run=run)


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageOfModel:
    """What one person's turns took of one model, over all days. `cost` is in US dollars."""

    model: str
    requests: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonStatus:
    """One person or group. `kind` is "person" or "group"."""

    id: int
    name: str
    kind: str
    messages: int
    to_answer: int
    to_deliver: int
    given_up: int
    usage: tuple[UsageOfModel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformStatus:
    """A chat platform. `heard_at` is its last answer, in UTC; `unreadable` counts what it gave
    and nobody could read."""

    name: str
    heard_at: str | None
    trouble: str | None
    unreadable: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Today:
    """What everybody's turns took since midnight UTC. `used_up`: nothing more is asked today."""

    tokens: int
    cost: float
    used_up: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """`running` says which process holds the home, None for none. No schema: no database yet."""

    home: str
    running: str | None
    models: tuple[str, ...]
    database_bytes: int
    encrypted: bool
    schema: int | None
    vectors: Progress | None
    platforms: tuple[PlatformStatus, ...]
    today: Today | None
    people: tuple[PersonStatus, ...]


async def run(args: argparse.Namespace) -> int:
    status = await status_of(operators_home(os.environ), os.environ)
    if args.json:
        print_json(asdict(status))
    else:
        sys.stdout.write(as_text(status))
    return 0


async def status_of(home: Home, environ: Mapping[str, str]) -> Status:
    """How the companion on `home` is, whether it runs or not.

    Raises:
        OperatorError: the home cannot be used, the settings are wrong, or the database cannot be
            opened.
    """
    from companion.cli.database import looked_at
    from companion.storage import vector_blocks
    from companion.storage.migrate import migrations

    home.check()
    settings = operators_settings(environ)
    models = tuple(f"{one.name} at {one.base_url or 'OpenAI'}" for one in settings.models)
    today: Today | None = None
    people: tuple[PersonStatus, ...] = ()
    platforms: tuple[PlatformStatus, ...] = ()
    vectors = None
    exists = home.database.is_file()
    if exists:
        async with looked_at(home, environ) as database:
            people = await _everybody(database)
            platforms = await _platforms(database)
            today = await _today(database, settings.limits)
            vectors = await database.read(vector_blocks.progress)
    return Status(
        home=str(home.path),
        running=home.holder(),
        models=models,
        database_bytes=home.database.stat().st_size if exists else 0,
        encrypted=exists and bool(environ.get("COMPANION_DB_KEY")),
        schema=len(migrations()) if exists else None,
        vectors=vectors,
        platforms=platforms,
        today=today,
        people=people,
    )


async def _today(database: Database, limits: LimitsSettings) -> Today:
    from companion.clock import SystemClock
    from companion.people.allowance import is_used_up_by_all
    from companion.storage import usage

    day = SystemClock().now().date()
    spent = await database.read(lambda tx: usage.spent_by_all(tx, day))
    used_up = is_used_up_by_all(limits, spent)
    return Today(tokens=spent.tokens, cost=spent.cost, used_up=used_up)


async def _platforms(database: Database) -> tuple[PlatformStatus, ...]:
    from companion.storage import platforms

    return tuple(
        PlatformStatus(
            name=one.name,
            heard_at=one.heard_at.isoformat(timespec="seconds") if one.heard_at else None,
            trouble=one.trouble,
            unreadable=one.dead_letters,
        )
        for one in await database.read(platforms.all_of_them)
    )


async def _everybody(database: Database) -> tuple[PersonStatus, ...]:
    from companion.storage import counts, messages, people

    def query(tx: Tx) -> tuple[PersonStatus, ...]:
        return tuple(
            PersonStatus(
                id=person.id,
                name=person.name,
                kind=person.kind,
                messages=messages.said_count(tx, person.id),
                **asdict(counts.of(tx, person.id)),
                usage=_usage(tx, person.id),
            )
            for person in people.everybody(tx)
        )

    return await database.read(query)


def _usage(tx: Tx, person: int) -> tuple[UsageOfModel, ...]:
    from companion.llm.protocol import Usage
    from companion.storage import usage

    rows = usage.of(tx, person)
    totals = []
    for model in sorted({row.model for row in rows}):
        ours = [row for row in rows if row.model == model]
        total = sum((row.usage for row in ours), Usage())
        requests = sum(row.requests for row in ours)
        totals.append(UsageOfModel(model=model, requests=requests, **asdict(total)))
    return tuple(totals)


def as_text(status: Status) -> str:
    """`status` for people."""
    from companion.text import counted

    people = [person for person in status.people if person.kind == "person"]
    lines = [
        f"Home      {status.home}",
        f"Process   {status.running or 'none runs now'}",
        f"Model     {', then '.join(status.models) or 'the one on this machine'}",
        f"Database  {_database(status)}",
        f"Search    {_vectors(status.vectors)}",
        f"People    {len(people)}, and {counted(len(status.people) - len(people), 'group')}",
        f"Waiting   {sum(p.to_answer for p in status.people)} to answer, "
        f"{sum(p.to_deliver for p in status.people)} to deliver, "
        f"{sum(p.given_up for p in status.people)} given up",
    ]
    if status.today is not None and status.today.tokens + status.today.used_up:
        lines.append(f"Today     {_today_text(status.today)}")
    lines += [f"Platform  {_platform(platform)}" for platform in status.platforms]
    for person in status.people:
        lines.append(f"\n{person.id}  {person.name}: {counted(person.messages, 'message')}")
        lines += [f"   {_usage_text(usage)}" for usage in person.usage]
    return "\n".join(lines) + "\n"


def _today_text(today: Today) -> str:
    cost = f", ${today.cost:.4f}" if today.cost else ""
    used_up = ". What [limits] lets all spend is used up until midnight UTC" * today.used_up
    return f"{today.tokens:,} tokens{cost}{used_up}"


def _platform(platform: PlatformStatus) -> str:
    text = f"{platform.name}, last heard {platform.heard_at or 'never'}"
    if platform.trouble:
        text += f". {platform.trouble}"
    if platform.unreadable:
        text += f" ({platform.unreadable} updates could not be read; the log says why)"
    return text


def _vectors(progress: Progress | None) -> str:
    if progress is None or progress.model is None:
        return "by words; no vectors yet"
    if not progress.waiting:
        return f"by words, and by {progress.made:,} vectors of {progress.model}"
    total = progress.made + progress.waiting
    share = 100 * progress.made // total
    return (
        f"by words, and by vectors of {progress.model}, of which {progress.made:,} of {total:,}"
        f" are made ({share} %)"
    )


def _database(status: Status) -> str:
    if status.schema is None:
        return "none yet; the first conversation makes it"
    encrypted = "encrypted" if status.encrypted else "not encrypted"
    return f"{status.database_bytes / 1e6:,.1f} MB, schema {status.schema}, {encrypted}"


def _usage_text(usage: UsageOfModel) -> str:
    from companion.text import counted

    cost = f", ${usage.cost:.4f}" if usage.cost else ""
    return (
        f"{usage.model}: {counted(usage.requests, 'request')}, {usage.prompt_tokens:,} tokens read "
        f"({usage.cached_tokens:,} cached), {usage.completion_tokens:,} written{cost}"
    )
