"""Declaring a chat command, and finding the one that a message means."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Literal

from companion.clock import Clock
from companion.events import Document, Event, MessageReceived
from companion.home import Home
from companion.memory.person_memory import PersonMemory
from companion.people.access import Access
from companion.people.allowance import Allowance
from companion.people.linking import Linking
from companion.people.personas import Personas
from companion.question import Question as Question
from companion.sources import is_own
from companion.storage import inbox, outbox
from companion.storage.database import Database, Tx
from companion.storage.inbox import InboxItem
from companion.storage.outbox import OutboxItem


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A command that a person gave. `words` is what stands behind its name.

    `home` is where the person's files lie. `erase` erases the person. `told` are notices for
    others, which go out once the command's own work is committed. `in_private` gives a command to
    the private chat of whoever asked, who is not always the person: a group is one too. It is False
    when there is no such chat. What is put into `afterwards` is done when the answer is committed.
    A command that commits something by itself answers with it, by `answer_in`, and puts what comes
    of that into `answered`; it gives "" then.
    """

    item: InboxItem
    words: str
    db: Database
    memory: PersonMemory
    zone: tzinfo
    clock: Clock
    home: Home
    erase: Callable[[], Awaitable[None]]
    access: Access
    in_private: Callable[[str], Awaitable[bool]]
    linking: Linking
    allowance: Allowance
    personas: Personas
    told: list[InboxItem] = field(default_factory=list)
    answered: list[OutboxItem] = field(default_factory=list)
    afterwards: list[Callable[[], Awaitable[object]]] = field(default_factory=list)

    @property
    def person(self) -> int:
        """Whose memory it is about."""
        return self.item.person

    def tell(self, notice: InboxItem | None) -> None:
        """Have this notice go out; None is none."""
        if notice is not None:
            self.told.append(notice)

    def answer_in(self, tx: Tx, text: str) -> OutboxItem:
        """Answer, and close the event, in this transaction."""
        inbox.finish(tx, self.person, self.item.id)
        return outbox.add(tx, self.item, text, now=self.clock.now(), notice=True)


@dataclass(frozen=True, slots=True)
class Handed:
    """An answer that is a file, with a short line beside it."""

    text: str
    document: Document


Answer = str | Question | Handed
"""What the person reads."""

Write = Callable[[Tx], Answer]
"""Changes something, in the transaction that also answers and closes the event."""


@dataclass(frozen=True, slots=True)
class Farewell:
    """The last word to somebody who was erased: nothing is left to write it down in."""

    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """A chat command. `run` gives what the person reads, or a `Write` that does.

    `only` says for whom it is: in private for its person, or for the owner in private.
    """

    name: str
    help: str
    run: Callable[[Asked], Awaitable[Answer | Write | Farewell]]
    takes: str = ""
    only: Literal["everybody", "private", "owner"] = "everybody"


def command_name(event: Event) -> tuple[str, str] | None:
    """The command in `event` without its slash, and the words behind it; None for ordinary text.

    "/start" is no command: it opens the chat, and the model greets. A slash alone asks for help.
    """
    if not isinstance(event, MessageReceived) or not event.addressed or not is_own(event):
        return None  # what is only passed on commands nothing
    return command_in(event.text)


def command_in(text: str) -> tuple[str, str] | None:
    """As `command_name`, of the text of a message, or of what a button stands for."""
    if not text.startswith("/"):
        return None
    if text.strip() == "/":
        return "help", ""
    name, _, words = text[1:].partition(" ")
    name = name.strip().partition("@")[0].casefold()
    return (name, words.strip()) if name.isidentifier() and name != "start" else None


def is_command(text: str) -> bool:
    """Whether `text` looks like a command, "/start" too."""
    return re.match(r"/[A-Za-z_]\w*(@\w+)?(\s|$)", text) is not None


def help_text(commands: Sequence[Command]) -> str:
    """What there is, a line each."""
    return "\n".join(f"/{c.name}{' ' + c.takes if c.takes else ''} - {c.help}" for c in commands)
