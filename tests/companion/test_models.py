"""Which model answers, and how it is helped."""

from pathlib import Path
from typing import Any

import pytest

from companion.errors import ModelFileError
from companion.library import open_home
from companion.models import is_small
from companion.settings import Settings
from tests.support.model_server import Answer, ModelServer, says


@pytest.mark.parametrize(
    ("name", "small"),
    [
        ("qwen2.5-coder-1.5b-instruct", True),
        ("llama3.2:1b", True),
        ("Qwen3-0.6B-Q8_0.gguf", True),
        ("qwen3:4b-instruct", False),
        ("gemma-3-12b-it", False),
        ("llama-3.1-70b", False),
        ("gpt-5.4-mini", False),
        ("mixtral-8x7b", False),
        ("auto", False),
    ],
)
def test_a_model_is_small_by_its_name(name: str, small: bool) -> None:
    assert is_small(name) == small


def both(asked: dict[str, Any]) -> Answer:
    return says("With functions." if asked.get("tools") else "Without functions.")


@pytest.mark.parametrize(
    ("model", "answer"),
    [
        ({"name": "big-70b"}, "With functions."),
        ({"name": "tiny-1b"}, "Without functions."),
        ({"name": "tiny-1b", "profile": "tools"}, "With functions."),
        ({"name": "big-70b", "profile": "small"}, "Without functions."),
        ({"name": "auto"}, "Without functions."),
    ],
)
async def test_a_small_model_is_asked_in_two_passes_and_the_setting_decides(
    tmp_path: Path, model: dict[str, str], answer: str
) -> None:
    async with ModelServer(both, models=["tiny-1b"]) as server:
        settings = Settings.model_validate({"models": [{**model, "base_url": server.base_url}]})
        async with open_home(tmp_path, settings=settings, environ={}) as home:
            assert await home.person("anna").say("Good morning!") == [answer]


async def test_without_an_endpoint_and_without_weights_it_says_what_to_fetch(
    tmp_path: Path,
) -> None:
    with pytest.raises(ModelFileError, match="companion model pull"):
        async with open_home(tmp_path, settings=Settings(), environ={}):
            pass
