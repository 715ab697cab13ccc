"""discord.py's client, set up for the companion: what it hears goes to a reception, in order."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import discord
import yarl
from discord import app_commands
from discord.gateway import DiscordWebSocket
from discord.http import Route

from adapters.discord.slash import Slash, add_commands, synced
from companion.choices import Reference

Interaction = discord.Interaction[discord.Client]
Sleep = Callable[[float], Awaitable[None]]

IDENTIFY_SECONDS = 5.0
"""Discord asks for a pause before another session is begun."""


class Reception(Protocol):
    """Hears what happens on Discord. Its methods only put things into order, and return."""

    def connected(self, client: discord.Client) -> None:
        """A new session has begun; what happened before it must be asked for."""

    def resumed(self) -> None:
        """The session goes on, with all that happened meanwhile."""

    def disconnected(self) -> None:
        """The connection is lost; discord.py tries to get it back."""

    def message(self, message: discord.Message) -> None:
        """Somebody wrote."""

    def edited(self, message: discord.Message) -> None:
        """A message looks different now."""

    def deleted(self, channel: int, message: int) -> None:
        """A message is gone."""

    def reacted(self, reaction: discord.RawReactionActionEvent, *, removed: bool) -> None:
        """An emoji was put to a message, or taken away."""

    def asked(self, interaction: Interaction, text: str) -> None:
        """Somebody used the slash command that `text` is, such as "/memory"."""

    def pressed(self, interaction: Interaction, reference: Reference) -> None:
        """Somebody pressed the button with this reference."""


def point_at(api_base: str, gateway: str) -> None:
    """Let discord.py talk to these addresses; it has them in its classes."""
    Route.BASE = api_base
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway)
    discord.VoiceClient.warn_nacl = False
    discord.VoiceClient.warn_dave = False


def intents(*, read_all: bool) -> discord.Intents:
    """What Discord shall tell us. `read_all`: the text of server messages without a mention too,
    which has to be switched on in the developer portal."""
    return discord.Intents(
        guilds=True,
        messages=True,
        reactions=True,
        message_content=read_all,
    )


class Client(discord.Client):
    """One login and the connections that follow from it."""

    def __init__(
        self,
        reception: Reception,
        *,
        commands: tuple[Slash, ...],
        read_all: bool,
        sleep: Sleep,
    ) -> None:
        super().__init__(
            intents=intents(read_all=read_all),
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            max_ratelimit_timeout=60.0,
            guild_ready_timeout=0.0,
        )
        self._reception = reception
        self._sleep = sleep
        self._tree = app_commands.CommandTree(self)
        add_commands(self._tree, commands, reception.asked)

    async def setup_hook(self) -> None:
        """Called once, between the login and the first connection."""
        await synced(self._tree)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        if not initial:
            await self._sleep(IDENTIFY_SECONDS)

    async def on_connect(self) -> None:
        self._reception.connected(self)

    async def on_resumed(self) -> None:
        self._reception.resumed()

    async def on_disconnect(self) -> None:
        self._reception.disconnected()

    async def on_message(self, message: discord.Message) -> None:
        self._reception.message(message)

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        self._reception.edited(payload.message)

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        self._reception.deleted(payload.channel_id, payload.message_id)

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        for message in sorted(payload.message_ids):
            self._reception.deleted(payload.channel_id, message)

    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        self._reception.reacted(payload, removed=False)

    async def on_raw_reaction_remove(self, payload: discord.RawReactionActionEvent) -> None:
        self._reception.reacted(payload, removed=True)

    async def on_interaction(self, interaction: Interaction) -> None:
        if interaction.type is discord.InteractionType.component:
            pressed: dict[str, Any] = dict(interaction.data or {})
            reference = Reference.read(str(pressed.get("custom_id", "")))
            if reference is not None:
                self._reception.pressed(interaction, reference)
