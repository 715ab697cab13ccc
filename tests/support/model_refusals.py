"""What real servers answer to what they can't do."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

Asked = dict[str, Any]
"""The body of a request, parsed."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The `error` that a request gets when it `concerns` what the server can't do."""

    concerns: Callable[[Asked], bool]
    error: Mapping[str, Any]
    status: int = 400


def _openai(message: str, param: str | None = None, code: str | None = None) -> Mapping[str, Any]:
    kind = "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def _has_strict(asked: Asked) -> bool:
    return any("strict" in tool["function"] for tool in asked.get("tools", ()))


def _roles(asked: Asked) -> list[str]:
    return [message["role"] for message in asked["messages"]]


def _system_late(asked: Asked) -> bool:
    return "system" in _roles(asked)[1:]


def _not_alternating(asked: Asked) -> bool:
    roles = [role for role in _roles(asked) if role != "system"]
    return roles[:1] != ["user"] or any(a == b for a, b in pairwise(roles))


REFUSALS: Mapping[str, Refusal] = {
    # Ollama 0.6
    "tools": Refusal(
        lambda asked: "tools" in asked,
        _openai("registry.ollama.ai/library/gemma:2b does not support tools"),
    ),
    # vLLM without its parser
    "tools_vllm": Refusal(
        lambda asked: "tools" in asked,
        {
            "object": "error",
            "message": '"auto" tool choice requires --enable-auto-tool-choice and '
            "--tool-call-parser to be set",
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
    ),
    # llama.cpp without --jinja
    "tools_llamacpp": Refusal(
        lambda asked: "tools" in asked,
        {"error": {"code": 500, "message": "tools param requires --jinja flag", "type": "server"}},
        500,
    ),
    # OpenRouter
    "tools_openrouter": Refusal(
        lambda asked: "tools" in asked,
        {"error": {"message": "No endpoints found that support tool use.", "code": 404}},
        404,
    ),
    "strict": Refusal(
        _has_strict,
        _openai("Unknown parameter: 'tools[0].function.strict'.", "tools[0].function.strict"),
    ),
    "parallel_tool_calls": Refusal(
        lambda asked: "parallel_tool_calls" in asked,
        _openai("Unrecognized request argument supplied: parallel_tool_calls"),
    ),
    "max_tokens": Refusal(
        lambda asked: "max_tokens" in asked,
        _openai(
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            "max_tokens",
            "unsupported_parameter",
        ),
    ),
    # Mistral
    "max_completion_tokens": Refusal(
        lambda asked: "max_completion_tokens" in asked,
        {
            "object": "error",
            "message": {
                "detail": [
                    {
                        "type": "extra_forbidden",
                        "loc": ["body", "max_completion_tokens"],
                        "msg": "Extra inputs are not permitted",
                        "input": 1024,
                    }
                ]
            },
            "type": "invalid_request_error",
        },
        422,
    ),
    "response_format": Refusal(
        lambda asked: "response_format" in asked,
        _openai("'response_format.type' must be 'text'", "response_format"),
    ),
    # Gemma's chat template
    "system": Refusal(
        lambda asked: "system" in _roles(asked),
        {"object": "error", "message": "System role not supported", "code": 400},
    ),
    # Qwen's chat template
    "late_system": Refusal(
        _system_late,
        {"object": "error", "message": "System message must be at the beginning.", "code": 400},
    ),
    # OpenAI's first reasoning models
    "developer": Refusal(
        lambda asked: "developer" in _roles(asked),
        _openai("Invalid value: 'developer'. Supported values are: 'system', 'user'", "messages"),
    ),
    # Mistral's and Gemma's chat templates
    "same_role_twice": Refusal(
        _not_alternating,
        {
            "object": "error",
            "message": "Conversation roles must alternate user/assistant/user/assistant/...",
            "code": 400,
        },
    ),
}
