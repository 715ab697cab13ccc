"""What the model answers: a function of the prompt, so that asking again gets the same answer."""

import asyncio
import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from aiohttp import web

from companion.queue_manager import PRESSURE
from companion.worker import LATER
from tests.crash.conversation import OUTAGES, STEPS, ModelStep, keep, note
from tests.support.model_refusals import Asked
from tests.support.model_server import Answer, Completion, Raw, fails

MARKED = re.compile(r"^\[[^\]]*\] \w+: \((\w+)\)")
PRESSED = PRESSURE.partition("{")[0]
NO_PROMPT_TOKENS = {"prompt_tokens": 0, "completion_tokens": 10, "total_tokens": 10}
"""Corrects no counting of ours, so that a run that was killed counts as one that was not."""


@dataclass
class CountingModel:
    """Answers the conversation's lines, and remembers what it was asked.

    `delivered` gives what a person has been sent, from which an outage knows when to end.
    """

    delivered: Callable[[str], Sequence[str]]
    held: frozenset[str] = frozenset()
    """Lines that wait for `let_go` before they are answered."""
    let_go: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[tuple[str, int]] = field(default_factory=list)
    """Line and number of the step, from 0, in the order of the requests."""

    def answer(self, asked: Asked) -> Answer:
        """The answer to a request's body."""
        answer = self._answer(asked)
        waits = bool(self.asked) and self.asked[-1][0] in self.held and not self.let_go.is_set()
        return _Held(answer, self.let_go) if waits else answer

    def _answer(self, asked: Asked) -> Completion | Raw:
        messages = asked["messages"]
        if not asked.get("tools"):
            return _completion(_summary(messages))
        marker, turn = _turn(messages)
        if marker in OUTAGES and LATER not in self.delivered(OUTAGES[marker]):
            return fails(503, retry_after="25")
        self.asked.append((marker, sum(1 for one in turn if one["role"] == "assistant")))
        if turn and _is_pressure(turn[-1]):
            return _completion((keep(f"Under pressure (at {marker})."), note(f"Full at {marker}.")))
        steps = STEPS[marker]
        return _completion(steps[min(_steps_taken(turn), len(steps) - 1)])


@dataclass(frozen=True, slots=True)
class _Held:
    """An answer that waits until it is let go."""

    answer: Answer
    let_go: asyncio.Event

    async def send(
        self, request: web.BaseRequest, asked: Asked, until: asyncio.Event
    ) -> web.StreamResponse:
        await self.let_go.wait()
        return await self.answer.send(request, asked, until)


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
