"""What a model was asked and did in one sample, as it goes into the results."""

from collections.abc import Sequence
from dataclasses import dataclass

from companion.llm.protocol import Message, Reply
from companion.storage.journal import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """A function that was called, and what it gave."""

    name: str
    arguments: str
    result: str
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One answer of a model. `asked` is the prompt where there was no companion to make it."""

    model: str
    text: str
    calls: tuple[Called, ...] = ()
    asked: tuple[str, ...] = ()


def exchanges(steps: Sequence[Step]) -> list[Exchange]:
    """The steps of a companion."""
    return [_exchange(step) for step in steps]


def exchange_of(prompt: Sequence[Message], reply: Reply) -> Exchange:
    """A question to a model by itself."""
    asked = tuple(message.text for message in prompt)
    return Exchange(model=reply.model, text=reply.text, asked=asked)


def _exchange(step: Step) -> Exchange:
    called = []
    for number, call in enumerate(step.reply.calls):
        done = step.done.get(number)
        called.append(
            Called(
                name=call.name,
                arguments=call.arguments,
                result=done.result if done else "",
                failed=done.failed if done else False,
            )
        )
    return Exchange(model=step.reply.model, text=step.reply.text, calls=tuple(called))
