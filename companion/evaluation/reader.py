"""The scripted reader: always does the obvious right thing with memory. It is no model.

It sees the request that a model would see, and nothing else. It searches, pages on while pages
remain, follows keys, keeps the facts that it is told, and answers with what it read, word for
word, because it has no skill to choose among it. So its figures are the ceiling that the memory
system sets to a perfect model. It understands the wording of our experiments only.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.evaluation.listing import Listing, read_listing
from companion.evaluation.noted import read_noted
from companion.evaluation.wording import EVERY_PAGE, KEY_AND_VALUE, NOTHING_FOUND, UUID

NAME = "scripted-reader"
TITLE = "scripted reader (no model)"

Asked = Mapping[str, Any]
"""The body of a chat completion request."""

_EVENT = re.compile(r"\[[^\]\n]*, [^\]\n]*\] [^:\n]{1,60}: (.*)", re.DOTALL)
_MATTER = re.compile(r"^1\. \([^)\n]*\) “([^”]*)”", re.MULTILINE)
_ARCHIVED = re.compile(r"archival storage: (\d+) passages")
_UNTRUE = re.compile(r"Note (\d+) is true no more: (.*)", re.DOTALL)
_WORDS = re.compile(r"At most (\d+) words")


@dataclass(frozen=True, slots=True)
class Move:
    """What it does: calls with their arguments, or text where there are no functions."""

    text: str = ""
    calls: tuple[tuple[str, Mapping[str, object]], ...] = ()


DONE = Move(text="(nothing more to do)")


@dataclass(frozen=True, slots=True)
class _Step:
    """A call of this turn and what came of it."""

    name: str
    arguments: Mapping[str, Any]
    result: str


def move(asked: Asked) -> Move:
    """What the reader does next."""
    messages: Sequence[Asked] = asked["messages"]
    tools = {tool["function"]["name"] for tool in asked.get("tools") or ()}
    if not tools:
        return Move(text=_without_functions(messages))
    if "send_opener" in tools:
        return _open(messages)
    found = _newest_event(messages)
    if found is None:
        return DONE
    at, said = found
    steps = _steps(messages[at + 1 :])
    keys = UUID.findall(said)
    if keys:
        return _follow(keys[0], steps)
    if "?" not in said and EVERY_PAGE not in said:
        return DONE if _has_said(steps) else _keep(said, steps)
    archived = _ARCHIVED.search(_text(messages[-1]))
    if archived is not None and int(archived[1]):
        return _read(said, "archival_storage_search", steps, on=EVERY_PAGE in said)
    return _read(said, "conversation_search", steps, on=False)


def _newest_event(messages: Sequence[Asked]) -> tuple[int, str] | None:
    """Where the newest message of a person stands, and what it says."""
    for at in range(len(messages) - 1, -1, -1):
        if messages[at]["role"] == "user" and (event := _EVENT.fullmatch(_text(messages[at]))):
            return at, event[1]
    return None


def _steps(messages: Sequence[Asked]) -> list[_Step]:
    results = {
        message["tool_call_id"]: _text(message) for message in messages if message["role"] == "tool"
    }
    return [
        _Step(
            call["function"]["name"],
            json.loads(call["function"]["arguments"]),
            results.get(call["id"], ""),
        )
        for message in messages
        for call in message.get("tool_calls") or ()
    ]


def _follow(key: str, steps: Sequence[_Step]) -> Move:
    """Look `key` up, then its value, and so on until a value is no key on any page."""
    if _has_said(steps):
        return DONE
    searches = [step for step in steps if step.name == "archival_storage_search"]
    if not searches:
        return _search("archival_storage_search", key, 1)
    last, listing = searches[-1], read_listing(searches[-1].result)
    sought = str(last.arguments["query"])
    values = dict(pair for item in listing.items for pair in KEY_AND_VALUE.findall(item))
    if sought in values:
        return _search("archival_storage_search", values[sought], 1)
    if listing.has_more:
        return _search("archival_storage_search", sought, listing.page + 1)
    return _says(sought if sought != key else NOTHING_FOUND)


def _read(query: str, function: str, steps: Sequence[_Step], *, on: bool) -> Move:
    """Search for `query` and quote what is found: all of it, page after page, if `on`; else the
    first page of what was said, or the first note."""
    if not steps:
        return _search(function, _question(query), 1)
    last = steps[-1]
    if last.name != function:
        return DONE
    listing = read_listing(last.result)
    if on and listing.has_more:
        more = _search(function, _question(query), listing.page + 1)
        return Move(calls=(*_says(_quoted(listing)).calls, *more.calls))
    if not on and function == "archival_storage_search":
        return _says("\n".join(listing.items[:1]) or NOTHING_FOUND)
    return _says(_quoted(listing))


def _question(said: str) -> str:
    """The last line of what was asked: what stands before it says how to answer."""
    return said.strip().rpartition("\n")[2]


def _quoted(listing: Listing) -> str:
    return "\n".join(listing.items) or NOTHING_FOUND


def _keep(fact: str, steps: Sequence[_Step]) -> Move:
    """Keep what is told, and ask about the notes that may be true no more by it."""
    untrue = _UNTRUE.fullmatch(fact)
    if not steps:
        told: dict[str, object] = {"text": untrue[2] if untrue else fact}
        if untrue:
            told["replaces"] = int(untrue[1])
        return Move(calls=(("archival_storage_insert", {**told, "request_heartbeat": True}),))
    near = read_noted(steps[-1].result).near
    if not near:
        return _says("I will remember that.")
    listed = "\n".join(f"{number}: “{text}”" for number, text in near.items())
    return _says(f"I will remember that. Is one of these true no more?\n{listed}")


def _open(messages: Sequence[Asked]) -> Move:
    """Ask about the first of the matters that there are to write about."""
    for message in reversed(messages):
        if matter := _MATTER.search(_text(message)):
            text = f"You told me: “{matter[1]}” How is that going?"
            return Move(calls=(("send_opener", {"text": text, "about": 1}),))
    return Move(calls=(("stay_silent", {}),))


def _without_functions(messages: Sequence[Asked]) -> str:
    """An answer from a prompt alone: the end of a chain of keys, a summary, or all there is."""
    instructions, prompt = _text(messages[0]), _text(messages[-1])
    if limit := _WORDS.search(instructions):
        return _shortened(prompt, int(limit[1]))
    values = dict(KEY_AND_VALUE.findall(prompt))
    keys = UUID.findall(prompt)
    if not keys or not values:
        return prompt
    at = keys[-1]
    for _ in range(len(values)):
        if at not in values:
            break
        at = values[at]
    return at if at != keys[-1] else NOTHING_FOUND


def _shortened(text: str, words: int) -> str:
    """The beginning of each line, as many words of it as give about `words` together."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    each = max(1, words // max(1, len(lines)))
    return "\n".join(" ".join(line[:each]) for line in lines) or "(nothing)"


def _has_said(steps: Sequence[_Step]) -> bool:
    return any(step.name == "send_message" for step in steps)


def _says(text: str) -> Move:
    return Move(calls=(("send_message", {"message": text}),))


def _search(function: str, query: str, page: int) -> Move:
    arguments = {"query": query, "page": page, "request_heartbeat": True}
    return Move(calls=((function, arguments),))


def _text(message: Asked) -> str:
    return message.get("content") or ""
