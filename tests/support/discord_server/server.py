"""A Discord on loopback, and the people on it."""

from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.support.discord_server import payloads
from tests.support.discord_server.api import TOKEN, HttpApi
from tests.support.discord_server.gateway import MESSAGE_CONTENT, Gateway, Session
from tests.support.discord_server.payloads import Channel, Json, Member, snowflake
from tests.support.discord_server.state import Fault, State

__all__ = ["TOKEN", "DiscordServer", "Fault"]


class DiscordServer(State):
    """`direct` opens a direct message, `channels` are in the one guild."""

    def __init__(self) -> None:
        super().__init__()
        self.gateway = Gateway(TOKEN, self._welcome, self.changed)
        api = HttpApi(self, self.gateway)
        self._runner = web.AppRunner(api.app(), shutdown_timeout=0.5)
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

    def channel(self, name: str = "general") -> Channel:
        """A new channel of the server; make it before anybody connects."""
        return self.open_channel(Channel(snowflake(), guild=self.guild, name=name))

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
        return self.open_channel(thread)

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
        self.interactions[interaction["token"]] = False
        await self.gateway.dispatch("INTERACTION_CREATE", interaction)
        return interaction

    def expire_interactions(self) -> None:
        """Nobody may answer the interactions so far any more."""
        self.interactions.clear()

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
