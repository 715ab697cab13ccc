"""What the model answers: a function of the prompt, so that asking again gets the same answer."""

import asyncio
import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from aiohttp import web

from companion.context.queue_manager import PRESSURE
from companion.turns.worker import LATER
from tests.crash.conversation import OUTAGES, STEPS, ModelStep, keep, note
from tests.support.model_refusals import Asked
from tests.support.model_server import Answer, Completion, fails

MARKED = re.compile(r"^\[[^\]]*\] \w+: \((\w+)\)")
PRESSED = PRESSURE.partition("{")[0]
NO_PROMPT_TOKENS = {"prompt_tokens": 0, "completion_tokens": 10, "total_tokens": 10}
"""Corrects no counting of ours, so that a run that was killed counts as one that was not."""


@dataclass
class Gate:
    """Holds back the answers to some lines until it is opened."""

    lines: frozenset[str] = frozenset()
    held: int = 0
    _opened: asyncio.Event = field(default_factory=asyncio.Event)
    _came: asyncio.Condition = field(default_factory=asyncio.Condition)

    def open(self) -> None:
        """Let go of all answers."""
        self._opened.set()

    async def holds(self, number: int) -> None:
        """Return when so many answers have been held back in all."""
        async with self._came:
            await self._came.wait_for(lambda: self.held >= number)

    async def passed(self, line: str) -> None:
        """Return when the answer to `line` may go."""
        if line in self.lines and not self._opened.is_set():
            async with self._came:
                self.held += 1
                self._came.notify_all()
            await self._opened.wait()


@dataclass
class CountingModel:
    """Answers the conversation's lines, and remembers what it was asked.

    `delivered` gives what a person has been sent, from which an outage knows when to end.
    """

    delivered: Callable[[str], Sequence[str]]
    gate: Gate = field(default_factory=Gate)
    asked: list[tuple[str, int]] = field(default_factory=list)
    """Line and number of the step, from 0, in the order of the requests."""

    def answer(self, asked: Asked) -> Answer:
        """The answer to a request's body."""
        messages = asked["messages"]
        if not asked.get("tools"):
            return _completion(_summary(messages))
        marker, turn = _turn(messages)
        if marker in OUTAGES and LATER not in self.delivered(OUTAGES[marker]):
            return fails(503, retry_after="25")
        self.asked.append((marker, sum(1 for one in turn if one["role"] == "assistant")))
        return _Gated(_completion(_step(marker, turn)), marker, self.gate)


@dataclass(frozen=True, slots=True)
class _Gated:
    """An answer that goes through the gate."""

    answer: Answer
    line: str
    gate: Gate

    async def send(
        self, request: web.BaseRequest, asked: Asked, until: asyncio.Event
    ) -> web.StreamResponse:
        await self.gate.passed(self.line)
        return await self.answer.send(request, asked, until)


def _step(marker: str, turn: Sequence[Asked]) -> ModelStep:
    if turn and _is_pressure(turn[-1]):
        return keep(f"Under pressure (at {marker})."), note(f"Full at {marker}.")
    steps = STEPS[marker]
    return steps[min(_steps_taken(turn), len(steps) - 1)]


def _completion(step: ModelStep) -> Completion:
    if isinstance(step, str):
        return Completion(text=step, usage=NO_PROMPT_TOKENS)
    return Completion(calls=step, usage=NO_PROMPT_TOKENS)


def _turn(messages: Sequence[Asked]) -> tuple[str, Sequence[Asked]]:
    """The marker of the newest line in a prompt, and all that comes after it but the status."""
    for index in range(len(messages) - 1, -1, -1):
        found = MARKED.match(str(messages[index]["content"]))
        if messages[index]["role"] == "user" and found:
            return found[1], [one for one in messages[index + 1 :] if not _is_status(one)]
    raise AssertionError(f"no line in the prompt: {json.dumps(messages)[-2000:]}")


def _steps_taken(turn: Sequence[Asked]) -> int:
    """How many answers there are, those to memory pressure aside."""
    said = [one for one in turn if one["role"] != "tool"]
    return sum(
        1
        for before, one in zip([None, *said], said, strict=False)
        if one["role"] == "assistant" and not (before and _is_pressure(before))
    )


def _is_pressure(message: Asked) -> bool:
    return message["role"] == "user" and str(message["content"]).startswith(PRESSED)


def _is_status(message: Asked) -> bool:
    return message["role"] == "user" and str(message["content"]).startswith("[status]")


def _summary(messages: Sequence[Asked]) -> str:
    """Tells apart any two prompts, and has a usual length."""
    digest = hashlib.sha256(json.dumps(messages).encode()).hexdigest()[:16]
    return f"They talked of mills and of themselves ({digest}). Search words: mill, river."
