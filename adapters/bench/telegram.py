"""Plays Telegram for one bot: `python -m adapters.bench.telegram CROWD`."""

import asyncio
import sys
from collections.abc import Sequence
from typing import Any

from aiohttp import web

from adapters.bench.people import Crowd, People, serve
from adapters.bench.run import Stage

BOT = {"id": 1, "is_bot": True, "first_name": "Bench", "username": "bench_bot"}


def _settings(allowed: Sequence[int], address: str) -> dict[str, Any]:
    return {"telegram": {"allowed": allowed, "base_url": f"http://{address}/bot"}}


TELEGRAM = Stage("adapters.bench.telegram", _settings, {"TELEGRAM_BOT_TOKEN": "1:bench"})


class Telegram:
    """A Bot API, and a model."""

    def __init__(self, crowd: Crowd) -> None:
        self._people = People(crowd, self._say)
        self._waiting: list[dict[str, Any]] = []
        self._next = 1
        self._more = asyncio.Condition()

    def app(self) -> web.Application:
        app = web.Application(client_max_size=2**26)
        app.router.add_get("/report", self._people.report)
        app.router.add_post("/v1/chat/completions", self._people.complete)
        app.router.add_route("*", "/bot{token}/{method}", self.method)
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
        if name == "getMyCommands":
            return _result([])
        if name == "sendMessage":
            return _result(await self._hear(int(str(given["chat_id"])), str(given["text"])))
        return _result(True)

    async def _updates(self, given: dict[str, Any]) -> list[dict[str, Any]]:
        confirmed = int(given.get("offset", 0))
        self._waiting = [one for one in self._waiting if one["update_id"] >= confirmed]
        await self._people.begin()
        async with self._more:
            try:
                async with asyncio.timeout(float(given["timeout"])):
                    await self._more.wait_for(lambda: bool(self._waiting))
            except TimeoutError:
                return []
        return self._waiting[:100]

    async def _say(self, number: int, count: int) -> None:
        name = f"Person {number}"
        message = {
            "message_id": self._next,
            "date": 1_746_446_400 + 60 * count,
            "chat": {"id": number, "type": "private", "first_name": name},
            "from": {"id": number, "is_bot": False, "first_name": name},
            "text": str(count),
        }
        self._waiting.append({"update_id": self._next, "message": message})
        self._next += 1
        async with self._more:
            self._more.notify_all()

    async def _hear(self, number: int, text: str) -> dict[str, Any]:
        await self._people.hear(number, text)
        self._next += 1
        chat = {"id": number, "type": "private"}
        return {"message_id": self._next, "date": 1, "chat": chat, "text": text}


def _result(result: object) -> web.Response:
    return web.json_response({"ok": True, "result": result})


if __name__ == "__main__":
    asyncio.run(serve(Telegram(Crowd.read(sys.argv[1])).app(), lambda _address: None))
