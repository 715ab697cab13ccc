"""Vectors from an endpoint, on a real server."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr

from companion.embedders.openai import OpenAIEmbedder
from companion.errors import EmbedderUnavailableError
from tests.support.model_server import Answer, ModelServer, Raw, embedding, fails


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as running:
        yield running


@pytest.fixture
async def embedder(server: ModelServer) -> AsyncIterator[OpenAIEmbedder]:
    made = OpenAIEmbedder("scripted", base_url=server.base_url, api_key=SecretStr("sk-secret"))
    yield made
    await made.close()


def answers(vectors: Sequence[Any]) -> Raw:
    data = [{"index": index, "embedding": vector} for index, vector in enumerate(vectors)]
    return Raw(body=json.dumps({"data": data, "model": "", "usage": {}}).encode())


async def test_texts_become_rows_in_one_request(
    server: ModelServer, embedder: OpenAIEmbedder
) -> None:
    rows = await embedder.embed(["a dog", "上海", ""])
    assert np.allclose(rows[0], embedding("a dog"))
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    (asked,) = server.embedded
    assert asked["model"] == "scripted"
    assert asked["input"] == ["a dog", "上海", " "]


async def test_a_very_long_text_is_cut(server: ModelServer, embedder: OpenAIEmbedder) -> None:
    await embedder.embed(["x" * 100_000])
    assert len(server.embedded[0]["input"][0]) == 6000


async def test_a_text_that_the_endpoint_refuses_holds_up_no_other(
    server: ModelServer, embedder: OpenAIEmbedder
) -> None:
    good = answers([[1.0, 0.0]])
    refused = fails(400, "input is too long")
    server.embedding_answers.extend((refused, good, refused))
    rows = await embedder.embed(["good", "bad"])
    assert rows.tolist() == [[1, 0], [0, 0]]


@pytest.mark.parametrize(
    "answer",
    [
        fails(401, "sk-secret is wrong"),
        fails(429),
        fails(503),
        fails(400),
        Raw(body=b"<html>oh</html>"),
        answers([]),
        answers([[1.0], [2.0]]),
        answers([[]]),
    ],
    ids=["unauthorised", "too many", "overloaded", "refused", "garbled", "none", "two", "empty"],
)
async def test_an_endpoint_that_gives_no_vector_is_unavailable(
    server: ModelServer, embedder: OpenAIEmbedder, answer: Answer
) -> None:
    server.embedding_answers.extend([answer] * 3)
    with pytest.raises(EmbedderUnavailableError) as raised:
        await embedder.embed(["a dog"])
    assert "sk-secret" not in str(raised.value)


async def test_an_endpoint_that_is_not_there_is_unavailable(
    server: ModelServer, embedder: OpenAIEmbedder
) -> None:
    await server.stop()
    with pytest.raises(EmbedderUnavailableError, match="cannot be reached"):
        await embedder.embed(["a dog"])


def test_its_name_tells_model_and_place_and_no_password() -> None:
    embedder = OpenAIEmbedder("small", base_url="https://me:secret@models.example.com/v1/")
    assert embedder.name == "small at models.example.com/v1"
