"""What comes in from chats, clocks and memory itself, and what goes out."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

MemberKind = Literal["person", "group"]


def _in_utc(name: str, value: datetime) -> None:
    if value.utcoffset() != timedelta(0):
        raise ValueError(f"{name} is not in UTC: {value!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a conversation takes place.

    `chat` and `thread` are the platform's own ids. `private` means one person and the companion.
    """

    platform: str
    chat: str
    thread: str | None = None
    private: bool = True

    def __post_init__(self) -> None:
        if not self.platform or not self.chat:
            raise ValueError(f"an address needs a platform and a chat: {self!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Who did it: the platform's own id, which is the key, and the name it shows, which is not."""

    user: str
    name: str

    def __post_init__(self) -> None:
        if not self.user:
            raise ValueError("a sender needs the platform's user id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who wrote what somebody else shows us: their id and name on the platform, where known."""

    user: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """Common to all that a platform tells us.

    `id` is the platform's own id of this happening, unique within the platform: the same one
    given twice is one event. `at` is the platform's time, in UTC.
    """

    id: str
    address: Address
    sender: Sender
    at: datetime

    def __post_init__(self) -> None:
        if not self.id:
            raise ValueError("an event needs the platform's own id")
        _in_utc("at", self.at)


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageReceived(Incoming):
    """A person wrote. `answers` is the text that this one replies to, if any.

    `message` is the platform's id of the message, by which edits and deletions name it. What was
    not `addressed` to the companion was overheard in a group, and gets no answer. Where
    `more_may_follow`, people write in several quick messages, to be answered together. `away` is
    how long they had written nothing before, if that was long.

    Not all words are the sender's own: `answered` wrote those that are replied to, where it was
    not the companion, and `forwarded` those that the sender only passes on. A `stranger` is
    somebody in a group who may not talk to the companion; that is found out when the event is taken
    in.
    """

    text: str
    message: str = ""
    answers: str | None = None
    answered: Author | None = None
    forwarded: Author | None = None
    stranger: bool = False
    addressed: bool = True
    more_may_follow: bool = False
    away: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageEdited(Incoming):
    """A person changed a message that they sent before."""

    message: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageDeleted(Incoming):
    """A person took back a message that they sent before."""

    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReactionReceived(Incoming):
    """A person put an emoji to a message, or took it away.

    `about` is what that message said, in short, and is filled in when the event is taken in.
    """

    message: str
    emoji: str
    removed: bool = False
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReceived(Incoming):
    """A person sent a file. `text` is the caption; `size` counts bytes. Else as MessageReceived.

    `contents` is what stands in it, where that can be read. Files that were sent as one have the
    same `album`, the platform's id of it.
    """

    name: str
    media_type: str
    size: int
    text: str = ""
    contents: str = ""
    forwarded: Author | None = None
    stranger: bool = False
    message: str = ""
    addressed: bool = True
    more_may_follow: bool = False
    album: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceReceived(Incoming):
    """A person spoke for `seconds`. Nothing here can tell what they said."""

    seconds: int
    message: str = ""
    addressed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonStarted(Incoming):
    """A person opened the chat for the first time. A greeting is due."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonReturned(Incoming):
    """A person came back after `away`."""

    away: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerFired:
    """A scheduled moment came; nobody wrote. `due` may lie in the past after a downtime.

    `schedule` is our own number of what was scheduled, `purpose` what it is for. The model is told
    to do what `cue` says, with `text`. What is `promised` always arrives: the person counts on it.
    What is said for it after `until` comes too late, and is not sent.
    """

    id: str
    address: Address
    at: datetime
    due: datetime
    text: str
    purpose: str = "reminder"
    schedule: int = 0
    cue: str = "it is time for this"
    promised: bool = False
    until: datetime | None = None

    def __post_init__(self) -> None:
        _in_utc("at", self.at)
        _in_utc("due", self.due)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice(TimerFired):
    """The program itself has a word for a person, which is `text`. No model has a part in it."""


PlatformEvent = (
    MessageReceived
    | MessageEdited
    | MessageDeleted
    | ReactionReceived
    | FileReceived
    | VoiceReceived
    | PersonStarted
    | PersonReturned
)
Event = PlatformEvent | TimerFired


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A button below a message: pressing the one that says `label` is writing `words`.

    `words` are a command, such as "/forget yes hazelnuts", or anything else that a person might
    write; empty ones only put the buttons away. Whoever presses is the sender, so a command finds
    out by itself whether they may. What the buttons offer must also stand in the text, as
    something to write: not every platform has buttons, and they work for a few days only.
    """

    label: str
    words: str

    def __post_init__(self) -> None:
        if not self.label.strip():
            raise ValueError("a button needs a label")


@dataclass(frozen=True, slots=True)
class Document:
    """A file to hand over, by the name that it shall have."""

    name: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingMessage:
    """Something to deliver. `id` is ours and stays the same when a send is tried again.

    `in_reply` is true when a person waits for it: such a send is repeated once when its fate is
    unknown. An opener never is. `answers` is the platform's id of the message that it answers,
    where several people write. `piece` counts from 0, for a platform that takes long texts in
    pieces: only that one is to be sent. `cause` is the platform's id of the event that it is for.
    `choices` are shown below the last piece, where the platform has buttons. With a `document` the
    text is a short line beside it, and both are one piece. With `reacts_to`, the platform's id of a
    message, `text` is an emoji to put to that one, and nothing to be said.
    """

    id: int
    address: Address
    text: str
    in_reply: bool = True
    answers: str | None = None
    piece: int = 0
    cause: str = ""
    choices: tuple[Choice, ...] = ()
    reacts_to: str | None = None
    document: Document | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldUp:
    """An answer that can't be given now, for whoever sits at the machine. `cause` is in their
    words; it is tried again after `again`, or when they write."""

    cause: str
    again: timedelta
