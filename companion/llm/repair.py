"""What a model sent, made into what it meant."""

import hashlib
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from companion.llm.arguments import as_json
from companion.llm.leaked_calls import taken_out
from companion.llm.protocol import Call, Message
from companion.llm.thinking import without_thinking
from companion.text import clean

_GOOD_ID = re.compile(r"[\w.:-]{1,40}", re.A)


@dataclass(frozen=True, slots=True)
class RawCall:
    """A call as a server sent it: any of the three may be missing or of any type."""

    id: object
    name: object
    arguments: object


def repaired(
    text: str,
    raw_calls: Sequence[RawCall],
    names: Collection[str],
    *,
    prompt: Sequence[Message] = (),
    complete: bool = True,
) -> tuple[str, tuple[Call, ...]]:
    """What was said, and the calls, those that stood in `text` included.

    `names` are the functions that the model was told of. `complete` is false where the answer
    was cut off. No id is one that a call in `prompt` has, nor comes twice; the same answer to
    the same prompt always gets the same ids.
    """
    said, leaked = taken_out(without_thinking(clean(text)), names, complete=complete)
    last = len(raw_calls) - 1
    drafts = [
        (
            call.id,
            _name(call.name, names),
            as_json(call.arguments, complete=complete or number < last or bool(leaked)),
        )
        for number, call in enumerate(raw_calls)
        if isinstance(call.name, str) and call.name.strip()
    ]
    known = {(name, arguments) for _, name, arguments in drafts}
    for call in leaked:
        # servers that parse calls sometimes leave them in the text too
        if (call.name, call.arguments) not in known:
            drafts.append((None, call.name, call.arguments))
    return said, _with_ids(drafts, prompt)


def _name(raw: object, names: Collection[str]) -> str:
    """`raw` without what servers leave around a name, where that makes it a known one."""
    name = clean(str(raw)).strip()
    if name in names:
        return name
    bare = re.sub(r"(?::\d+|<\|.*)$", "", name, flags=re.S).rpartition(".")[2]
    return bare if bare in names else name


def _with_ids(
    drafts: Iterable[tuple[object, str, str]], prompt: Sequence[Message]
) -> tuple[Call, ...]:
    taken = {call.id for message in prompt for call in message.calls}
    last = prompt[-1].text if prompt else ""
    calls = []
    for number, (given, name, arguments) in enumerate(drafts):
        call_id = given if isinstance(given, str) and _GOOD_ID.fullmatch(given) else ""
        attempt = 0
        while not call_id or call_id in taken:
            seed = f"{len(prompt)}/{number}/{attempt}/{name}/{arguments}/{last}"
            call_id = hashlib.sha256(seed.encode(errors="replace")).hexdigest()[:9]
            attempt += 1
        taken.add(call_id)
        calls.append(Call(call_id, name, arguments))
    return tuple(calls)
