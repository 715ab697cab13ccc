"""Events as the model reads them: who, when in the person's own time, and from where."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from companion.events import (
    Address,
    Event,
    FileReceived,
    MessageDeleted,
    MessageEdited,
    MessageReceived,
    PersonReturned,
    PersonStarted,
    ReactionReceived,
    TimerFired,
    VoiceReceived,
)
from companion.sources import author_passed_on, is_own, of_a_forward
from companion.text import neutral_name

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

LATE = timedelta(minutes=5)
"""What comes so long after its time says so."""


def zone(name: str | None) -> tzinfo:
    """The IANA zone called `name`; UTC while it is unknown."""
    return ZoneInfo(name) if name else UTC


def local_time(at: datetime, where: tzinfo) -> str:
    """`at` on the clock of `where`, for example "Mon 5 May 2025 14:03 Europe/Berlin".

    Not strftime, which would follow the machine's locale.
    """
    local = at.astimezone(where)
    return (
        f"{_WEEKDAYS[local.weekday()]} {local.day} {_MONTHS[local.month - 1]} {local.year}"
        f" {local:%H:%M} {where}"
    )


def ago(at: datetime, now: datetime, where: tzinfo) -> str:
    """How long before `now` it was, by the calendar of `where`, for example "3 weeks ago"."""
    days = (now.astimezone(where).date() - at.astimezone(where).date()).days
    if days <= 1:
        return "yesterday" if days == 1 else "today"
    for unit, size, least in (("year", 365.25, 731), ("month", 30.44, 61), ("week", 7, 14)):
        if days >= least:
            return f"{int(days / size)} {unit}s ago"
    return f"{days} days ago"


def spoken(event: Event) -> str:
    """What the sender said with `event`, verbatim; empty when they said nothing."""
    match event:
        case MessageReceived(text=text) | MessageEdited(text=text):
            return text
        case FileReceived(text=text, contents=contents):
            return "\n\n".join(filter(None, (text, contents)))
    return ""


def event_text(event: Event, where: tzinfo, shown: str) -> str:
    """`event` as the model reads it. `shown` stands for what was said, cut where it is long."""
    head = f"[{local_time(event.at, where)}, {_origin(event.address)}]"
    if isinstance(event, TimerFired):
        return f"{head} (nobody wrote; {_due(event, where)}{event.cue}) {event.text}"
    name = neutral_name(event.sender.name)
    match event:
        case MessageReceived(stranger=True):
            return f"{head} (overheard from {name}, a stranger)\n{_quoted(shown)}"
        case MessageReceived(away=away):
            author = author_passed_on(event)
            if author is not None:
                return f"{head} ({name} passes on {of_a_forward(author)})\n{_quoted(shown)}"
            after = f" (after {duration(away)})" if away is not None else ""
            return f"{head} {name}{after}{_reply(event)}: {shown}"
        case MessageEdited():
            return f"{head} ({name} changed an earlier message to) {shown}"
        case MessageDeleted():
            return f"{head} ({name} deleted an earlier message)"
        case ReactionReceived(emoji=emoji, removed=removed, about=about):
            did = "took back" if removed else "reacted with"
            return f"{head} ({name} {did} {emoji}{f' to “{about}”' if about else ''})"
        case FileReceived():
            return f"{head} ({_who(event)} sent a file, {_file(event)}){_caption(event, shown)}"
        case VoiceReceived():
            return (
                f"{head} ({name} sent a voice message of {event.seconds} s, which nobody here can"
                " listen to; they were told so)"
            )
        case PersonStarted():
            return f"{head} ({name} opened the chat for the first time)"
        case PersonReturned(away=away):
            return f"{head} ({name} came back after {duration(away)})"


def _reply(event: MessageReceived) -> str:
    """What a message replies to, in one line that nothing in it can end."""
    if event.answers is None:
        return ""
    whose = ""
    if event.answered is not None:
        whose = f"{neutral_name(event.answered.name)}: "
    return f" (in reply to “{whose}{' '.join(event.answers.split()).replace('”', '’')}”)"


def _who(event: FileReceived) -> str:
    name = neutral_name(event.sender.name)
    if event.stranger:
        return f"{name}, a stranger,"
    author = author_passed_on(event)
    return name if author is None else f"{name}, out of {of_a_forward(author)},"


def _caption(event: FileReceived, shown: str) -> str:
    if not shown:
        return ""
    return f" and wrote: {shown}" if is_own(event) else f" with the words:\n{_quoted(shown)}"


def _quoted(text: str) -> str:
    """Words of somebody else, so that no line of them passes for anything but that."""
    return "\n".join(f"> {line}" for line in text.split("\n"))


def _due(event: TimerFired, where: tzinfo) -> str:
    """When it was due, if that was a while ago and there is something that was to be said then."""
    if event.at - event.due < LATE or not event.text:
        return ""
    ago = duration(event.at - event.due)
    return f"this was due at {local_time(event.due, where)}, {ago} ago: say so; "


def spoken_with(album: Sequence[Event]) -> str:
    """What the sender said with files that were sent as one, or with a single event."""
    return "\n".join(filter(None, map(spoken, album)))


def album_text(album: Sequence[Event], where: tzinfo, shown: str) -> str:
    """Files that were sent as one, or a single event, as the model reads it."""
    files = [event for event in album if isinstance(event, FileReceived)]
    first = album[0]
    if len(files) < 2 or isinstance(first, TimerFired):
        return event_text(first, where, shown)
    head = f"[{local_time(first.at, where)}, {_origin(first.address)}]"
    sent = "; ".join(map(_file, files))
    return f"{head} ({_who(files[0])} sent {len(files)} files: {sent}){_caption(files[0], shown)}"


def _origin(address: Address) -> str:
    return address.platform if address.private else f"{address.platform} group"


def _file(event: FileReceived) -> str:
    return f"“{neutral_name(event.name)}”, {event.media_type}, {event.size:,} bytes"


def duration(length: timedelta) -> str:
    """A length of time in its largest whole unit, for example "3 days"."""
    minutes = int(length.total_seconds() // 60)
    for unit, size in (("day", 24 * 60), ("hour", 60), ("minute", 1)):
        if minutes >= size:
            number = minutes // size
            return f"{number} {unit}{'s' if number > 1 else ''}"
    return "less than a minute"
