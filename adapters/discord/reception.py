"""Puts what happens on Discord into order, and hands over what it means to the companion."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import discord

from adapters.base import Handle, Host
from adapters.buttons import OVER
from adapters.discord.client import Interaction, Sleep
from adapters.discord.failures import INTERACTION_OVER, PORTAL, TROUBLE, in_words
from adapters.discord.files import with_contents
from adapters.discord.intake import Intake, Job
from adapters.discord.sending import Sending
from adapters.discord.to_event import (
    MOST_FILES,
    PLATFORM,
    Me,
    Meaning,
    Stranger,
    Unreadable,
    of_command,
    of_deletion,
    of_edit,
    of_message,
    of_press,
    of_reaction,
    place,
    sender_of,
    where,
)
from companion.choices import Reference
from companion.clock import Clock
from companion.errors import DatabaseError
from companion.events import FileReceived, PlatformEvent

logger = logging.getLogger(__name__)

DATABASE_PAUSE_SECONDS = 5.0
MOST_REACTIONS = 1000
WRITE_TO_ME = (
    "I only talk with people whom my operator has let in. To ask for that, write to me in a direct"
    " message."
)
NOT_NOW = "I have told you how my operator can let you in. Please wait until they have."
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
        tasks: asyncio.TaskGroup,
        clock: Clock,
        sleep: Sleep,
    ) -> None:
        self.me = me
        self._intake = intake
        self._sending = sending
        self._host = host
        self._handle = handle
        self._new_session = new_session
        self._worked = worked
        self._tasks = tasks
        self._clock = clock
        self._sleep = sleep
        self._catching_up: asyncio.Task[None] | None = None
        self._told_owner = False
        self._listening = False
        self._reactions: OrderedDict[tuple[int, int, str], bool] = OrderedDict()

    def is_called(self, me: int) -> None:
        """The bot's id is known, after the login."""
        self.me = replace(self.me, id=me)

    def connected(self, client: discord.Client) -> None:
        self._listening = True
        self._intake.hold()
        self._worked()
        if self._catching_up is not None:
            self._catching_up.cancel()
        self._catching_up = self._spawn(self._new_session(client))
        self._spawn(self._note(self._host.heard(PLATFORM)))

    def resumed(self) -> None:
        self._listening = True
        self._worked()
        self._spawn(self._note(self._host.heard(PLATFORM)))

    def disconnected(self) -> None:
        if not self._listening:
            return
        self._listening = False
        trouble = "the connection to Discord is interrupted"
        self._spawn(self._note(self._host.troubled(PLATFORM, trouble)))

    def message(self, message: discord.Message) -> None:
        self._intake.add(message.channel.id, self.job(message), message=message.id)

    def job(self, message: discord.Message) -> Job:
        """Takes in a message."""
        return partial(self._safely, partial(self._message, message), str(message.id))

    def edited(self, message: discord.Message) -> None:
        async def take() -> None:
            await self._take(of_edit(message, self.me, admitted=await self._admits(message.author)))

        self._intake.add(message.channel.id, partial(self._safely, take, f"edit {message.id}"))

    def deleted(self, channel: int, message: int) -> None:
        async def take() -> None:
            for part in (str(message), *(f"{message}/{n}" for n in range(1, MOST_FILES))):
                known = await self._host.event(PLATFORM, part)
                if known is None:
                    return
                await self._hand_over([of_deletion(known, self._clock.now())])

        self._intake.add(channel, partial(self._safely, take, f"delete {message}"))

    def reacted(self, reaction: discord.RawReactionActionEvent, *, removed: bool) -> None:
        if not self._is_news(reaction, removed):
            return
        if reaction.message_author_id not in (self.me.id, None):
            return
        take = partial(self._reaction, reaction, removed=removed)
        name = f"reaction to {reaction.message_id}"
        self._intake.add(reaction.channel_id, partial(self._safely, take, name))

    def asked(self, interaction: Interaction, text: str) -> None:
        event = of_command(interaction, text)
        admitting = self._tasks.create_task(self._admits(interaction.user))
        deferred = self._spawn(self._defer_or_turn_away(interaction, event.id, admitting))

        async def take() -> None:
            await asyncio.wait([deferred])
            if await admitting:
                await self._take([event])

        chat = interaction.channel_id or 0
        self._intake.add(chat, partial(self._safely, take, event.id))

    def pressed(self, interaction: Interaction, reference: Reference) -> None:
        admitting = self._tasks.create_task(self._admits(interaction.user))
        answered = self._spawn(self._put_buttons_away(interaction, reference, admitting))

        async def take() -> None:
            if not await admitting:
                return
            choice = await self._host.chosen(where(interaction), reference)
            if choice is None or not choice.words:
                return
            event = of_press(interaction, reference, choice.words)
            await asyncio.wait([answered])
            if interaction.guild_id is not None and interaction.response.is_done():
                self._sending.expect_answer(event.id, interaction, answered=True)
            await self._take([event])

        chat = interaction.channel_id or 0
        self._intake.add(chat, partial(self._safely, take, f"button {reference}"))

    async def _put_buttons_away(
        self, interaction: Interaction, reference: Reference, admitting: asyncio.Task[bool]
    ) -> None:
        """The answer that Discord waits for: the message without its buttons."""
        if not await admitting:
            await self._turn_away(interaction)
            return
        try:
            if await self._host.chosen(where(interaction), reference) is None:
                await interaction.response.send_message(OVER, ephemeral=True)
            else:
                await interaction.response.edit_message(view=None)
        except TROUBLE as error:
            logger.info("a pressed button is left as it is: %s", in_words(error))

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

    async def _defer_or_turn_away(
        self, interaction: Interaction, event: str, admitting: asyncio.Task[bool]
    ) -> None:
        if await admitting:
            self._sending.expect_answer(event, interaction)
            await self._defer(interaction, event)
        else:
            await self._turn_away(interaction)

    async def _defer(self, interaction: Interaction, event: str) -> None:
        """Show that an answer is being thought of; Discord waits three seconds for that."""
        try:
            hidden = interaction.guild_id is not None
            await interaction.response.defer(ephemeral=hidden, thinking=True)
        except TROUBLE as error:
            code = getattr(error, "code", None)
            log = logger.info if code in INTERACTION_OVER else logger.warning
            log("%s can't be answered as such: %s", event, in_words(error))
            self._sending.forget(event)

    async def _turn_away(self, interaction: Interaction) -> None:
        text: str | None = WRITE_TO_ME
        if interaction.guild_id is None:
            chat = str(interaction.channel_id)
            text = await self._host.turned_away(PLATFORM, sender_of(interaction.user), chat)
        try:
            await interaction.response.send_message(text or NOT_NOW, ephemeral=True)
        except TROUBLE as error:
            logger.info("a stranger could not be told: %s", in_words(error))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do `work` beside everything else; what goes wrong there ends nothing else."""

        async def guarded() -> None:
            try:
                await work
            except Exception:
                logger.exception("something went wrong with Discord")

        return self._tasks.create_task(guarded())

    async def _safely(self, take: Callable[[], Awaitable[None]], name: str) -> None:
        """Do `take`, again while the database takes nothing; what else fails is put aside."""
        while True:
            try:
                await take()
            except DatabaseError as error:
                logger.error("what Discord gave waits for the database: %s", error)  # noqa: TRY400
                await self._sleep(DATABASE_PAUSE_SECONDS)
            except TROUBLE as error:
                logger.warning("%s is left out: %s", name, in_words(error))
                return
            except Exception as error:
                logger.exception("%s can't be read", name)
                await self.unreadable(name, error)
                return
            else:
                return

    async def unreadable(self, name: str, error: Exception) -> None:
        """What Discord gave under this name is put aside for the operator."""
        words = in_words(error)
        await self._note(self._host.unreadable(PLATFORM, name, user=None, body="", error=words))

    async def _note(self, noting: Awaitable[None]) -> None:
        """Notes about the platform are worth no more than a log line if they fail."""
        try:
            await noting
        except DatabaseError as error:
            logger.warning("a note about Discord is lost: %s", error)
