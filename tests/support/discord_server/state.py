"""What there is on the Discord of the tests."""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.support.discord_server.payloads import Channel, Json, Member, snowflake

PATIENCE_SECONDS = 60


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


class State:
    """`me` is the bot; everybody sees and changes this."""

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
        self.interactions: dict[str, bool] = {}
        self._changes = asyncio.Event()

    def direct(self, person: Member) -> Channel:
        """The direct messages with `person`."""
        for channel in self.channels.values():
            if channel.recipient == person:
                return channel
        return self.open_channel(Channel(snowflake(), recipient=person))

    def open_channel(self, channel: Channel) -> Channel:
        """There is a new channel."""
        self.channels[channel.id] = channel
        return channel

    async def until(
        self, condition: Callable[[], object], *, seconds: float = PATIENCE_SECONDS
    ) -> None:
        """Return when `condition` holds; it is looked at when something happens here."""
        async with asyncio.timeout(seconds):
            while not condition():
                self._changes.clear()
                await self._changes.wait()

    def changed(self) -> None:
        """Something happened that somebody may wait for."""
        self._changes.set()
