"""What goes wrong at an endpoint, sorted by what helps."""

import re
from collections.abc import Iterator
from enum import Enum

from companion.errors import LLMError


class Fault(Enum):
    """Why an endpoint gave no usable answer. The value is said to the operator."""

    RATE = "it answers too many requests at the moment"
    OVERLOADED = "it is overloaded"
    SERVER = "it had an error of its own"
    TIMEOUT = "it did not answer in time; raise timeout_seconds if it is only slow"
    CONNECTION = "it cannot be reached; check that it runs, and base_url"
    GARBLED = "its answer is not in OpenAI's format; check base_url"
    EMPTY = "its answer was empty"
    CUT_OFF = "its answer ended before anything was said; raise answer_tokens"
    FILTER = "its content filter held the answer back"
    OVERFLOW = "the prompt is longer than its window; lower window_tokens"
    QUOTA = "its quota or credit is used up; check the account's billing"
    AUTH = "it refused the key; check the variable that api_key_env names"
    NOT_FOUND = "it does not know the model or the address; check name and base_url"
    REFUSED = "it refused the request"

    @property
    def permanent(self) -> bool:
        """Whether asking again is useless before the operator changes something."""
        return self in (Fault.QUOTA, Fault.AUTH, Fault.NOT_FOUND, Fault.REFUSED)


class EndpointError(LLMError):
    """One endpoint gave no usable answer.

    `said` is what the server said: it may quote people, so it is matched and never logged.
    `retry_after` is the header as it came. `window_tokens` is the limit that an overflow names.
    """

    def __init__(
        self,
        fault: Fault,
        *,
        status: int | None = None,
        said: str = "",
        retry_after: str | None = None,
    ) -> None:
        super().__init__(f"{fault.value} ({status})" if status else fault.value)
        self.fault = fault
        self.status = status
        self.said = said
        self.retry_after = retry_after

    @property
    def window_tokens(self) -> int | None:
        """The longest prompt that the endpoint takes, where it said so."""
        return _window(self.said) if self.fault is Fault.OVERFLOW else None


_OVERFLOW = re.compile(
    r"context[_ ]length|context[_ ](window|size|limit)|maximum model length|prompt is too long"
    r"|input is too long|input length|input tokens? (count )?\(?\d*\)? ?exceed"
    r"|too many (input )?tokens|exceeds the maximum number of tokens|max_new_tokens. must be"
    r"|reduce the length|context the overflows|string too long.*messages",
    re.I,
)
_WINDOW = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        r"maximum (?:context|model) length (?:is|of)(?: only)? (\d+)",
        r"(?<!\d)(\d+) maximum context length",
        r"context (?:size|length|window)\W*(?:is|of)?(?: only)?\W*(\d+)",
        r"\bn_ctx (\d+)",
        r"tokens allowed \((\d+)\)",
        r"limit of (\d+) tokens",
        r"tokens > (\d+)",
        r"context limit: \d+ \+ \d+ > (\d+)",
        r"must be <= (\d+)",
        r"\blimit (\d+)",
    )
)
_QUOTA = re.compile(r"insufficient|quota|billing|credit|balance|payment", re.I)
_NO_MODEL = re.compile(
    r"model\b.{0,120}?(not found|not exist|not a valid|is not available|no such)"
    r"|model_not_found|not a valid model",
    re.I | re.S,
)
_FILTER = re.compile(r"content_filter|content_policy|content management policy|data_inspection")


def fault_of(status: int, said: str) -> Fault:
    """What an answer with the HTTP `status` and the error text `said` means."""
    if status == 402 or (status == 429 and _QUOTA.search(said)):
        return Fault.QUOTA
    if status == 429:
        return Fault.RATE
    if status == 413 or (status in (400, 422, 500) and _OVERFLOW.search(said)):
        return Fault.OVERFLOW
    if status in (400, 403, 422) and _FILTER.search(said):
        return Fault.FILTER
    if status in (401, 403):
        return Fault.AUTH
    if status == 404 or (status in (400, 422) and _NO_MODEL.search(said)):
        return Fault.NOT_FOUND
    if status in (503, 529):
        return Fault.OVERLOADED
    if status in (408, 409, 425) or status >= 500:
        return Fault.SERVER
    return Fault.REFUSED if status >= 400 else Fault.GARBLED


def said_in(body: object, depth: int = 6) -> str:
    """All that an error's body says, keys included, without what it quotes of the request."""
    return " ".join(_words(body, depth))[:8000]


def _words(body: object, depth: int) -> Iterator[str]:
    if depth == 0:
        return
    if isinstance(body, dict):
        for key, value in body.items():
            if key != "input":
                yield str(key)
                yield from _words(value, depth - 1)
    elif isinstance(body, list):
        for value in body[:20]:
            yield from _words(value, depth - 1)
    elif isinstance(body, (str, int, float)):
        yield str(body)[:4000]


def _window(said: str) -> int | None:
    for pattern in _WINDOW:
        if match := pattern.search(said):
            return int(match[1])
    return None
