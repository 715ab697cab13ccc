"""The model on this machine, as anything else that answers prompts."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from companion.errors import LLMUnavailableError
from companion.llm.protocol import Message, Reply, ToolSchema
from companion.llm.two_pass import StructuredLLM
from companion.local.server import Endpoint, LocalServer

TRIES = 2
"""One more when the server fell while it answered: it is started again for it."""


class LocalModel:
    """A `StructuredLLM` on a server of our own, which its first question starts."""

    def __init__(self, server: LocalServer, connect: Callable[[Endpoint], StructuredLLM]) -> None:
        self._server = server
        self._connect = connect
        self._endpoint: Endpoint | None = None
        self._llm: StructuredLLM | None = None

    async def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        *,
        answer_tokens: int,
    ) -> Reply:
        """The model's answer; raises as `LLM.complete` does."""
        return await self._ask(
            lambda llm: llm.complete(messages, tools, answer_tokens=answer_tokens)
        )

    async def complete_json(
        self, messages: Sequence[Message], schema: Mapping[str, Any], *, answer_tokens: int
    ) -> Reply:
        """The model's answer as JSON that fits `schema`."""
        return await self._ask(
            lambda llm: llm.complete_json(messages, schema, answer_tokens=answer_tokens)
        )

    async def close(self) -> None:
        """Let go of connections, and end the server."""
        if self._llm is not None:
            await self._llm.close()
        await self._server.close()

    async def _ask(self, ask: Callable[[StructuredLLM], Awaitable[Reply]]) -> Reply:
        for tries_left in reversed(range(TRIES)):
            llm = await self._connected()
            try:
                reply = await ask(llm)
            except LLMUnavailableError:
                if self._server.running or not tries_left:
                    raise
                continue
            self._server.answered()
            return reply
        raise AssertionError("the last try returns or raises")

    async def _connected(self) -> StructuredLLM:
        endpoint = await self._server.endpoint()
        if self._llm is None or endpoint != self._endpoint:
            if self._llm is not None:
                await self._llm.close()
            self._llm, self._endpoint = self._connect(endpoint), endpoint
        return self._llm
