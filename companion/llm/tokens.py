"""Counting tokens as the model in use would, without the network."""

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from companion.llm.estimate import estimate
from companion.llm.protocol import Message, ToolSchema
from companion.llm.vocabulary import encoding_for

if TYPE_CHECKING:
    from tiktoken import Encoding

CHUNK = 4096
"""Characters that are counted at once: one endless word costs more than its share."""

MESSAGE_TOKENS = 4
"""What a message costs besides its text: its role and the marks around it."""

CALL_TOKENS = 8
TOOL_TOKENS = 12

CACHED_CHARS = 200_000
"""Texts up to this many characters together are counted once; more start over."""

MARGIN = 1.1
"""On top of every estimate."""

LOWEST, HIGHEST = 0.5, 3.0
LOWEST_EXACT, HIGHEST_EXACT = 0.9, 1.5
"""Bounds of what a provider's reports may make of a count."""

UNBELIEVABLE = 0.25
"""A report of less than this share leaves out what the server had cached (Ollama did)."""

WEIGHT = 0.2
"""How far one report moves the ratio of tokens reported to tokens counted."""


class ModelTokenCounter:
    """A `TokenCounter`: tiktoken where it knows the model, an estimate with a margin where not."""

    def __init__(self, model: str | None) -> None:
        """`model` None means that nobody knows yet which one it is."""
        self._encoding_name = encoding_for(model)
        self._encoding: Encoding | None = None
        self._ratio = 1.0
        exact = self._encoding_name is not None
        self._bounds = (LOWEST_EXACT, HIGHEST_EXACT) if exact else (LOWEST, HIGHEST)
        self._counted: dict[str, int] = {}
        self._cached_chars = 0

    def warm(self) -> None:
        """Load the model's table, which takes a second. Safe in a thread."""
        if self._encoding_name is not None and self._encoding is None:
            from companion.llm.vocabulary import load

            self._encoding = load(self._encoding_name)

    def count(self, text: str) -> int:
        """Tokens in `text`; special tokens in it count as the plain text they are."""
        tokens = self._counted.get(text)
        if tokens is None:
            tokens = self._fresh(text)
            self._remember(text, tokens)
        return tokens

    def message(self, message: Message) -> int:
        """Tokens that `message` takes in a prompt, its role and separators included."""
        tokens = MESSAGE_TOKENS + self.count(message.text)
        for call in message.calls:
            tokens += CALL_TOKENS + self.count(call.name) + self.count(call.arguments)
        return tokens + (MESSAGE_TOKENS if message.call_id is not None else 0)

    def tools(self, tools: Sequence[ToolSchema]) -> int:
        """Tokens that the functions' schemas take in a prompt."""
        tokens = 0
        for tool in tools:
            schema = json.dumps(tool.parameters, ensure_ascii=False)
            tokens += TOOL_TOKENS + sum(map(self.count, (tool.name, tool.description, schema)))
        return tokens

    def correct(self, counted: int, reported: int) -> None:
        """Learn from what a provider reports for a prompt that we had `counted`.

        One lying report can't do harm: it moves the ratio by a fifth, and never out of bounds.
        """
        if counted <= 0 or reported < counted * UNBELIEVABLE:
            return
        lowest, highest = self._bounds
        seen = min(max(reported / counted, lowest), highest)
        self._ratio += WEIGHT * (seen - self._ratio)

    def room(self, tokens: int) -> int:
        """How many tokens as counted here fill a place for `tokens` of the provider's."""
        return int(tokens / self._ratio)

    def _remember(self, text: str, tokens: int) -> None:
        if len(text) > CACHED_CHARS // 10:
            return
        self._cached_chars += len(text)
        if self._cached_chars > CACHED_CHARS:
            self._counted.clear()
            self._cached_chars = len(text)
        self._counted[text] = tokens

    def _fresh(self, text: str) -> int:
        if self._encoding_name is None:
            return math.ceil(estimate(text) * MARGIN)
        self.warm()
        assert self._encoding is not None
        if len(text) <= CHUNK:
            return len(self._encoding.encode_ordinary(text))
        chunks = (text[start : start + CHUNK] for start in range(0, len(text), CHUNK))
        return sum(len(self._encoding.encode_ordinary(chunk)) for chunk in chunks)
