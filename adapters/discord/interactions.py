"""Slash commands and pressed buttons: Discord waits three seconds for a first answer to each."""

import asyncio
import logging

import discord

from adapters.base import Handle, Host
from adapters.buttons import OVER
from adapters.discord.client import Interaction
from adapters.discord.failures import INTERACTION_OVER, TROUBLE, in_words
from adapters.discord.guard import Guard
from adapters.discord.intake import Intake
from adapters.discord.sending import Sending
from adapters.discord.to_event import PLATFORM, of_command, of_press, sender_of, where
from companion.choices import Reference

logger = logging.getLogger(__name__)

WRITE_TO_ME = (
    "I only talk with people whom my operator has let in. To ask for that, write to me in a direct"
    " message."
)
NOT_NOW = "I have told you how my operator can let you in. Please wait until they have."


class Interactions:
    """Answers interactions at once, and takes in what they mean."""

    def __init__(
        self, *, intake: Intake, guard: Guard, sending: Sending, host: Host, handle: Handle
    ) -> None:
        self._intake = intake
        self._guard = guard
        self._sending = sending
        self._host = host
        self._handle = handle

    def asked(self, interaction: Interaction, text: str) -> None:
        """Somebody used the slash command that `text` is."""
        event = of_command(interaction, text)
        deferred = self._guard.spawn(self._defer_or_turn_away(interaction, event.id))

        async def take() -> None:
            await asyncio.wait([deferred])
            if await self._admits(interaction.user):
                await self._handle(event)

        self._intake.add(interaction.channel_id or 0, self._guard.job(take, event.id))

    def pressed(self, interaction: Interaction, reference: Reference) -> None:
        """Somebody pressed the button with this reference."""
        answered = self._guard.spawn(self._put_buttons_away(interaction, reference))

        async def take() -> None:
            await asyncio.wait([answered])
            if not await self._admits(interaction.user):
                return
            choice = await self._host.chosen(where(interaction), reference)
            if choice is None or not choice.words:
                return
            event = of_press(interaction, reference, choice.words)
            if interaction.guild_id is not None and interaction.response.is_done():
                self._sending.expect_answer(event.id, interaction, answered=True)
            await self._handle(event)

        job = self._guard.job(take, f"button {reference}")
        self._intake.add(interaction.channel_id or 0, job)

    async def _admits(self, user: discord.User | discord.Member) -> bool:
        return await self._host.admits(PLATFORM, str(user.id))

    async def _put_buttons_away(self, interaction: Interaction, reference: Reference) -> None:
        """The answer that Discord waits for: the message without its buttons."""
        if not await self._admits(interaction.user):
            await self._turn_away(interaction)
            return
        try:
            if await self._host.chosen(where(interaction), reference) is None:
                await interaction.response.send_message(OVER, ephemeral=True)
            else:
                await interaction.response.edit_message(view=None)
        except TROUBLE as error:
            logger.info("a pressed button is left as it is: %s", in_words(error))

    async def _defer_or_turn_away(self, interaction: Interaction, event: str) -> None:
        if await self._admits(interaction.user):
            self._sending.expect_answer(event, interaction)
            await self._defer(interaction, event)
        else:
            await self._turn_away(interaction)

    async def _defer(self, interaction: Interaction, event: str) -> None:
        """Show that an answer is being thought of."""
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
