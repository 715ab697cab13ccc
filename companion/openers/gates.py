"""When the companion may write first. All of it is decided here, before any model is asked."""

from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from enum import Enum

from companion.timed.hours import Hours

BACK_OFF = tuple(timedelta(days=days) for days in (1, 2, 4, 8))
"""How long to wait after so many openers in a row that nobody answered; then until they write."""

TALKING = timedelta(minutes=30)
"""Since anything was said; before that a conversation is still going on."""


class Gate(Enum):
    """What keeps an opener back, in the words of the operator's history."""

    DISABLED = "disabled"
    """The operator switched openers off."""
    REVOKED = "revoked"
    """The person was erased, or may no longer talk to the companion."""
    NOT_OPTED_IN = "not opted in"
    PAUSED = "paused"
    UNREACHABLE = "unreachable"
    ZONE_UNKNOWN = "zone unknown"
    OUTSIDE_HOURS = "outside hours"
    """It is not the time of day for openers."""
    QUIET_HOURS = "quiet hours"
    """The person asked to be left alone at this time of day."""
    IN_CONVERSATION = "in conversation"
    """They just wrote, or something of theirs is being dealt with."""
    UNDER_WAY = "under way"
    """An opener before this one has not arrived yet."""
    UNTIL_THEY_WRITE = "quiet until they write"
    BACKING_OFF = "backing off"
    DAILY_CAP = "daily cap"
    MINIMUM_GAP = "minimum gap"
    ASKED_TODAY = "asked today"
    """The model was asked today, and chose silence."""
    NOTHING_TO_SAY = "nothing to say"
    BETTER_LATER = "better later today"
    """What matters more can be asked later today, and there is one opener a day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """How often. `cap` is a day's openers; `gap` the time since either side's last message, and
    `apart` that since the last opener."""

    cap: int
    gap: timedelta
    apart: timedelta = timedelta()


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """All that the gates look at, of one person.

    `rhythm` is None unless they opted in. `zone` is None while unknown. `heard` is when they last
    wrote, `said` when the companion last did. `unanswered` counts openers since they last answered
    one or wrote; `sent_today` and `asked_today` count since midnight on their own clock.
    """

    enabled: bool
    allowed: bool
    rhythm: Rhythm | None
    paused_until: datetime | None
    reachable: bool
    zone: tzinfo | None
    hours: Hours
    quiet: Hours | None
    busy: bool
    under_way: bool
    heard: datetime | None
    said: datetime | None
    last_opener: datetime | None
    unanswered: int
    sent_today: int
    asked_today: int


def shut(situation: Situation, now: datetime) -> Gate | None:
    """The first gate that is shut at `now`; None when all are open."""
    return _of_the_person(situation, now) or _of_the_day(situation, now) or _of_talk(situation, now)


def _of_the_person(situation: Situation, now: datetime) -> Gate | None:
    if not situation.enabled:
        return Gate.DISABLED
    if not situation.allowed:
        return Gate.REVOKED
    if situation.rhythm is None:
        return Gate.NOT_OPTED_IN
    if situation.paused_until is not None and now < situation.paused_until:
        return Gate.PAUSED
    return None if situation.reachable else Gate.UNREACHABLE


def _of_the_day(situation: Situation, now: datetime) -> Gate | None:
    if situation.zone is None:
        return Gate.ZONE_UNKNOWN
    local = now.astimezone(situation.zone).time()
    if situation.quiet is not None and local in situation.quiet:
        return Gate.QUIET_HOURS
    return None if local in situation.hours else Gate.OUTSIDE_HOURS


def _of_talk(situation: Situation, now: datetime) -> Gate | None:
    rhythm = situation.rhythm
    assert rhythm is not None
    last = max((at for at in (situation.heard, situation.said) if at), default=None)
    if situation.busy or (last is not None and now - last < TALKING):
        return Gate.IN_CONVERSATION
    if situation.under_way:
        return Gate.UNDER_WAY
    if (gate := _backing_off(situation, now)) is not None:
        return gate
    if situation.sent_today >= rhythm.cap:
        return Gate.DAILY_CAP
    if last is not None and now - last < rhythm.gap:
        return Gate.MINIMUM_GAP
    if situation.last_opener is not None and now - situation.last_opener < rhythm.apart:
        return Gate.MINIMUM_GAP
    return Gate.ASKED_TODAY if situation.asked_today >= rhythm.cap else None


def _backing_off(situation: Situation, now: datetime) -> Gate | None:
    if situation.unanswered > len(BACK_OFF):
        return Gate.UNTIL_THEY_WRITE
    if situation.unanswered and situation.last_opener is not None:
        wait = BACK_OFF[situation.unanswered - 1]
        return Gate.BACKING_OFF if now - situation.last_opener < wait else None
    return None
