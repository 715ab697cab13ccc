"""The settings that an experiment runs under: the operator's, with another model or window."""

from companion.local.weights import Weights
from companion.settings import ModelSettings, Settings


def settings_for(settings: Settings, model: str | None, weights: Weights) -> Settings:
    """`settings` with `model` in them, and a local model by its path: each run has its own home.

    Raises:
        ModelFileError: the model is to run on this machine, and is not here.
    """
    here = {kept.name for kept in weights.kept()}
    if settings.models and (model is None or not (model in here or model.endswith(".gguf"))):
        first = settings.models[0]
        chosen = first.model_copy(update={"name": model or first.name})
        return settings.model_copy(update={"models": (chosen,)})
    path = str(weights.find(model or settings.local.model))
    local = settings.local.model_copy(update={"model": path})
    return settings.model_copy(update={"models": (), "local": local})


def adapted(settings: Settings, *, name: str, base_url: str) -> Settings:
    """`settings` with one model at another endpoint, which costs nothing."""
    first = settings.models[0] if settings.models else settings.local
    model = ModelSettings(
        name=name,
        base_url=base_url,
        profile="tools",
        window_tokens=first.window_tokens,
        answer_tokens=ModelSettings().answer_tokens,
    )
    return settings.model_copy(update={"models": (model,)})


def by_window(settings: Settings, tokens: int) -> Settings:
    """`settings` with a window of `tokens`."""
    models = tuple(
        one.model_copy(
            update={
                "window_tokens": tokens,
                "answer_tokens": min(one.answer_tokens, tokens // 2),
            }
        )
        for one in settings.models
    )
    answer = min(settings.local.answer_tokens, tokens // 2)
    local = settings.local.model_copy(update={"window_tokens": tokens, "answer_tokens": answer})
    return settings.model_copy(update={"models": models, "local": local})
