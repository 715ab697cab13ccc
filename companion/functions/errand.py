"""A turn in which the model does something else than answer: what it is told, and may call."""

from dataclasses import dataclass

from companion.functions.executor import FunctionExecutor
from companion.functions.turn import Turn
from companion.llm.protocol import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """What a turn is for.

    `brief` stands at the end of each of its prompts, and is kept nowhere. Only the functions of
    `executor` can be called, and what the model says beside calls reaches nobody. A model that
    calls nothing is told the `nudge`, once.
    """

    brief: str
    executor: FunctionExecutor
    nudge: str
    max_steps: int

    @property
    def message(self) -> Message:
        """The brief as it stands in a prompt."""
        return Message("user", self.brief)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTurn(Turn):
    """A turn as the agent has it: what the model is to do in it, if that is not to answer."""

    errand: Errand | None = None
