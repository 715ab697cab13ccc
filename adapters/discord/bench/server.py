"""Plays Discord and the model, in a process of its own, and keeps count of what arrives.

`python -m adapters.discord.bench.server CHATS MESSAGES` prints its address and serves until its
input ends. People write a number each, the first few at once and then one after each answer; the
model repeats the number. Twice the gateway is cut: once the session may be resumed, once what
was said meanwhile stands only in the history. GET /report tells what came of it.
"""

import asyncio
import json
import re
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

BOT = {"id": "1", "username": "bench", "discriminator": "0", "avatar": None, "bot": True}
AT_ONCE = 3
"""So many messages everybody writes without waiting for an answer."""
ASKED = re.compile(r"\] person: (\d+)$")
FIRST_ID = 1_368_920_162_304_000_000
API = "/api/v10"


@dataclass(slots=True)
class Chat:
    """What was written in a chat and when, and what was answered."""

    history: list[dict[str, Any]] = field(default_factory=list)
    written: list[float] = field(default_factory=list)
    heard: list[int] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    nonces: set[str] = field(default_factory=set)


class Discord:
    """One bot's Discord, and a model."""

    def __init__(self, chats: int, messages: int) -> None:
        self.address = ""
        self._messages = messages
        self._chats = {number: Chat() for number in range(1, chats + 1)}
        self._events: list[dict[str, Any]] = []
        self._session = 0
        self._socket: web.WebSocketResponse | None = None
        self._next = FIRST_ID
        self._more = asyncio.Condition()
        self._began = 0.0
        self._ended = 0.0
        self._cuts = [chats * messages * 2 // 3, chats * messages // 3]

    def app(self) -> web.Application:
        app = web.Application(client_max_size=2**26)
        app.router.add_get("/report", self.report)
        app.router.add_post("/v1/chat/completions", self.complete)
        app.router.add_get("/gateway", self.gateway)
        app.router.add_get(f"{API}/users/@me", self.me)
        app.router.add_get(f"{API}/oauth2/applications/@me", self.application)
        app.router.add_get(f"{API}/applications/1/commands", self.commands)
        app.router.add_put(f"{API}/applications/1/commands", self.commands)
        app.router.add_post(f"{API}/channels/{{channel}}/messages", self.post)
        app.router.add_get(f"{API}/channels/{{channel}}/messages", self.history)
        app.router.add_post(f"{API}/channels/{{channel}}/typing", self.typing)
        return app

    async def me(self, _request: web.Request) -> web.Response:
        return _json(BOT)

    async def application(self, _request: web.Request) -> web.Response:
        return _json(
            {
                "id": "1",
                "name": "bench",
                "description": "",
                "icon": None,
                "bot_public": True,
                "bot_require_code_grant": False,
                "verify_key": "",
                "owner": BOT,
                "team": None,
                "flags": 0,
            }
        )

    async def commands(self, _request: web.Request) -> web.Response:
        return _json([])

    async def typing(self, _request: web.Request) -> web.Response:
        return web.Response(status=204)

    async def post(self, request: web.Request) -> web.Response:
        number, given = int(request.match_info["channel"]), await request.json()
        chat = self._chats[number]
        if given["nonce"] not in chat.nonces:
            chat.nonces.add(given["nonce"])
            await self._hear(number, given["content"])
        self._next += 1
        return _json(_message(self._next, number, given["content"], BOT))

    async def history(self, request: web.Request) -> web.Response:
        after, limit = int(request.query["after"]), int(request.query["limit"])
        chat = self._chats[int(request.match_info["channel"])]
        found = [one for one in chat.history if int(one["id"]) > after][:limit]
        return _json(found[::-1])

    async def complete(self, request: web.Request) -> web.Response:
        asked = await request.json()
        words = "They counted."
        for message in reversed(asked["messages"]):
            found = ASKED.search(str(message["content"])) if message["role"] == "user" else None
            if found and asked.get("tools"):
                words = found[1]
                break
        answer = {"role": "assistant", "content": words}
        return _json(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": 1,
                "model": "bench",
                "choices": [{"index": 0, "message": answer, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 0, "completion_tokens": 1, "total_tokens": 1},
            }
        )

    async def report(self, _request: web.Request) -> web.Response:
        """What arrived in each chat, how long each answer took, and all of it."""
        async with self._more:
            await self._more.wait_for(self._is_done)
        return _json(
            {
                "heard": [chat.heard for chat in self._chats.values()],
                "waits": sorted(wait for chat in self._chats.values() for wait in chat.waits),
                "seconds": self._ended - self._began,
            }
        )

    async def gateway(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"op": 10, "d": {"heartbeat_interval": 41_250}})
        async for frame in socket:
            if frame.type is WSMsgType.TEXT:
                await self._answer(socket, json.loads(frame.data))
        return socket

    async def _answer(self, socket: web.WebSocketResponse, asked: dict[str, Any]) -> None:
        match asked["op"]:
            case 1:
                await socket.send_json({"op": 11})
            case 2:
                await self._identified(socket)
            case 6 if asked["d"]["session_id"] == str(self._session):
                for event in self._events[asked["d"]["seq"] :]:
                    await socket.send_json(event)
                self._socket = socket
                await self._dispatch("RESUMED", {})
            case 6:
                await socket.send_json({"op": 9, "d": False})

    async def _identified(self, socket: web.WebSocketResponse) -> None:
        self._session += 1
        self._events.clear()
        self._socket = socket
        await self._dispatch(
            "READY",
            {
                "v": 10,
                "user": BOT,
                "guilds": [],
                "session_id": str(self._session),
                "resume_gateway_url": f"ws://{self.address}/gateway",
                "application": {"id": "1", "flags": 0},
            },
        )
        if not self._began:
            self._began = time.perf_counter()
            for number in self._chats:
                for _ in range(AT_ONCE):
                    await self._write(number)

    async def _dispatch(self, kind: str, data: dict[str, Any]) -> None:
        event = {"op": 0, "t": kind, "s": len(self._events) + 1, "d": data}
        self._events.append(event)
        if self._socket is not None and not self._socket.closed:
            await self._socket.send_json(event)

    def _is_done(self) -> bool:
        return all(len(set(chat.heard)) >= self._messages for chat in self._chats.values())

    async def _write(self, number: int) -> None:
        chat = self._chats[number]
        if len(chat.written) >= self._messages:
            return
        self._next += 1
        person = {"id": str(number), "username": "person", "discriminator": "0", "avatar": None}
        message = _message(self._next, number, str(len(chat.written)), person)
        chat.history.append(message)
        chat.written.append(time.perf_counter())
        await self._dispatch("MESSAGE_CREATE", message)

    async def _hear(self, number: int, text: str) -> None:
        chat = self._chats[number]
        heard = int(text) if text.isdecimal() else -1
        if 0 <= heard < len(chat.written) and heard not in chat.heard:
            chat.waits.append(time.perf_counter() - chat.written[heard])
        chat.heard.append(heard)
        await self._cut_when_due()
        async with self._more:
            self._ended = time.perf_counter()
            await self._write(number)
            self._more.notify_all()

    async def _cut_when_due(self) -> None:
        heard = sum(len(chat.heard) for chat in self._chats.values())
        if self._cuts and heard >= self._cuts[-1]:
            self._cuts.pop()
            socket, self._socket = self._socket, None
            if not self._cuts:
                self._session += 1  # which nobody can resume
            if socket is not None:
                await socket.close(code=4000)


def _message(number: int, channel: int, text: str, author: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": str(number),
        "type": 0,
        "channel_id": str(channel),
        "author": author,
        "content": text,
        "timestamp": "2025-05-05T12:00:00+00:00",
        "edited_timestamp": None,
        "tts": False,
        "mention_everyone": False,
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
        "embeds": [],
        "pinned": False,
    }


def _json(body: object) -> web.Response:
    """discord.py takes anything but exactly this content type for text."""
    return web.Response(
        body=json.dumps(body).encode(), headers={"Content-Type": "application/json"}
    )


async def _serve(chats: int, messages: int) -> None:
    discord = Discord(chats, messages)
    runner = web.AppRunner(discord.app(), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    discord.address = f"{host}:{port}"
    print(discord.address, flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), int(sys.argv[2])))
