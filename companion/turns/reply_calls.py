"""A model's answer as calls: plain text counts as send_message, once (design of the executor)."""

import json
from collections.abc import Sequence
from dataclasses import replace

from companion.functions.executor import MOST_CALLS, SAYS, what_is_asked
from companion.llm.protocol import Call, Reply


def as_calls(reply: Reply, *, sent: Sequence[str], may_say: bool, prefix: str) -> Reply:
    """`reply` with its plain text turned into a call of send_message where it is meant for reading.

    Text beside a send_message is a thought, and so is text when the person has had their answer
    and nobody but an alert asked (`may_say` false). What was `sent` in this turn is not said again.
    Equal calls are made once, and no more than the executor takes. Every call gets an id that is
    unique in the conversation, made from `prefix`.
    """
    calls = tuple(
        replace(call, id=f"call_{prefix}_{number}")
        for number, call in enumerate(_distinct(reply.calls)[: MOST_CALLS + 1])
    )
    text = reply.text.strip()
    if not text or any(call.name == SAYS for call in calls):
        return replace(reply, calls=calls)
    if not may_say or _normal(text) in {_normal(said) for said in sent}:
        return replace(reply, calls=calls)
    return replace(reply, text="", calls=(says(text, f"say_{prefix}"), *calls))


def says(text: str, call_id: str) -> Call:
    """A call of send_message."""
    return Call(call_id, SAYS, json.dumps({"message": text}, ensure_ascii=False))


def _distinct(calls: Sequence[Call]) -> list[Call]:
    """`calls`, each of equal ones once: the one that asks for a heartbeat, if any does."""
    kept: dict[tuple[str, str], Call] = {}
    for call in calls:
        name, arguments, heartbeat = what_is_asked(call)
        if heartbeat or (name, arguments) not in kept:
            kept[name, arguments] = call
    return list(kept.values())


def _normal(text: str) -> str:
    return " ".join(text.casefold().split())
