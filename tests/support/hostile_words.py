"""Words that are hostile by chance: of bits that have a meaning somewhere, and of anything."""

import json
import random
from collections.abc import Callable
from typing import Any

from companion.commands.all import COMMANDS
from companion.functions.all import FUNCTIONS
from tests.support.hostile import BITS

_SHORT = [bit for bit in BITS.values() if len(bit) < 400]
_LONG = [bit for bit in BITS.values() if len(bit) >= 400]
_MEANT = (
    "yes", "no", "on", "off", "often", "cancel", "cancel #1", "resume", "none", "all", "now",
    "tomorrow at 9", "in 2 hours", "every weekday at 8", "every year on 29 February", "10m", "1w",
    "23:00-08:00", "24:61-99:00", "* * * * *", "61 25 32 13 8", "*/0 * * * *", "Europe/Lisbon",
    "../../etc/passwd", "2025-05-05", "9999-12-31", "0000-00-00", "-1", "0", "1e999", "NaN",
    "in 99999999999 days", "in 0.0000001 seconds", "every 0 days", "31 February 25:00",
    "12 May 10000", "next next next Friday", "yesterday", "last May", "on 5 May", "before 1 BC",
    "test:person 1", "telegram:7", "person 2", "everything", "ABCD-EFGH",
    "\u0663\u0664:\u0665\u0666", "\u096f\u096f\u096f\u096f-\u0967\u0968-\u0969\u0967",
    "in \u00b2 hours", "\u2166 May", "in ½ hour", "٣ days", "一二三",
)  # fmt: skip
"""What commands and functions understand, or nearly do."""
_WORDS = (
    "I like tea.",
    "My sister is called Lea.",
    "now",
    "not any more",
    "我住在上海",
    "привет",
    "שלום",
)
_REPEATED = (
    "a",
    "ж",
    "我",
    "\u0301",
    "\u200b",
    "\u202e",
    "(",
    "[",
    '"',
    "9",
    "-",
    ".",
    "*",
    "`",
    "\n",
    "<b>",
    "/a ",
    "not ",
)
_FTS = (
    '"',
    "*",
    "^",
    ":",
    "NEAR(",
    ")",
    " AND ",
    " OR ",
    " NOT ",
    "+",
    "{a b}:",
    "-",
    "text:",
    "'",
)


def bit(chance: random.Random) -> str:
    """One part of a text."""
    kind = chance.random()
    if kind < 0.45:
        whole = chance.choice(_SHORT)
        begin = chance.randrange(len(whole) + 1)
        return whole[begin : begin + chance.randint(1, 60)]
    if kind < 0.60:
        return chance.choice(_MEANT)
    if kind < 0.70:
        return "".join(chr(chance.randrange(0x11_0000)) for _ in range(chance.randint(1, 12)))
    if kind < 0.78:
        return "".join(chance.choice(_FTS) for _ in range(chance.randint(1, 8)))
    if kind < 0.90:
        return chance.choice(_WORDS)
    return chance.choice(_REPEATED) * int(10 ** chance.uniform(0, 3))


def text(chance: random.Random) -> str:
    """Some text; one in two hundred is very long."""
    if chance.random() < 0.005:
        return _very_long(chance)
    parts = [bit(chance) for _ in range(chance.randint(1, 6))]
    return chance.choice(("", " ", "\n")).join(parts)


def _very_long(chance: random.Random) -> str:
    if chance.random() < 0.5:
        return chance.choice(_LONG)
    return (chance.choice(_REPEATED) + chance.choice(("", " ", bit(chance)))) * 10_000


def command(chance: random.Random) -> str:
    """Any command with words that may be junk."""
    name = chance.choice(sorted(COMMANDS))
    if chance.random() < 0.05:
        name = chance.choice((name.upper(), f"{name}@bot", f"{name}\0", f" {name}", text(chance)))
    begin = chance.choice(("", "", chance.choice(_MEANT)))
    words = chance.choice(("", text(chance), text(chance)))
    return f"/{name} {begin} {words}".rstrip(" ")


def value(chance: random.Random, depth: int = 0) -> Any:
    """A JSON value of any kind."""
    makes: list[Callable[[], Any]] = [
        lambda: text(chance),
        lambda: chance.choice(_MEANT),
        lambda: chance.choice((0, -1, 1, 2**31, 2**63, -(2**64), 10**300, 1e308, float("inf"))),
        lambda: chance.choice((None, True, False, float("nan"), "", [], {})),
    ]
    if depth < 3:
        makes += [
            lambda: [value(chance, depth + 1) for _ in range(chance.randint(0, 4))],
            lambda: {text(chance): value(chance, depth + 1) for _ in range(chance.randint(0, 4))},
        ]
    return chance.choice(makes)()


def mutated(given: Any, chance: random.Random, rate: float = 0.08) -> Any:
    """`given` with parts of it missing, of another kind, or hostile."""
    if chance.random() < rate:
        return value(chance)
    if isinstance(given, dict):
        return {
            key: mutated(one, chance, rate)
            for key, one in given.items()
            if chance.random() >= rate / 2
        }
    if isinstance(given, list):
        return [mutated(one, chance, rate) for one in given]
    if isinstance(given, str) and chance.random() < 0.3:
        return text(chance)
    return given


def arguments(name: str, chance: random.Random) -> Any:
    """What a model might give a function, as an object, JSON or what it took for JSON."""
    function = next((one for one in FUNCTIONS if one.name == name), chance.choice(FUNCTIONS))
    given: dict[str, Any] = {
        field: chance.choice((text(chance), chance.choice(_MEANT), value(chance)))
        for field in function.arguments.model_fields
        if chance.random() < 0.8
    }
    for field, kind in function.arguments.model_fields.items():
        if kind.annotation is int and chance.random() < 0.8:
            given[field] = chance.choice((1, 2, 10_000, 10_001, 0, -1, "1", 1.0, "²", "٣"))
        if kind.annotation is bool and chance.random() < 0.8:
            given[field] = chance.choice((True, False, "true", 1))
    if chance.random() < 0.1:
        given[chance.choice(("person", "user_id", "chat", "platform", text(chance)))] = 2
    written = json.dumps(given, ensure_ascii=chance.random() < 0.5)
    return chance.choice((given, written, written, written, _broken(written, chance)))


def _broken(written: str, chance: random.Random) -> str:
    at = chance.randrange(len(written) + 1)
    depth = chance.choice((40, 60, 200, *range(900, 1000, 7), 5000, 100_000))
    return chance.choice(
        (
            written[:at],
            written[:at] + bit(chance) + written[at:],
            f"```json\n{written}\n```",
            json.dumps(written),
            written.replace('"', "'"),
            f"{written[:-1]}, }}",
            '{"message":' + "[" * depth + "]" * depth + "}",
            '{"text":' + '{"a":' * depth + "1" + "}" * depth + "}",
            '{"page": ' + "9" * chance.choice((19, 400, 5000)) + "}",
            text(chance),
        )
    )
