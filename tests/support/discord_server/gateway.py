"""The websocket of a Discord on loopback: sessions, replays, and ways to fail."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from aiohttp import WSMsgType, web

Json = dict[str, Any]

HELLO, HEARTBEAT, IDENTIFY, RESUME = 10, 1, 2, 6
RECONNECT, INVALID_SESSION, ACK, DISPATCH = 7, 9, 11, 0
PRIVILEGED = 1 << 15 | 1 << 1 | 1 << 8
MESSAGE_CONTENT = 1 << 15

_numbers = count(1)


@dataclass
class Session:
    """What a client hears, in order, and from where it may go on."""

    id: str
    intents: int
    events: list[Json] = field(default_factory=list)

    def add(self, kind: str, data: Any) -> Json:
        """One more event, with its number."""
        event = {"op": DISPATCH, "t": kind, "s": len(self.events) + 1, "d": data}
        self.events.append(event)
        return event


class Gateway:
    """Serves `welcome` to who identifies, and replays to who resumes.

    `refusing` turns connections away; `heartbeat` is what clients are told to keep, in seconds.
    """

    def __init__(
        self, token: str, welcome: Callable[[Session], list[tuple[str, Json]]], changed: Any
    ) -> None:
        self._token = token
        self._welcome = welcome
        self._changed = changed
        self._socket: web.WebSocketResponse | None = None
        self.session: Session | None = None
        self.refusing = False
        self.intents_granted = ~PRIVILEGED
        self.heartbeat = 41.25
        self.identified: list[Json] = []
        self.resumed: list[Json] = []
        self.connections = 0

    @property
    def connected(self) -> bool:
        """Whether a client listens that has identified or resumed."""
        return self.session is not None and self._socket is not None and not self._socket.closed

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """One connection."""
        if self.refusing:
            return web.Response(status=503)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.connections += 1
        await self._send(socket, HELLO, {"heartbeat_interval": int(self.heartbeat * 1000)})
        async for frame in socket:
            if frame.type is WSMsgType.TEXT:
                await self._hear(socket, json.loads(frame.data))
        if self._socket is socket:
            self._socket = None
            self._changed()
        return socket

    async def dispatch(self, kind: str, data: Any) -> None:
        """Something happens; who is away may hear of it by resuming."""
        if self.session is None:
            return
        event = self.session.add(kind, data)
        if self._socket is not None and not self._socket.closed:
            await self._socket.send_json(event)

    async def replay(self, last: int) -> None:
        """Send the last events once more, as a flaky gateway does."""
        assert self.session is not None
        assert self._socket is not None
        for event in self.session.events[-last:]:
            await self._socket.send_json(event)

    async def ask_to_reconnect(self) -> None:
        """Op 7."""
        assert self._socket is not None
        await self._send(self._socket, RECONNECT, None)

    async def invalidate(self, *, resumable: bool) -> None:
        """Op 9."""
        assert self._socket is not None
        socket = self._socket
        if not resumable:
            self.forget_session()
        await self._send(socket, INVALID_SESSION, resumable)

    async def cut(self, code: int = 4000) -> None:
        """Close the connection from this side."""
        socket, self._socket = self._socket, None
        if socket is not None:
            await socket.close(code=code)
        self._changed()

    def forget_session(self) -> None:
        """Who wants to resume has to identify anew, and hears nothing more until then."""
        self.session = None

    async def _hear(self, socket: web.WebSocketResponse, frame: Json) -> None:
        match frame["op"]:
            case 1:
                await self._send(socket, ACK, None)
            case 2:
                await self._identify(socket, frame["d"])
            case 6:
                await self._resume(socket, frame["d"])

    async def _identify(self, socket: web.WebSocketResponse, asked: Json) -> None:
        self.identified.append(asked)
        self._changed()
        if asked["token"] != self._token:
            await socket.close(code=4004, message=b"Authentication failed.")
            return
        if asked["intents"] & PRIVILEGED & ~self.intents_granted:
            await socket.close(code=4014, message=b"Disallowed intent(s).")
            return
        session = Session(f"session{next(_numbers)}", asked["intents"])
        for kind, data in self._welcome(session):
            await socket.send_json(session.add(kind, data))
        self.session, self._socket = session, socket
        self._changed()

    async def _resume(self, socket: web.WebSocketResponse, asked: Json) -> None:
        session = self.session
        if session is None or asked["session_id"] != session.id:
            await self._send(socket, INVALID_SESSION, False)
            return
        self.resumed.append(asked)
        sent = asked["seq"]
        while sent < len(session.events):
            await socket.send_json(session.events[sent])
            sent += 1
        self._socket = socket
        await socket.send_json(session.add("RESUMED", {}))
        self._changed()

    async def _send(self, socket: web.WebSocketResponse, op: int, data: Any) -> None:
        await socket.send_json({"op": op, "d": data, "s": None, "t": None})
