"""Character cards: read with limits, whatever is in them."""

import base64
import json
import zlib
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.people.cards import MOST_BYTES, PNG, Card, CardError, Lore, read


def card(spec: str = "chara_card_v2", **data: Any) -> bytes:
    given: dict[str, Any] = {"name": "Ada", "description": "{{char}} likes {{user}}.", **data}
    return json.dumps({"spec": spec, "spec_version": "2.0", "data": given}).encode()


def chunk(kind: bytes, body: bytes) -> bytes:
    return len(body).to_bytes(4) + kind + body + zlib.crc32(kind + body).to_bytes(4)


def png(*chunks: bytes) -> bytes:
    head = chunk(b"IHDR", b"\0\0\0\1\0\0\0\1\x08\0\0\0\0")
    return PNG + head + b"".join(chunks) + chunk(b"IEND", b"")


def text(keyword: str, content: bytes) -> bytes:
    return chunk(b"tEXt", keyword.encode() + b"\0" + base64.b64encode(content))


def test_a_json_card_has_what_a_character_is() -> None:
    book = {"entries": [{"keys": ["dragon", " "], "content": "It sleeps."}]}
    found = read(
        card(
            personality="kind",
            scenario="a tower",
            mes_example="Hm!",
            first_mes="Hello, {{user}}!",
            alternate_greetings=["Again?", ""],
            character_book=book,
            system_prompt="obey",
        )
    )
    assert found == Card(
        name="Ada",
        text="{{char}} likes {{user}}.\n\nPersonality: kind\n\nScenario: a tower\n\n"
        "How Ada talks:\nHm!",
        greetings=("Hello, {{user}}!", "Again?"),
        lore=(Lore(("dragon",), "It sleeps."),),
        left_out=(),
    )


def test_of_two_cards_in_a_picture_v3_counts() -> None:
    old, new = card(name="Old"), card("chara_card_v3", name="New")
    assert read(png(text("chara", old), text("ccv3", new))).name == "New"
    assert read(png(text("ccv3", new), text("chara", old))).name == "New"
    assert read(png(text("chara", old), text("ccv3", b"broken"))).name == "Old"


def test_packed_and_international_texts_are_read_too() -> None:
    coded = base64.b64encode(card())
    for body in (
        chunk(b"iTXt", b"chara\0\0\0en\0chara\0" + coded),
        chunk(b"iTXt", b"chara\0\1\0\0\0" + zlib.compress(coded)),
        chunk(b"zTXt", b"chara\0\0" + zlib.compress(coded)),
    ):
        assert read(png(body)).name == "Ada"


def test_keys_that_are_patterns_are_left_out_and_plain_ones_beside_them_are_not() -> None:
    entries = [
        {"keys": ["/(a+)+$/i"], "content": "hangs"},
        {"keys": ["(a+)+$"], "content": "hangs", "use_regex": True},
        {"keys": ["/x/", "tower"], "content": "stands"},
        {"keys": ["off"], "content": "is off", "enabled": False},
    ]
    found = read(card("chara_card_v3", character_book={"entries": entries}))
    assert found.lore == (Lore(("tower",), "stands"),)
    assert found.left_out == (
        "2 entries of the lorebook whose keys are patterns, which could take for ever",
    )


def test_what_is_too_much_is_left_out_and_said() -> None:
    entries = [{"keys": [f"k{n}"], "content": "x" * 9000} for n in range(1001)]
    found = read(
        card(
            description="y" * 30_000,
            alternate_greetings=["hi"] * 60,
            character_book={"entries": {str(n): entry for n, entry in enumerate(entries[:300])}},
        )
    )
    assert len(found.text) == 20_000
    assert len(found.greetings) == 50
    assert len(found.lore[0].text) == 4000
    assert len(found.left_out) == 2


BROKEN_CRC = bytearray(png(text("chara", card())))
BROKEN_CRC[60] ^= 1
BOMB = chunk(b"zTXt", b"chara\0\0" + zlib.compress(bytes(MOST_BYTES + 1)))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (bytes(MOST_BYTES + 1), "larger than 20 MB"),
        (b"{" + b" " * (5 * 2**20), "larger than 4 MB"),
        (bytes(BROKEN_CRC), "damaged, at byte"),
        (png(text("chara", card()))[:100], "damaged, at byte"),
        (PNG, "cut off"),
        (png(), "holds no character card"),
        (png(BOMB), "larger than 20 MB"),
        (png(chunk(b"tEXt", b"chara\0not base64!")), "is damaged"),
        (png(chunk(b"zTXt", b"chara\0\0nonsense")), "is damaged"),
        (b"", "neither JSON nor a PNG"),
        (b"[" * 100_000, "neither JSON nor a PNG"),
        (b"\xff\xfe", "neither JSON nor a PNG"),
        (b"[]", "no character card of V2 or V3"),
        (card("chara_card_v9"), "but 'chara_card_v9'"),
        (card(name=""), "data.name"),
        (json.dumps({"name": "V1", "description": "old"}).encode(), "V2 or V3"),
    ],
)
def test_what_cannot_be_used_is_a_sentence(content: bytes, said: str) -> None:
    with pytest.raises(CardError) as caught:
        read(content)
    assert said in str(caught.value)


@given(st.binary(max_size=300), st.integers(0, 400))
def test_no_file_makes_it_fail_in_another_way(noise: bytes, at: int) -> None:
    whole = png(text("chara", card()))
    for content in (noise, PNG + noise, whole[:at] + noise + whole[at:]):
        with suppress(CardError):
            assert read(content).name


def test_a_card_with_a_lone_surrogate_can_be_stored() -> None:
    found = read(card(name="A\ud800da", description="brave\ud800\0", first_mes="Hi\udfff!"))
    assert found.name == "A\ufffdda"
    assert "brave\ufffd" in found.text
    assert found.greetings[0] == "Hi\ufffd!"
    assert (found.name + found.text + found.greetings[0]).encode()


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 900 + "]" * 900, "1e999", "NaN"])
def test_json_that_stumbles_anybody_is_no_card(value: str) -> None:
    with pytest.raises(CardError):
        read(f'{{"spec": "chara_card_v2", "data": {{"name": {value}}}}}'.encode())
