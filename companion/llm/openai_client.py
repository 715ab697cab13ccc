"""One model at one endpoint that speaks OpenAI's protocol."""

import asyncio
import gc
import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from companion.foreign_json import read_json
from companion.llm.abilities import (
    OPENAI,
    Abilities,
    without_extras,
    without_what_was_refused,
)
from companion.llm.answer import Prices, read_answer
from companion.llm.faults import EndpointError, Fault, fault_of, said_in
from companion.llm.protocol import Message, Reply, ToolSchema
from companion.llm.wire import request_body
from companion.storage.endpoints import EndpointStore

if TYPE_CHECKING:
    from ssl import SSLContext

    from openai import APIStatusError, AsyncOpenAI

logger = logging.getLogger(__name__)

OPENAI_URL = "https://api.openai.com/v1"
OPENAI_MODEL = "gpt-5.4-mini"
"""What `name = "auto"` means at OpenAI's own endpoint."""

MOST_REFUSALS = 12
"""How often one request is asked again with less in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Which model, where, and what it costs. `model` None takes the first that is listed.

    `timeout` is in seconds, for a whole answer.
    """

    model: str | None = None
    base_url: str = OPENAI_URL
    api_key: SecretStr | None = None
    timeout: float = 120
    prices: Prices = field(default_factory=Prices)

    @property
    def official(self) -> bool:
        """Whether this is OpenAI's own."""
        return urlsplit(self.base_url).hostname == urlsplit(OPENAI_URL).hostname

    @property
    def address(self) -> str:
        """The base URL without user, password and query."""
        url = urlsplit(self.base_url)
        host = url.netloc.rpartition("@")[2]
        return f"{url.scheme}://{host}{url.path.rstrip('/')}"


class OpenAIClient:
    """Asks one model, once: no retries but those that leave out what the server refuses."""

    def __init__(self, endpoint: Endpoint, store: EndpointStore | None = None) -> None:
        """`store` remembers between runs what the server can do."""
        self._endpoint = endpoint
        self._store = store
        self._model = endpoint.model or (OPENAI_MODEL if endpoint.official else None)
        self._abilities: Abilities | None = None
        self._sdk: AsyncOpenAI | None = None
        self._base_url = endpoint.base_url.rstrip("/")
        self._making = threading.Lock()

    @property
    def label(self) -> str:
        """Which model and where, fit for a log."""
        return f"{self._model or 'auto'} at {self._endpoint.address}"

    def warm(self) -> None:
        """Load the SDK, which takes seconds the first time. Safe in a thread."""
        with self._making:
            if self._sdk is None:
                self._sdk = _sdk(self._endpoint)

    async def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        *,
        answer_tokens: int,
    ) -> Reply:
        """The model's answer, repaired.

        Raises:
            EndpointError: there is none; its `fault` tells why.
        """
        return await self._complete(messages, tools, None, answer_tokens)

    async def complete_json(
        self, messages: Sequence[Message], schema: Mapping[str, Any], *, answer_tokens: int
    ) -> Reply:
        """The model's answer, held to the JSON `schema` where the server can do so.

        Raises:
            EndpointError: there is none; its `fault` tells why.
        """
        return await self._complete(messages, (), schema, answer_tokens)

    async def _complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema],
        schema: Mapping[str, Any] | None,
        answer_tokens: int,
    ) -> Reply:
        model = await self.model_name()
        known = await self._known_abilities(model)
        abilities = known
        for _ in range(MOST_REFUSALS):
            body = request_body(
                model, messages, tools, abilities, answer_tokens=answer_tokens, schema=schema
            )
            try:
                raw = await self._ask("POST", "/chat/completions", body)
                break
            except EndpointError as error:
                weaker = _weaker(abilities, error)
                if weaker is None:
                    self._forget_if_gone(error)
                    raise
                abilities = weaker
        else:
            raise EndpointError(Fault.REFUSED)
        if abilities != known:
            await self._remember(model, abilities)
        return await read_answer(
            raw,
            messages,
            frozenset(tool.name for tool in tools),
            model=model,
            answer_tokens=answer_tokens if abilities.limits else 0,
            prices=self._endpoint.prices,
        )

    async def model_name(self) -> str:
        """The model's name, asked of the server where the settings leave it open.

        Raises:
            EndpointError: the server does not tell.
        """
        if self._model is None:
            raw = await self._ask("GET", "/models")
            self._model = _first_chat_model(raw)
        return self._model

    async def close(self) -> None:
        """Let go of connections."""
        if self._sdk is not None:
            await self._sdk.close()

    async def _known_abilities(self, model: str) -> Abilities:
        if self._abilities is None:
            stored = None
            if self._store is not None:
                stored = await self._store.abilities(self._endpoint.address, model)
            self._abilities = stored or (OPENAI if self._endpoint.official else Abilities())
        return self._abilities

    async def _remember(self, model: str, abilities: Abilities) -> None:
        self._abilities = abilities
        logger.info("%s takes less than was tried: %s", self.label, abilities.to_json())
        if self._store is not None:
            await self._store.remember(self._endpoint.address, model, abilities)

    def _forget_if_gone(self, error: EndpointError) -> None:
        if error.fault is Fault.NOT_FOUND and self._endpoint.model is None:
            self._model = OPENAI_MODEL if self._endpoint.official else None

    async def _ask(self, method: str, path: str, body: bytes | None = None) -> bytes:
        """The body of the server's answer.

        Raises:
            EndpointError: there is none, or it tells of an error.
        """
        if self._sdk is None:
            await asyncio.to_thread(self.warm)
        assert self._sdk is not None
        import openai

        try:
            async with asyncio.timeout(self._endpoint.timeout):
                if method == "GET":
                    return await self._sdk.get(path, cast_to=bytes)
                # `create` spends 30 ms on a long prompt, this 2 (openai 3.57), and a tenth less
                # with the whole address
                url = f"{self._base_url}{path}"
                return await self._sdk.post(url, content=body, cast_to=bytes)
        except TimeoutError as error:
            raise EndpointError(Fault.TIMEOUT) from error
        except openai.APITimeoutError as error:
            raise EndpointError(_timeout_or_worse(error)) from error
        except openai.APIStatusError as error:
            raise _refusal(error) from error
        except openai.APIError as error:
            raise EndpointError(Fault.CONNECTION) from error


def _sdk(endpoint: Endpoint) -> "AsyncOpenAI":
    # 2 seconds and 30 MB: not at import, and not before a model is asked
    import openai

    _keep_for_good()
    return openai.AsyncOpenAI(
        api_key=endpoint.api_key.get_secret_value() if endpoint.api_key else "none",
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=openai.Timeout(endpoint.timeout, connect=min(10, endpoint.timeout)),
        # with 100 people at once half of the CPU that the default transport takes
        # (docs/decisions/0070-aiohttp-below-the-sdk.md)
        http_client=openai.DefaultAioHttpClient(verify=_tls()),
    )


@lru_cache(maxsize=1)
def _keep_for_good() -> None:
    """Leave what is loaded out of collections of garbage, once.

    The SDK is made of so many objects that looking at them takes a fifth of a turn's CPU.
    """
    gc.collect()
    gc.freeze()


@lru_cache(maxsize=1)
def _tls() -> "SSLContext":
    """What every connection trusts. One for all: reading the certificates takes 0.2 s."""
    import httpx2

    return httpx2.create_ssl_context()


def _timeout_or_worse(error: BaseException) -> Fault:
    """What it was: the SDK takes every broken connection for a timeout (openai 3.57, aiohttp)."""
    while error.__cause__ is not None:
        error = error.__cause__
    return Fault.TIMEOUT if isinstance(error, TimeoutError) else Fault.CONNECTION


def _refusal(error: "APIStatusError") -> EndpointError:
    said = said_in(error.body)
    return EndpointError(
        fault_of(error.status_code, said),
        status=error.status_code,
        said=said,
        retry_after=error.response.headers.get("retry-after"),
    )


def _weaker(abilities: Abilities, error: EndpointError) -> Abilities | None:
    """What to ask for instead, or None where leaving things out won't help."""
    if error.fault not in (Fault.REFUSED, Fault.NOT_FOUND, Fault.SERVER):
        return None
    weaker = without_what_was_refused(abilities, error.said)
    if weaker is None and error.fault is Fault.REFUSED:
        weaker = without_extras(abilities)
    return weaker


def _first_chat_model(raw: bytes) -> str:
    try:
        listed = read_json(raw)["data"]
        names = [entry["id"] for entry in listed if isinstance(entry["id"], str)]
    except (ValueError, KeyError, TypeError) as error:
        raise EndpointError(Fault.GARBLED) from error
    chat = [name for name in names if "embed" not in name.lower()]
    if not chat:
        raise EndpointError(Fault.NOT_FOUND)
    return chat[0]
