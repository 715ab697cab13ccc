"""A small model that says what a test tells it to: facts as JSON, answers as text."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from companion.llm.protocol import Message, Reply, ToolSchema, Usage


class ScriptedSmall:
    """Reads these facts out of any message, and gives these answers in order, the last for ever.

    `facts` may be a text too, which comes as it is.
    """

    def __init__(self, *answers: str, facts: Sequence[str] | str = ()) -> None:
        self._answers = list(answers) or ["Oh, nice!"]
        self.facts = facts
        self.asked: list[list[Message]] = []
        self.asked_for_facts: list[list[Message]] = []

    async def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        *,
        answer_tokens: int,
    ) -> Reply:
        assert not tools, "a small model is not to see functions"
        self.asked.append(list(messages))
        text = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return Reply(text=text, model="small", usage=Usage(50, 40, 5))

    async def complete_json(
        self, messages: Sequence[Message], schema: Mapping[str, Any], *, answer_tokens: int
    ) -> Reply:
        self.asked_for_facts.append(list(messages))
        text = self.facts if isinstance(self.facts, str) else json.dumps({"facts": [*self.facts]})
        return Reply(text=text, model="small", usage=Usage(70, 60, 7))

    async def close(self) -> None:
        pass
