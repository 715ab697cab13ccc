"""Serves the scripted reader on loopback, as a model's server would be."""

import json
from types import TracebackType
from typing import Self

from aiohttp import web

from companion.evaluation.reader import NAME, Asked, move

LARGEST = 64 * 1024 * 1024
"""Bytes of a request."""


class ReaderServer:
    """The scripted reader behind OpenAI's protocol, on a free port of 127.0.0.1."""

    def __init__(self) -> None:
        app = web.Application(client_max_size=LARGEST)
        app.router.add_get("/v1/models", _models)
        app.router.add_post("/v1/chat/completions", _complete)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
        self.base_url = ""

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        self.base_url = f"http://{host}:{port}/v1"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._runner.cleanup()


async def _models(_request: web.Request) -> web.Response:
    return web.json_response({"object": "list", "data": [{"id": NAME, "object": "model"}]})


async def _complete(request: web.Request) -> web.Response:
    asked: Asked = json.loads(await request.read())
    made = move(asked)
    message: dict[str, object] = {"role": "assistant", "content": made.text or None}
    if made.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{number}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)},
            }
            for number, (name, arguments) in enumerate(made.calls)
        ]
    finish = "tool_calls" if made.calls else "stop"
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return web.json_response(
        {
            "id": "read",
            "object": "chat.completion",
            "created": 0,
            "model": NAME,
            "choices": [choice],
        }
    )
