"""What Telegram refuses, in its own words; it is asked itself where it can be."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import tdjson

Json = dict[str, Any]

LONGEST_TEXT = 4096
MOST_ENTITIES = 100
REACTIONS = {
    *"❤👍👎🔥🥰👏😁🤔🤯😱🤬😢🎉🤩🤮💩🙏👌🕊🤡🥱🥴😍🐳🌚🌭💯🤣⚡🍌🏆💔🤨😐🍓🍾",
    *"💋🖕😈😴😭🤓👻👀🎃🙈😇😨🤝✍🤗🫡🎅🎄☃💅🤪🗿🆒💘🙉🦄😘💊🙊😎👾🤷😡",
    "❤\u200d🔥",
    "👨\u200d💻",
    "🤷\u200d♂",
    "🤷\u200d♀",
}
"""What the documentation of ReactionTypeEmoji lists."""

_TD_TYPES = {
    "bold": "Bold",
    "italic": "Italic",
    "underline": "Underline",
    "strikethrough": "Strikethrough",
    "spoiler": "Spoiler",
    "blockquote": "BlockQuote",
    "code": "Code",
    "pre": "Pre",
    "text_link": "TextUrl",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer other than 200. `parameters` as in Telegram's ResponseParameters."""

    code: int
    description: str
    parameters: Json = field(default_factory=dict)


class RefusedError(Exception):
    """A request that Telegram would refuse."""

    def __init__(self, code: int, description: str, **parameters: Any) -> None:
        super().__init__(description)
        self.refusal = Refusal(code, description, parameters)


def check_commands(commands: list[Json]) -> None:
    """Refuse a menu that Telegram would not show."""
    if not 1 <= len(commands) <= 100:
        raise RefusedError(400, "Bad Request: BOT_COMMANDS_TOO_MUCH")
    for command in commands:
        if not re.fullmatch(r"[a-z0-9_]{1,32}", command["command"]):
            raise RefusedError(400, "Bad Request: BOT_COMMAND_INVALID")
        if not 1 <= len(command["description"]) <= 256:
            raise RefusedError(400, "Bad Request: BOT_COMMAND_DESCRIPTION_INVALID")


def keyboard_of(given: Json) -> list[list[Json]]:
    """The buttons that a request asks for; refused where Telegram would."""
    rows: list[list[Json]] = json.loads(given.get("reply_markup", "{}")).get("inline_keyboard", [])
    for button in (button for row in rows for button in row):
        if not button["text"].strip():
            raise RefusedError(
                400, "Bad Request: text buttons are unallowed in the inline keyboard"
            )
        if not 1 <= len(button["callback_data"].encode()) <= 64:
            raise RefusedError(400, "Bad Request: BUTTON_DATA_INVALID")
    return rows


def check_text(text: str, entities: list[Json]) -> None:
    """Refuse what Telegram refuses, its own entity checker asked."""
    if len(text) > LONGEST_TEXT:
        raise RefusedError(400, "Bad Request: message is too long")
    if len(entities) > MOST_ENTITIES:
        raise RefusedError(400, "Bad Request: too many entities (a strict server's own rule)")
    checked = td({"@type": "getMarkdownText", "text": formatted(text, entities)})
    if checked["@type"] == "error":
        raise RefusedError(400, f"Bad Request: can't parse entities: {checked['message']}")
    if not td({"@type": "getTextEntities", "text": text})["@type"] == "textEntities":
        raise RefusedError(400, "Bad Request: strings must be encoded in UTF-8")
    if not any(_shows(character) for character in text):
        raise RefusedError(400, "Bad Request: message text is empty")
    for entity in _pairs_that_cross(entities):
        raise RefusedError(400, f"Bad Request: can't parse entities: {entity} crosses another")


def _shows(character: str) -> bool:
    return not character.isspace() and character not in "\u200b\u200c\u200d\u2060\ufeff"


def _pairs_that_cross(entities: list[Json]) -> Iterator[Json]:
    for one in entities:
        for other in entities:
            start, end = one["offset"], one["offset"] + one["length"]
            if other["offset"] < start < other["offset"] + other["length"] < end:
                yield one


def formatted(text: str, entities: list[Json]) -> Json:
    """`text` as TDLib takes it."""
    return {
        "@type": "formattedText",
        "text": text,
        "entities": [
            {
                "offset": entity["offset"],
                "length": entity["length"],
                "type": {
                    "@type": f"textEntityType{_TD_TYPES[entity['type']]}",
                    **({"url": entity["url"]} if entity["type"] == "text_link" else {}),
                },
            }
            for entity in entities
        ],
    }


@cache
def _quiet() -> None:
    tdjson.td_execute(b'{"@type": "setLogVerbosityLevel", "new_verbosity_level": 0}')


def td(request: Json) -> Json:
    """What Telegram's own library answers to `request`."""
    _quiet()
    answer = tdjson.td_execute(json.dumps(request).encode())
    assert answer is not None
    result: Json = json.loads(answer)
    return result
