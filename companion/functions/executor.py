"""Parses and checks a call, runs it, and words its failure (§2.3)."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from itertools import takewhile

from pydantic import ValidationError

from companion.errors import ToolError
from companion.foreign_json import read_json
from companion.functions.declare import HEARTBEAT, Arguments, Function, Outcome, Turn, Write
from companion.llm.protocol import Call, Reply, ToolSchema
from companion.storage import journal
from companion.storage.database import Tx
from companion.storage.journal import Done, Step
from companion.storage.outbox import OutboxItem

SAYS = "send_message"
GO_ON = " Your answer was cut off at its limit. Go on where it stopped, or end it."
REPEATS = 3
"""The same call with the same result so many times is a loop."""
MOST_CALLS = 16
"""In one answer. One more may stand there, to be refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of a call. `heartbeat` asks for another step, which a failure always does."""

    text: str
    failed: bool
    heartbeat: bool
    said: str = ""
    piece: OutboxItem | None = None
    silent: bool = False
    zone: tzinfo | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A call that was read and checked. `heartbeat` is None for one that is wrong."""

    made: Outcome | Write
    heartbeat: bool | None


class Repeats:
    """Counts equal calls with equal results within a turn, to stop a model that goes in circles."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str, str]] = Counter()

    def note(self, call: Call, text: str) -> int:
        """How often this has happened, this time included."""
        name, arguments, _heartbeat = what_is_asked(call)
        key = (name, arguments, text)
        self._seen[key] += 1
        return self._seen[key]


def what_is_asked(call: Call) -> tuple[str, str, bool]:
    """Function and arguments, the same for calls that do the same, however they are written.

    Apart from these, whether a heartbeat is asked for.
    """
    try:
        arguments = _object(call.arguments)
    except ToolError:
        return call.name, call.arguments, False
    heartbeat = arguments.pop(HEARTBEAT, False)
    return call.name, json.dumps(arguments, sort_keys=True), bool(heartbeat)


class FunctionExecutor:
    """Runs a model's calls for one turn at a time."""

    def __init__(self, functions: Sequence[Function]) -> None:
        self._functions = {function.name: function for function in functions}
        self.schemas: tuple[ToolSchema, ...] = tuple(function.schema for function in functions)

    def writes_first(self, reply: Reply) -> int:
        """How many calls at the head of `reply` do nothing but write: they may be prepared before
        it is stored, and carried out with it."""
        known = (self._functions.get(call.name) for call in reply.calls)
        return len(
            list(takewhile(lambda function: function is not None and function.writes, known))
        )

    async def prepare(self, turn: Turn, reply: Reply, number: int) -> Prepared:
        """Read and check call `number` of `reply`, and look up what it asks for."""
        call = reply.calls[number]
        try:
            _require_room(number)
            function, arguments = self._parse(call, cut_off=_cut_off(reply, number))
            made = await function.run(turn, **arguments.theirs())
        except ToolError as error:
            return Prepared(_failure(error), None)
        return Prepared(made, arguments.request_heartbeat)

    def carry_out(self, tx: Tx, turn: Turn, step: Step, number: int, prepared: Prepared) -> Result:
        """Do what call `number` of `step` asks for, and record that it was done.

        A wrong call is answered, not raised.
        """
        outcome, heartbeat = _outcome(tx, prepared)
        failed, cut_off = heartbeat is None, _cut_off(step.reply, number)
        speaks = any(call.name == SAYS for call in step.reply.calls)
        result = Result(
            text=outcome.text + (GO_ON if cut_off and not failed else ""),
            failed=failed,
            heartbeat=failed or cut_off or (outcome.again and not speaks) or bool(heartbeat),
            said=outcome.said,
            piece=outcome.piece,
            silent=outcome.silent,
            zone=outcome.zone,
        )
        done = Done(result=result.text, failed=result.failed, heartbeat=result.heartbeat)
        journal.add_done(tx, turn.item.person, step.id, number, done)
        return result

    def _parse(self, call: Call, *, cut_off: bool) -> tuple[Function, Arguments]:
        if cut_off and call.name != SAYS:
            raise ToolError(
                "Your answer was cut off at its limit, so this call was not run. Make it shorter,"
                " or do it in several calls."
            )
        function = self._functions.get(call.name)
        if function is None:
            known = ", ".join(self._functions)
            raise ToolError(f"There is no function “{call.name}”. There are: {known}.")
        try:
            return function, function.arguments.model_validate(_object(call.arguments))
        except ValidationError as error:
            raise ToolError(_explain(error, function)) from error


def _outcome(tx: Tx, prepared: Prepared) -> tuple[Outcome, bool | None]:
    """What the call comes to, and whether it asks for a heartbeat; None when it failed."""
    if not callable(prepared.made):
        return prepared.made, prepared.heartbeat
    tx.execute("SAVEPOINT call")
    try:
        outcome, heartbeat = prepared.made(tx), prepared.heartbeat
    except ToolError as error:  # others share the transaction
        tx.execute("ROLLBACK TO call")
        outcome, heartbeat = _failure(error), None
    tx.execute("RELEASE call")
    return outcome, heartbeat


def _failure(error: ToolError) -> Outcome:
    return Outcome(text=f"Error: {error}")


def _require_room(number: int) -> None:
    if number >= MOST_CALLS:
        raise ToolError(
            f"One answer makes {MOST_CALLS} calls at most. This one was not made, nor any behind"
            " it: make them in your next answer."
        )


def _cut_off(reply: Reply, number: int) -> bool:
    """Whether the model ran out of tokens in the middle of this call."""
    return reply.finish == "length" and number == len(reply.calls) - 1


def _object(arguments: str) -> dict[str, object]:
    try:
        parsed = read_json(arguments or "{}")
    except ValueError as error:
        raise ToolError(f"The arguments are not JSON: {error}.") from error
    if not isinstance(parsed, dict):
        raise ToolError("The arguments must be a JSON object with the parameters by name.")
    # many models write null for a parameter that they leave out
    return {name: value for name, value in parsed.items() if value is not None}


def _explain(error: ValidationError, function: Function) -> str:
    faults = []
    for fault in error.errors():
        name = ".".join(str(part) for part in fault["loc"])
        match fault["type"]:
            case "missing":
                faults.append(f"“{name}” is missing")
            case "extra_forbidden":
                faults.append(f"“{name}” is not a parameter")
            case _:
                faults.append(f"“{name}”: {fault['msg']}")
    parameters = ", ".join(function.arguments.model_fields)
    return f"{function.name}: {'; '.join(faults)}. Its parameters are: {parameters}."
