"""Functions for servers that know none: told of in the text, called by JSON in the text."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from companion.llm.protocol import Call, Message, ToolSchema

_HOW = """\
You act only by calling functions. A call is a JSON object on a line of its own:
{"name": "…", "arguments": {…}}
Write one such line for each call and nothing else. The results come in the next message.

The functions:
"""

_HOW_WITH_SCHEMA = """\
You act only by calling functions. Answer with one JSON object:
{"calls": [{"name": "…", "arguments": {…}}]}
Put one entry for each call, and write nothing else. The results come in the next message.

The functions:
"""


def prompt(
    messages: Sequence[Message], tools: Sequence[ToolSchema], *, schema: bool
) -> list[Message]:
    """`messages` with `tools` described, and calls and their results as plain text.

    `schema` tells that the answer will be held to `schema(tools)`.
    """
    names = {call.id: call.name for message in messages for call in message.calls}
    plain = [_plain(message, names, schema=schema) for message in messages]
    told = (_HOW_WITH_SCHEMA if schema else _HOW) + "\n".join(_described(tool) for tool in tools)
    if plain and plain[0].role == "system":
        return [Message("system", f"{plain[0].text}\n\n{told}"), *plain[1:]]
    return [Message("system", told), *plain]


def answer_schema(tools: Sequence[ToolSchema]) -> dict[str, Any]:
    """What an answer looks like that calls some of `tools`."""
    definitions: dict[str, Any] = {}
    choices = []
    for tool in tools:
        parameters = dict(tool.parameters)
        definitions |= parameters.pop("$defs", {})
        choices.append(_object({"name": {"const": tool.name}, "arguments": parameters}))
    calls = {"type": "array", "minItems": 1, "items": {"anyOf": choices}}
    return _object({"calls": calls}) | ({"$defs": definitions} if definitions else {})


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _described(tool: ToolSchema) -> str:
    parameters = json.dumps(tool.parameters, ensure_ascii=False)
    return f"- {tool.name}: {tool.description}\n  arguments: {parameters}"


def _plain(message: Message, names: Mapping[str, str], *, schema: bool) -> Message:
    if message.role == "tool":
        name = names.get(message.call_id or "", "a function")
        return Message("user", f"Result of {name}: {message.text}")
    if not message.calls:
        return message
    lines = [_line(call) for call in message.calls]
    written = '{"calls": [' + ", ".join(lines) + "]}" if schema else "\n".join(lines)
    return Message("assistant", f"{message.text}\n{written}" if message.text else written)


def _line(call: Call) -> str:
    name = json.dumps(call.name, ensure_ascii=False)
    return f'{{"name": {name}, "arguments": {call.arguments}}}'
