"""What the agent asks of a model, and what it gets back."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Role = Literal["system", "user", "assistant", "tool"]
Finish = Literal["stop", "calls", "length", "filter"]


@dataclass(frozen=True, slots=True)
class Call:
    """A function call as the model wrote it. `arguments` is JSON text, not yet checked."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt.

    Only an assistant's message has `calls`; only a tool's has `call_id`, the call it answers. A
    prompt's hundred messages are looked up in a cache for each request, so the hash is kept.
    """

    role: Role
    text: str
    calls: tuple[Call, ...] = ()
    call_id: str | None = None
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        key = (self.role, self.text, self.calls, self.call_id)
        object.__setattr__(self, "_hash", hash(key))

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A function as a model is told of it. `parameters` is a JSON schema of type object."""

    name: str
    description: str
    parameters: dict[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a request cost. `cached_tokens` are part of `prompt_tokens`.

    `cost` is in US dollars by the configured prices, 0 where none are configured.
    """

    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cost + other.cost,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A model's answer, repaired: no thinking tags, no call syntax left in `text`.

    `text` is what it said outside of calls, often empty. `finish` tells why it stopped. With
    `reworded` the model read another prompt than the one that was given.
    """

    text: str
    calls: tuple[Call, ...] = ()
    finish: Finish = "stop"
    model: str = ""
    usage: Usage = Usage()
    reworded: bool = False


class LLM(Protocol):
    """A model, or several in order."""

    async def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        *,
        answer_tokens: int,
    ) -> Reply:
        """The answer to `messages`; never empty: it has text or calls.

        Raises:
            ContextOverflowError: the prompt does not fit; make it shorter and ask again.
            LLMUnavailableError: no model gave a usable answer after retries and fallbacks.
        """

    async def close(self) -> None:
        """Let go of connections and child processes."""


class TokenCounter(Protocol):
    """Counts tokens as the model in use would.

    A text's count never changes, so it can be kept; what is learned of the provider is in `room`.
    """

    def count(self, text: str) -> int:
        """Tokens in `text`; special tokens in it count as the plain text they are."""

    def message(self, message: Message) -> int:
        """Tokens that `message` takes in a prompt, its role and separators included."""

    def tools(self, tools: Sequence[ToolSchema]) -> int:
        """Tokens that the functions' schemas take in a prompt."""

    def correct(self, counted: int, reported: int) -> None:
        """Learn from what a provider reports for a prompt that we had `counted`."""

    def room(self, tokens: int) -> int:
        """How many tokens as counted here fill a place for `tokens` of the provider's."""
