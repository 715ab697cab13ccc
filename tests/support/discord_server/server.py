"""Discord's HTTP API on loopback, with the gateway beside it."""

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.support.discord_server import payloads, strict
from tests.support.discord_server.gateway import MESSAGE_CONTENT, Gateway, Session
from tests.support.discord_server.payloads import Channel, Json, Member, snowflake
from tests.support.discord_server.strict import RefusalError

TOKEN = "test-token"
PATIENCE_SECONDS = 60

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class Post:
    """A message that the bot sent, as it arrived. `files` are names and contents."""

    channel: int
    content: str
    payload: Json
    files: tuple[tuple[str, bytes], ...] = ()
    ephemeral: bool = False


@dataclass
class Fault:
    """What goes wrong with the next `times` requests that `method` and `path` fit.

    With no `status` the connection is cut. `after_effect` lets the request take effect first.
    """

    method: str
    path: str
    status: int | None = None
    body: Json = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    times: int = 1
    after_effect: bool = False


class DiscordServer:
    """`me` is the bot; `direct` opens a direct message, `channels` are in the one guild."""

    def __init__(self) -> None:
        self.me = Member(snowflake(), "Mira", bot=True)
        self.application = self.me.id
        self.guild = snowflake()
        self.channels: dict[int, Channel] = {}
        self.members: list[Member] = [self.me]
        self.history: dict[int, list[Json]] = defaultdict(list)
        self.posts: list[Post] = []
        self.typing: list[int] = []
        self.reactions: list[tuple[int, int, str]] = []
        self.callbacks: list[Json] = []
        self.commands: list[Json] = []
        self.syncs = 0
        self.files: dict[str, bytes] = {}
        self.faults: list[Fault] = []
        self.requests: list[tuple[str, str]] = []
        self.token_valid = True
        self._nonces: dict[tuple[int, str], Json] = {}
        self._interactions: dict[str, bool] = {}
        self._changes = asyncio.Event()
        self.gateway = Gateway(TOKEN, self._welcome, self.changed)
        self._runner = web.AppRunner(self._app(), shutdown_timeout=0.5)
        self.address = ""

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.address = f"{host}:{port}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.gateway.cut()
        await self._runner.cleanup()

    @property
    def api_base(self) -> str:
        return f"http://{self.address}/api/v10"

    @property
    def gateway_url(self) -> str:
        return f"ws://{self.address}/gateway"

    def person(self, name: str, *, nick: str | None = None) -> Member:
        """Somebody new, on the server too."""
        member = Member(snowflake(), name, nick=nick)
        self.members.append(member)
        return member

    def direct(self, person: Member) -> Channel:
        """The direct messages with `person`."""
        for channel in self.channels.values():
            if channel.recipient == person:
                return channel
        return self._open(Channel(snowflake(), recipient=person))

    def channel(self, name: str = "general") -> Channel:
        """A new channel of the server; make it before anybody connects."""
        return self._open(Channel(snowflake(), guild=self.guild, name=name))

    def thread(self, parent: Channel, owner: Member, *, private: bool = False) -> Channel:
        """A new thread in `parent`; make it before anybody connects."""
        thread = Channel(
            snowflake(),
            guild=self.guild,
            parent=parent.id,
            owner=owner.id,
            name="thread",
            private_thread=private,
        )
        return self._open(thread)

    def _open(self, channel: Channel) -> Channel:
        self.channels[channel.id] = channel
        return channel

    async def says(self, author: Member, channel: Channel, content: str, **more: Any) -> Json:
        """`author` writes; the message comes by the gateway and stands in the history."""
        message = payloads.message(author, channel, content, **more)
        self.history[channel.id].append(message)
        await self.gateway.dispatch("MESSAGE_CREATE", self._as_seen(message))
        return message

    async def edits(self, message: Json, content: str, *, seconds: int = 5) -> None:
        """The author changes `message`, so many seconds after it was made."""
        at = payloads.moment(int(message["id"]) + (seconds * 1000 << 22))
        message.update(content=content, edited_timestamp=at)
        await self.gateway.dispatch("MESSAGE_UPDATE", self._as_seen(message))

    async def shows_preview(self, message: Json) -> None:
        """Discord puts a preview of a link below `message`."""
        message["embeds"] = [{"type": "link", "title": "A page", "url": "https://example.com"}]
        await self.gateway.dispatch("MESSAGE_UPDATE", self._as_seen(message))

    async def deletes(self, message: Json) -> None:
        """`message` is deleted."""
        self.history[int(message["channel_id"])].remove(message)
        gone = {key: message[key] for key in ("id", "channel_id", "guild_id") if key in message}
        await self.gateway.dispatch("MESSAGE_DELETE", gone)

    async def reacts(
        self, member: Member, message: Json, emoji: str, *, removed: bool = False
    ) -> None:
        """`member` puts `emoji` to `message`, or takes it away."""
        data = {
            "user_id": str(member.id),
            "channel_id": message["channel_id"],
            "message_id": message["id"],
            "emoji": {"id": None, "name": emoji},
            "burst": False,
            "type": 0,
        }
        if "guild_id" in message:
            data["guild_id"] = message["guild_id"]
        if not removed:
            data["message_author_id"] = message["author"]["id"]
            if "guild_id" in message:
                data["member"] = {"user": member.user(), **member.member()}
        kind = "MESSAGE_REACTION_REMOVE" if removed else "MESSAGE_REACTION_ADD"
        await self.gateway.dispatch(kind, data)

    def said_unheard(self, author: Member, channel: Channel, content: str) -> Json:
        """`author` writes while no session of the gateway hears of it."""
        message = payloads.message(author, channel, content)
        self.history[channel.id].append(message)
        return message

    async def commands_by(
        self, author: Member, channel: Channel, name: str, words: str | None = None
    ) -> Json:
        """`author` uses a slash command; the interaction."""
        options = [] if words is None else [{"type": 3, "name": "words", "value": words}]
        data = {"id": str(snowflake()), "name": name, "type": 1, "options": options}
        return await self.interacts(payloads.interaction(author, channel, self.application, data))

    async def presses(self, author: Member, channel: Channel, custom_id: str, on: Json) -> Json:
        """`author` presses a button below the message `on`; the interaction."""
        data = {"custom_id": custom_id, "component_type": 2}
        return await self.interacts(
            payloads.interaction(author, channel, self.application, data, type=3, on=on)
        )

    def buttons(self, number: int) -> dict[str, str]:
        """The custom id of each button below the bot's post of this number, by its label."""
        rows = self.posts[number].payload.get("components", [])
        return {one["label"]: one["custom_id"] for row in rows for one in row["components"]}

    async def interacts(self, interaction: Json) -> Json:
        self._interactions[interaction["token"]] = False
        await self.gateway.dispatch("INTERACTION_CREATE", interaction)
        return interaction

    def expire_interactions(self) -> None:
        """Nobody may answer the interactions so far any more."""
        self._interactions.clear()

    async def until(
        self, condition: Callable[[], object], *, seconds: float = PATIENCE_SECONDS
    ) -> None:
        """Return when `condition` holds; it is looked at when something happens here."""
        async with asyncio.timeout(seconds):
            while not condition():
                self._changes.clear()
                await self._changes.wait()

    async def connected(self) -> None:
        """Return when a client listens at the gateway."""
        await self.until(lambda: self.gateway.connected)

    async def left(self) -> None:
        """Return when no client listens."""
        await self.until(lambda: not self.gateway.connected)

    async def posted(self, number: int) -> list[str]:
        """The texts of the bot's messages, when there are `number` of them."""
        await self.until(lambda: len(self.posts) >= number)
        return [post.content for post in self.posts]

    def changed(self) -> None:
        """Something happened that somebody may wait for."""
        self._changes.set()

    def _as_seen(self, message: Json) -> Json:
        """`message` without what the session lacks the intent for."""
        session = self.gateway.session
        mine = str(self.me.id)
        if (
            "guild_id" not in message
            or session is None
            or session.intents & MESSAGE_CONTENT
            or any(one["id"] == mine for one in message["mentions"])
        ):
            return message
        return {**message, "content": "", "attachments": [], "embeds": [], "components": []}

    def _welcome(self, session: Session) -> list[tuple[str, Json]]:
        ready = {
            "v": 10,
            "user": self.me.user(),
            "guilds": [{"id": str(self.guild), "unavailable": True}],
            "session_id": session.id,
            "resume_gateway_url": self.gateway_url,
            "application": {"id": str(self.application), "flags": 0},
            "private_channels": [],
        }
        channels = [one for one in self.channels.values() if one.guild is not None]
        return [
            ("READY", ready),
            ("GUILD_CREATE", payloads.guild(self.guild, self.members, channels)),
        ]

    def _app(self) -> web.Application:
        app = web.Application(middlewares=[self._guard], client_max_size=16 * 2**20)
        app.router.add_get("/gateway", self.gateway.handle)
        api = "/api/v10"
        for method, path, handler in (
            ("GET", "/users/@me", self._get_me),
            ("GET", "/oauth2/applications/@me", self._get_application),
            ("GET", "/users/{user}", self._get_user),
            ("POST", "/users/@me/channels", self._open_direct),
            ("GET", "/applications/{app}/commands", self._get_commands),
            ("PUT", "/applications/{app}/commands", self._put_commands),
            ("POST", "/channels/{channel}/messages", self._post_message),
            ("GET", "/channels/{channel}/messages", self._get_history),
            ("POST", "/channels/{channel}/typing", self._post_typing),
            (
                "PUT",
                "/channels/{channel}/messages/{message}/reactions/{emoji}/@me",
                self._put_reaction,
            ),
            ("POST", "/interactions/{id}/{token}/callback", self._callback),
            ("PATCH", "/webhooks/{app}/{token}/messages/@original", self._edit_original),
            ("POST", "/webhooks/{app}/{token}", self._follow_up),
        ):
            app.router.add_route(method, api + path, handler)
        app.router.add_get("/cdn/{name}", self._get_file)
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if not request.path.startswith("/api/"):
            return await handler(request)
        self.requests.append((request.method, request.path))
        self.changed()
        if not self._may(request):
            return _json({"message": "401: Unauthorized", "code": 0}, 401)
        fault = self._fault(request)
        if fault is not None and not fault.after_effect:
            return _fail(request, fault)
        try:
            response = await handler(request)
        except RefusalError as refusal:
            return _json(refusal.body(), refusal.status)
        finally:
            self.changed()
        return response if fault is None else _fail(request, fault)

    def _may(self, request: web.Request) -> bool:
        """Interactions are answered with their own token."""
        if request.path.startswith(("/api/v10/interactions", "/api/v10/webhooks")):
            return True
        return self.token_valid and request.headers.get("Authorization") == f"Bot {TOKEN}"

    def _fault(self, request: web.Request) -> Fault | None:
        path = request.path.removeprefix("/api/v10")
        for fault in self.faults:
            if fault.times and fault.method == request.method and re.fullmatch(fault.path, path):
                fault.times -= 1
                return fault
        return None

    async def _get_me(self, _: web.Request) -> web.Response:
        return _json(self.me.user())

    async def _get_application(self, _: web.Request) -> web.Response:
        return _json(
            {
                "id": str(self.application),
                "name": "Mira",
                "description": "",
                "icon": None,
                "bot_public": True,
                "bot_require_code_grant": False,
                "verify_key": "00",
                "owner": self.members[0].user(),
                "team": None,
                "flags": 0,
                "rpc_origins": [],
            }
        )

    async def _get_user(self, request: web.Request) -> web.Response:
        for member in self.members:
            if str(member.id) == request.match_info["user"]:
                return _json(member.user())
        raise RefusalError(404, 10013, "Unknown User")

    async def _open_direct(self, request: web.Request) -> web.Response:
        user = int((await request.json())["recipient_id"])
        for member in self.members:
            if member.id == user:
                return _json(self.direct(member).payload())
        raise RefusalError(400, 50033, "Invalid Recipient(s)")

    async def _get_commands(self, request: web.Request) -> web.Response:
        if request.query.get("with_localizations") == "true":
            return _json(self.commands)
        left_out = ("name_localizations", "description_localizations")
        return _json([{k: v for k, v in one.items() if k not in left_out} for one in self.commands])

    async def _put_commands(self, request: web.Request) -> web.Response:
        asked = await request.json()
        strict.check_commands(asked)
        self.syncs += 1
        defaults = {"type": 1, "options": [], "nsfw": False, "default_member_permissions": None}
        ids = {"application_id": str(self.application), "version": "1"}
        self.commands = [{**defaults, **one, **ids, "id": str(snowflake())} for one in asked]
        return _json(self.commands)

    def _channel(self, request: web.Request) -> Channel:
        channel = self.channels.get(int(request.match_info["channel"]))
        if channel is None:
            raise RefusalError(404, 10003, "Unknown Channel")
        return channel

    async def _post_message(self, request: web.Request) -> web.Response:
        channel = self._channel(request)
        payload, files = await _message_form(request)
        strict.check_message(payload, len(files))
        key = (channel.id, str(payload.get("nonce")))
        if payload.get("enforce_nonce") and key in self._nonces:
            return _json(self._nonces[key])
        reference = payload.get("message_reference")
        if reference is not None and reference.get("fail_if_not_exists", True):
            known = {message["id"] for message in self.history[channel.id]}
            if str(reference["message_id"]) not in known:
                raise RefusalError(
                    400, 50035, "Invalid Form Body: message_reference: Unknown message"
                )
        message = payloads.message(self.me, channel, payload.get("content") or "")
        message["components"] = payload.get("components", [])
        self.history[channel.id].append(message)
        self._nonces[key] = message
        self.posts.append(Post(channel.id, message["content"], payload, files))
        await self.gateway.dispatch("MESSAGE_CREATE", message)
        return _json(message)

    async def _get_history(self, request: web.Request) -> web.Response:
        channel = self._channel(request)
        after, limit = int(request.query.get("after", 0)), int(request.query.get("limit", 50))
        if not 1 <= limit <= 100:
            raise RefusalError(400, 50035, "Invalid Form Body: limit")
        found = [one for one in self.history[channel.id] if int(one["id"]) > after][:limit]
        without_guild = [{k: v for k, v in one.items() if k != "guild_id"} for one in found]
        return _json(without_guild[::-1])

    async def _post_typing(self, request: web.Request) -> web.Response:
        self.typing.append(self._channel(request).id)
        return web.Response(status=204)

    async def _put_reaction(self, request: web.Request) -> web.Response:
        message, emoji = request.match_info["message"], request.match_info["emoji"]
        if all(one["id"] != message for one in self.history[self._channel(request).id]):
            raise RefusalError(404, 10008, "Unknown Message")
        if emoji.isascii():
            raise RefusalError(400, 10014, "Unknown Emoji")
        self.reactions.append((self._channel(request).id, int(message), emoji))
        return web.Response(status=204)

    async def _callback(self, request: web.Request) -> web.Response:
        token = request.match_info["token"]
        if token not in self._interactions:
            raise RefusalError(404, 10062, "Unknown interaction")
        if self._interactions[token]:
            raise RefusalError(400, 40060, "Interaction has already been acknowledged.")
        self._interactions[token] = True
        payload, _ = await _message_form(request)
        self.callbacks.append({**payload, "token": token})
        if request.query.get("with_response") not in ("1", "true"):
            return web.Response(status=204)
        return _json({"interaction": {"id": request.match_info["id"], "type": 2}})

    async def _edit_original(self, request: web.Request) -> web.Response:
        return await self._answer_interaction(request, first=True)

    async def _follow_up(self, request: web.Request) -> web.Response:
        return await self._answer_interaction(request, first=False)

    async def _answer_interaction(self, request: web.Request, *, first: bool) -> web.Response:
        token = request.match_info["token"]
        if not self._interactions.get(token):
            raise RefusalError(404, 10015, "Unknown Webhook")
        payload, files = await _message_form(request)
        strict.check_message(payload, len(files))
        deferred = next(one for one in self.callbacks if one["token"] == token)
        flags = (deferred.get("data") or {}).get("flags", 0) if first else payload.get("flags", 0)
        content = payload.get("content") or ""
        self.posts.append(Post(0, content, payload, files, ephemeral=bool(flags & 64)))
        channel = next(iter(self.channels.values()))
        return _json(payloads.message(self.me, channel, content, webhook_id=str(self.application)))

    async def _get_file(self, request: web.Request) -> web.Response:
        content = self.files.get(request.match_info["name"])
        return web.Response(status=404) if content is None else web.Response(body=content)

    def attachment(self, name: str, content: bytes, media_type: str, **more: Any) -> Json:
        """A file to attach to a message."""
        self.files[name] = content
        url = f"http://{self.address}/cdn/{name}"
        return {
            "id": str(snowflake()),
            "filename": name,
            "size": len(content),
            "url": url,
            "proxy_url": url,
            "content_type": media_type,
            **more,
        }


async def _message_form(request: web.Request) -> tuple[Json, tuple[tuple[str, bytes], ...]]:
    """The message in `request`, and the files beside it."""
    if not request.content_type.startswith("multipart/"):
        return await request.json(), ()
    payload: Json = {}
    files: list[tuple[str, bytes]] = []
    async for part in await request.multipart():
        assert not isinstance(part, Sequence)
        content = bytes(await part.read())  # type: ignore[union-attr]
        if part.name == "payload_json":  # type: ignore[union-attr]
            payload = json.loads(content)
        else:
            files.append((part.filename or "", content))  # type: ignore[union-attr]
    return payload, tuple(files)


def _json(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    """discord.py takes anything but exactly this content type for text."""
    return web.Response(
        body=json.dumps(body).encode(),
        status=status,
        headers={"Content-Type": "application/json", **(headers or {})},
    )


def _fail(request: web.Request, fault: Fault) -> web.Response:
    if fault.status is None:
        assert request.transport is not None
        request.transport.close()
        return web.Response()
    return _json(fault.body, fault.status, fault.headers)
