"""Deep memory retrieval."""

import json
import sys
from pathlib import Path

import pytest

from companion.errors import OperatorError
from companion.evaluation.bench import Bench
from companion.evaluation.dmr import DMR, TRAITS
from companion.evaluation.judging import verdict
from companion.settings import ModelSettings, Settings
from tests.companion.evaluation.small import reader_bench, sessions_file
from tests.support.model_refusals import Asked
from tests.support.model_server import Answer, ModelServer, calls, says


async def test_the_reader_finds_what_was_said_sessions_ago_by_search_alone(tmp_path: Path) -> None:
    dmr = DMR(sessions_file(tmp_path))
    (sample,) = dmr.samples(0)
    async with reader_bench(TRAITS) as bench:
        outcome = await dmr.run(sample, "companion", bench)
    assert "Leeds" in outcome.answer
    assert outcome.scores == {"rouge": 1.0, "judged": None}
    assert bench.trace[0].calls[0].name == "conversation_search"


async def test_a_model_sees_no_session_no_persona_and_no_summary_and_is_judged(
    tmp_path: Path,
) -> None:
    def answer(asked: Asked) -> Answer:
        if "You judge" in asked["messages"][0]["content"]:
            return says("It names another town. WRONG")
        if "tools" not in asked:
            return says("(summary) They talked of a shop.")
        return calls(send_message={"message": "In York, I think."})

    async with ModelServer(answer) as server:
        model = ModelSettings(name="gpt-test", base_url=server.base_url, price_completion=1)
        settings = Settings(models=(model,))
        bench = Bench(settings, {}, TRAITS, settings)
        dmr = DMR(sessions_file(tmp_path))
        (sample,) = dmr.samples(0)
        ours = await dmr.run(sample, "companion", bench)
        asked, judged = [json.dumps(request) for request in server.requests]
        alone = await dmr.run(sample, "baseline", Bench(settings, {}, TRAITS, None))
    assert ours.scores["judged"] == 0.0
    assert "Leeds" not in asked
    assert "tomatoes" not in asked
    assert "In York, I think." in judged
    assert "In Leeds!" in judged
    assert bench.spending.requests == 2
    assert bench.spending.usage.cost > 0
    # the baseline: three sessions summed up one after the other, then the question
    assert alone.scores["judged"] is None
    told = [json.dumps(request) for request in list(server.requests)[2:]]
    assert len(told) == 4
    assert "(summary) They talked of a shop." in told[1]
    assert "crackers" in told[2]
    assert "Remember where" in told[3]
    assert "SECRET" not in "".join([asked, judged, *told])


def test_a_verdict_is_the_last_such_word() -> None:
    assert verdict("It is not WRONG, it is CORRECT.") == 1
    assert verdict("CORRECT would be Leeds. INCORRECT") == 0
    assert verdict("Hard to say.") is None


def test_a_record_without_a_question_is_named(tmp_path: Path) -> None:
    path = sessions_file(tmp_path)
    raw = json.loads(path.read_text())
    path.write_text(json.dumps(raw) + "\n" + json.dumps({**raw, "self_instruct": {}}) + "\n")
    with pytest.raises(OperatorError, match="line 2: there is no question"):
        DMR(path).samples(0)


def test_without_rouge_it_is_told_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rouge_score.rouge_scorer", None)
    with pytest.raises(OperatorError, match=r"companion\[eval\]"):
        DMR(sessions_file(tmp_path))
