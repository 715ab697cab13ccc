"""A model that says what a test tells it to, and remembers what it was asked."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from companion.llm.protocol import Call, Finish, Message, Reply, ToolSchema, Usage

Answer = Reply | Exception
Script = Callable[[Sequence[Message]], Answer]


class ScriptedLLM:
    """Answers in the order given; a function at the end answers all that comes after.

    A request without functions is one for a summary: it is answered with `summary` and counted
    apart.
    """

    def __init__(self, *answers: Answer | Script, summary: Answer | Script | None = None) -> None:
        self._answers = list(answers)
        self._summary = summary or says("They talked.")
        self.prompts: list[list[Message]] = []
        self.summaries: list[list[Message]] = []

    def will(self, *answers: Answer | Script) -> None:
        """Answer the next requests with these."""
        self._answers.extend(answers)

    async def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        *,
        answer_tokens: int,
    ) -> Reply:
        if not tools:
            self.summaries.append(list(messages))
            made = self._summary
            return _given(made(messages) if callable(made) else made)
        self.prompts.append(list(messages))
        if not self._answers:
            raise AssertionError("the script has no answer left")
        answer = self._answers[0]
        if callable(answer):
            return _given(answer(messages))
        return _given(self._answers.pop(0))  # type: ignore[arg-type]

    async def close(self) -> None:
        pass


def _given(answer: Answer) -> Reply:
    if isinstance(answer, Exception):
        raise answer
    return answer


def says(text: str, finish: Finish = "stop") -> Reply:
    """Plain text."""
    return Reply(text=text, finish=finish, model="scripted", usage=Usage(100, 0, 10))


def calls(*named: tuple[str, dict[str, Any]], text: str = "", finish: Finish = "calls") -> Reply:
    """Function calls, in order."""
    made = tuple(
        Call(f"c{number}", name, json.dumps(arguments, ensure_ascii=False))
        for number, (name, arguments) in enumerate(named)
    )
    return Reply(text=text, calls=made, finish=finish, model="scripted", usage=Usage(100, 0, 10))


def sends(message: str, **more: Any) -> Reply:
    """A call of send_message."""
    return calls(("send_message", {"message": message, **more}))
