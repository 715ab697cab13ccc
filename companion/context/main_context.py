"""The prompt: system instructions, working context, FIFO queue, and last what changes (§2.1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from companion.clock import Clock
from companion.context.fifo_queue import FifoQueue
from companion.context.instructions import SYSTEM_INSTRUCTIONS
from companion.event_text import local_time
from companion.llm.protocol import Message, TokenCounter, ToolSchema
from companion.storage.messages import Entry

STATUS_TOKENS = 80
"""Kept free for the status line, whose length changes with every turn."""


@dataclass(slots=True)
class Counts:
    """How much is outside of the prompt."""

    recall: int
    archival: int

    def add(self, entries: Sequence[Entry]) -> None:
        """Messages came to recall storage."""
        self.recall += sum(1 for entry in entries if entry.said)


class MainContext:
    """What stands in the prompt around the queue.

    The working context is shown as of the last flush: edits since then stand in the queue as calls
    and results, so that the beginning of the prompt stays the same and a provider's prefix cache
    keeps it.
    """

    def __init__(
        self,
        *,
        shown: str,
        counts: Counts,
        zone: tzinfo,
        tools: Sequence[ToolSchema],
        counter: TokenCounter,
        clock: Clock,
    ) -> None:
        self.counts = counts
        self.zone = zone
        self._counter = counter
        self._clock = clock
        self._tools = counter.tools(tools)
        self.show(shown)

    def show(self, working_context: str) -> None:
        """Put this working context into the prompt."""
        self._system = _system(working_context)
        self._system_tokens = self._counter.message(self._system)

    @property
    def tokens(self) -> int:
        """What everything but the queue takes in a prompt, the functions' schemas included."""
        return self._system_tokens + self._tools + STATUS_TOKENS

    def prompt(self, queue: FifoQueue, working_context: str | None = None) -> list[Message]:
        """The messages of the next request, by default with the working context that is shown."""
        system = self._system if working_context is None else _system(working_context)
        return [system, *queue.messages(), Message("user", self._status())]

    def _status(self) -> str:
        return (
            f"[status] {local_time(self._clock.now(), self.zone)}. Recall storage:"
            f" {self.counts.recall} messages; archival storage: {self.counts.archival} passages."
        )


def _system(working_context: str) -> Message:
    return Message("system", f"{SYSTEM_INSTRUCTIONS}\n# Working context\n{working_context}")
