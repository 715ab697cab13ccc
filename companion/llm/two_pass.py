"""The profile for small models: it asks for facts, then for an answer, and makes the calls itself.

Models of one or two billion parameters choose functions badly: measured over 31 turns, they kept
6 facts of 10 and recalled 3 of 7. Asked for facts by a JSON schema and for plain text after it,
the same model does better, and the functions that then run are the same (see
docs/decisions/0030-two-passes-for-small-models.md).
"""

import itertools
import json
import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from companion.foreign_json import read_json
from companion.llm import said_facts, small_prompt
from companion.llm.asked_reminders import asked_reminder
from companion.llm.protocol import LLM, Call, Message, Reply, ToolSchema, Usage
from companion.llm.small_prompt import Turn, View
from companion.timed.arriving import reminding_of
from companion.timed.reminders import REMINDER

logger = logging.getLogger(__name__)

MAX_FACTS = 3
FACTS_TOKENS = 160
ANSWER_TOKENS = 160
SUMMARY_TOKENS = 320
FACTS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "maxItems": MAX_FACTS,
            "items": {"type": "string", "maxLength": said_facts.FACT_CHARS},
        }
    },
    "required": ["facts"],
    "additionalProperties": False,
}
FACTS_REQUEST = """\
You keep notes about a person from the message that they write. List the lasting facts that the \
message itself tells about them: name, family, pets, places, work, health, dates, plans, habits, \
likes and dislikes. One short sentence each, with their name, in the words of the message. Moods \
of the moment, questions, jokes and thanks are no facts: then the list is empty."""
FACTS_EXAMPLES: tuple[tuple[str, list[str]], ...] = (
    ("Ben: I have two cats, Minka and Moritz.", ["Ben has two cats, Minka and Moritz"]),
    ("Ben: I'm back, what a day! I'm so hungry.", []),
    (
        "Julia: We moved from Rome to Turin in May, because my brother Paolo lives there.",
        ["Julia moved from Rome to Turin in May", "Julia's brother Paolo lives in Turin"],
    ),
    ("Ben: Haha, thanks, that's true.", []),
    (
        "Ben: I hate mushrooms, and every Friday I play chess.",
        ["Ben hates mushrooms", "Ben plays chess every Friday"],
    ),
)
"""Always the same, so that a server with room for two prompts reads them once."""
OPENS = "send_opener"
OPENER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"number": {"type": "integer", "minimum": 0}, "text": {"type": "string"}},
    "required": ["number", "text"],
    "additionalProperties": False,
}
OPENER_REQUEST = (
    "Answer with JSON: the number of what you write about, and the text; 0 and an empty text for"
    " silence."
)
_ASKS_TIME = re.compile(r"\b(time|date|day|today|tomorrow|yesterday|clock|now|week|month|year)\b")


PROMISED = re.compile(
    rf"\(nobody wrote; (?:this was due at [^;]+; )?{re.escape(REMINDER.cue)}\) (?P<text>.*)",
    re.DOTALL,
)
"""A reminder that is due. A small model says something else than what was asked for."""
SCHEDULED = re.compile(r"Scheduled as #\d+: (?P<when>.+?)\.(?:\s|$)")


class StructuredLLM(LLM, Protocol):
    """A model whose answer can be held to a JSON schema."""

    async def complete_json(
        self, messages: Sequence[Message], schema: Mapping[str, Any], *, answer_tokens: int
    ) -> Reply:
        """The answer to `messages`, its text JSON that fits `schema`; raises as `complete` does."""


class TwoPass:
    """An `LLM` that answers as one that calls functions would, by a model that can't."""

    def __init__(self, llm: StructuredLLM) -> None:
        self._llm = llm
        self._ids = itertools.count(1)

    async def warm_up(self) -> None:
        """Let the server read what is the same in every turn, before somebody waits for it."""
        await self._llm.complete_json(_facts_prompt(Turn("")), FACTS_SCHEMA, answer_tokens=1)

    async def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        *,
        answer_tokens: int,
    ) -> Reply:
        """The calls for what the last event needs: keep facts, search, send an answer."""
        if any(tool.name == OPENS for tool in tools):
            return await self._opener(messages)
        if tools and not any(tool.name == "send_message" for tool in tools):
            return Reply(text="")  # nothing else is to be trusted to a small model
        view = small_prompt.read(messages)
        if not tools or not view.turns:
            short = small_prompt.shortened(messages)
            return await self._llm.complete(short, answer_tokens=min(answer_tokens, SUMMARY_TOKENS))
        names = {tool.name for tool in tools}
        return await self._turn(view, names, min(answer_tokens, ANSWER_TOKENS))

    async def close(self) -> None:
        """Let go of the model."""
        await self._llm.close()

    async def _opener(self, messages: Sequence[Message]) -> Reply:
        """The call that writes first, or that keeps silent: so too when a draft was refused."""
        *prompt, brief = messages
        view = small_prompt.read(prompt)
        if view.turns and (view.turns[-1].failed or view.turns[-1].found):
            return Reply(text="", calls=(self._call("stay_silent"),), finish="calls")
        asked = [
            Message("system", f"{small_prompt.INSTRUCTIONS}\n{view.known.strip()}\n"),
            Message("user", f"{brief.text}\n{OPENER_REQUEST}"),
        ]
        reply = await self._llm.complete_json(asked, OPENER_SCHEMA, answer_tokens=ANSWER_TOKENS)
        call = self._opening(reply.text)
        return Reply(
            text="",
            calls=(call,),
            finish="calls",
            model=reply.model,
            usage=reply.usage,
            reworded=True,
        )

    def _opening(self, answer: str) -> Call:
        try:
            opener = read_json(answer)
            number, text = int(opener["number"]), str(opener["text"])
        except (ValueError, OverflowError, TypeError, KeyError):
            return self._call("stay_silent", reason="the model's answer was not as asked for")
        if number < 1 or not text.strip():
            return self._call("stay_silent")
        return self._call(OPENS, text=_spoken(text), about=number)

    async def _turn(self, view: View, names: set[str], answer_tokens: int) -> Reply:
        turn = view.turns[-1]
        if turn.answers:  # an alert, or a write that was refused: the person has their answer
            return Reply(text=turn.answer, calls=self._archived(turn, names))
        promised = None if turn.said else PROMISED.fullmatch(turn.text)
        if promised is not None:
            call = self._call("send_message", message=reminding_of(promised["text"]))
            return Reply(text="", calls=(call,), finish="calls")
        if turn.scheduled:
            return Reply(text=_about_reminder(turn), finish="stop")
        reminder = asked_reminder(turn.text) if turn.said else None
        if reminder is not None and "schedule_event" in names:
            call = self._call("schedule_event", what=reminder.what, when=reminder.when)
            return Reply(text="", calls=(call,), finish="calls")
        chat = small_prompt.chat(view)
        if turn.said and not turn.found:
            query = _query(view, turn)
            if query and "conversation_search" in names:
                call = self._call("conversation_search", query=query, request_heartbeat=True)
                return Reply(text="", calls=(call,), finish="calls")
        noted, cost = await self._noted(view, turn) if turn.said else ((), Usage())
        chat[-1] = Message("user", chat[-1].text + _remarks(view, turn))
        answer = await self._llm.complete(chat, answer_tokens=answer_tokens)
        said = self._call("send_message", message=_spoken(answer.text))
        return Reply(
            text="",
            calls=(*noted, said),
            finish="calls",
            model=answer.model,
            usage=cost + answer.usage,
            reworded=True,
        )

    async def _noted(self, view: View, turn: Turn) -> tuple[tuple[Call, ...], Usage]:
        """First pass: the calls that keep what the message tells of its sender.

        The model sees this message alone: shown the chat, it lists what was said before again.
        """
        if not said_facts.statements(turn.text):
            return (), Usage()
        asked = _facts_prompt(turn)
        reply = await self._llm.complete_json(asked, FACTS_SCHEMA, answer_tokens=FACTS_TOKENS)
        lines: list[str] = []
        for fact in _facts(reply.text):
            line = said_facts.kept(fact, name=turn.name, message=turn.text, when=turn.when)
            if line is not None and not said_facts.is_known(line, "\n".join(lines), turn.name):
                lines = [old for old in lines if not said_facts.is_known(old, line, turn.name)]
                lines.append(line)
        known, calls = view.known, []
        for line in lines:
            if not said_facts.is_known(line, known, turn.name):
                calls.append(self._write(line, known, turn))
                known = small_prompt.edited(known, calls[-1:])
        return tuple(calls), reply.usage

    def _write(self, line: str, known: str, turn: Turn) -> Call:
        old = said_facts.outdated(line, known, turn.name)
        if old is None or known.count(old) != 1:
            return self._call("working_context_append", text=line)
        new = f"{line} (until {said_facts.day(turn.when)}: {old})"
        return self._call("working_context_replace", old=old, new=new)

    def _archived(self, turn: Turn, names: set[str]) -> tuple[Call, ...]:
        """What the working context refused, most likely for want of room, kept elsewhere."""
        if "archival_storage_insert" not in names:
            return ()
        lines = [small_prompt.arguments(call) for call in turn.failed if call.name in _WRITES]
        texts = [line.get("text") or line.get("new", "") for line in lines]
        return tuple(self._call("archival_storage_insert", text=text) for text in texts if text)

    def _call(self, name: str, **arguments: str | bool | int) -> Call:
        text = json.dumps(arguments, ensure_ascii=False)
        return Call(f"two_pass_{next(self._ids)}", name, text)


def _about_reminder(turn: Turn) -> str:
    """What came of the reminder that was asked for, as the person reads it."""
    match = SCHEDULED.match(turn.scheduled)
    reminder = asked_reminder(turn.text)
    if match is not None and reminder is not None:
        return f"I'll remind you: {reminder.what}, {match['when']}."
    if turn.scheduled.startswith("Error: "):
        return f"That reminder can't be: {turn.scheduled.removeprefix('Error: ')}"
    return "In which time zone are you? Write for example /timezone Lisbon, then ask me again."


_WRITES = ("working_context_append", "working_context_replace")


def _facts_prompt(turn: Turn) -> list[Message]:
    prompt = [Message("system", FACTS_REQUEST)]
    for said, facts in FACTS_EXAMPLES:
        listed = json.dumps({"facts": facts}, separators=(",", ":"))
        prompt += [Message("user", said), Message("assistant", listed)]
    told = " ".join(said_facts.statements(turn.text))
    return [*prompt, Message("user", f"{turn.name}: {told}")]


def _facts(text: str) -> list[str]:
    try:
        facts = list(read_json(text)["facts"])
    except (ValueError, TypeError, KeyError):
        logger.info("the model's list of facts is not as asked for, and was left out")
        return []
    return [fact for fact in facts if isinstance(fact, str) and fact.strip()][:MAX_FACTS]


def _query(view: View, turn: Turn) -> str:
    """What to look for in recall storage: what the person asks about and is nowhere in view."""
    if not said_facts.asks_about_past(turn.text):
        return ""
    words = said_facts.search_words(turn.text)
    seen = "\n".join(t.text for t in view.turns[:-1])
    if not words or said_facts.in_view(words, f"{view.known}\n{view.summary}\n{seen}"):
        return ""
    return " ".join(words)


def _remarks(view: View, turn: Turn) -> str:
    """What goes along with the message this once: search results, and the time if asked for."""
    remarks = [f"(From earlier conversations: {found})" for found in turn.found]
    if _ASKS_TIME.search(turn.text.casefold()):
        remarks.append(f"(It is {view.status.partition('. ')[0]}.)")
    return "".join(f"\n\n{remark}" for remark in remarks)


def _spoken(text: str) -> str:
    """The answer without the name of its speaker, which small models like to put first."""
    return re.sub(r"\A\s*\w{1,40}:\s+", "", text).strip() or text
