import random

import pytest

from companion.errors import SettingsError
from companion.llm.build import build_counter, build_llm, endpoint
from companion.llm.openai_client import OPENAI_MODEL, OpenAIClient
from companion.llm.protocol import Message
from companion.settings import ModelSettings
from tests.support.model_server import ModelServer, fails, says
from tests.support.virtual_clock import VirtualClock


async def test_the_models_are_asked_in_the_order_of_the_settings_each_with_its_key() -> None:
    async with ModelServer([fails(401)]) as one, ModelServer([says("hello")]) as two:
        models = [
            ModelSettings(name="a", base_url=one.base_url, api_key_env="KEY_ONE"),
            ModelSettings(name="b", base_url=two.base_url, api_key_env="KEY_TWO"),
        ]
        environ = {"KEY_ONE": "k1", "KEY_TWO": " k2 "}
        llm = build_llm(models, environ, None, VirtualClock(), random.Random(1))
        reply = await llm.complete([Message("user", "hi")], answer_tokens=64)
        await llm.close()
        keys = [server.headers[0]["Authorization"] for server in (one, two)]
    assert (reply.text, reply.model) == ("hello", "b")
    assert keys == ["Bearer k1", "Bearer k2"]


def test_a_key_that_cannot_be_one_is_refused_without_being_shown() -> None:
    with pytest.raises(SettingsError) as raised:
        endpoint(ModelSettings(), {"OPENAI_API_KEY": "sk-“quoted”"})
    assert "OPENAI_API_KEY" in str(raised.value)
    assert "quoted" not in str(raised.value)


def test_a_key_is_not_shown() -> None:
    made = endpoint(ModelSettings(), {"OPENAI_API_KEY": "sk-secret"})
    assert "sk-secret" not in repr(made)


def test_auto_means_a_named_model_at_openais_own_endpoint() -> None:
    made = endpoint(ModelSettings(), {"OPENAI_API_KEY": "sk-1"})
    assert made.official
    assert OpenAIClient(made).label == f"{OPENAI_MODEL} at https://api.openai.com/v1"


def test_tokens_are_counted_as_the_first_model_would() -> None:
    text = "お誕生日おめでとう"
    official = build_counter([ModelSettings(), ModelSettings(name="gpt-4")])
    assert official.count(text) == 8
    assert build_counter([ModelSettings(base_url="http://x/v1")]).count(text) > 8
    assert build_counter([]).count(text) > 8
