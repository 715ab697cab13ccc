"""A model's server that answers at once, so that what is measured is the companion.

`python -m companion.bench.server` runs it until it is killed or its input ends; its first line
is the base URL. It speaks just enough HTTP for a client that keeps its connection. GET /seen gives
the requests since the last time, each after a line with its length, and GET /cpu the seconds of
CPU so far.
"""

import argparse
import asyncio
import json
import sys
import time

from companion.bench.texts import Texts

LIMIT = 64 * 1024 * 1024
BYTES_PER_TOKEN, BYTES_PER_MESSAGE = 4.16, 50
"""For the usage that is reported: within a hundredth of what o200k makes of these prompts."""

PRESSURE = b"[system alert] Memory pressure"


class Script:
    """What the model says next: an answer, now and then with a fact to keep; or a summary."""

    def __init__(self, edit_every: int) -> None:
        self._edit_every = edit_every
        self._texts = Texts(seed=2)
        self._answers = 0

    def answer(self, body: bytes) -> bytes:
        """The completion for the request in `body`."""
        self._answers += 1
        if b'"tools":' not in body:
            summary = " ".join(self._texts.message() for _ in range(6))
            return self._completion(body, {"role": "assistant", "content": summary}, "stop")
        calls = []
        # the alert is the newest entry only while it waits for an answer
        warned = body.rfind(PRESSURE) > body.rfind(b'"role":"tool"')
        if not warned:
            calls.append(self._call("send_message", {"message": self._texts.message()}))
        if warned or self._answers % self._edit_every == 0:
            fact = f"- likes cake no {self._answers}"
            calls.append(self._call("working_context_append", {"text": fact}))
        return self._completion(
            body, {"role": "assistant", "content": None, "tool_calls": calls}, "tool_calls"
        )

    def _call(self, name: str, arguments: dict[str, str]) -> dict[str, object]:
        return {
            "id": f"call_{self._answers}_{name}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }

    def _completion(self, body: bytes, message: dict[str, object], finish: str) -> bytes:
        text = len(body) - BYTES_PER_MESSAGE * body.count(b'"role":')
        prompt = int(text / BYTES_PER_TOKEN)
        completion = {
            "id": f"chatcmpl-{self._answers}",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": "scripted",
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": 50,
                "total_tokens": prompt + 50,
            },
        }
        return json.dumps(completion).encode()


class Connection(asyncio.Protocol):
    """One client: requests in, answers out, in order."""

    def __init__(self, script: Script, seen: list[bytes]) -> None:
        self._script = script
        self._seen = seen
        self._data = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._data += data
        while (head_end := self._data.find(b"\r\n\r\n")) >= 0:
            head = bytes(self._data[:head_end])
            end = head_end + 4 + _length(head)
            if end > LIMIT:
                self._transport.abort()
            if len(self._data) < end:
                return
            body = bytes(self._data[head_end + 4 : end])
            del self._data[:end]
            self._respond(head, body)

    def _respond(self, head: bytes, body: bytes) -> None:
        if head.startswith(b"GET /seen "):
            answer = b"".join(b"%d\n%s" % (len(seen), seen) for seen in self._seen)
            self._seen.clear()
        elif head.startswith(b"GET /cpu "):
            answer = b"%f" % time.process_time()
        else:
            self._seen.append(body)
            answer = self._script.answer(body)
        self._transport.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
            % (len(answer), answer)
        )


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            return int(value)
    return 0


async def serve(edit_every: int) -> None:
    """Answer until the input ends, which it does with the process that started this one."""
    script, seen = Script(edit_every), list[bytes]()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(script, seen), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    print(f"http://127.0.0.1:{port}", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


def main() -> None:
    """Serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edit-every", type=int, default=20)
    asyncio.run(serve(parser.parse_args().edit_every))


if __name__ == "__main__":
    main()
