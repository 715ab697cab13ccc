"""What a chat platform is to the companion."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from companion.choices import Reference
from companion.events import Address, Choice, OutgoingMessage, PlatformEvent, Sender

Handle = Callable[[PlatformEvent], Awaitable[bool]]
"""Takes an event in; returns once it is on disk, with False if it was there before."""


class Host(Protocol):
    """What the companion keeps for a platform besides events."""

    async def heard(self, platform: str) -> None:
        """A round trip with the platform was finished."""

    async def troubled(self, platform: str, trouble: str) -> None:
        """Something is wrong, in words for the operator."""

    async def admits(self, platform: str, user: str) -> bool:
        """Whether this account may talk with the companion."""

    async def turned_away(self, platform: str, sender: Sender, chat: str) -> str | None:
        """What to tell a stranger who wrote in the private chat `chat`; None for silence."""

    async def operator(self, platform: str) -> str | None:
        """The account of who can change something about the platform, if that is known."""

    async def unreadable(
        self, platform: str, letter: str, *, user: str | None, body: str, error: str
    ) -> None:
        """Keep what could not be read, and tell the operator."""

    async def last_messages(self, platform: str) -> dict[str, str]:
        """The last message that came in each private chat, both as the platform calls them."""

    async def event(self, platform: str, id: str) -> PlatformEvent | None:  # noqa: A002
        """What came from the platform under this id, which is its own."""

    async def chosen(self, address: Address, reference: Reference) -> Choice | None:
        """What a button stands for; None for a question that is over or was never asked there."""

    async def moved(self, platform: str, chat: str, to: str) -> None:
        """A group has another id from now on."""


class Adapter(Protocol):
    """One chat platform."""

    async def run(self, handle: Handle) -> None:
        """Connect, and give each event to `handle`, until cancelled or left by the person."""

    async def send(self, message: OutgoingMessage) -> str | None:
        """Deliver `message`, and give what the platform calls it, if anything.

        Raises:
            DeliveryError: the platform will not take it; trying again won't help.
        """

    def typing(self, address: Address, shown: bool) -> None:
        """Show, or stop showing, that an answer for `address` is being thought of."""
