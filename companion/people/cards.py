"""Character cards, V2 and V3, as JSON or inside a PNG: read, with limits, into what we use."""

import base64
import binascii
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from companion.errors import OperatorError
from companion.foreign_json import read_json
from companion.text import clean

MOST_BYTES = 20 * 2**20
MOST_CARD_BYTES = 4 * 2**20
MOST_CHARS = 20_000
"""Of what the character is, all in all."""
MOST_GREETINGS = 50
MOST_ENTRIES = 1000
MOST_KEYS = 100
KEY_CHARS = 100
ENTRY_CHARS = 4000
PNG = b"\x89PNG\r\n\x1a\n"
KEYWORDS = ("ccv3", "chara")
"""Where a PNG keeps a card; V3 counts more than the V2 that stands beside it for older programs."""


class CardError(OperatorError):
    """A file is no card that can be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Lore:
    """Something to know when one of the keys comes up."""

    keys: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A character. `left_out` tells what of the card is not used, and why."""

    name: str
    text: str
    greetings: tuple[str, ...]
    lore: tuple[Lore, ...]
    left_out: tuple[str, ...]


def _text(value: object) -> object:
    return "" if value is None else value


_Text = Annotated[str, BeforeValidator(_text)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Entry(_Part):
    keys: list[str] = []
    content: _Text = ""
    enabled: bool = True
    use_regex: bool = False


class _Book(_Part):
    # entries come as a list, or by number
    entries: list[_Entry] | dict[str, _Entry] = []


class _Data(_Part):
    name: str = Field(min_length=1)
    description: _Text = ""
    personality: _Text = ""
    scenario: _Text = ""
    mes_example: _Text = ""
    first_mes: _Text = ""
    alternate_greetings: list[str] = []
    character_book: _Book | None = None


class _Card(_Part):
    spec: str
    data: _Data


def read(content: bytes) -> Card:
    """The card in a file.

    Raises:
        CardError: it is too large, damaged, or no card of V2 or V3.
    """
    if len(content) > MOST_BYTES:
        raise CardError(f"The file is larger than {MOST_BYTES // 2**20} MB.")
    return _of_png(content) if content.startswith(PNG) else _of_json(content)


def _of_png(content: bytes) -> Card:
    found = {word: text for word, text in _texts(content) if word in KEYWORDS}
    if not found:
        raise CardError("The picture holds no character card.")
    error: CardError | None = None
    for keyword in KEYWORDS:
        if keyword in found:
            try:
                return _of_json(base64.b64decode(found[keyword], validate=True))
            except binascii.Error:
                error = CardError(f"The card in the picture ({keyword}) is damaged.")
            except CardError as fault:
                error = fault
    assert error is not None
    raise error


def _texts(content: bytes) -> Iterator[tuple[str, bytes]]:
    """The texts in a PNG, by their keywords."""
    at = len(PNG)
    while at < len(content):
        length = int.from_bytes(content[at : at + 4])
        kind, body = content[at + 4 : at + 8], content[at + 8 : at + 8 + length]
        check = content[at + 8 + length : at + 12 + length]
        if len(check) < 4 or zlib.crc32(kind + body) != int.from_bytes(check):
            raise CardError(f"The picture is damaged, at byte {at}. Get the file anew.")
        if kind in (b"tEXt", b"iTXt", b"zTXt"):
            keyword, _, rest = body.partition(b"\0")
            yield keyword.decode("latin-1"), _value(kind, rest)
        if kind == b"IEND":
            return
        at += 12 + length
    raise CardError("The picture is cut off. Get the file anew.")


def _value(kind: bytes, rest: bytes) -> bytes:
    if kind == b"tEXt":
        return rest
    if kind == b"zTXt":
        return _inflated(rest[1:])
    packed = rest[:1] == b"\1"
    value = rest[2:].split(b"\0", 2)[-1]  # after language and translated keyword
    return _inflated(value) if packed else value


def _inflated(packed: bytes) -> bytes:
    unpacking = zlib.decompressobj()
    try:
        value = unpacking.decompress(packed, MOST_BYTES)
    except zlib.error as error:
        raise CardError(f"A text in the picture is damaged: {error}.") from error
    if unpacking.unconsumed_tail:
        raise CardError(f"A text in the picture is larger than {MOST_BYTES // 2**20} MB.")
    return value


def _of_json(content: bytes) -> Card:
    if len(content) > MOST_CARD_BYTES:
        raise CardError(f"The card's text is larger than {MOST_CARD_BYTES // 2**20} MB.")
    try:
        card = _Card.model_validate(_cleaned(read_json(content.decode("utf-8-sig"))))
    except ValidationError as error:
        raise CardError(f"The file is no character card of V2 or V3: {_why(error)}.") from error
    except ValueError as error:
        raise CardError("The file is no character card: neither JSON nor a PNG.") from error
    if card.spec not in ("chara_card_v2", "chara_card_v3"):
        raise CardError(f"The file is no character card of V2 or V3, but {card.spec[:40]!r}.")
    return _used(card.data)


def _cleaned(value: Any) -> Any:
    """`value` with texts that can be stored."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(one) for one in value]
    if isinstance(value, dict):
        return {key: _cleaned(one) for key, one in value.items()}
    return value


def _why(error: ValidationError) -> str:
    fault = error.errors()[0]
    return f"{'.'.join(str(part) for part in fault['loc']) or 'it'}: {fault['msg']}"


def _used(data: _Data) -> Card:
    name = " ".join(data.name.split())[:KEY_CHARS]
    parts = [
        data.description,
        f"Personality: {data.personality}" if data.personality.strip() else "",
        f"Scenario: {data.scenario}" if data.scenario.strip() else "",
        f"How {name} talks:\n{data.mes_example}" if data.mes_example.strip() else "",
    ]
    text = "\n\n".join(part.strip() for part in parts if part.strip())
    greetings = [one.strip() for one in (data.first_mes, *data.alternate_greetings)]
    greetings = [one for one in greetings if one]
    left_out = []
    if len(text) > MOST_CHARS:
        left_out.append(f"what goes beyond {MOST_CHARS:,} characters of the description")
    if len(greetings) > MOST_GREETINGS:
        left_out.append(f"{len(greetings) - MOST_GREETINGS} greetings")
    lore, refused = _lore(data.character_book)
    if refused:
        left_out.append(
            f"{refused} entries of the lorebook whose keys are patterns, which could take for ever"
        )
    if len(lore) > MOST_ENTRIES:
        left_out.append(f"{len(lore) - MOST_ENTRIES} entries of the lorebook")
    return Card(
        name=name,
        text=text[:MOST_CHARS],
        greetings=tuple(greetings[:MOST_GREETINGS]),
        lore=tuple(lore[:MOST_ENTRIES]),
        left_out=tuple(left_out),
    )


def _lore(book: _Book | None) -> tuple[list[Lore], int]:
    """The entries that can be used, and how many are left out for their keys."""
    if book is None:
        return [], 0
    entries = book.entries if isinstance(book.entries, list) else list(book.entries.values())
    lore, refused = [], 0
    for entry in entries:
        keys = [key.strip() for key in entry.keys if key.strip()]
        plain = [] if entry.use_regex else [key for key in keys if not _is_pattern(key)]
        plain = [key for key in plain if len(key) <= KEY_CHARS][:MOST_KEYS]
        if not entry.enabled or not entry.content.strip() or not keys:
            continue
        if plain:
            lore.append(Lore(tuple(plain), entry.content.strip()[:ENTRY_CHARS]))
        else:
            refused += 1
    return lore, refused


def _is_pattern(key: str) -> bool:
    """Whether a key is written as a regular expression, as in "/drag(on)+/i"."""
    return len(key) > 1 and key.startswith("/") and "/" in key[1:]
