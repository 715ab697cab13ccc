"""Everything that may reach a companion, hostile by chance: by message, by model, and by file."""

import asyncio
import io
import json
import random
import zipfile
from collections.abc import Sequence
from typing import Any

from companion.events import (
    Address,
    FileReceived,
    MessageDeleted,
    MessageEdited,
    MessageReceived,
    PersonReturned,
    PersonStarted,
    PlatformEvent,
    ReactionReceived,
    Sender,
    VoiceReceived,
)
from companion.functions.all import FUNCTIONS
from companion.llm.answer import Prices, read_answer
from companion.llm.faults import EndpointError
from companion.llm.protocol import Message, Reply
from companion.text import clean
from tests.support.bot_api import person
from tests.support.hostile_words import arguments, bit, command, mutated, text, value
from tests.support.scripted_llm import sends
from tests.support.world import World

PEOPLE = 20
NAMES = tuple(function.name for function in FUNCTIONS)


def said(world: World, chance: random.Random) -> MessageReceived:
    """A message or a command in private."""
    words = command(chance) if chance.random() < 0.4 else text(chance)
    return world.message(words, f"person {chance.randrange(PEOPLE)}")


def happened(world: World, chance: random.Random) -> PlatformEvent:
    """Anything else that a platform may report."""
    name = f"person {chance.randrange(PEOPLE)}"
    number = f"e{chance.getrandbits(48)}"
    own: dict[str, Any] = {
        "id": chance.choice((number, number + bit(chance))),
        "address": Address(
            platform="test",
            chat=chance.choice((name, "a group")),
            thread=chance.choice((None, None, "1", bit(chance) or "2")),
            private=chance.random() < 0.8,
        ),
        "sender": Sender(user=name, name=text(chance)),
        "at": world.clock.now(),
    }
    about = chance.choice(("m1", "m20", bit(chance)))
    makes: Sequence[PlatformEvent] = (
        MessageReceived(
            **own,
            text=text(chance),
            message=about,
            answers=chance.choice((None, text(chance))),
            addressed=chance.random() < 0.7,
        ),
        MessageEdited(**own, message=about, text=text(chance)),
        MessageDeleted(**own, message=about),
        ReactionReceived(**own, message=about, emoji=bit(chance), removed=chance.random() < 0.3),
        FileReceived(
            **own,
            name=text(chance),
            media_type=bit(chance),
            size=chance.choice((0, 1, 2**62)),
            text=chance.choice(("", text(chance))),
            album=chance.choice(("", "", bit(chance))),
        ),
        VoiceReceived(**own, seconds=chance.choice((0, 1, 2**40))),
        PersonStarted(**own),
        PersonReturned(**own, away=world.clock.now() - world.clock.now()),
    )
    return chance.choice(makes)


async def answered(chance: random.Random, messages: Sequence[Message]) -> Reply:
    """What a server that sends anything at all would be understood to have said."""
    raw = await asyncio.to_thread(lambda: _completion(chance).encode())
    try:
        return await read_answer(
            raw, messages, NAMES, model="hostile", answer_tokens=1024, prices=Prices()
        )
    except EndpointError:
        return sends("That was nothing.")


def _completion(chance: random.Random) -> str:
    calls = [_call(chance) for _ in range(chance.choice((0, 1, 1, 1, 2, 3, 20)))]
    message: dict[str, Any] = {
        "role": "assistant",
        "content": chance.choice((None, "", text(chance), _leaked(chance))),
        "tool_calls": calls,
    }
    finish = chance.choice(("stop", "tool_calls", "length", "content_filter", bit(chance)))
    body: dict[str, Any] = {
        "choices": [{"message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 10, "completion_tokens": chance.choice((5, 1e999, -1, "7"))},
    }
    if chance.random() < 0.15:
        body = mutated(body, chance)
    written = json.dumps(body)
    return written[: chance.randrange(len(written))] if chance.random() < 0.02 else written


def _call(chance: random.Random) -> Any:
    name = chance.choice(NAMES)
    spelled = chance.choice((name, name, name, f"functions.{name}:0", f"{name}<|x|>", text(chance)))
    function = {"name": spelled, "arguments": arguments(name, chance)}
    return {"id": chance.choice((f"c{chance.random()}", "", bit(chance), 5)), "function": function}


def _leaked(chance: random.Random) -> str:
    name = chance.choice(NAMES)
    given = arguments(name, chance)
    as_json = given if isinstance(given, str) else json.dumps(given)
    call = f'{{"name": "{name}", "arguments": {as_json}}}'
    around = (
        "<tool_call>{}</tool_call>",
        "<tool_call>{}",
        "[TOOL_CALLS][{}]",
        "```json\n{}\n```",
        "<think>{}</think> {}",
        "<|python_tag|>{}",
        "{} {}",
    )
    return chance.choice(around).replace("{}", call) + chance.choice(("", bit(chance)))


def update(chance: random.Random) -> dict[str, Any]:
    """An update of Telegram's, with anything in it that is not as it should be."""
    user = 7 + chance.randrange(PEOPLE)
    chat = {"id": user, "type": "private", "first_name": text(chance)}
    words = command(chance) if chance.random() < 0.3 else text(chance)
    message: dict[str, Any] = {
        "message_id": chance.randrange(10**6),
        "date": 1_746_446_400,
        "chat": chat,
        "from": {**person(user), "first_name": text(chance)},
        "text": words,
        "entities": [
            {
                "type": chance.choice(("bot_command", "bold", "text_link", "mention", bit(chance))),
                "offset": chance.choice((0, 1, 5, -3, 10**9)),
                "length": chance.choice((1, 4, 0, -2, 10**9)),
                "url": bit(chance),
            }
            for _ in range(chance.choice((0, 0, 1, 3)))
        ],
    }
    kinds: dict[str, Any] = {
        "message": message,
        "edited_message": {**message, "edit_date": 1_746_446_401},
        "message_reaction": {
            "chat": chat,
            "message_id": 3,
            "user": person(user),
            "date": 1_746_446_400,
            "old_reaction": [],
            "new_reaction": [{"type": "emoji", "emoji": bit(chance)}],
        },
        "my_chat_member": {"chat": chat, "from": person(user), "date": 1_746_446_400},
    }
    kind = chance.choice((*kinds, "message", "message"))
    if chance.random() < 0.3:
        extra = {
            "document": {"file_id": "f", "file_unique_id": "u", "file_name": text(chance)},
            "voice": {"file_id": "f", "file_unique_id": "u", "duration": 2},
            "location": {"latitude": 1e308, "longitude": -1},
            "reply_to_message": {**message, "text": text(chance)},
            "forward_origin": {"type": "user", "date": 1, "sender_user": person(user)},
        }
        name = chance.choice(sorted(extra))
        message[name] = extra[name]
    return {"update_id": chance.getrandbits(40), kind: mutated(kinds[kind], chance)}


def card(chance: random.Random) -> bytes:
    """A character card."""
    entries = [
        {"keys": [text(chance), "(a+)+$", "/(a|a)*b/i"], "content": text(chance)} for _ in range(3)
    ]
    given = {
        "spec": chance.choice(("chara_card_v2", "chara_card_v3")),
        "data": {
            "name": text(chance) or "x",
            "description": text(chance),
            "first_mes": text(chance),
            "alternate_greetings": [text(chance)],
            "character_book": {"entries": entries},
        },
    }
    return _written(mutated(given, chance, 0.05), chance)


def _written(given: Any, chance: random.Random) -> bytes:
    content = json.dumps(given).encode()
    depth = chance.choice((500, 980, 100_000))
    whole = content if chance.random() < 0.8 else b"[" * depth + content + b"]" * depth
    if chance.random() < 0.1:
        whole = whole.replace(b"3", b"9" * 5000)
    return whole if chance.random() < 0.9 else whole[: chance.randrange(len(whole))]


def export(chance: random.Random) -> bytes:
    """A zip that says that it is an export."""
    manifest = {"format": "companion-export", "version": 1, "name": text(chance)}
    at = "2025-05-05T12:00:00+00:00"
    rows: dict[str, dict[str, Any]] = {
        "person": {"id": 7, "kind": "person", "name": text(chance), "timezone": None},
        "account": {"platform": "test", "user": bit(chance), "name": "A", "person_id": 7},
        "conversation": {"id": 2, "platform": "test", "chat": bit(chance), "person_id": 7},
        "message": {"id": 3, "person_id": 7, "kind": "event", "speaker": "A", "said": text(chance),
                    "said_at": at, "text": text(chance), "calls": "[]", "tokens": 3},
        "passage": {"id": 1, "person_id": 7, "text": text(chance), "created_at": at},
        "working_context": {"id": 1, "person_id": 7, "text": text(chance), "created_at": at},
        "schedule": {"id": 1, "person_id": 7, "text": text(chance), "rule": "{}", "due_at": at},
    }  # fmt: skip
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", _written(mutated(manifest, chance, 0.02), chance))
        for name, row in rows.items():
            if chance.random() < 0.7:
                archive.writestr(f"data/{name}.jsonl", _written(mutated(row, chance), chance))
        archive.writestr(f"files/{clean(bit(chance))}", b"x")
    content = packed.getvalue()
    return content if chance.random() < 0.9 else content[: chance.randrange(len(content))]


def settings(chance: random.Random) -> str:
    """A settings file."""
    known = ("agent", "limits", "memory", "openers", "night", "telegram", "discord", "embedder")
    lines = []
    for _ in range(chance.randint(1, 4)):
        lines.append(f"[{chance.choice(known)}]" if chance.random() < 0.9 else f"[{bit(chance)}]")
        key = chance.choice(("enabled", "kind", "name", "allowed", "a_day", '"a.b"', bit(chance)))
        deep = "[" * chance.choice((2, 300, 5000))
        lines.append(f"{key} = {chance.choice((_toml(chance), deep, '9' * 5000, '1e999', 'nan'))}")
    return "\n".join(lines)


def _toml(chance: random.Random) -> str:
    return json.dumps(value(chance), ensure_ascii=False)
