"""The model that runs on this machine, asked as any other."""

import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from pydantic import SecretStr

from companion.clock import Clock
from companion.errors import LLMUnavailableError
from companion.llm.chain import ModelChain
from companion.llm.openai_client import Endpoint, OpenAIClient
from companion.llm.protocol import Message, Reply, ToolSchema
from companion.local import server

TRIES = 2
"""One more when the server fell while it answered: it is started again for it."""

PATIENCE = timedelta(minutes=10)
"""For an answer: a slow machine reads a long prompt for minutes, the first time."""


class LocalLLM:
    """An `LLM` on a server that is started when it is first asked, and again when it fell."""

    def __init__(self, local: server.LocalServer, clock: Clock, rng: random.Random) -> None:
        self._server = local
        self._clock = clock
        self._rng = rng
        self._asked: server.Endpoint | None = None
        self._chain: ModelChain | None = None

    async def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        *,
        answer_tokens: int,
    ) -> Reply:
        """Raises as `LLM.complete` does; LLMUnavailableError too when the server can't start."""
        return await self._ask(
            lambda chain: chain.complete(messages, tools, answer_tokens=answer_tokens)
        )

    async def complete_json(
        self, messages: Sequence[Message], schema: Mapping[str, Any], *, answer_tokens: int
    ) -> Reply:
        """As `complete`, the text held to the JSON `schema`."""
        return await self._ask(
            lambda chain: chain.complete_json(messages, schema, answer_tokens=answer_tokens)
        )

    async def close(self) -> None:
        """End the server."""
        if self._chain is not None:
            await self._chain.close()
        await self._server.close()

    async def _ask(self, ask: Callable[[ModelChain], Awaitable[Reply]]) -> Reply:
        for tries_left in reversed(range(TRIES)):
            chain = await self._at_the_server()
            try:
                reply = await ask(chain)
            except LLMUnavailableError:
                if self._server.running or not tries_left:
                    raise
                continue
            self._server.answered()
            return reply
        raise AssertionError("the last try returns or raises")

    async def _at_the_server(self) -> ModelChain:
        there = await self._server.endpoint()
        if self._chain is None or there != self._asked:
            if self._chain is not None:
                await self._chain.close()
            at = Endpoint(
                model=self._server.model,
                base_url=there.base_url,
                api_key=SecretStr(there.api_key),
                timeout=PATIENCE.total_seconds(),
            )
            self._chain = ModelChain(
                [OpenAIClient(at)], clock=self._clock, rng=self._rng, total=PATIENCE
            )
            self._asked = there
        return self._chain
