"""What a sample may use: fresh homes, the model without a companion around it, and a judge."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from companion.context.limits import Limits
from companion.errors import LLMError
from companion.evaluation.experiment import Traits
from companion.evaluation.fresh_home import FreshHome, SampleFailedError, fresh_home
from companion.evaluation.trace import Exchange, exchange_of, exchanges
from companion.llm.protocol import LLM, Message, Reply, TokenCounter, Usage
from companion.models import open_models
from companion.settings import Settings

BASELINE_ANSWER = 512
"""Most tokens of a baseline's answer, and of a judge's."""


@dataclass(slots=True)
class Spending:
    """Requests and tokens of one sample so far."""

    requests: int = 0
    usage: Usage = field(default_factory=Usage)

    def add(self, requests: int, usage: Usage) -> None:
        """Count `requests` more."""
        self.requests += requests
        self.usage = self.usage + usage


class ModelAlone:
    """The model with nothing but a prompt: what the baselines and the judges are."""

    def __init__(self, llm: LLM, counter: TokenCounter, limits: Limits, bench: "Bench") -> None:
        self._llm = llm
        self._bench = bench
        self.counter = counter
        self.limits = limits

    @property
    def llm(self) -> LLM:
        """The model, for whoever counts what it takes."""
        return self._llm

    async def ask(self, instructions: str, prompt: str) -> str:
        """What the model answers to `prompt`.

        Raises:
            SampleFailedError: it gives no answer.
        """
        messages = [Message("system", instructions), Message("user", prompt)]
        answer_tokens = min(BASELINE_ANSWER, self.limits.answer)
        try:
            reply = await self._llm.complete(messages, answer_tokens=answer_tokens)
        except LLMError as error:
            raise SampleFailedError(str(error)) from error
        self.count(reply)
        self._bench.note(exchange_of(messages, reply))
        return reply.text.strip()

    def count(self, reply: Reply) -> None:
        """Count what `reply` took."""
        self._bench.spending.add(1, reply.usage)

    def room(self, *texts: str) -> int:
        """How many tokens of the window `texts` and an answer leave to the rest of a prompt."""
        taken = sum(self.counter.message(Message("user", text)) for text in texts)
        answer = min(BASELINE_ANSWER, self.limits.answer)
        return max(0, self.counter.room(self.limits.window) - answer - taken)


class Bench:
    """What one sample may use, and what it has done with it."""

    def __init__(
        self,
        settings: Settings,
        environ: Mapping[str, str],
        traits: Traits,
        judge: Settings | None,
    ) -> None:
        self._settings = settings
        self._environ = environ
        self._traits = traits
        self._judge = judge
        self.spending = Spending()
        self.trace: list[Exchange] = []

    @property
    def judged(self) -> bool:
        """Whether a model judges answers."""
        return self._judge is not None

    @contextmanager
    def home(self, begin: datetime | None = None) -> Iterator[FreshHome]:
        """A fresh home with the model under test; its time begins at `begin`."""
        with fresh_home(self._settings, self._environ, self._traits, begin) as home:
            yield home

    async def take_down(self, home: FreshHome) -> None:
        """Keep what the companion in `home` did since the last time, and what it took.

        Within a week: then the journal is pruned.
        """
        spent = await home.spent()
        self.spending.add(spent.requests, spent.usage)
        self.trace += exchanges(await home.trace())

    @asynccontextmanager
    async def model(self) -> AsyncIterator[ModelAlone]:
        """The model under test by itself."""
        async with self._alone(self._settings) as model:
            yield model

    async def judge(self, instructions: str, prompt: str) -> str:
        """What the judge says. Ask only where there is one."""
        assert self._judge is not None
        async with self._alone(self._judge) as model:
            return await model.ask(instructions, prompt)

    def note(self, exchange: Exchange) -> None:
        """Keep one question to a model in the trace."""
        self.trace.append(exchange)

    @asynccontextmanager
    async def _alone(self, settings: Settings) -> AsyncIterator[ModelAlone]:
        with fresh_home(settings, self._environ, self._traits) as home:
            async with (
                home.storage() as storage,
                open_models(storage, self._environ) as llm,
            ):
                yield ModelAlone(llm, storage.counter, storage.limits, self)
