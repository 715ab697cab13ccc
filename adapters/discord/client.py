"""discord.py's client, set up for the companion: what it hears goes to a reception, in order."""

import sys
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Protocol

import discord
import yarl
from discord import app_commands
from discord.gateway import DiscordWebSocket
from discord.http import Route

from adapters.discord.slash import Slash, add_commands, synced
from adapters.discord.unreadable import MALFORMED, name_of
from companion.choices import Reference
from companion.tasks import failure_of

Interaction = discord.Interaction[discord.Client]
Sleep = Callable[[float], Awaitable[None]]

CONNECTS = ("READY", "RESUMED")
"""Without these there is no session; a connection that begins with a wrong one is begun anew."""
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

    def unreadable(self, name: str, error: Exception) -> None:
        """Something happened that can't be understood, for this reason."""


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
        self._read_each_by_itself()
        self._tree = _Tree(self, reception)
        add_commands(self._tree, commands, reception.asked)

    def _read_each_by_itself(self) -> None:
        """Have what can't be read cost itself: discord.py 2.7.1 ends the connection."""
        parsers = self._connection.parsers
        for kind in parsers.keys() - set(CONNECTS):
            parsers[kind] = partial(self._parse, kind, parsers[kind])

    def _parse(self, kind: str, parse: Callable[[Any], None], data: Any) -> None:
        try:
            parse(data)
        except MALFORMED as error:
            self._reception.unreadable(name_of(kind, data), error)

    async def on_error(self, event_method: str, /, *args: Any, **_options: Any) -> None:
        """Called by discord.py where a method of ours has raised; the error is the current one."""
        error = sys.exc_info()[1]
        assert isinstance(error, Exception)
        about = args[0] if args else None
        self._reception.unreadable(f"{event_method} {getattr(about, 'id', about)}", error)

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


class _Tree(app_commands.CommandTree[discord.Client]):
    """Slash commands, of which those that can't be read are put aside."""

    def __init__(self, client: discord.Client, reception: Reception) -> None:
        super().__init__(client)
        self._reception = reception

    async def _call(self, interaction: Interaction) -> None:
        error = await failure_of(super()._call(interaction))
        if error is not None:
            self._put_aside(interaction, error)

    async def on_error(
        self, interaction: Interaction, error: app_commands.AppCommandError, /
    ) -> None:
        self._put_aside(interaction, error)

    def _put_aside(self, interaction: Interaction, error: Exception) -> None:
        self._reception.unreadable(f"INTERACTION_CREATE {interaction.id}", error)
