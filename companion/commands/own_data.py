"""What a person can do with all of their data: have it erased."""

from companion.commands.declare import Asked, Command, Farewell
from companion.errors import DatabaseError, OperatorError

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


async def _erase(asked: Asked) -> str | Farewell:
    if not asked.item.address.private:
        return ONLY_IN_PRIVATE.format(name="erase")
    match asked.words.casefold().split():
        case ["yes"]:
            return SECOND
        case ["yes", "everything"]:
            return await _erased(asked)
    return FIRST


async def _erased(asked: Asked) -> str | Farewell:
    try:
        await asked.erase()
    except DatabaseError:
        raise  # it is tried again
    except OperatorError:
        return FAILED
    return Farewell(DONE)


OWN_DATA_COMMANDS = (
    Command("erase", "have everything of yours erased; asks twice before it does", _erase),
)
