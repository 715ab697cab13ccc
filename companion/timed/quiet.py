"""When quiet hours end, and when the next ones begin."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from companion.timed.hours import Hours
from companion.timed.recurrence import instant

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)


def end_of_quiet(quiet: Hours, moment: datetime, zone: ZoneInfo) -> datetime | None:
    """When the quiet hours around `moment` end, in UTC; None outside of them."""
    local = moment.astimezone(zone)
    if local.time() not in quiet:
        return None
    day = local.date() + (DAY if local.time() >= quiet.end else timedelta(0))
    end = instant(day, quiet.end, zone)
    if end is None or end <= moment:  # a clock that was set back shows these hours again
        end = moment.astimezone(UTC).replace(second=0, microsecond=0) + MINUTE
    while end.astimezone(zone).time() in quiet:
        end += MINUTE
    return end


def next_quiet(quiet: Hours, moment: datetime, zone: ZoneInfo) -> datetime | None:
    """When the next quiet hours after `moment` begin, in UTC; None for never."""
    if not quiet.length:
        return None
    today = moment.astimezone(zone).date()
    begins = (instant(today + days * DAY, quiet.begin, zone) for days in range(3))
    return next((begin for begin in begins if begin is not None and begin > moment), None)
