"""What the program itself has to say in a terminal, beside what the companion says."""

from datetime import timedelta

from companion.events import HeldUp
from companion.text import counted

HINT = "`companion doctor` shows what to do."


def held_up_in_words(held_up: HeldUp) -> str:
    """Why there is no answer, when it is tried again, and what can be done."""
    cause = held_up.cause.rstrip()
    cause += "" if cause.endswith((".", "!", "?")) else "."
    return (
        f"No answer yet. {cause} It is tried again {_in(held_up.again)}, or when you write. {HINT}"
    )


def _in(length: timedelta) -> str:
    minutes = round(length.total_seconds() / 60)
    if length < timedelta(minutes=1):
        return f"in {counted(round(length.total_seconds()), 'second')}"
    return "in an hour" if minutes == 60 else f"in {counted(minutes, 'minute')}"
