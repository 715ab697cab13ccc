"""Nested key-value retrieval."""

from pathlib import Path

import pytest

from companion.errors import OperatorError
from companion.evaluation.kv import KV, TRAITS, is_right, nested
from tests.companion.evaluation.small import kv_folder, reader_bench

DATA = Path(__file__).parents[4] / "shared" / "data" / "nested_kv"
PAIRS = [("k0", "v0"), ("k1", "v1"), ("k2", "v2"), ("k3", "v3")]


def test_each_named_value_is_the_next_named_key() -> None:
    sample = nested("s", PAIRS, [2, 0, 3])
    assert sample.pairs == (("k0", "k3"), ("k1", "v1"), ("k2", "k0"), ("k3", "v3"))
    assert (sample.key, sample.value, sample.x) == ("k2", "v3", 2)


def test_an_answer_may_tell_the_way_but_not_name_every_value(tmp_path: Path) -> None:
    (sample, *_) = KV(kv_folder(tmp_path)).samples(0)
    assert is_right(sample, f"The value of {sample.key} is {sample.value}.")
    assert not is_right(sample, "\n".join(value for _, value in sample.pairs))
    assert not is_right(sample, sample.key)


@pytest.mark.parametrize("number", [0, 8], ids="ordering {}".format)
async def test_the_reader_follows_keys_to_the_last_value(tmp_path: Path, number: int) -> None:
    sample = KV(kv_folder(tmp_path)).samples(0)[number]
    async with reader_bench(TRAITS) as bench:
        outcome = await KV(tmp_path).run(sample, "companion", bench)
        assert outcome.answer == sample.value
        searches = [call for one in bench.trace for call in one.calls if "search" in call.name]
        # the last value is looked up too, to see that it is no key
        assert sample.value in searches[-1].arguments
        assert len(searches) >= number // 2 + 2


async def test_the_reader_alone_finds_what_the_prompt_has_room_for(tmp_path: Path) -> None:
    samples = KV(kv_folder(tmp_path, pairs=140)).samples(0)[:6]
    async with reader_bench(TRAITS, window=6144) as bench:
        outcomes = [await KV(tmp_path).run(one, "baseline", bench) for one in samples]
    for sample, outcome in zip(samples, outcomes, strict=True):
        shown = int(str(outcome.details["pairs_shown"]))
        assert 20 < shown < 140
        values = dict(sample.pairs[:shown])
        at = sample.key
        while at in values:
            at = values[at]
        assert outcome.scores["right"] == float(at == sample.value)
    assert {outcome.scores["right"] for outcome in outcomes} == {0.0, 1.0}


def test_a_folder_without_the_data_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match=r"pairs\.json cannot be read"):
        KV(tmp_path).samples(0)


@pytest.mark.parametrize("nestings", [0, 4], ids="{} nestings".format)
async def test_the_reader_is_right_on_the_published_pairs(nestings: int) -> None:
    if not DATA.is_dir():
        pytest.skip(f"{DATA} is not part of the product and is not here")
    sample = KV(DATA).samples(0)[30 * nestings + 7]
    async with reader_bench(TRAITS) as bench:
        assert (await KV(DATA).run(sample, "companion", bench)).scores == {"right": 1.0}
