from collections.abc import Mapping
from companion.embedders.protocol import Embedder
from companion.settings import EmbedderSettings


def build_embedder(settings: EmbedderSettings, environ: Mapping[str, str]) -> Embedder | None:
    from companion.embedders.wordllama import WordLlama

    return WordLlama() if settings.kind == "wordllama" else None
