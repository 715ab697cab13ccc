"""Conversation openers."""

import json
from pathlib import Path

import pytest

from companion.embedders.wordllama import WordLlama
from companion.errors import OperatorError
from companion.evaluation.bench import Bench
from companion.evaluation.fresh_home import FreshHome, SampleFailedError
from companion.evaluation.opener import TRAITS, Opener, OpenerSample, likeness
from companion.settings import ModelSettings, Settings
from tests.companion.evaluation.small import reader_bench, sessions_file
from tests.support.model_server import ModelServer, calls, fails

SAMPLE = OpenerSample(
    id="a",
    sessions=(),
    human="How is your beagle?",
    persona=("I have a beagle.", "I am a nurse.", "I like tea.", "I hate rain."),
)


async def test_an_opener_is_compared_with_the_nearest_sentences_and_the_human() -> None:
    same = await likeness(WordLlama(), "I have a beagle.", SAMPLE)
    assert same.sim_1 == pytest.approx(1, abs=1e-5)
    assert same.sim_3 < same.sim_1
    human = await likeness(WordLlama(), SAMPLE.human, SAMPLE)
    assert human.sim_h == pytest.approx(1, abs=1e-5)
    assert human.sim_1 < 1


async def test_the_reader_opens_with_what_the_person_said_and_the_human_is_scored_too(
    tmp_path: Path,
) -> None:
    opener = Opener(sessions_file(tmp_path), WordLlama())
    (sample,) = opener.samples(0)
    async with reader_bench(TRAITS) as bench:
        outcome = await opener.run(sample, "companion", bench)
    assert "night nurse" in outcome.answer
    assert outcome.gold == ("How was the first night?",)
    assert set(outcome.scores) == {measure.key for measure in TRAITS.measures}


async def test_a_model_sees_the_sessions_and_never_the_persona(tmp_path: Path) -> None:
    async with ModelServer([calls(send_opener={"text": "How was it?", "about": 1})]) as server:
        settings = Settings(models=(ModelSettings(name="gpt-test", base_url=server.base_url),))
        opener = Opener(sessions_file(tmp_path), WordLlama())
        (sample,) = opener.samples(0)
        outcome = await opener.run(sample, "companion", Bench(settings, {}, TRAITS, None))
        asked = json.dumps(list(server.requests))
    assert outcome.answer == "How was it?"
    assert "night nurse" in asked
    assert "SECRET" not in asked
    assert "first night" not in asked


async def test_silence_is_counted_and_not_compared(tmp_path: Path) -> None:
    async with ModelServer([calls(stay_silent={"reason": "late"})]) as server:
        settings = Settings(models=(ModelSettings(name="gpt-test", base_url=server.base_url),))
        opener = Opener(sessions_file(tmp_path), WordLlama())
        (sample,) = opener.samples(0)
        outcome = await opener.run(sample, "companion", Bench(settings, {}, TRAITS, None))
    assert set(outcome.scores) == {"wrote", "human_1", "human_3"}
    assert outcome.scores["wrote"] == 0


async def test_without_a_model_there_is_no_outcome(tmp_path: Path) -> None:
    async with ModelServer(lambda _asked: fails(401, "wrong key")) as server:
        settings = Settings(models=(ModelSettings(name="gpt-test", base_url=server.base_url),))
        opener = Opener(sessions_file(tmp_path), WordLlama())
        (sample,) = opener.samples(0)
        with pytest.raises(SampleFailedError, match="401"):
            await opener.run(sample, "companion", Bench(settings, {}, TRAITS, None))


async def test_another_way_to_open_can_take_the_timers_place(tmp_path: Path) -> None:
    async def greets(home: FreshHome) -> str:
        return "Good morning!"

    opener = Opener(sessions_file(tmp_path), WordLlama(), greets)
    (sample,) = opener.samples(0)
    async with reader_bench(TRAITS) as bench:
        assert (await opener.run(sample, "companion", bench)).answer == "Good morning!"


def test_without_an_embedder_there_is_nothing_to_compare_with(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match=r"embedder\.kind is none"):
        Opener(tmp_path, None)
