"""Plays Discord for one bot: `python -m adapters.bench.discord CROWD`.

Twice the gateway is cut: once the session may be resumed, once what was said meanwhile stands only
in the history.
"""

import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from aiohttp import WSMsgType, web

from adapters.bench.people import Crowd, People, serve
from adapters.bench.run import Stage

BOT = {"id": "1", "username": "bench", "discriminator": "0", "avatar": None, "bot": True}
FIRST_ID = 1_368_920_162_304_000_000
API = "/api/v10"


def _settings(allowed: Sequence[int], address: str) -> dict[str, Any]:
    api, gateway = f"http://{address}{API}", f"ws://{address}/gateway"
    return {"discord": {"allowed": allowed, "api_base": api, "gateway": gateway}}


DISCORD = Stage("adapters.bench.discord", _settings, {"DISCORD_BOT_TOKEN": "bench"})


class Discord:
    """One bot's Discord, and a model."""

    def __init__(self, crowd: Crowd) -> None:
        self.address = ""
        self._people = People(crowd, self._say)
        self._history: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
        self._nonces: set[str] = set()
        self._events: list[dict[str, Any]] = []
        self._session = 0
        self._socket: web.WebSocketResponse | None = None
        self._next = FIRST_ID
        self._heard = 0
        whole = crowd.chats * crowd.messages
        self._cuts = [] if crowd.one_slow else [whole * 2 // 3, whole // 3]

    def app(self) -> web.Application:
        app = web.Application(client_max_size=2**26)
        app.router.add_get("/report", self._people.report)
        app.router.add_post("/v1/chat/completions", self._people.complete)
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
        if given["nonce"] not in self._nonces:
            self._nonces.add(given["nonce"])
            self._heard += 1
            await self._cut_when_due()
            await self._people.hear(number, given["content"])
        self._next += 1
        return _json(_message(self._next, number, given["content"], BOT))

    async def history(self, request: web.Request) -> web.Response:
        after, limit = int(request.query["after"]), int(request.query["limit"])
        said = self._history[int(request.match_info["channel"])]
        found = [one for one in said if int(one["id"]) > after][:limit]
        return _json(found[::-1])

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
        await self._people.begin()

    async def _dispatch(self, kind: str, data: dict[str, Any]) -> None:
        event = {"op": 0, "t": kind, "s": len(self._events) + 1, "d": data}
        self._events.append(event)
        if self._socket is not None and not self._socket.closed:
            await self._socket.send_json(event)

    async def _say(self, number: int, count: int) -> None:
        self._next += 1
        name = f"Person {number}"
        person = {"id": str(number), "username": name, "discriminator": "0", "avatar": None}
        message = _message(self._next, number, str(count), person)
        self._history[number].append(message)
        await self._dispatch("MESSAGE_CREATE", message)

    async def _cut_when_due(self) -> None:
        if self._cuts and self._heard >= self._cuts[-1]:
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


async def _serve(crowd: Crowd) -> None:
    discord = Discord(crowd)

    def ready(address: str) -> None:
        discord.address = address

    await serve(discord.app(), ready)


if __name__ == "__main__":
    asyncio.run(_serve(Crowd.read(sys.argv[1])))
