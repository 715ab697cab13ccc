"""Calls that a model wrote into its text, in the syntaxes that models are trained on."""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from companion.foreign_json import is_deep
from companion.llm.arguments import as_json, dumps, parsed

EFFORT = 400_000
"""Characters that are looked at in vain before the rest of a text is taken for no call."""


@dataclass(frozen=True, slots=True)
class LeakedCall:
    """A call found in text. `arguments` is JSON text where JSON could be made of it."""

    name: str
    arguments: str


# Marks that only a call has. What stands in one is never shown, even if nobody can read it.
_OPENING = (
    r"<tool_calls?>|<function_calls?>|\[TOOL_CALLS\]|<\|python_tag\|>|<\|tool_call\|>"
    r"|<\|tool_calls?_section_begin\|>|<\|tool_call_begin\|>|<｜tool▁calls?▁begin｜>"
    r"|<function=|<invoke\s|```tool_(?:calls?|code)\b|to=functions\."
)
_CLOSING = (
    r"</tool_calls?>|</function_calls?>|</function>|</invoke>|</parameter>"
    r"|\[/TOOL_CALLS\]|<\|/tool_call\|>|<\|tool_calls?_section_end\|>|<\|tool_call_end\|>"
    r"|<｜tool▁calls?▁end｜>"
)
_MARKED = re.compile(_OPENING)
_CLOSED = re.compile(_CLOSING)
_MARKS = re.compile(rf"{_OPENING}|{_CLOSING}|<\|tool_call_argument_begin\|>|<｜tool▁sep｜>")
_BLOCK_END = re.compile(rf"{_CLOSING}|```")
_UNREADABLE = re.compile(rf"(?:{_OPENING}).*?(?:{_CLOSING}|\Z)", re.S)
_EMPTY_FENCE = re.compile(r"```[\w-]*\s*(?:print\(\s*\)\s*)?```")
_LEFT_OVER = re.compile(r"^[\s\[\](),;{}`]*$|^\s*```(?:json|tool_\w+)\s*$", re.M)
# an open string runs to the end: trying again from each quote in it would take for ever
_QUOTED_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\]]', re.S)
_PARAMETER = re.compile(
    r"<parameter(?:=|\s+name=)[\"']?([\w.-]+)[\"']?[^>]*>\n?(.*?)\n?"
    r"(?:</parameter>|(?=<parameter|</function>|</invoke>)|\Z)",
    re.S,
)
_ARGUMENT = re.compile(
    r"<arg_key>([^<]*)</arg_key>\s*<arg_value>(.*?)(?:</arg_value>|\Z)",
    re.S,
)
_KEYWORD = re.compile(
    r"\s*(\w+)\s*=\s*"
    r"(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|-?\d+(?:\.\d+)?|True|False|None|true|false|null)"
    r"\s*,?",
    re.S,
)
_LITERALS = {"True": "true", "False": "false", "None": "null"}
_NAME_KEYS = ("name", "function", "tool", "tool_name", "function_name", "action")
_ARGUMENT_KEYS = (
    "arguments",
    "parameters",
    "args",
    "params",
    "input",
    "tool_input",
    "action_input",
    "kwargs",
)
_LIST_KEYS = ("tool_calls", "calls", "function_calls", "tool_call", "function_call", "actions")


def taken_out(
    text: str, names: Collection[str], *, complete: bool = True
) -> tuple[str, list[LeakedCall]]:
    """`text` without calls, and the calls.

    JSON and code that call none of the functions `names` stay text, unless they stand in marks
    that only a call has. `complete` is false where the answer was cut off: then the last call's
    arguments are left broken, as they came.
    """
    if not names or not (_MARKED.search(text) or any(name in text for name in names)):
        return text, []
    found: list[LeakedCall] = []
    kept: list[str] = []
    position = 0
    for start, end, calls in _places(text, names, complete=complete):
        kept.append(text[position:start])
        found.extend(calls)
        position = end
    kept.append(text[position:])
    rest = "".join(kept)
    if found or _MARKED.search(rest):
        rest = _without_marks(rest)
    return rest, found


def _without_marks(text: str) -> str:
    text = _EMPTY_FENCE.sub("", _MARKS.sub("", _UNREADABLE.sub(_inside_if_harmless, text)))
    return _LEFT_OVER.sub("", text).strip()


def _inside_if_harmless(block: re.Match[str]) -> str:
    """What is said between marks whose calls were taken out: words stay, broken calls don't."""
    inside = _MARKS.sub("", block[0]).strip()
    broken = re.search(r"[{\[<]|\w+\(", inside)
    return "" if broken else inside


Place = tuple[int, int, Sequence[LeakedCall]]
"""Where calls begin and end in a text, and the calls."""


@dataclass(frozen=True, slots=True)
class _Known:
    """The functions there are; `any_name` where it is plain that a call is meant."""

    names: Collection[str]
    any_name: bool

    def takes(self, name: str) -> bool:
        return self.any_name or name in self.names


def _in_marks(text: str, position: int) -> bool:
    """Whether a mark of calls is open at `position`."""
    marks = _MARKS.findall(text, 0, position)
    return bool(marks) and _CLOSED.match(marks[-1]) is None


def _places(text: str, names: Collection[str], *, complete: bool) -> Iterator[Place]:
    start = _start(frozenset(names))
    position = 0
    effort = EFFORT
    while effort > 0 and (match := start.search(text, position)):
        known = _Known(names, any_name=_in_marks(text, match.start()))
        place = _read(text, match, known, complete=complete)
        if place is None:
            effort -= len(text) - match.start()
            position = match.end()
            continue
        if place[2]:
            yield place
        position = max(place[1], match.end())


@lru_cache(maxsize=16)
def _start(names: frozenset[str]) -> re.Pattern[str]:
    known = "|".join(re.escape(name) for name in sorted(names))
    return re.compile(
        r"<function=(?P<function>[\w.-]+)>"
        r"|<invoke\s+name=[\"'](?P<invoke>[\w.-]+)[\"'][^>]*>"
        r"|<tool_call>\s*(?P<keyed>[\w.-]+)\s*(?=<arg_key>)"
        r"|(?:(?:to=)?functions\.(?P<numbered>[\w-]+)"
        r"|(?:\[TOOL_CALLS\]|(?:function)?<｜tool▁sep｜>|<｜tool▁call▁begin｜>)[ ]?"
        r"(?P<tagged>[\w-]+)"
        rf"|^[ \t]*(?P<named>{known}))(?::\d*)?"
        r"(?:\s|\[ARGS\]|\[CALL_ID\]\w+|<\|tool_call_argument_begin\|>|<｜tool▁sep｜>|```json"
        r"|json\b)*(?=\{)"
        rf"|(?:^[ \t]*|(?<=[\[(.,>])[ ]?)(?P<python>{known})(?:\.call)?\("
        r"|(?P<json>\{|\[\s*\{)",
        re.M,
    )


def _read(text: str, match: re.Match[str], known: _Known, *, complete: bool) -> Place | None:
    if match["json"]:
        return _json(text, match.start(), known, complete=complete)
    if name := match["function"] or match["invoke"]:
        return _xml(text, match, name, complete=complete)
    if name := match["keyed"]:
        return _keyed(text, match, name)
    if name := match["python"]:
        return _python(text, match, name)
    name = match["numbered"] or match["tagged"] or match["named"]
    value, end = _value(text, match.end(), complete=complete)
    arguments = dumps(value) if isinstance(value, dict) else text[match.end() : end]
    return match.start(), end, [LeakedCall(name, arguments)]


def _json(text: str, start: int, known: _Known, *, complete: bool) -> Place | None:
    value, end = _value(text, start, complete=complete)
    if value is not None:
        return start, end, _calls_in(value, known)
    cut_off = None if complete else _cut_off(text[start:], known)
    return (start, end, [cut_off]) if cut_off else None


def _value(text: str, start: int, *, complete: bool) -> tuple[Any, int]:
    """The JSON that begins at `start`, mended if need be, and where it ends; None if it is none."""
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        pass
    else:
        return (None, end) if is_deep(value) else (value, end)
    ends = {_balanced(text, start), _block_end(text, start)}
    for end in sorted(end for end in ends if end is not None):
        value = parsed(text[start:end], complete=complete or end < len(text.rstrip()))
        if isinstance(value, (dict, list)) and value:
            return value, end
    return None, len(text)


def _balanced(text: str, start: int) -> int | None:
    depth = 0
    for token in _QUOTED_OR_BRACKET.finditer(text, start):
        if token[0] in "{[":
            depth += 1
        elif token[0] in "}]":
            depth -= 1
            if depth == 0:
                return token.end()
    return None


def _block_end(text: str, start: int) -> int:
    end = _BLOCK_END.search(text, start)
    return end.start() if end else len(text)


def _calls_in(value: Any, known: _Known) -> list[LeakedCall]:
    """The calls that `value` stands for, none where it is something else."""
    if isinstance(value, list):
        # one known function vouches for the others: whoever runs them answers for unknown ones
        calls = [_call_in(one, _Known(known.names, any_name=True)) for one in value]
        named = [call for call in calls if call is not None]
        vouched = len(named) == len(calls) and any(known.takes(call.name) for call in named)
        return named if vouched else []
    if isinstance(value, dict):
        inner = next((value[key] for key in _LIST_KEYS if key in value), None)
        if isinstance(inner, (list, dict)):
            return _calls_in(inner if isinstance(inner, list) else [inner], known)
    call = _call_in(value, known)
    return [] if call is None else [call]


def _call_in(value: Any, known: _Known) -> LeakedCall | None:
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("function"), dict):
        return _call_in(value["function"], known)
    for key in _NAME_KEYS:
        name = value.get(key)
        if isinstance(name, str) and known.takes(_bare(name)):
            return LeakedCall(_bare(name), _arguments_of(value, key))
    if len(value) == 1:
        ((name, arguments),) = value.items()
        if name in known.names and isinstance(arguments, dict):
            return LeakedCall(name, dumps(arguments))
    return None


def _bare(name: str) -> str:
    return re.sub(r":\d+$", "", name.strip().removeprefix("functions."))


def _arguments_of(value: dict[str, Any], name_key: str) -> str:
    for key in _ARGUMENT_KEYS:
        if key in value:
            return as_json(value[key])
    # some models put the arguments beside the name
    rest = {key: one for key, one in value.items() if key not in (name_key, "type", "id")}
    return dumps(rest)


def _cut_off(text: str, known: _Known) -> LeakedCall | None:
    """A call whose end is missing. Its arguments stay broken, so that nobody acts on them."""
    name = re.match(r'[\[{\s]*"(?:name|function)"\s*:\s*"([\w.:-]+)"', text)
    if name is None or not known.takes(_bare(name[1])):
        return None
    return LeakedCall(_bare(name[1]), text[name.end() :].lstrip(", \n"))


def _xml(text: str, match: re.Match[str], name: str, *, complete: bool) -> Place:
    closing = re.compile(r"</function>|</invoke>").search(text, match.end())
    end = closing.start() if closing else len(text)
    body = text[match.end() : end]
    parameters = dict(_PARAMETER.findall(body))
    if parameters and (closing or complete):
        arguments = dumps(parameters)
    else:
        arguments = as_json(body.strip(), complete=complete or closing is not None)
    return match.start(), closing.end() if closing else end, [LeakedCall(name, arguments)]


def _keyed(text: str, match: re.Match[str], name: str) -> Place:
    closing = text.find("</tool_call>", match.end())
    end = len(text) if closing < 0 else closing
    arguments = {key.strip(): value for key, value in _ARGUMENT.findall(text[match.end() : end])}
    return match.start(), end, [LeakedCall(name, dumps(arguments))]


def _python(text: str, match: re.Match[str], name: str) -> Place | None:
    """`name(key="value")`, as some models write calls. Nothing is run."""
    fields = []
    position = match.end()
    while field := _KEYWORD.match(text, position):
        fields.append(f'"{field[1]}": {_LITERALS.get(field[2], field[2])}')
        position = field.end()
    closing = re.compile(r"\s*\)").match(text, position)
    arguments = parsed("{" + ", ".join(fields) + "}")
    if closing is None or not isinstance(arguments, dict):
        return None
    return match.start(), closing.end(), [LeakedCall(name, dumps(arguments))]
