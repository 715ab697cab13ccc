"""Which model answers: those that the settings name, or the one that runs on this machine."""

import asyncio
import logging
import random
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from companion.clock import Clock
from companion.errors import LLMError, LLMUnavailableError
from companion.llm.build import build_llm, endpoint
from companion.llm.chain import ModelChain
from companion.llm.faults import EndpointError
from companion.llm.openai_client import OpenAIClient
from companion.llm.protocol import LLM, Message, Reply, ToolSchema
from companion.llm.tokens import ModelTokenCounter
from companion.llm.two_pass import TwoPass
from companion.opening import Storage
from companion.settings import ModelSettings
from companion.storage.endpoints import EndpointStore

if TYPE_CHECKING:
    from companion.local.llm import LocalLLM

logger = logging.getLogger(__name__)

SMALL = 3.0
"""Billions of parameters below which a model chooses functions badly."""
_SIZE = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)b(?![a-z])", re.IGNORECASE)


@asynccontextmanager
async def open_models(storage: Storage, environ: Mapping[str, str]) -> AsyncIterator[LLM]:
    """The model that answers; what it needs is loaded in the background.

    Raises:
        SettingsError: an endpoint's settings are wrong.
        ModelFileError: no endpoint is configured, and no model is on this machine.
    """
    rng = random.Random()  # noqa: S311 - spreads retries, keeps no secret
    settings = storage.settings
    llm: LLM
    if settings.models:
        store = EndpointStore(storage.db, storage.clock)
        chain = build_llm(settings.models, environ, store, storage.clock, rng)
        llm = _profiled(chain, settings.models[0], environ)
        warming = asyncio.create_task(asyncio.to_thread(_load, storage, llm))
    else:
        llm = small = TwoPass(_local(storage, storage.clock, rng))
        warming = asyncio.create_task(_start(small))
    try:
        yield llm
    finally:
        warming.cancel()
        await asyncio.wait([warming])
        await llm.close()


@asynccontextmanager
async def open_night_model(
    storage: Storage, environ: Mapping[str, str], llm: LLM
) -> AsyncIterator[LLM]:
    """The model that thinks at night: the one that the settings name, else `llm`, which answers.

    Raises:
        SettingsError: its settings are wrong.
    """
    settings = storage.settings
    named = [model for model in settings.models if model.name == settings.night.model]
    if not (settings.night.enabled and named):
        yield llm
        return
    store = EndpointStore(storage.db, storage.clock)
    rng = random.Random()  # noqa: S311 - spreads retries, keeps no secret
    chain = build_llm(named[:1], environ, store, storage.clock, rng)
    try:
        yield _profiled(chain, named[0], environ)
    finally:
        await chain.close()


def _load(storage: Storage, llm: LLM) -> None:
    """Load what the first turn would wait for: the SDK takes seconds, a token table one."""
    if isinstance(llm, ModelChain | _ByName):
        llm.warm()
    if isinstance(storage.counter, ModelTokenCounter):
        storage.counter.warm()


async def _start(small: TwoPass) -> None:
    """Start the model on this machine; the first turn would wait for half a minute."""
    try:
        await small.warm_up()
    except LLMError as error:
        logger.warning("the local model did not start yet: %s", error)


def _local(storage: Storage, clock: Clock, rng: random.Random) -> "LocalLLM":
    # a tenth of the start that a home with an endpoint does without
    from companion.local.llm import LocalLLM
    from companion.local.server import LocalServer
    from companion.local.weights import Weights

    settings = storage.settings.local
    named = Path(settings.model).expanduser()
    server = LocalServer(
        named if named.suffix == ".gguf" else Weights(storage.home.path).find(settings.model),
        window_tokens=settings.window_tokens,
        threads=settings.threads,
        log=storage.home.logs / "local-model.log",
    )
    return LocalLLM(server, clock, rng)


def _profiled(chain: ModelChain, first: ModelSettings, environ: Mapping[str, str]) -> LLM:
    if first.profile == "tools":
        return chain
    if first.profile == "small" or is_small(first.name):
        return TwoPass(chain)
    if first.name != "auto":
        return chain
    return _ByName(chain, OpenAIClient(endpoint(first, environ)))


def is_small(model: str) -> bool:
    """Whether the model's name says that it is too small to choose functions well."""
    size = _SIZE.search(model)
    return size is not None and float(size[1]) < SMALL


class _ByName:
    """An `LLM` that finds out at the first request which model the endpoint has."""

    def __init__(self, chain: ModelChain, first: OpenAIClient) -> None:
        self._chain = chain
        self._first = first
        self._chosen: LLM | None = None

    async def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        *,
        answer_tokens: int,
    ) -> Reply:
        if self._chosen is None:
            try:
                small = is_small(await self._first.model_name())
            except (EndpointError, LLMUnavailableError):
                return await self._chain.complete(messages, tools, answer_tokens=answer_tokens)
            self._chosen = TwoPass(self._chain) if small else self._chain
        return await self._chosen.complete(messages, tools, answer_tokens=answer_tokens)

    def warm(self) -> None:
        """Load what the first request would wait for. Safe in a thread."""
        self._chain.warm()

    async def close(self) -> None:
        await self._first.close()
        await self._chain.close()
