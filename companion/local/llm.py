"""The model that runs on this machine, asked as any other."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import SecretStr

from companion.clock import Clock
from companion.llm.chain import ModelChain
from companion.llm.openai_client import Endpoint, OpenAIClient
from companion.llm.protocol import Message, Reply, ToolSchema
from companion.local import server

TIMEOUT = 600.0
"""Seconds for an answer: a slow machine reads a long prompt for minutes, the first time."""


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
        chain = await self._at_the_server()
        reply = await chain.complete(messages, tools, answer_tokens=answer_tokens)
        self._server.answered()
        return reply

    async def complete_json(
        self, messages: Sequence[Message], schema: Mapping[str, Any], *, answer_tokens: int
    ) -> Reply:
        """As `complete`, the text held to the JSON `schema`."""
        chain = await self._at_the_server()
        reply = await chain.complete_json(messages, schema, answer_tokens=answer_tokens)
        self._server.answered()
        return reply

    async def close(self) -> None:
        """End the server."""
        if self._chain is not None:
            await self._chain.close()
        await self._server.close()

    async def _at_the_server(self) -> ModelChain:
        there = await self._server.endpoint()
        if self._chain is None or there != self._asked:
            if self._chain is not None:
                await self._chain.close()
            at = Endpoint(
                base_url=there.base_url, api_key=SecretStr(there.api_key), timeout=TIMEOUT
            )
            self._chain = ModelChain([OpenAIClient(at)], clock=self._clock, rng=self._rng)
            self._asked = there
        return self._chain
