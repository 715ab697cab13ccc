"""Reminders and check-ins: what a person asked for."""

from datetime import timedelta

from companion.timed.purposes import Purpose

REMINDER = Purpose(
    name="reminder",
    late=timedelta(days=1),
    promised=True,
    quiet=False,
    cue="they asked to be reminded of this now: do so, in a few words of your own",
)
CHECK_IN = Purpose(
    name="check_in",
    late=timedelta(hours=6),
    cue="they asked you to check in now: write to them, or stay_silent if it makes no sense now",
)
