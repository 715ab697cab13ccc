"""Prompts as OpenAI's protocol writes them, within what a server can do."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from companion.foreign_json import read_json
from companion.llm import calls_in_text
from companion.llm.abilities import Abilities
from companion.llm.protocol import Call, Message, ToolSchema
from companion.text import clean

Wire = dict[str, Any]

BEFORE_THE_MODEL_SPOKE = "(The conversation goes on.)"
AFTER_A_RESULT = "(done)"

_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def request_body(
    model: str,
    messages: Sequence[Message],
    tools: Sequence[ToolSchema],
    abilities: Abilities,
    *,
    answer_tokens: int,
    schema: Mapping[str, Any] | None = None,
) -> bytes:
    """The request as it goes out. The same prompt gives the same bytes, so that caches hit.

    Most of a prompt was in the one before, so what was written once is kept as text. With a
    `schema` the answer's text is asked to be JSON of that schema.
    """
    if tools and not abilities.tools:
        messages = calls_in_text.prompt(messages, tools, schema=abilities.schema)
        schema = schema or calls_in_text.answer_schema(tools)
        tools = ()
    body: dict[str, str] = {"model": _json(model)}
    if tools:
        # before the messages, as servers put them into the prompt
        body["tools"] = _tools(tuple(tools), strict=abilities.strict)
        if abilities.parallel:
            body["parallel_tool_calls"] = "true"
    body["messages"] = f"[{','.join(_messages(messages, abilities))}]"
    if schema and abilities.schema:
        named = {"name": "answer", "schema": schema}
        body["response_format"] = _json({"type": "json_schema", "json_schema": named})
    if abilities.limits:
        longest = abilities.longest_answer or answer_tokens
        body[abilities.limits[0]] = _json(min(answer_tokens, longest))
    text = "{" + ",".join(f'"{name}":{value}' for name, value in body.items()) + "}"
    try:
        return text.encode()
    except UnicodeEncodeError:
        return clean(text).encode()


def _messages(messages: Sequence[Message], abilities: Abilities) -> list[str]:
    if not abilities.alternate and _may_stay(messages, abilities):
        return [_written(message, short_ids=abilities.short_ids) for message in messages]
    wire = [_message(message, short_ids=abilities.short_ids) for message in messages]
    if abilities.system != "anywhere":
        wire = _system_at_head(wire, never=abilities.system == "never")
    return [_json(message) for message in (_alternating(wire) if abilities.alternate else wire)]


def _may_stay(messages: Sequence[Message], abilities: Abilities) -> bool:
    """Whether the server takes the system's messages where they are."""
    match abilities.system:
        case "anywhere":
            return True
        case "never":
            return False
        case _:
            return all(message.role != "system" for message in messages[1:])


@lru_cache(maxsize=16_384)
def _written(message: Message, *, short_ids: bool) -> str:
    return _json(_message(message, short_ids=short_ids))


def _message(message: Message, *, short_ids: bool) -> Wire:
    if message.role == "tool":
        call_id = _call_id(message.call_id or "", short=short_ids)
        return {"role": "tool", "tool_call_id": call_id, "content": message.text}
    if not message.calls:
        return {"role": message.role, "content": message.text}
    calls = [_call(call, short=short_ids) for call in message.calls]
    return {"role": "assistant", "content": message.text or None, "tool_calls": calls}


def _call(call: Call, *, short: bool) -> Wire:
    function = {"name": call.name, "arguments": _arguments(call.arguments)}
    return {"id": _call_id(call.id, short=short), "type": "function", "function": function}


def _call_id(text: str, *, short: bool) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:9] if short else text


@lru_cache(maxsize=4096)
def _arguments(text: str) -> str:
    """`text`, or an object around it: servers parse old calls, and fail where one was broken."""
    try:
        valid = isinstance(read_json(text), dict)
    except ValueError:
        valid = False
    return text if valid else json.dumps({"unreadable": text}, ensure_ascii=False)


def _fits_strict(schema: Mapping[str, Any]) -> bool:
    """Whether OpenAI's strict mode takes `schema`: all required, and nothing else allowed."""
    properties = schema.get("properties", {})
    return (
        schema.get("additionalProperties") is False
        and len(schema.get("required", ())) == len(properties)
        and not any("default" in field for field in properties.values())
    )


@lru_cache(maxsize=16)
def _tools(tools: tuple[ToolSchema, ...], *, strict: bool) -> str:
    return _json([_tool(tool, strict=strict) for tool in tools])


def _tool(tool: ToolSchema, *, strict: bool) -> Wire:
    function: Wire = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    if strict and _fits_strict(tool.parameters):
        function["strict"] = True
    return {"type": "function", "function": function}


def _system_at_head(wire: Iterable[Wire], *, never: bool) -> list[Wire]:
    """One system message at the head at most; those that come later speak as the user."""
    changed: list[Wire] = []
    for message in wire:
        if message["role"] != "system":
            changed.append(message)
        elif never or (changed and changed[-1]["role"] != "system"):
            changed.append({"role": "user", "content": message["content"]})
        elif changed:
            changed[-1] = {
                "role": "system",
                "content": f"{changed[-1]['content']}\n\n{message['content']}",
            }
        else:
            changed.append(message)
    return changed


def _alternating(wire: Iterable[Wire]) -> list[Wire]:
    changed: list[Wire] = []
    for message in wire:
        before = changed[-1] if changed else None
        role = message["role"]
        if role == "assistant" and (before is None or before["role"] == "system"):
            changed.append({"role": "user", "content": BEFORE_THE_MODEL_SPOKE})
        elif role == "user" and before and before["role"] == "tool":
            changed.append({"role": "assistant", "content": AFTER_A_RESULT})
        elif before and _can_be_joined(before, message):
            joined = f"{before['content']}\n\n{message['content']}"
            changed[-1] = {"role": role, "content": joined}
            continue
        changed.append(message)
    return changed


def _can_be_joined(before: Wire, message: Wire) -> bool:
    same = before["role"] == message["role"] and message["role"] in ("user", "assistant")
    return same and "tool_calls" not in before and "tool_calls" not in message
