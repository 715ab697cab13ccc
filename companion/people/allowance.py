"""How much each person and all may have of the model, and what is said when that is used up."""

import logging
from dataclasses import dataclass
from datetime import datetime

from companion.clock import Clock
from companion.errors import TurnEndedError
from companion.people.access import Access
from companion.settings import LimitsSettings
from companion.storage import usage
from companion.storage.database import Database, Tx
from companion.storage.inbox import InboxItem
from companion.storage.usage import Spent

logger = logging.getLogger(__name__)

YOURS = (
    "We have talked as much today as my operator set for one person. I have what you wrote, and see"
    " it when we go on tomorrow (from midnight UTC)."
)
EVERYBODYS = (
    "I have used up for today what my operator set for all of us. I have what you wrote, and see it"
    " when we go on tomorrow (from midnight UTC)."
)
NOTHING_AT_ALL = (
    "My operator lets me spend nothing on answers at the moment. I have what you wrote, and see it"
    " when that changes."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Today:
    """What a person, and everybody, spent since midnight UTC."""

    own: Spent
    all: Spent


class Allowance:
    """Looks before each request to the model whether it may be made."""

    def __init__(
        self, db: Database, *, access: Access, limits: LimitsSettings, clock: Clock
    ) -> None:
        self._db = db
        self._access = access
        self.limits = limits
        self._clock = clock
        self._told: datetime | None = None

    async def check(self, item: InboxItem) -> None:
        """Let the model be asked for this event.

        Raises:
            TurnEndedError: its person was shut out, or there is nothing left to spend.
        """
        if await self._db.read(lambda tx: self._access.is_shut_out(tx, item)):
            raise TurnEndedError("")
        text = await self._db.read(lambda tx: self._used_up(tx, item.person))
        if text:
            raise TurnEndedError(text)

    def today(self, tx: Tx, person: int) -> Today:
        """What was spent today."""
        return _today(tx, person, self._clock)

    def _used_up(self, tx: Tx, person: int) -> str:
        limits = self.limits
        if limits.asks_nothing:
            return ""
        if limits.lets_nothing:
            return NOTHING_AT_ALL
        today = self.today(tx, person)
        if is_used_up_by_all(limits, today.all):
            self._tell_operator(today.all)
            return EVERYBODYS
        return YOURS if _is_used_up_by(limits, today.own) else ""

    def _tell_operator(self, spent: Spent) -> None:
        """Once a day."""
        now = self._clock.now()
        if self._told is None or self._told.date() != now.date():
            self._told = now
            logger.error(
                "what [limits] lets all spend today is used up: %s tokens, $%.4f. Nothing is asked"
                " of the model before midnight UTC",
                spent.tokens,
                spent.cost,
            )


def is_used_up(tx: Tx, person: int, *, limits: LimitsSettings, clock: Clock) -> bool:
    """Whether nothing more may be asked of a model for this person today."""
    if limits.asks_nothing or limits.lets_nothing:
        return limits.lets_nothing
    today = _today(tx, person, clock)
    return is_used_up_by_all(limits, today.all) or _is_used_up_by(limits, today.own)


def is_used_up_by_all(limits: LimitsSettings, spent: Spent) -> bool:
    """Whether everybody together spent today what they may."""
    return _reached(spent.tokens, limits.tokens_a_day_for_all) or _reached(
        spent.cost, limits.dollars_a_day_for_all
    )


def _is_used_up_by(limits: LimitsSettings, own: Spent) -> bool:
    return _reached(own.tokens, limits.tokens_a_day)


def _today(tx: Tx, person: int, clock: Clock) -> Today:
    day = clock.now().date()
    return Today(own=usage.spent(tx, person, day), all=usage.spent_by_all(tx, day))


def _reached(spent: float, limit: float | None) -> bool:
    return limit is not None and spent >= limit
