"""Plays Telegram and the model, in a process of its own, and keeps count of what arrives.

`python -m adapters.telegram.bench.server CHATS MESSAGES` prints its address and serves until its
input ends. People write a number each, the first few at once and then one after each answer; the
model repeats the number. GET /report tells what came of it.
"""

import asyncio
import re
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

BOT = {"id": 1, "is_bot": True, "first_name": "Bench", "username": "bench_bot"}
AT_ONCE = 3
"""So many messages everybody writes without waiting for an answer."""
ASKED = re.compile(r"\] Person: (\d+)$")


@dataclass(slots=True)
class Chat:
    """What was written in a chat and when, and what was answered."""

    written: list[float] = field(default_factory=list)
    heard: list[int] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)


class Telegram:
    """A Bot API for one bot, and a model."""

    def __init__(self, chats: int, messages: int) -> None:
        self._messages = messages
        self._chats = {number: Chat() for number in range(1, chats + 1)}
        self._waiting: list[dict[str, Any]] = []
        self._next = 1
        self._more = asyncio.Condition()
        self._began = 0.0
        self._ended = 0.0

    def app(self) -> web.Application:
        app = web.Application(client_max_size=2**26)
        app.router.add_get("/report", self.report)
        app.router.add_post("/v1/chat/completions", self.complete)
        app.router.add_post("/bot{token}/{method}", self.method)
        return app

    async def method(self, request: web.Request) -> web.Response:
        try:
            given = {**request.query, **await request.post()}
        except ConnectionResetError:  # a sign of typing that the end of its turn cut short
            return web.Response()
        name = request.match_info["method"]
        if name == "getUpdates":
            return _result(await self._updates(given))
        if name == "getMe":
            return _result(BOT)
        if name == "sendMessage":
            return _result(await self._hear(int(str(given["chat_id"])), str(given["text"])))
        return _result(True)

    async def complete(self, request: web.Request) -> web.Response:
        asked = await request.json()
        words = "They counted."
        for message in reversed(asked["messages"]):
            found = ASKED.search(str(message["content"])) if message["role"] == "user" else None
            if found and asked.get("tools"):
                words = found[1]
                break
        return web.json_response(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": 1,
                "model": "bench",
                "choices": [
                    {
                        "index": 0,
                        "message": {"role": "assistant", "content": words},
                        "finish_reason": "stop",
                    }
                ],
                "usage": {"prompt_tokens": 0, "completion_tokens": 1, "total_tokens": 1},
            }
        )

    async def report(self, _request: web.Request) -> web.Response:
        """What arrived in each chat, how long each answer took, and all of it."""
        async with self._more:
            await self._more.wait_for(self._is_done)
        return web.json_response(
            {
                "heard": [chat.heard for chat in self._chats.values()],
                "waits": sorted(wait for chat in self._chats.values() for wait in chat.waits),
                "seconds": self._ended - self._began,
            }
        )

    def _is_done(self) -> bool:
        return all(len(set(chat.heard)) >= self._messages for chat in self._chats.values())

    async def _updates(self, given: dict[str, Any]) -> list[dict[str, Any]]:
        confirmed = int(given.get("offset", 0))
        self._waiting = [one for one in self._waiting if one["update_id"] >= confirmed]
        async with self._more:
            if not self._began:
                self._began = time.perf_counter()
                for number in self._chats:
                    for _ in range(AT_ONCE):
                        self._write(number)
            try:
                async with asyncio.timeout(float(given["timeout"])):
                    await self._more.wait_for(lambda: bool(self._waiting))
            except TimeoutError:
                return []
        return self._waiting[:100]

    def _write(self, number: int) -> None:
        chat = self._chats[number]
        if len(chat.written) >= self._messages:
            return
        self._waiting.append(
            {
                "update_id": self._next,
                "message": {
                    "message_id": self._next,
                    "date": 1_746_446_400 + 60 * len(chat.written),
                    "chat": {"id": number, "type": "private", "first_name": "Person"},
                    "from": {"id": number, "is_bot": False, "first_name": "Person"},
                    "text": str(len(chat.written)),
                },
            }
        )
        self._next += 1
        chat.written.append(time.perf_counter())

    async def _hear(self, number: int, text: str) -> dict[str, Any]:
        chat = self._chats[number]
        heard = int(text) if text.isdecimal() else -1
        if 0 <= heard < len(chat.written) and heard not in chat.heard:
            chat.waits.append(time.perf_counter() - chat.written[heard])
        chat.heard.append(heard)
        async with self._more:
            self._ended = time.perf_counter()
            self._write(number)
            self._more.notify_all()
        return {"message_id": 1, "date": 1, "chat": {"id": number, "type": "private"}, "text": text}


def _result(result: object) -> web.Response:
    return web.json_response({"ok": True, "result": result})


async def _serve(chats: int, messages: int) -> None:
    runner = web.AppRunner(Telegram(chats, messages).app(), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    print(f"http://{host}:{port}", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), int(sys.argv[2])))
