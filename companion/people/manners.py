"""How much of everybody's time one person may take."""

from collections import defaultdict, deque
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

from companion.events import TimerFired
from companion.people.turns import Turns
from companion.settings import LimitsSettings
from companion.storage.inbox import InboxItem
from companion.turns.gathering import Batch

MINUTE = timedelta(minutes=1)

TOO_FAST = (
    "That is more than I can take in within a minute. I have all of it, and answer again when you"
    " write in a minute or so."
)


class Pace:
    """How many messages each sender may write within a minute; None for as many as they like."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._came: defaultdict[tuple[str, str], deque[datetime]] = defaultdict(deque)
        self._told: dict[tuple[str, str], datetime] = {}

    def is_over(self, batch: Batch) -> bool:
        """Whether the sender of `batch` wrote enough before it. Counts it too."""
        if self._most is None or isinstance(batch.lead.event, TimerFired):
            return False
        came = self._came[_sender(batch.lead)]
        items = (*batch.earlier, batch.lead)
        while came and came[0] <= items[0].received_at - MINUTE:
            came.popleft()
        over = len(came) >= self._most
        came.extend(item.received_at for item in items)
        return over

    def words(self, item: InboxItem) -> str:
        """What to say about that: once a minute, and nothing else."""
        sender = _sender(item)
        told = self._told.get(sender)
        if told is not None and item.received_at - told < MINUTE:
            return ""
        self._told[sender] = item.received_at
        return TOO_FAST


@dataclass(frozen=True, slots=True)
class Manners:
    """How much of everybody's time one person may take."""

    pace: Pace
    turns: Turns

    @classmethod
    def of(cls, limits: LimitsSettings) -> Self:
        """What the settings say."""
        return cls(Pace(limits.messages_a_minute), Turns(limits.turns_at_once))


def _sender(item: InboxItem) -> tuple[str, str]:
    user = "" if isinstance(item.event, TimerFired) else item.event.sender.user
    return item.address.platform, user
