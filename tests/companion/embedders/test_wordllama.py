"""The default embedder, with the real model."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from companion.embedders.wordllama import AT_ONCE, WordLlama


@pytest.fixture(scope="module")
def model() -> WordLlama:
    return WordLlama()


async def test_texts_of_like_meaning_lie_nearer_than_others(model: WordLlama) -> None:
    dog, puppy, tax = await model.embed(
        ["my dog ran off", "the puppy escaped", "the income tax is due"]
    )
    assert dog @ puppy > 0.2 + dog @ tax


async def test_every_row_has_length_one_and_many_texts_give_the_same_as_one(
    model: WordLlama,
) -> None:
    texts = [f"text number {number}" for number in range(AT_ONCE * 3)]
    rows = await model.embed(texts)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert np.array_equal(rows[7], (await model.embed([texts[7]]))[0])


@pytest.mark.parametrize("text", ["", " ", "два кота", "ひらがな", "的是了"])
async def test_what_the_model_does_not_know_gets_no_vector(model: WordLlama, text: str) -> None:
    assert not (await model.embed([text])).any()


async def test_chinese_texts_of_like_meaning_lie_nearer_than_others(model: WordLlama) -> None:
    dog, puppy, tax = await model.embed(["我家的狗跑丢了", "那只小犬逃走了", "今年的所得税要交了"])
    assert dog @ puppy > 0.1 + dog @ tax


async def test_simplified_and_traditional_characters_lie_near(model: WordLlama) -> None:
    simplified, traditional, other = await model.embed(["医院检查", "醫院檢查", "飞机晚点"])
    assert simplified @ traditional > 0.3 + simplified @ other


async def test_names_in_latin_letters_do_not_drown_what_chinese_says(model: WordLlama) -> None:
    plain, named = await model.embed(["昨天在海边放风筝", "Bart昨天在海边放风筝"])
    assert np.array_equal(plain, named)


async def test_japanese_is_placed_by_its_chinese_characters(model: WordLlama) -> None:
    japanese, chinese, other = await model.embed(["大学を卒業しました", "大学毕业", "下雨"])
    assert japanese @ chinese > 0.2 + japanese @ other


async def test_accents_are_no_other_script(model: WordLlama) -> None:
    assert (await model.embed(["le café était fermé"])).any()


async def test_a_very_long_text_is_cut(model: WordLlama) -> None:
    long, longer = await model.embed(["a" * 100_000, "a" * 200_000])
    assert np.array_equal(long, longer)


def test_loading_it_imports_neither_its_package_nor_a_network_client() -> None:
    code = (
        "import asyncio, sys\n"
        "from companion.embedders.wordllama import WordLlama\n"
        "asyncio.run(WordLlama().embed(['hello']))\n"
        "print([name for name in ('wordllama', 'requests', 'openai') if name in sys.modules])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path.cwd()
    )
    assert ran.stdout.strip() == "[]"
