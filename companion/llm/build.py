"""The models that the settings name, ready to be asked."""

import random
from collections.abc import Mapping, Sequence

from companion.clock import Clock
from companion.errors import SettingsError
from companion.llm.answer import Prices
from companion.llm.chain import ModelChain
from companion.llm.openai_client import OPENAI_MODEL, OPENAI_URL, Endpoint, OpenAIClient
from companion.llm.tokens import ModelTokenCounter
from companion.settings import ModelSettings, Secrets
from companion.storage.endpoints import EndpointStore


def build_llm(
    models: Sequence[ModelSettings],
    environ: Mapping[str, str],
    store: EndpointStore | None,
    clock: Clock,
    rng: random.Random,
) -> ModelChain:
    """All of `models`, in their order. Nothing is loaded or asked yet.

    Raises:
        SettingsError: a key can't be one.
    """
    clients = [OpenAIClient(endpoint(model, environ), store) for model in models]
    return ModelChain(clients, clock=clock, rng=rng)


def build_counter(models: Sequence[ModelSettings]) -> ModelTokenCounter:
    """Counts as the first of `models` would: the others stand in for it now and then."""
    if not models:
        return ModelTokenCounter(None)
    first = models[0]
    if first.name != "auto":
        return ModelTokenCounter(first.name)
    official = Endpoint(base_url=first.base_url or OPENAI_URL).official
    return ModelTokenCounter(OPENAI_MODEL if official else None)


def endpoint(model: ModelSettings, environ: Mapping[str, str]) -> Endpoint:
    """Where `model` is, with its key from `environ`.

    Raises:
        SettingsError: its key can't be one.
    """
    key = Secrets(environ).get(model.api_key_env)
    if key is not None and not (
        key.get_secret_value().isascii() and key.get_secret_value().isprintable()
    ):
        raise SettingsError(
            f"{model.api_key_env} holds characters that no key has; copy the key once more."
        )
    return Endpoint(
        model=None if model.name == "auto" else model.name,
        base_url=model.base_url or OPENAI_URL,
        api_key=key,
        timeout=model.timeout_seconds,
        prices=Prices(model.price_prompt, model.price_cached, model.price_completion),
    )
