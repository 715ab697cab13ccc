"""The main context as a small model can follow it: short, and the same at its beginning.

The agent's prompt explains functions and holds calls and results; a small model is lost in that,
and on a CPU every token of it costs. What it needs is who it is, what it knows, and the chat.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from companion.foreign_json import read_json
from companion.llm.protocol import Call, Message

WORKING_CONTEXT = "\n# Working context\n"
SUMMARY = "[summary of everything before this"
STATUS = "[status] "
SEARCHES = ("conversation_search", "archival_storage_search")
EVENT = re.compile(r"\[(?P<when>[^,\]]+), (?P<where>[^\]]+)\] (?P<rest>.*)", re.DOTALL)
SAID = re.compile(
    r"(?P<name>[^:(]+)(?: \(after [\w ]+\))?(?: \(in reply to “[^”]*”\))?: (?P<text>.*)", re.DOTALL
)

HISTORY_CHARS = 6000
"""How much of the chat is shown. A cold start reads all of it: about a minute on two cores."""
TURNS_AT_ONCE = 8
"""Turns leave in blocks: with one gone at every turn, no prefix would ever be read twice."""
SUMMARY_CHARS = 1500
FOUND_CHARS = 1200
MATERIAL_CHARS = 6000
LINE_CHARS = 200

INSTRUCTIONS = """\
You are the friend described under Persona, chatting with the person described under Person. \
Answer their last message in one or two short sentences, in their language, the way friends text: \
say what you think of it. You are no assistant: you never offer help, and you never say that you \
are a language model unless they ask what you are. What you know about them stands under Person \
and in the chat; use it. If they ask for something about them that stands nowhere, say that you \
don't know it yet.
For example, to "I baked bread today." you say "Ooh, I can almost smell it from here!" To "I'm so \
tired." you say "Sounds like an early night, then." To "What's a good film?" you say "Casablanca, \
always Casablanca."
"""


@dataclass(slots=True)
class Turn:
    """An event and what the companion did about it. `scheduled` is what came of a reminder."""

    text: str
    name: str = ""
    when: str = ""
    said: bool = False
    answers: list[str] = field(default_factory=list)
    edits: list[Call] = field(default_factory=list)
    found: list[str] = field(default_factory=list)
    scheduled: str = ""
    failed: list[Call] = field(default_factory=list)

    @property
    def answer(self) -> str:
        """All that was said in this turn."""
        return "\n".join(self.answers)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A prompt of the agent, understood. The last of `turns` is the one to deal with."""

    shown: str
    summary: str
    status: str
    turns: list[Turn]

    @property
    def known(self) -> str:
        """The working context as it is now, edits since the last flush included."""
        return edited(self.shown, [call for turn in self.turns for call in turn.edits])


def read(messages: Sequence[Message]) -> View:
    """What the agent's prompt says."""
    shown, summary, status = "", "", ""
    turns: list[Turn] = []
    names: dict[str, Call] = {}
    for message in messages:
        if message.role == "system":
            shown += message.text.partition(WORKING_CONTEXT)[2]
        elif message.role == "user" and message.text.startswith(SUMMARY):
            summary = message.text.partition("\n")[2]
        elif message.role == "user" and message.text.startswith(STATUS):
            status = message.text.removeprefix(STATUS)
        elif message.role == "user":
            _event(message.text, turns)
        elif turns and message.role == "assistant":
            names |= {call.id: call for call in message.calls}
            _answer(message, turns[-1])
        elif turns and message.call_id in names:
            _result(names[message.call_id], message.text, turns[-1])
    return View(shown=shown, summary=summary, status=status, turns=turns)


def chat(view: View, history_chars: int = HISTORY_CHARS) -> list[Message]:
    """The messages for a small model, up to and with the event that is to be answered."""
    start = _start(view.turns, history_chars)
    gone = [call for turn in view.turns[:start] for call in turn.edits]
    head = f"{INSTRUCTIONS}\n{edited(view.shown, gone).strip()}\n"
    if view.summary:
        head += f"\n## Earlier\n{view.summary[:SUMMARY_CHARS].strip()}\n"
    messages = [Message("system", head)]
    for turn in view.turns[start:-1]:
        messages.append(Message("user", turn.text))
        if turn.answer:
            messages.append(Message("assistant", turn.answer))
    messages.append(Message("user", view.turns[-1].text))
    return _alternating(messages)


def shortened(messages: Sequence[Message]) -> list[Message]:
    """A request for a summary that can be read in a minute: of long lines their beginnings, and of
    too many lines the first and the last."""
    return [Message(message.role, _short(message.text)) for message in messages]


def _short(text: str) -> str:
    if len(text) <= MATERIAL_CHARS:
        return text
    lines = [
        line if len(line) <= LINE_CHARS else f"{line[:LINE_CHARS]}…" for line in text.splitlines()
    ]
    while len(lines) > 1 and sum(map(len, lines)) > MATERIAL_CHARS:
        del lines[len(lines) // 2]
    return "\n".join(lines)


def edited(text: str, edits: Sequence[Call]) -> str:
    """`text` after `edits` of the working context, which succeeded when they were made.

    Those that `text` has in it already, as after a flush, change nothing.
    """
    for call in edits:
        given = arguments(call)
        if call.name == "working_context_append":
            text = _appended(text, given.get("text", "").strip())
        elif given.get("old"):
            text = _replaced(text, given["old"], given.get("new", ""))
    return text


def _appended(text: str, line: str) -> str:
    return text if line in text.splitlines() else f"{text.rstrip()}\n{line}\n"


def _replaced(text: str, old: str, new: str) -> str:
    done = new in text and new not in old
    return text if done else text.replace(old, new, 1)


def _event(text: str, turns: list[Turn]) -> None:
    event = EVENT.fullmatch(text)
    if event is None:  # an alert, or another word of the system's: no turn of its own
        return
    said = SAID.fullmatch(event["rest"])
    if said is None:
        turns.append(Turn(event["rest"], when=event["when"]))
    else:
        turns.append(Turn(said["text"], said["name"], event["when"], said=True))


def _answer(message: Message, turn: Turn) -> None:
    if message.text.strip():
        turn.answers.append(message.text.strip())
    for call in message.calls:
        if call.name == "send_message":
            turn.answers.append(arguments(call).get("message", ""))


def _result(call: Call, text: str, turn: Turn) -> None:
    if call.name == "schedule_event":
        turn.scheduled = text
    elif text.startswith("Error"):
        turn.failed.append(call)
    elif call.name.startswith("working_context_"):
        turn.edits.append(call)
    elif call.name in SEARCHES:
        turn.found.append(text[:FOUND_CHARS])


def arguments(call: Call) -> dict[str, str]:
    """What `call` was given, empty where that is not JSON."""
    try:
        parsed = read_json(call.arguments)
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _start(turns: Sequence[Turn], history_chars: int) -> int:
    """The first turn to show, a multiple of a block, so that the beginning seldom moves."""
    start = 0
    while sum(len(turn.text) + len(turn.answer) for turn in turns[start:]) > history_chars:
        if start + TURNS_AT_ONCE >= len(turns):
            break
        start += TURNS_AT_ONCE
    return start


def _alternating(messages: Sequence[Message]) -> list[Message]:
    """`messages` with neighbours of one role made one: many templates refuse them."""
    joined: list[Message] = []
    for message in messages:
        if joined and joined[-1].role == message.role:
            text = f"{joined[-1].text}\n{message.text}"
            joined[-1] = Message(message.role, text)
        else:
            joined.append(message)
    return joined
