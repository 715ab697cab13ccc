"""A web server on loopback, in a thread, that hands out one file in the ways servers do."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class FileServer:
    """What it serves, how, and which ranges it was asked for.

    `ends_after` cuts the connection after so many bytes. `hang` lets it say nothing until the
    test has ended.
    """

    data: bytes
    ranges: bool = True
    ends_after: int | None = None
    hang: bool = False
    url: str = ""
    asked: list[str | None] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)


@contextmanager
def file_server(server: FileServer) -> Iterator[FileServer]:
    """Serve until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            server.asked.append(wanted)
            if server.hang:
                server.ended.wait()
                return
            start = int(wanted.removeprefix("bytes=").partition("-")[0]) if wanted else 0
            partial = server.ranges and wanted is not None
            if partial and start >= len(server.data):
                self.send_response(416)
                self.end_headers()
                return
            body = server.data[start:] if partial else server.data
            self.send_response(206 if partial else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: server.ends_after])

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.url = f"http://127.0.0.1:{http.server_port}/model.gguf"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.ended.set()
        http.shutdown()
        thread.join()
        http.server_close()
