"""How things stand between the companion and a person."""

from collections.abc import Iterator

from companion.commands.declare import Asked, Command
from companion.context import working_context
from companion.event_text import local_time
from companion.storage import counts, messages, openers, passages, people, schedule, timing
from companion.storage.database import Tx
from companion.text import counted
from companion.timed.planning import ASKED_FOR

_OPENERS = {"on": "now and then", "often": "often", "rarely": "rarely", "off": "never"}


async def _status(asked: Asked) -> str:
    text = await asked.memory.working_context()
    lines = working_context.about_person(text)
    return await asked.db.read(lambda tx: "\n".join(_told(tx, asked, len(lines))))


def _told(tx: Tx, asked: Asked, in_mind: int) -> Iterator[str]:
    person, now = asked.person, asked.clock.now()
    said = counted(messages.said_count(tx, person), "message")
    notes = counted(passages.count(tx, person), "note")
    yield f"I remember {said} of ours, have {counted(in_mind, 'line')} in mind, and keep {notes}."
    to_come = schedule.to_come(tx, person, ASKED_FOR)
    following = f"; the next {local_time(to_come[0].due_at, asked.zone)}" if to_come else ""
    yield f"Reminders to come: {len(to_come)}{following}."
    wish = openers.wished(tx, person).wish or "off"
    set_to = timing.get(tx, person)
    yield f"I write to you first: {_OPENERS[wish]}."
    if set_to.paused(now) and set_to.paused_until is not None:
        yield f"Only reminders come until {local_time(set_to.paused_until, asked.zone)}."
    quiet = f"{set_to.quiet}" if set_to.quiet and set_to.quiet.length else "none"
    known = people.get(tx, person).timezone is not None
    yield f"Quiet hours: {quiet}. For you it is {local_time(now, asked.zone)}" + (
        "." if known else "; I don't know where you are."
    )
    waiting = counts.of(tx, person)
    others = waiting.to_answer - 1  # this one is being answered
    if others > 0:
        yield f"Still to be answered: {counted(others, 'message')}."
    if waiting.given_up:
        yield f"What I could not deal with: {waiting.given_up}."


STATUS_COMMANDS = (Command("status", "how things stand between us", _status),)
