"""A real server on loopback that speaks OpenAI's protocol and answers as told.

`python -m tests.support.model_server` runs it by itself, for benchmarks and by hand.
"""

import argparse
import asyncio
import base64
import hashlib
import json
import re
import struct
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Protocol, Self

from aiohttp import web

from tests.support.model_refusals import REFUSALS, Asked, Refusal

DIMENSIONS = 64


class Answer(Protocol):
    """What the server does with one request."""

    async def send(
        self, request: web.BaseRequest, asked: Asked, until: asyncio.Event
    ) -> web.StreamResponse:
        """Answer `request`. `until` is set when the server closes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A chat completion as a well-behaved provider sends it.

    `calls` are names with arguments, which go out as JSON, or as they are where they are text.
    `ids` replaces the ids of the calls. `usage` replaces what is counted, a token for four bytes.
    `extra` is merged into the message.
    """

    text: str | None = None
    calls: tuple[tuple[str, Mapping[str, Any] | str], ...] = ()
    ids: tuple[str, ...] = ()
    finish: str | None = None
    usage: Mapping[str, Any] | None = None
    cached: int = 0
    model: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    async def send(
        self, request: web.BaseRequest, asked: Asked, until: asyncio.Event
    ) -> web.StreamResponse:
        return web.Response(body=self.body(asked), content_type="application/json")

    def body(self, asked: Asked) -> bytes:
        """The bytes of the answer to `asked`."""
        message = {"role": "assistant", "content": self.text, **self.extra}
        if self.calls:
            message["tool_calls"] = self._calls(len(asked.get("messages", ())))
        prompt = sum(len(str(one.get("content"))) for one in asked.get("messages", ())) // 4 + 1
        usage = self.usage or {
            "prompt_tokens": prompt,
            "completion_tokens": 10,
            "total_tokens": prompt + 10,
            "prompt_tokens_details": {"cached_tokens": self.cached},
        }
        finish = self.finish or ("tool_calls" if self.calls else "stop")
        answer = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": self.model or asked.get("model", ""),
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": usage,
        }
        return json.dumps(answer, ensure_ascii=False).encode()

    def _calls(self, turn: int) -> list[Asked]:
        return [
            {
                "id": self.ids[number] if number < len(self.ids) else f"call_{turn}_{number}",
                "type": "function",
                "function": {
                    "name": name,
                    "arguments": arguments
                    if isinstance(arguments, str)
                    else json.dumps(arguments, ensure_ascii=False),
                },
            }
            for number, (name, arguments) in enumerate(self.calls)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """Exactly these bytes."""

    body: bytes
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)

    async def send(
        self, request: web.BaseRequest, asked: Asked, until: asyncio.Event
    ) -> web.StreamResponse:
        return web.Response(
            body=self.body,
            status=self.status,
            content_type=self.content_type,
            headers=dict(self.headers),
        )


@dataclass(frozen=True, slots=True)
class Hang:
    """Never answers."""

    async def send(
        self, request: web.BaseRequest, asked: Asked, until: asyncio.Event
    ) -> web.StreamResponse:
        await until.wait()
        return web.Response(status=503)


@dataclass(frozen=True, slots=True)
class Cut:
    """Sends the head and `body`, which is less than the head promises, then hangs up."""

    body: bytes = b'{"id": "chatcmpl-1", "choices": [{"index": 0, "mess'

    async def send(
        self, request: web.BaseRequest, asked: Asked, until: asyncio.Event
    ) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
            b"Content-Length: 100000\r\n\r\n" + self.body
        )
        request.transport.close()
        return web.Response()


@dataclass(frozen=True, slots=True)
class Drip:
    """Sends a space every `pause` seconds and never comes to an end."""

    pause: float = 0.01

    async def send(
        self, request: web.BaseRequest, asked: Asked, until: asyncio.Event
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        while not until.is_set() and request.transport is not None:
            await response.write(b" ")
            await asyncio.sleep(self.pause)
        return web.Response()


def says(text: str) -> Completion:
    """The model answers with `text` and no call."""
    return Completion(text=text)


def calls(
    *in_order: tuple[str, Mapping[str, Any] | str],
    text: str | None = None,
    **by_name: Mapping[str, Any] | str,
) -> Completion:
    """The model calls functions: `calls(send_message={"message": "hi"})`.

    Pairs of a name and arguments come first, for what keywords can't say: a name twice.
    """
    return Completion(text=text, calls=(*in_order, *by_name.items()))


def fails(status: int, message: str = "", /, **headers: str) -> Raw:
    """An HTTP error in OpenAI's form. `retry_after="3"` becomes the header `retry-after`."""
    error = {"message": message or f"error {status}", "type": "error", "param": None, "code": None}
    return Raw(
        body=json.dumps({"error": error}, ensure_ascii=False).encode(),
        status=status,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )


Script = Iterable[Answer] | Callable[[Asked], Answer]


class ModelServer:
    """Answers chat completions by a list in order, or by a function of what is asked.

    `refuses` names what the server answers with a 400, as REFUSALS words it; such a request uses
    up no answer. `requests` holds the last `keep` bodies, refused ones too. Embeddings are made
    from the words, unless `embedding_answers` holds an answer.
    """

    def __init__(
        self,
        answers: Script = (),
        *,
        models: Sequence[str] = ("scripted",),
        refuses: Iterable[str] = (),
        keep: int | None = None,
    ) -> None:
        self.answers: deque[Answer] = deque() if callable(answers) else deque(answers)
        self.embedding_answers: deque[Answer] = deque()
        self.requests: deque[Asked] = deque(maxlen=keep)
        self.headers: deque[Mapping[str, str]] = deque(maxlen=keep)
        self.bodies: deque[bytes] = deque(maxlen=keep)
        self.embedded: deque[Asked] = deque(maxlen=keep)
        self.models = models
        self.refusals: list[Refusal] = [REFUSALS[name] for name in refuses]
        self.listed = 0
        self._answer = answers if callable(answers) else None
        self._until = asyncio.Event()
        self._runner = web.ServerRunner(web.Server(self._handle), shutdown_timeout=0.5)
        self.base_url = ""

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.stop()

    async def start(self, port: int = 0) -> None:
        """Listen on `port` of 127.0.0.1, 0 for any that is free; `base_url` tells where."""
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", port).start()
        host, port = self._runner.addresses[0][:2]
        self.base_url = f"http://{host}:{port}/v1"

    async def stop(self) -> None:
        """Let go of all who wait, and close."""
        self._until.set()
        await self._runner.cleanup()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        path = request.path
        if path.endswith("/models"):
            self.listed += 1
            return web.json_response({"data": [{"id": name} for name in self.models]})
        body = await request.read()
        asked: Asked = json.loads(body)
        if path.endswith("/embeddings"):
            self.embedded.append(asked)
            answer = self.embedding_answers.popleft() if self.embedding_answers else Embeddings()
        elif path.endswith("/chat/completions"):
            self.requests.append(asked)
            self.headers.append(request.headers)
            self.bodies.append(body)
            answer = self._next(asked)
        else:
            answer = fails(404, f"no such path: {path}")
        return await answer.send(request, asked, self._until)

    def _next(self, asked: Asked) -> Answer:
        for refusal in self.refusals:
            if refusal.concerns(asked):
                return Raw(body=json.dumps(refusal.error).encode(), status=refusal.status)
        if self._answer is not None:
            return self._answer(asked)
        if self.answers:
            return self.answers.popleft()
        return fails(500, "the script of answers is at its end")


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Vectors that are near where texts share words."""

    async def send(
        self, request: web.BaseRequest, asked: Asked, until: asyncio.Event
    ) -> web.StreamResponse:
        texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
        packed = asked.get("encoding_format") == "base64"
        data = []
        for index, text in enumerate(texts):
            vector = embedding(text)
            raw = base64.b64encode(struct.pack(f"<{DIMENSIONS}f", *vector)).decode()
            data.append({"index": index, "embedding": raw if packed else vector})
        return web.json_response({"data": data, "model": asked.get("model", ""), "usage": {}})


def embedding(text: str) -> list[float]:
    """A vector of length one, the sum of one dimension for each word."""
    vector = [0.0] * DIMENSIONS
    for word in re.findall(r"\w+", text.lower()) or [text]:
        vector[hashlib.sha256(word.encode()).digest()[0] % DIMENSIONS] += 1.0
    norm = sum(value * value for value in vector) ** 0.5
    return [value / norm for value in vector]


def obliging(text: str) -> Callable[[Asked], Answer]:
    """Says `text`, by `send_message` where there are functions."""

    def answer(asked: Asked) -> Answer:
        return calls(send_message={"message": text}) if asked.get("tools") else says(text)

    return answer


async def _serve(port: int, text: str) -> None:
    server = ModelServer(obliging(text), keep=0)
    await server.start(port)
    print(server.base_url, flush=True)
    await asyncio.Event().wait()


def main() -> None:
    """Serve until killed. The first line printed is the base URL."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--text", default="Good to hear from you.")
    options = parser.parse_args()
    asyncio.run(_serve(options.port, options.text))


if __name__ == "__main__":
    main()
