"""A server's answer to a chat completion, read without trusting any of it."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from companion.foreign_json import read_json
from companion.llm.faults import EndpointError, Fault, fault_of, said_in
from companion.llm.protocol import Finish, Message, Reply, Usage
from companion.llm.repair import RawCall, repaired

LARGEST = 8_000_000
"""Bytes of an answer that are read; no model writes more."""

QUICK = 1_000_000
"""Bytes times braces of an answer that is read at once; a larger one may take long."""

MOST_CALLS = 64
MOST_TOKENS = 100_000_000
_NOTHING_SAID: dict[Finish, Fault] = {"filter": Fault.FILTER, "length": Fault.CUT_OFF}


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars for a million tokens."""

    prompt: float = 0.0
    cached: float = 0.0
    completion: float = 0.0

    def cost(self, prompt: int, cached: int, completion: int) -> float:
        """What a request cost; `cached` of the `prompt` tokens were cached."""
        return (
            (prompt - cached) * self.prompt + cached * self.cached + completion * self.completion
        ) / 1_000_000


async def read_answer(
    raw: bytes,
    prompt: Sequence[Message],
    names: Collection[str],
    *,
    model: str,
    answer_tokens: int,
    prices: Prices,
) -> Reply:
    """What the server said in `raw`, repaired.

    `names` are the functions that the model was told of; `answer_tokens` the limit it was given.

    Raises:
        EndpointError: there is no text and no call in it, or it is no chat completion.
    """
    read = partial(_read, raw, prompt, names, model, answer_tokens, prices)
    if len(raw) * raw.count(b"{") > QUICK:
        return await asyncio.to_thread(read)
    return read()


def _read(
    raw: bytes,
    prompt: Sequence[Message],
    names: Collection[str],
    model: str,
    answer_tokens: int,
    prices: Prices,
) -> Reply:
    choice, body = _choice(raw)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise EndpointError(Fault.GARBLED)
    usage = _usage(body.get("usage"), prices)
    finish = _finish(choice.get("finish_reason"))
    if 0 < answer_tokens <= usage.completion_tokens:
        finish = "length"  # some servers say "stop" when they cut an answer off
    text, calls = repaired(
        _text(message),
        _raw_calls(message),
        names,
        prompt=prompt,
        complete=finish != "length",
    )
    if not text.strip() and not calls:
        raise EndpointError(_NOTHING_SAID.get(finish, Fault.EMPTY))
    if calls and finish == "stop":
        finish = "calls"
    return Reply(text=text.strip(), calls=calls, finish=finish, model=model, usage=usage)


def _choice(raw: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    if len(raw) > LARGEST:
        raise EndpointError(Fault.GARBLED)
    try:
        body = read_json(raw)
    except ValueError as error:
        raise EndpointError(Fault.GARBLED) from error
    if not isinstance(body, dict):
        raise EndpointError(Fault.GARBLED)
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    failed = body.get("error") or (choice.get("error") if isinstance(choice, dict) else None)
    if failed:
        raise _failed(failed)  # OpenRouter sends errors of others with status 200
    if not isinstance(choice, dict):
        raise EndpointError(Fault.GARBLED)
    return choice, body


def _failed(failed: object) -> EndpointError:
    code = failed.get("code") if isinstance(failed, dict) else None
    status = code if isinstance(code, int) and 400 <= code <= 599 else 500
    said = said_in(failed)
    return EndpointError(fault_of(status, said), status=status, said=said)


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    refusal = message.get("refusal")
    if not content and isinstance(refusal, str):
        content = refusal
    return content if isinstance(content, str) else ""


def _raw_calls(message: dict[str, Any]) -> list[RawCall]:
    listed = message.get("tool_calls")
    listed = listed if isinstance(listed, list) else []
    old = message.get("function_call")
    if not listed and isinstance(old, dict):
        listed = [{"function": old}]
    return [_raw_call(call) for call in listed[:MOST_CALLS] if isinstance(call, dict)]


def _raw_call(call: dict[str, Any]) -> RawCall:
    function = call.get("function")
    function = function if isinstance(function, dict) else call
    arguments = function.get("arguments", function.get("parameters"))
    return RawCall(call.get("id"), function.get("name"), arguments)


def _finish(reason: object) -> Finish:
    match reason:
        case "length" | "max_tokens":
            return "length"
        case "content_filter":
            return "filter"
        case "tool_calls" | "function_call":
            return "calls"
        case _:
            return "stop"


def _usage(raw: object, prices: Prices) -> Usage:
    fields = raw if isinstance(raw, dict) else {}
    details = fields.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    prompt = _tokens(fields.get("prompt_tokens"))
    # DeepSeek's name for it
    cached = min(prompt, _tokens(cached) or _tokens(fields.get("prompt_cache_hit_tokens")))
    completion = _tokens(fields.get("completion_tokens"))
    return Usage(prompt, cached, completion, prices.cost(prompt, cached, completion))


def _tokens(value: object) -> int:
    if not isinstance(value, int | float) or not 0 <= value <= MOST_TOKENS:
        return 0
    return int(value)
