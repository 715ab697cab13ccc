"""Discord's HTTP API: answers the bot, and refuses what Discord refuses."""

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from aiohttp import web

from tests.support.discord_server import payloads, strict
from tests.support.discord_server.gateway import MESSAGE_CONTENT, Gateway
from tests.support.discord_server.payloads import Channel, Json, snowflake
from tests.support.discord_server.state import Fault, Post, State
from tests.support.discord_server.strict import RefusalError

TOKEN = "test.token.of-no-bot"
MAY_READ_ALL = 1 << 19
"""An application's flag for the intent, as bots on less than a hundred servers have it."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class HttpApi:
    """What happens in `state` by the bot's requests, and what `gateway` tells of it."""

    def __init__(self, state: State, gateway: Gateway) -> None:
        self._state = state
        self._gateway = gateway
        self._nonces: dict[tuple[int, str], Json] = {}

    def app(self) -> web.Application:
        """Answers what discord.py asks."""
        app = web.Application(middlewares=[self._guard], client_max_size=16 * 2**20)
        app.router.add_get("/gateway", self._gateway.handle)
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
        self._state.requests.append((request.method, request.path))
        self._state.changed()
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
            self._state.changed()
        return response if fault is None else _fail(request, fault)

    def _may(self, request: web.Request) -> bool:
        """Interactions are answered with their own token."""
        if request.path.startswith(("/api/v10/interactions", "/api/v10/webhooks")):
            return True
        return self._state.token_valid and request.headers.get("Authorization") == f"Bot {TOKEN}"

    def _fault(self, request: web.Request) -> Fault | None:
        path = request.path.removeprefix("/api/v10")
        for fault in self._state.faults:
            if fault.times and fault.method == request.method and re.fullmatch(fault.path, path):
                fault.times -= 1
                return fault
        return None

    async def _get_me(self, _: web.Request) -> web.Response:
        return _json(self._state.me.user())

    async def _get_application(self, _: web.Request) -> web.Response:
        granted = self._gateway.intents_granted
        return _json(
            {
                "id": str(self._state.application),
                "name": "Mira",
                "description": "",
                "icon": None,
                "bot_public": True,
                "bot_require_code_grant": False,
                "verify_key": "00",
                "owner": self._state.members[0].user(),
                "team": None,
                "flags": MAY_READ_ALL if granted & MESSAGE_CONTENT else 0,
                "rpc_origins": [],
            }
        )

    async def _get_user(self, request: web.Request) -> web.Response:
        for member in self._state.members:
            if str(member.id) == request.match_info["user"]:
                return _json(member.user())
        raise RefusalError(404, 10013, "Unknown User")

    async def _open_direct(self, request: web.Request) -> web.Response:
        user = int((await request.json())["recipient_id"])
        for member in self._state.members:
            if member.id == user:
                return _json(self._state.direct(member).payload())
        raise RefusalError(400, 50033, "Invalid Recipient(s)")

    async def _get_commands(self, request: web.Request) -> web.Response:
        if request.query.get("with_localizations") == "true":
            return _json(self._state.commands)
        left_out = ("name_localizations", "description_localizations")
        return _json(
            [{k: v for k, v in one.items() if k not in left_out} for one in self._state.commands]
        )

    async def _put_commands(self, request: web.Request) -> web.Response:
        asked = await request.json()
        strict.check_commands(asked)
        self._state.syncs += 1
        defaults = {"type": 1, "options": [], "nsfw": False, "default_member_permissions": None}
        ids = {"application_id": str(self._state.application), "version": "1"}
        self._state.commands = [{**defaults, **one, **ids, "id": str(snowflake())} for one in asked]
        return _json(self._state.commands)

    def _channel(self, request: web.Request) -> Channel:
        channel = self._state.channels.get(int(request.match_info["channel"]))
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
            known = {message["id"] for message in self._state.history[channel.id]}
            if str(reference["message_id"]) not in known:
                raise RefusalError(
                    400, 50035, "Invalid Form Body: message_reference: Unknown message"
                )
        message = payloads.message(self._state.me, channel, payload.get("content") or "")
        message["components"] = payload.get("components", [])
        self._state.history[channel.id].append(message)
        self._nonces[key] = message
        self._state.posts.append(Post(channel.id, message["content"], payload, files))
        await self._gateway.dispatch("MESSAGE_CREATE", message)
        return _json(message)

    async def _get_history(self, request: web.Request) -> web.Response:
        channel = self._channel(request)
        after, limit = int(request.query.get("after", 0)), int(request.query.get("limit", 50))
        if not 1 <= limit <= 100:
            raise RefusalError(400, 50035, "Invalid Form Body: limit")
        found = [one for one in self._state.history[channel.id] if int(one["id"]) > after][:limit]
        without_guild = [{k: v for k, v in one.items() if k != "guild_id"} for one in found]
        return _json(without_guild[::-1])

    async def _post_typing(self, request: web.Request) -> web.Response:
        self._state.typing.append(self._channel(request).id)
        return web.Response(status=204)

    async def _put_reaction(self, request: web.Request) -> web.Response:
        message, emoji = request.match_info["message"], request.match_info["emoji"]
        if all(one["id"] != message for one in self._state.history[self._channel(request).id]):
            raise RefusalError(404, 10008, "Unknown Message")
        if emoji.isascii():
            raise RefusalError(400, 10014, "Unknown Emoji")
        self._state.reactions.append((self._channel(request).id, int(message), emoji))
        return web.Response(status=204)

    async def _callback(self, request: web.Request) -> web.Response:
        token = request.match_info["token"]
        if token not in self._state.interactions:
            raise RefusalError(404, 10062, "Unknown interaction")
        if self._state.interactions[token]:
            raise RefusalError(400, 40060, "Interaction has already been acknowledged.")
        self._state.interactions[token] = True
        payload, _ = await _message_form(request)
        self._state.callbacks.append({**payload, "token": token})
        if request.query.get("with_response") not in ("1", "true"):
            return web.Response(status=204)
        return _json({"interaction": {"id": request.match_info["id"], "type": 2}})

    async def _edit_original(self, request: web.Request) -> web.Response:
        return await self._answer_interaction(request, first=True)

    async def _follow_up(self, request: web.Request) -> web.Response:
        return await self._answer_interaction(request, first=False)

    async def _answer_interaction(self, request: web.Request, *, first: bool) -> web.Response:
        token = request.match_info["token"]
        if not self._state.interactions.get(token):
            raise RefusalError(404, 10015, "Unknown Webhook")
        payload, files = await _message_form(request)
        strict.check_message(payload, len(files))
        deferred = next(one for one in self._state.callbacks if one["token"] == token)
        flags = (deferred.get("data") or {}).get("flags", 0) if first else payload.get("flags", 0)
        content = payload.get("content") or ""
        self._state.posts.append(Post(0, content, payload, files, ephemeral=bool(flags & 64)))
        channel = next(iter(self._state.channels.values()))
        return _json(
            payloads.message(
                self._state.me, channel, content, webhook_id=str(self._state.application)
            )
        )

    async def _get_file(self, request: web.Request) -> web.Response:
        content = self._state.files.get(request.match_info["name"])
        return web.Response(status=404) if content is None else web.Response(body=content)


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
