"""Whether the configured models are there: one real request to each endpoint."""

import importlib
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter

import httpx2
from openai import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    AuthenticationError,
    OpenAIError,
    PermissionDeniedError,
)

from companion.errors import ModelFileError, SettingsError
from companion.findings import Finding
from companion.home import Home
from companion.llm.build import endpoint
from companion.llm.faults import EndpointError
from companion.llm.openai_client import first_chat_model, model_names
from companion.local.weights import CATALOGUE, Weights
from companion.settings import ModelSettings, Secrets, Settings

PATIENCE_SECONDS = 10
SHOWN_NAMES = 8
_INSTALL_LOCAL = "pip install 'companion[local]'"


async def check_models(
    settings: Settings, home: Home, environ: Mapping[str, str]
) -> AsyncIterator[Finding]:
    """A finding for each configured model, or for the one on this machine."""
    if not settings.models:
        yield _on_this_machine(settings.local.model, home)
    for model in settings.models:
        yield await _at_an_endpoint(model, environ)


def _on_this_machine(name: str, home: Home) -> Finding:
    try:
        importlib.import_module("xllamacpp")
    except ImportError as error:
        # Minimal systems lack libgomp, which compilers bring along.
        missing = "apt install libgomp1" if "libgomp" in str(error) else _INSTALL_LOCAL
        return Finding(
            about="model",
            state="fail",
            text=f"no endpoint is configured, and what runs a model here does not load: {error}",
            advice=f"Choose an endpoint with `companion init`, or: {missing}",
        )
    try:
        path = Path(name).expanduser()
        path = path if path.is_file() else Weights(home.path).find(name)
    except ModelFileError as error:
        fetch = "`companion chat` offers to fetch it; " if name in CATALOGUE else ""
        return Finding(
            about="model",
            state="fail",
            text=f"no endpoint is configured. {error}",
            advice=f"{fetch}`companion init` chooses an endpoint.",
        )
    size = path.stat().st_size / 1e9
    return Finding(
        about="model",
        state="ok",
        text=f"{path.stem} on this machine, {size:.1f} GB",
        advice="It is one to try with; `companion init` chooses a larger one.",
    )


async def _at_an_endpoint(model: ModelSettings, environ: Mapping[str, str]) -> Finding:
    key = Secrets(environ).get(model.api_key_env)
    where = model.base_url or "OpenAI"
    if key is None and model.base_url is None:
        return Finding(
            about="model",
            state="fail",
            text=f"{model.name} at {where} needs a key, and {model.api_key_env} is not set",
            advice=f"export {model.api_key_env}=...",
        )
    began = perf_counter()
    try:
        endpoint(model, environ)  # which looks whether the key can be one
        names = await _names(model, key.get_secret_value() if key else "none")
    except SettingsError as error:
        return Finding(about="model", state="fail", text=str(error))
    except OpenAIError as error:
        return _unreachable(model, where, error)
    except EndpointError:
        return Finding(
            about="model",
            state="fail",
            text=f"{where} answers, but as no model server does: its answer is not in OpenAI's"
            " format",
            advice="Check base_url, or OPENAI_BASE_URL if that is set: most addresses end in /v1.",
        )
    if first_chat_model(names) is None:
        advice = "Load a model there first."
        return Finding(about="model", state="fail", text=f"{where} lists no model", advice=advice)
    return await _listed(model, where, names, perf_counter() - began)


async def _listed(
    model: ModelSettings, where: str, names: Sequence[str], seconds: float
) -> Finding:
    """What to say of an endpoint that lists `names`, after so many `seconds`."""
    if model.name not in ("auto", *names):
        shown = ", ".join(names[:SHOWN_NAMES]) + (", ..." if len(names) > SHOWN_NAMES else "")
        text = f"{where} does not list {model.name}"
        return Finding(about="model", state="warn", text=text, advice=f"It lists: {shown}")
    name = model.name
    if name == "auto" and model.base_url:
        name = first_chat_model(names) or name
    window = await _window_in_ollama(model.base_url, name)
    if window is not None and window < model.window_tokens:
        return _cuts_prompts(name, where, window, model.window_tokens)
    return Finding(about="model", state="ok", text=f"{name} at {where}, in {seconds:.1f} s")


async def _names(model: ModelSettings, key: str) -> list[str]:
    async with AsyncOpenAI(
        base_url=model.base_url, api_key=key, max_retries=0, timeout=PATIENCE_SECONDS
    ) as client:
        return model_names(await client.get("/models", cast_to=bytes))


async def _window_in_ollama(base_url: str | None, name: str) -> int | None:
    """The window in tokens that the model called `name` was loaded with.

    None where it is not loaded, or this is no Ollama.
    """
    if base_url is None:
        return None
    try:
        async with httpx2.AsyncClient(timeout=PATIENCE_SECONDS) as client:
            answer = await client.get(base_url.removesuffix("/v1") + "/api/ps")
        loaded = answer.raise_for_status().json()["models"]
        return next((int(m["context_length"]) for m in loaded if m["name"] == name), None)
    except (httpx2.HTTPError, ValueError, KeyError, TypeError):
        return None


def _cuts_prompts(name: str, where: str, given: int, wanted: int) -> Finding:
    return Finding(
        about="model",
        state="fail",
        text=f"{name} at {where} gets {given:,} tokens, and drops the head of longer prompts",
        advice=f"Start Ollama with OLLAMA_CONTEXT_LENGTH={wanted}, or set window_tokens = {given}.",
    )


def _unreachable(model: ModelSettings, where: str, error: OpenAIError) -> Finding:
    match error:
        case APITimeoutError():
            text = f"{where} did not answer within {PATIENCE_SECONDS} s"
            advice = "Look whether that server is up, or busy loading a model."
        case APIConnectionError():
            text, advice = f"nothing answers at {where}", "Start that server, or mend base_url."
        case AuthenticationError() | PermissionDeniedError():
            text = f"{where} refuses the key (HTTP {error.status_code})"
            advice = f"Set {model.api_key_env} to a key that is valid there."
        case APIStatusError(status_code=404):
            text = f"{where} has no list of models, so whether it has {model.name} is not known"
            advice = "Most base_urls end in /v1; a conversation will show whether this one works."
            return Finding(about="model", state="warn", text=text, advice=advice)
        case APIStatusError():
            text, advice = f"{where} answers HTTP {error.status_code}", "Look into its own log."
        case _:
            text, advice = f"{where} cannot be asked ({type(error).__name__})", "Check base_url."
    return Finding(about="model", state="fail", text=text, advice=advice)
