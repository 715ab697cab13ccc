"""Declaring a function: its signature is the only source of its schema."""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import tzinfo
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from companion.functions.turn import Turn
from companion.llm.protocol import ToolSchema
from companion.storage.database import Tx
from companion.storage.outbox import OutboxItem


class Arguments(BaseModel):
    """What every call may carry. Unknown arguments are errors."""

    model_config = ConfigDict(extra="forbid")

    request_heartbeat: Annotated[
        bool, Field(description="True to act again at once after this call.")
    ] = False

    def theirs(self) -> dict[str, Any]:
        """The function's own arguments by name."""
        return {name: getattr(self, name) for name in type(self).model_fields if name != HEARTBEAT}


HEARTBEAT = "request_heartbeat"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a call came to. `text` goes back to the model.

    `said` is what the companion told the person with it, and `piece` the outbox row that brings
    it there. `silent` is true when the companion chose to say nothing. With `again` the model gets
    another step to read the text, unless it speaks in this one. `zone` is where the person is from
    now on, if that changed.
    """

    text: str
    said: str = ""
    piece: OutboxItem | None = None
    silent: bool = False
    again: bool = False
    zone: tzinfo | None = None


Write = Callable[[Tx], Outcome]
"""Runs in the transaction that also records that the call was carried out."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function that the model may call."""

    name: str
    description: str
    arguments: type[Arguments]
    run: Callable[..., Awaitable[Outcome | Write]]
    writes: bool
    """Whether `run` always gives a `Write`."""

    @property
    def schema(self) -> ToolSchema:
        """The function as a model is told of it."""
        schema = self.arguments.model_json_schema()
        properties = {
            name: _without_titles(schema["properties"][name])
            for name in (*(n for n in schema["properties"] if n != HEARTBEAT), HEARTBEAT)
        }
        return ToolSchema(
            self.name,
            self.description,
            {
                "type": "object",
                "properties": properties,
                "required": schema.get("required", []),
            },
        )


def function(run: Callable[..., Awaitable[Outcome | Write]]) -> Function:
    """Declare a function: the first parameter comes from us, the others from the model.

    Its docstring is what the model reads. It gives an `Outcome`, or a `Write` that makes one where
    something is to be written.
    """
    signature = inspect.signature(run, eval_str=True)
    _turn, *theirs = signature.parameters.values()
    fields: dict[str, Any] = {
        p.name: (p.annotation, ... if p.default is p.empty else p.default) for p in theirs
    }
    name = getattr(run, "__name__", "")
    arguments = create_model(name, __base__=Arguments, **fields)
    description = " ".join((inspect.getdoc(run) or "").split())
    return Function(name, description, arguments, run, signature.return_annotation == Write)


def _without_titles(schema: dict[str, Any]) -> dict[str, Any]:
    """A property's schema without what pydantic adds and models need not read."""
    kept = {key: value for key, value in schema.items() if key not in ("title", "default")}
    choices = kept.pop("anyOf", None)
    if choices:
        kept |= next(choice for choice in choices if choice != {"type": "null"})
    return kept


__all__ = ["HEARTBEAT", "Arguments", "Function", "Outcome", "Turn", "Write", "function"]
