"""Puts what happens on Discord into order, and hands over what it means to the companion."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import discord

from adapters.base import Handle, Host
from adapters.discord.client import Interaction
from adapters.discord.failures import PORTAL
from adapters.discord.files import with_contents
from adapters.discord.guard import Guard
from adapters.discord.intake import Intake, Job
from adapters.discord.interactions import Interactions
from adapters.discord.sending import Sending
from adapters.discord.to_event import (
    MOST_FILES,
    PLATFORM,
    Me,
    Meaning,
    Stranger,
    Unreadable,
    of_deletion,
    of_edit,
    of_message,
    of_reaction,
    place,
)
from companion.choices import Reference
from companion.clock import Clock
from companion.events import FileReceived, PlatformEvent

logger = logging.getLogger(__name__)

MOST_REACTIONS = 1000
UNREADABLE = (
    "Somebody wrote to me in <#{channel}>, and Discord hides from me what. To let me read messages"
    f" on servers that don't mention me, open {PORTAL}, my application, Bot, switch on Message"
    " Content Intent, and set read_all = true under [discord]."
)


class DiscordReception:
    """Hears what happens; it is called by discord.py's client."""

    def __init__(
        self,
        me: Me,
        *,
        intake: Intake,
        sending: Sending,
        host: Host,
        handle: Handle,
        new_session: Callable[[discord.Client], Coroutine[Any, Any, None]],
        worked: Callable[[], None],
        guard: Guard,
        clock: Clock,
    ) -> None:
        self.me = me
        self._intake = intake
        self._sending = sending
        self._host = host
        self._handle = handle
        self._new_session = new_session
        self._worked = worked
        self._guard = guard
        self._clock = clock
        self._interactions = Interactions(
            intake=intake, guard=guard, sending=sending, host=host, handle=handle
        )
        self._catching_up: asyncio.Task[None] | None = None
        self._told_owner = False
        self._listening = False
        self._reactions: OrderedDict[tuple[int, int, str], bool] = OrderedDict()

    def is_called(self, me: int) -> None:
        """The bot's id is known, after the login."""
        self.me = replace(self.me, id=me)

    def connected(self, client: discord.Client) -> None:
        """The gateway takes us for `user`: what came meanwhile is caught up with."""
        self._listening = True
        self._intake.hold()
        self._worked()
        if self._catching_up is not None:
            self._catching_up.cancel()
        self._catching_up = self._guard.spawn(self._new_session(client))
        self._guard.spawn(self._guard.note(self._host.heard(PLATFORM)))

    def resumed(self) -> None:
        """The gateway goes on where it was; it gives again what was missed."""
        self._listening = True
        self._worked()
        self._guard.spawn(self._guard.note(self._host.heard(PLATFORM)))

    def disconnected(self) -> None:
        """The gateway is gone."""
        if not self._listening:
            return
        self._listening = False
        trouble = "the connection to Discord is interrupted"
        self._guard.spawn(self._guard.note(self._host.troubled(PLATFORM, trouble)))

    def message(self, message: discord.Message) -> None:
        """Somebody wrote."""
        self._intake.add(message.channel.id, self.job(message), message=message.id)

    def job(self, message: discord.Message) -> Job:
        """Takes in a message."""
        return self._guard.job(partial(self._message, message), str(message.id))

    def edited(self, message: discord.Message) -> None:
        """A message was changed."""

        async def take() -> None:
            await self._take(of_edit(message, self.me, admitted=await self._admits(message.author)))

        self._intake.add(message.channel.id, self._guard.job(take, f"edit {message.id}"))

    def deleted(self, channel: int, message: int) -> None:
        """A message was taken away."""

        async def take() -> None:
            for part in (str(message), *(f"{message}/{n}" for n in range(1, MOST_FILES))):
                known = await self._host.event(PLATFORM, part)
                if known is None:
                    return
                await self._hand_over([of_deletion(known, self._clock.now())])

        self._intake.add(channel, self._guard.job(take, f"delete {message}"))

    def reacted(self, reaction: discord.RawReactionActionEvent, *, removed: bool) -> None:
        """Somebody put an emoji to a message, or took it back."""
        if not self._is_news(reaction, removed):
            return
        if reaction.message_author_id not in (self.me.id, None):
            return
        take = partial(self._reaction, reaction, removed=removed)
        name = f"reaction to {reaction.message_id}"
        self._intake.add(reaction.channel_id, self._guard.job(take, name))

    def asked(self, interaction: Interaction, text: str) -> None:
        """Somebody used a slash command."""
        self._interactions.asked(interaction, text)

    def pressed(self, interaction: Interaction, reference: Reference) -> None:
        """Somebody pressed a button below a message."""
        self._interactions.pressed(interaction, reference)

    def unreadable(self, name: str, error: Exception) -> None:
        """Discord gave what can't be read: it is kept for the operator."""
        self._guard.spawn(self._guard.unreadable(name, error))

    async def _message(self, message: discord.Message) -> None:
        meaning = of_message(message, self.me, admitted=await self._admits(message.author))
        match meaning:
            case [FileReceived(), *_]:
                await self._hand_over(await with_contents(meaning, message.attachments))
            case _:
                await self._take(meaning)

    async def _reaction(self, reaction: discord.RawReactionActionEvent, *, removed: bool) -> None:
        client = self._sending.client
        if client is None or not await self._host.admits(PLATFORM, str(reaction.user_id)):
            return
        user: discord.User | discord.Member | None
        user = reaction.member or client.get_user(reaction.user_id)
        if user is None:
            user = await client.fetch_user(reaction.user_id)
        channel = client.get_channel(reaction.channel_id)
        event = of_reaction(
            message=reaction.message_id,
            emoji=reaction.emoji.name,
            user=user,
            address=place(channel, reaction.channel_id, reaction.guild_id),
            at=self._clock.now(),
            removed=removed,
        )
        await self._take([event])

    def _is_news(self, reaction: discord.RawReactionActionEvent, removed: bool) -> bool:
        """False for what a replay brings again: these events have no id of their own."""
        key = (reaction.message_id, reaction.user_id, str(reaction.emoji))
        if self._reactions.get(key) is removed:
            return False
        self._reactions[key] = removed
        self._reactions.move_to_end(key)
        if len(self._reactions) > MOST_REACTIONS:
            self._reactions.popitem(last=False)
        return True

    async def _take(self, meaning: Meaning) -> None:
        match meaning:
            case Stranger(sender=sender, channel=channel):
                text = await self._host.turned_away(PLATFORM, sender, str(channel))
                if text is not None:
                    await self._sending.say(channel, text)
            case Unreadable(channel=channel):
                await self._tell_owner(channel)
            case _:
                await self._hand_over(meaning)

    async def _hand_over(self, events: Sequence[PlatformEvent]) -> None:
        for event in events:
            await self._handle(event)

    async def _tell_owner(self, channel: int) -> None:
        if self._told_owner:
            return
        self._told_owner = True
        text = UNREADABLE.format(channel=channel)
        logger.warning("%s", text)
        await self._sending.tell_owner(text)

    async def _admits(self, user: discord.User | discord.Member) -> bool:
        return await self._host.admits(PLATFORM, str(user.id))
