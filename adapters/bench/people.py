"""People who count, each in a chat, and a model that repeats the number: for a server that plays a
platform in a process of its own."""

import asyncio
import json
import re
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from aiohttp import web

ASKED = re.compile(r"\] Person (\d+): (\d+)$")
SLOW = 1
"""The chat whose model is slow, if any is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """How many chats there are, with how many messages in each.

    Everybody writes the first `at_once` without waiting, and one more after each answer. With
    `one_slow`, the model answers the first chat only when everybody else has every answer.
    """

    chats: int = 200
    messages: int = 20
    at_once: int = 3
    one_slow: bool = False

    @classmethod
    def read(cls, line: str) -> Self:
        return cls(**json.loads(line))

    def line(self) -> str:
        """The crowd as an argument of a command."""
        return json.dumps(asdict(self))


@dataclass(slots=True)
class Chat:
    """When each message was written, what was answered, and how long that took."""

    written: list[float] = field(default_factory=list)
    heard: list[int] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)


Say = Callable[[int, int], Awaitable[None]]
"""Lets somebody, by the number of the chat, say a number."""


class People:
    """Keeps count of what was written and heard; `say` brings what is written to the bot."""

    def __init__(self, crowd: Crowd, say: Say) -> None:
        self._crowd = crowd
        self._say = say
        self.chats = {number: Chat() for number in range(1, crowd.chats + 1)}
        self._more = asyncio.Condition()
        self._began = 0.0
        self._ended = 0.0

    async def begin(self) -> None:
        """The bot is there: everybody writes. The second time nothing happens."""
        if self._began:
            return
        self._began = time.perf_counter()
        for number in self.chats:
            for _ in range(self._crowd.at_once):
                await self._write(number)

    async def hear(self, number: int, text: str) -> None:
        """The bot says `text` in a chat, and its person goes on; what is no number is no answer."""
        if not text.isdecimal():
            return
        chat, heard = self.chats[number], int(text)
        if heard < len(chat.written) and heard not in chat.heard:
            chat.waits.append(time.perf_counter() - chat.written[heard])
        chat.heard.append(heard)
        self._ended = time.perf_counter()
        await self._write(number)
        async with self._more:
            self._more.notify_all()

    async def _write(self, number: int) -> None:
        chat = self.chats[number]
        if len(chat.written) < self._crowd.messages:
            chat.written.append(time.perf_counter())
            await self._say(number, len(chat.written) - 1)

    def _done(self, *, but: int = 0) -> bool:
        return all(
            len(set(chat.heard)) >= self._crowd.messages
            for number, chat in self.chats.items()
            if number != but
        )

    async def report(self, _request: web.Request) -> web.Response:
        """What arrived in each chat, how long each answer took, and all of it."""
        async with self._more:
            await self._more.wait_for(self._done)
        slow = SLOW if self._crowd.one_slow else 0
        waits = [w for number, chat in self.chats.items() if number != slow for w in chat.waits]
        return web.json_response(
            {
                "heard": [chat.heard for chat in self.chats.values()],
                "waits": sorted(waits),
                "seconds": self._ended - self._began,
            }
        )

    async def complete(self, request: web.Request) -> web.Response:
        """The model's answer: the number that was last written."""
        asked = await request.json()
        words, who = _last_number(asked)
        if who == SLOW and self._crowd.one_slow:
            async with self._more:
                await self._more.wait_for(lambda: self._done(but=SLOW))
        answer = {"role": "assistant", "content": words}
        return web.json_response(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": 1,
                "model": "bench",
                "choices": [{"index": 0, "message": answer, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 0, "completion_tokens": 1, "total_tokens": 1},
            }
        )


def _last_number(asked: dict[str, Any]) -> tuple[str, int]:
    for message in reversed(asked["messages"]):
        found = ASKED.search(str(message["content"])) if message["role"] == "user" else None
        if found and asked.get("tools"):
            return found[2], int(found[1])
    return "They counted.", 0


async def serve(app: web.Application, ready: Callable[[str], None]) -> None:
    """Serve on loopback and print the address, until the input ends."""
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    ready(f"{host}:{port}")
    print(f"{host}:{port}", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()
