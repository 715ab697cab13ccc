"""What a person can do with all of their data: take it along, and have it erased."""

from companion.commands.declare import Asked, Command, Farewell, Handed
from companion.errors import DatabaseError, OperatorError
from companion.events import Choice, Document
from companion.portable.export import exported
from companion.question import Question

MOST_BYTES = 9_000_000
"""What every platform lets a bot send."""
EXPORTED = (
    "Here is everything: README.md in it tells what is where. Keep it safe, it is not encrypted."
)
TOO_LARGE = (
    "Your data is {size:.0f} MB, which is too large to send here. Ask my operator for it: they can"
    " write it to a file with `companion memory export`."
)
ONLY_IN_PRIVATE = "That is for the two of us: write /{name} to me in our private chat."
FIRST = (
    "This erases everything that I have of you, for good: every message, what I noted, your files,"
    " plans and settings, also what you said in groups with me. Nobody can bring it back; /export"
    " gives you a copy first.\n\nTo go on: /erase yes"
)
SECOND = (
    "Are you sure? Afterwards I won't know you, nor that we ever talked.\n\nTo erase everything"
    " now: /erase yes everything"
)
DONE = (
    "It is done: I have nothing of yours any more. Backups that my operator made may still hold"
    " it; should one be restored, I erase it there as well. If you write to me again, we meet for"
    " the first time."
)
FAILED = "I could not erase anything: there is trouble with my disk. My operator has to see to it."


async def _export(asked: Asked) -> str | Handed:
    if not asked.item.address.private:
        if await asked.in_private("/export"):
            return "I'll send it to you in our private chat."
        return ONLY_IN_PRIVATE.format(name="export")
    now = asked.clock.now()
    files = asked.home.attachments_of(asked.person)
    content = await asked.db.read(
        lambda tx: exported(tx, asked.person, files=files, now=now, zone=asked.zone)
    )
    if len(content) > MOST_BYTES:
        return TOO_LARGE.format(size=len(content) / 1_000_000)
    day = now.astimezone(asked.zone).date().isoformat()
    return Handed(EXPORTED, Document(f"companion-{day}.zip", content))


async def _erase(asked: Asked) -> str | Question | Farewell:
    if not asked.item.address.private:
        return ONLY_IN_PRIVATE.format(name="erase")
    match asked.words.casefold().split():
        case ["yes"]:
            return Question(SECOND, _choices("Erase everything", "/erase yes everything"))
        case ["yes", "everything"]:
            return await _erased(asked)
    return Question(FIRST, _choices("Go on", "/erase yes"))


def _choices(label: str, words: str) -> tuple[Choice, ...]:
    return (Choice(label=label, words=words), Choice(label="Keep it all", words=""))


async def _erased(asked: Asked) -> str | Farewell:
    try:
        await asked.erase()
    except DatabaseError:
        raise  # it is tried again
    except OperatorError:
        return FAILED
    return Farewell(DONE)


OWN_DATA_COMMANDS = (
    Command("export", "everything that I have of you, as a file", _export),
    Command("erase", "have everything of yours erased; asks twice before it does", _erase),
)
