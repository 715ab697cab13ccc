"""What a function can reach: one person's memory, and the event that is being dealt with."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from companion.clock import Clock
from companion.events import TimerFired
from companion.memory.person_memory import PersonMemory
from companion.sources import Foreign, Heard
from companion.storage.inbox import InboxItem


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One event of one person's. Nothing in it leads to anybody else.

    `fits` tells whether a result is short enough to be shown whole, `heard` whose words there are
    in it. Of what the model finds in memory, `found` is what others had said.
    """

    item: InboxItem
    memory: PersonMemory
    zone: tzinfo
    clock: Clock
    fits: Callable[[str], bool]
    heard: Callable[[], Awaitable[Heard]]
    found: list[Foreign] = field(default_factory=list)
    looks_again: bool = False

    @property
    def may_stay_silent(self) -> bool:
        """Groups and most timed events need no answer, nor does looking again at what was answered;
        a person who writes in private does, and so does a reminder."""
        if isinstance(self.item.event, TimerFired):
            return not self.item.event.promised
        return self.looks_again or not self.item.address.private

    def now(self) -> datetime:
        """The time, in UTC."""
        return self.clock.now()
