"""How the window is shared out, in tokens."""

from dataclasses import dataclass
from typing import Self

from companion.settings import MemorySettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The queue manager's thresholds, and how large a part may be, all in tokens.

    The paper warns at 70 % of the window, flushes at 100 % and evicts 50 % (§2.2).
    """

    window: int
    answer: int
    warn: int
    flush: int
    evict: int
    message: int
    summary: int
    working_context: int

    @classmethod
    def of(cls, window: int, answer: int, memory: MemorySettings) -> Self:
        """The limits for a model's `window`. The answer has its place inside it."""
        answer = min(answer, window // 6)
        flush = min(int(window * memory.flush_at), window - answer)
        return cls(
            window=window,
            answer=answer,
            warn=min(int(window * memory.warn_at), flush * 9 // 10),
            flush=flush,
            evict=int(window * memory.evict),
            message=window // 8,
            summary=max(150, min(1200, window // 16)),
            working_context=window // 7,
        )
