"""Several models in order: asked again, passed over while they are down, the next one asked."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from companion.clock import Clock
from companion.errors import ContextOverflowError, LLMRefusedError, LLMUnavailableError
from companion.llm.faults import EndpointError, Fault
from companion.llm.openai_client import OpenAIClient
from companion.llm.protocol import Message, Reply, ToolSchema

logger = logging.getLogger(__name__)

Sleep = Callable[[float], Awaitable[object]]
Ask = Callable[[OpenAIClient, int], Awaitable[Reply]]
"""Asks one model for an answer of so many tokens."""

TOTAL = timedelta(minutes=5)
"""After this no model is asked once more; the event is tried again later as a whole."""

FIRST_BACK_OFF = timedelta(seconds=1)
LONGEST_WAIT = timedelta(seconds=20)
"""A server that asks for more than this is passed over for as long as it asks."""

LONGEST_PAUSE = timedelta(minutes=10)

_ATTEMPTS = {
    Fault.RATE: 3,
    Fault.OVERLOADED: 3,
    Fault.SERVER: 3,
    Fault.CONNECTION: 3,
    Fault.GARBLED: 2,
    Fault.EMPTY: 2,
    Fault.CUT_OFF: 2,
    Fault.TIMEOUT: 2,
}
"""How often one model is asked in one go; once where this says nothing."""

_FIRST_PAUSE = timedelta(seconds=30)
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_OF_THE_PROMPT = (Fault.REFUSED, Fault.FILTER)
_OF_THE_ANSWER = (Fault.EMPTY, Fault.CUT_OFF)


@dataclass(slots=True)
class _Link:
    """A model, and until when it is passed over because it failed."""

    client: OpenAIClient
    until: datetime = _LONG_AGO
    pause: timedelta = _FIRST_PAUSE

    @property
    def on_trial(self) -> bool:
        """Whether it failed when it was last asked."""
        return self.until > _LONG_AGO

    def worked(self) -> None:
        self.until = _LONG_AGO
        self.pause = _FIRST_PAUSE

    def reserve(self, now: datetime) -> None:
        """Let nobody else try it while a trial runs."""
        self.until = now + self.pause

    def failed(self, now: datetime, wanted: timedelta | None, *, trial: bool) -> None:
        """Pass it over, for longer each time that a trial fails.

        Of many turns that fail at the same time the first is counted.
        """
        if self.until <= now or trial:
            self.until = now + max(self.pause, min(wanted or self.pause, LONGEST_PAUSE))
            self.pause = min(self.pause * 2, LONGEST_PAUSE)


@dataclass(frozen=True, slots=True)
class _Patience:
    """How often and how long one model may be asked in one go."""

    deadline: datetime
    trial: bool
    last: bool

    def attempts(self, fault: Fault) -> int:
        # a timeout has cost the person enough already, if there is another model to ask
        if self.trial or (fault is Fault.TIMEOUT and not self.last):
            return 1
        return _ATTEMPTS.get(fault, 1)


class ModelChain:
    """An `LLM` made of several: the first that works answers."""

    def __init__(
        self,
        clients: Sequence[OpenAIClient],
        *,
        clock: Clock,
        rng: random.Random,
        sleep: Sleep = asyncio.sleep,
        total: timedelta = TOTAL,
    ) -> None:
        self._links = [_Link(client) for client in clients]
        self._clock = clock
        self._rng = rng
        self._sleep = sleep
        self._total = total

    async def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        *,
        answer_tokens: int,
    ) -> Reply:
        """The answer of the first model that gives one; never empty.

        Raises:
            ContextOverflowError: the prompt is longer than the window of the model in use.
            LLMRefusedError: every model refuses this very prompt.
            LLMUnavailableError: no model answers; the text tells the operator what to change.
        """
        return await self._first(
            lambda client, tokens: client.complete(messages, tools, answer_tokens=tokens),
            answer_tokens,
        )

    async def complete_json(
        self, messages: Sequence[Message], schema: Mapping[str, Any], *, answer_tokens: int
    ) -> Reply:
        """As `complete`, the text held to the JSON `schema` where the server can do so."""
        return await self._first(
            lambda client, tokens: client.complete_json(messages, schema, answer_tokens=tokens),
            answer_tokens,
        )

    def warm(self) -> None:
        """Load what the first request would wait for. Safe in a thread."""
        for link in self._links:
            link.client.warm()

    async def close(self) -> None:
        """Let go of all connections."""
        for link in self._links:
            await link.client.close()

    async def _first(self, ask: Ask, answer_tokens: int) -> Reply:
        deadline = self._clock.now() + self._total
        failures: list[tuple[_Link, EndpointError]] = []
        links = self._in_turn()
        for link in links:
            trial = link.on_trial
            if trial:
                link.reserve(self._clock.now())
            patience = _Patience(deadline, trial=trial, last=link is links[-1])
            try:
                reply = await self._ask(link, ask, answer_tokens, patience)
            except EndpointError as error:
                failures.append((link, error))
                self._judge(link, error, trial=trial)
                continue
            link.worked()
            return reply
        raise _nobody(failures)

    def _in_turn(self) -> list[_Link]:
        """The models to ask. With all in their pauses all are asked, because a person waits."""
        now = self._clock.now()
        return [link for link in self._links if link.until <= now] or self._links

    async def _ask(self, link: _Link, ask: Ask, answer_tokens: int, patience: _Patience) -> Reply:
        attempt = 1
        while True:
            error = await self._failure_or(link, ask, answer_tokens, patience.deadline)
            if isinstance(error, Reply):
                return error
            logger.warning(
                "%s, attempt %d: %s, status %s",
                link.client.label,
                attempt,
                error.fault.name.lower(),
                error.status,
            )
            wait = self._wait(error, attempt)
            if (
                attempt >= patience.attempts(error.fault)
                or wait > LONGEST_WAIT
                or self._clock.now() + wait >= patience.deadline
            ):
                raise error
            if error.fault is Fault.CUT_OFF:
                answer_tokens *= 2  # thinking used it up
            if error.fault not in (Fault.EMPTY, Fault.CUT_OFF):
                await self._sleep(wait.total_seconds())
            attempt += 1

    async def _failure_or(
        self, link: _Link, ask: Ask, answer_tokens: int, deadline: datetime
    ) -> Reply | EndpointError:
        try:
            async with asyncio.timeout(self._left(deadline)):
                return await ask(link.client, answer_tokens)
        except TimeoutError:
            return EndpointError(Fault.TIMEOUT)
        except EndpointError as error:
            return error

    def _left(self, deadline: datetime) -> float:
        return max(0.0, (deadline - self._clock.now()).total_seconds())

    def _wait(self, error: EndpointError, attempt: int) -> timedelta:
        wanted = self._wanted(error)
        if wanted is not None:
            return wanted + timedelta(seconds=self._rng.random())
        return FIRST_BACK_OFF * (1 << (attempt - 1)) * (0.5 + self._rng.random())

    def _wanted(self, error: EndpointError) -> timedelta | None:
        """How long the server asks to be left alone, in seconds or until a date."""
        header = error.retry_after
        if header is None:
            return None
        try:
            return timedelta(seconds=max(0.0, float(header)))
        except (ValueError, OverflowError):
            pass
        try:
            at: datetime = parsedate_to_datetime(header).astimezone(UTC)
        except (ValueError, OverflowError):
            return None
        return max(timedelta(), at - self._clock.now())

    def _judge(self, link: _Link, error: EndpointError, *, trial: bool) -> None:
        """Pass over a model that is down; raise where the prompt itself is too long."""
        if error.fault is Fault.OVERFLOW:
            link.worked()
            raise ContextOverflowError(
                f"{link.client.label}: {error}", window_tokens=error.window_tokens
            ) from error
        if error.fault in _OF_THE_PROMPT or error.fault in _OF_THE_ANSWER:
            link.worked()
        else:
            link.failed(self._clock.now(), self._wanted(error), trial=trial)


def _nobody(failures: Sequence[tuple[_Link, EndpointError]]) -> Exception:
    text = "\n".join(f"{link.client.label}: {error}." for link, error in failures)
    faults = [error.fault for _, error in failures]
    if faults and all(fault in _OF_THE_PROMPT for fault in faults):
        return LLMRefusedError(text)
    permanent = all(fault.permanent for fault in faults)
    return LLMUnavailableError(text or "No model is configured.", permanent=permanent)
