"""How much of each prompt a server has seen before, and how often it is asked."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from companion.bench.at_server import seen
from companion.bench.long_talk import FRIEND, is_of_a_turn
from companion.bench.talk import a_talk
from companion.bench.texts import Texts
from companion.llm.vocabulary import load

ENCODING = "o200k_base"
TOKENS_PER_MARK = 4
MARKS = (
    '{"role":"user","content":',
    '{"role":"assistant","content":null,"tool_calls":[',
    '"type":"function","function":',
    '{"role":"tool","tool_call_id":',
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much is said."""

    turns: int = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    """Shares are of the prompt before: of bytes as sent, of tokens, and for one request a mean."""

    requests_per_turn: float
    equal_bytes: float
    equal_tokens: float
    equal_mean: float
    uncached_per_turn: float
    flushes: int
    edits: int
    tokens: int


async def measure(server: str, home: Path, plan: Plan) -> Prompts:
    """Talk, with edits of the working context and flushes of the queue, and compare the prompts.

    Uncached is what follows the part that is equal to the request before; a request for a summary
    counts in full.
    """
    texts = Texts(seed=3)
    seen(server)
    async with a_talk(home, server) as talk:
        for _ in range(plan.turns):
            await talk.say(FRIEND, texts.message())
        await talk.companion.quiet()
    bodies = seen(server)
    turns = [_in_order(body) for body in bodies if is_of_a_turn(body)]
    summaries = [_in_order(body) for body in bodies if not is_of_a_turn(body)]
    pairs = list(_pairs(turns))
    equal = sum(size for size, _, _ in pairs)
    equal_tokens = sum(_tokens(old[:size]) for size, old, _ in pairs)
    fresh = sum(_tokens(new[size:]) for size, _, new in pairs)
    first = _tokens(turns[0])
    return Prompts(
        requests_per_turn=len(bodies) / plan.turns,
        equal_bytes=equal / sum(len(old) for _, old, _ in pairs),
        equal_tokens=equal_tokens / sum(_tokens(old) for _, old, _ in pairs),
        equal_mean=sum(size / len(old) for size, old, _ in pairs) / len(pairs),
        uncached_per_turn=(first + fresh + sum(map(_tokens, summaries))) / plan.turns,
        flushes=len(summaries),
        edits=turns[-1].count(b"working_context_append"),
        tokens=_tokens(turns[-1]),
    )


def _in_order(body: bytes) -> bytes:
    """The parts of a request that are its prompt, as they are sent and in the order that they have
    in the prompt: the functions first."""
    asked = json.loads(body)
    parts = [asked.get("tools", []), asked["messages"]]
    return json.dumps(parts, ensure_ascii=False, separators=(",", ":")).encode()


def _pairs(prompts: Sequence[bytes]) -> Iterator[tuple[int, bytes, bytes]]:
    """The size of the part that each prompt has in common with the one before, and both."""
    for old, new in pairwise(prompts):
        yield _equal(old, new), old, new


def _equal(one: bytes, other: bytes) -> int:
    """How long the part is that both begin with."""
    least, most = 0, min(len(one), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        if one[:middle] == other[:middle]:
            least = middle
        else:
            most = middle - 1
    return least


def _tokens(text: bytes) -> int:
    """About what a model reads for `text`: a server puts marks of some tokens around each message
    and each call, in place of the JSON around them."""
    shown = text.decode(errors="replace")
    marks = sum(shown.count(mark) for mark in MARKS)
    for mark in MARKS:
        shown = shown.replace(mark, "")
    return TOKENS_PER_MARK * marks + len(load(ENCODING).encode_ordinary(shown))
