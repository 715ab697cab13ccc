"""Opens a home: its lock, its database, the memories in it. No model is needed for that."""

import os
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

from companion import shipped
from companion.clock import Clock, SystemClock
from companion.context.limits import Limits
from companion.embedders.build import build_embedder
from companion.embedders.former import former_embedder
from companion.embedders.protocol import Embedder
from companion.erasing import Erasing
from companion.home import Home
from companion.llm.build import build_counter, build_llm
from companion.llm.protocol import TokenCounter
from companion.memory.memories import Memories
from companion.memory.vectors import Vectorizer
from companion.people.allowance import is_used_up
from companion.search.reranker import Reranker
from companion.settings import Settings, home, load, settings_path
from companion.storage import vector_blocks
from companion.storage.database import Database
from companion.storage.endpoints import EndpointStore
from companion.tasks import task_group


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """An open home and what lies in it."""

    home: Home
    settings: Settings
    db: Database
    memories: Memories
    limits: Limits
    counter: TokenCounter
    vectorizer: Vectorizer | None
    erasing: Erasing
    clock: Clock


@dataclass(frozen=True, slots=True)
class _Finders:
    """What search is helped by: the embedder in use, the former one, and a model."""

    embedder: Embedder | None
    former: Embedder | None
    reranker: Reranker | None


@asynccontextmanager
async def open_storage(
    folder: Path | str | None = None,
    *,
    settings: Settings | None = None,
    environ: Mapping[str, str] = os.environ,
    clock: Clock | None = None,
) -> AsyncIterator[Storage]:
    """The home at `folder`, by default COMPANION_HOME or the platform's own, locked for us.

    Vectors of what is new are made in the background while it is open.

    Raises:
        OperatorError: the settings are wrong, the home is in use, or the database can't be opened.
    """
    clock = clock or SystemClock()
    place = Home(_folder(folder) if folder else home(environ))
    settings = settings or load(settings_path(environ), environ)
    persona = shipped.persona(settings.agent, place.path)
    place.make()
    key = environ.get("COMPANION_DB_KEY") or None
    with place.lock(clock):
        async with (
            _database(place, key, clock) as db,
            _embedder(settings, environ) as embedder,
            _reranker(settings, environ, db, clock) as reranker,
        ):
            erasing = Erasing(db, place, clock, key=key)
            await erasing.catch_up()
            former = former_embedder(await db.read(vector_blocks.models), now=embedder)
            finders = _Finders(embedder, former, reranker)
            storage = _storage(place, settings, db, finders, persona, erasing, clock)
            async with _vectorizing(storage.vectorizer):
                yield storage


@asynccontextmanager
async def _database(place: Home, key: str | None, clock: Clock) -> AsyncIterator[Database]:
    db = await Database.open(place.database, key=key, clock=clock)
    try:
        yield db
    finally:
        await db.close()


@asynccontextmanager
async def _embedder(
    settings: Settings, environ: Mapping[str, str]
) -> AsyncIterator[Embedder | None]:
    embedder = build_embedder(settings.embedder, environ)
    try:
        yield embedder
    finally:
        if embedder is not None:
            await embedder.close()


@asynccontextmanager
async def _reranker(
    settings: Settings, environ: Mapping[str, str], db: Database, clock: Clock
) -> AsyncIterator[Reranker | None]:
    named = [model for model in settings.models if model.name == settings.search.rerank]
    if not named:
        yield None
        return
    rng = random.Random()  # noqa: S311 - spreads retries, keeps no secret
    chain = build_llm(named[:1], environ, EndpointStore(db, clock), clock, rng)
    limit = timedelta(seconds=settings.search.rerank_seconds)
    try:
        yield Reranker(
            chain,
            db,
            model=named[0],
            is_used_up=partial(is_used_up, limits=settings.limits, clock=clock),
            limit=limit,
            clock=clock,
        )
    finally:
        await chain.close()


@asynccontextmanager
async def open_erasing(
    place: Home, clock: Clock, environ: Mapping[str, str] = os.environ
) -> AsyncIterator[Erasing]:
    """The home at `place`, locked for us, to erase people: nothing else of it is opened.

    What the ledger tells is done by then.

    Raises:
        OperatorError: the home is in use, or the database can't be opened.
    """
    key = environ.get("COMPANION_DB_KEY") or None
    place.make()
    with place.lock(clock):
        db = await Database.open(place.database, key=key, clock=clock)
        try:
            erasing = Erasing(db, place, clock, key=key)
            await erasing.catch_up()
            yield erasing
        finally:
            await db.close()


def _folder(named: Path | str) -> Path:
    return Path(named).expanduser()


def _storage(
    place: Home,
    settings: Settings,
    db: Database,
    finders: _Finders,
    persona: str,
    erasing: Erasing,
    clock: Clock,
) -> Storage:
    counter = build_counter(settings.models)
    limits = _limits(settings)
    return Storage(
        home=place,
        settings=settings,
        db=db,
        memories=Memories(
            db,
            settings=settings.memory,
            persona=persona,
            limits=limits,
            embedder=finders.embedder,
            former=finders.former,
            reranker=finders.reranker,
            counter=counter,
            clock=clock,
        ),
        limits=limits,
        counter=counter,
        vectorizer=Vectorizer(db, finders.embedder) if finders.embedder else None,
        erasing=erasing,
        clock=clock,
    )


def _limits(settings: Settings) -> Limits:
    """What every configured model can take, since each may have to answer for the others."""
    models = settings.models
    window = min((m.window_tokens for m in models), default=settings.local.window_tokens)
    answer = min((m.answer_tokens for m in models), default=settings.local.answer_tokens)
    return Limits.of(window, answer, settings.memory)


@asynccontextmanager
async def _vectorizing(vectorizer: Vectorizer | None) -> AsyncIterator[None]:
    if vectorizer is None:
        yield
        return
    async with task_group() as tasks:
        running = tasks.create_task(vectorizer.run())
        yield
        running.cancel()
