"""Results on disk, which a killed run goes on with."""

from dataclasses import replace
from pathlib import Path

import pytest

from companion.errors import OperatorError
from companion.evaluation.results import FILE, Result, Results, Run
from companion.evaluation.trace import Called, Exchange

RUN = Run(
    experiment="kv",
    model="m",
    judge="",
    embedder="wordllama",
    window=8192,
    page_size=10,
    seed=0,
    data="nested_kv",
)


def result(name: str) -> Result:
    call = Called(name="send_message", arguments="{}", result="Sent.")
    return Result(
        id=name,
        method="companion",
        x=2,
        question="Who? \u2028 谁",
        gold=("Ada",),
        answer="Ada\nBob",
        scores={"right": 1.0, "judged": None},
        details={"pairs_shown": 3},
        requests=2,
        prompt_tokens=10,
        cached_tokens=0,
        completion_tokens=3,
        cost=0.01,
        seconds=1.5,
        trace=(Exchange(model="m", text="", calls=(call,)),),
    )


def kept(folder: Path, *names: str) -> None:
    with Results(folder).begin(RUN, resume=False) as results:
        for name in names:
            results.add(result(name))


def test_results_are_read_back_as_they_were(tmp_path: Path) -> None:
    kept(tmp_path, "a", "b")
    again = Results(tmp_path).begin(RUN, resume=True)
    assert list(again.done.values()) == [result("a"), result("b")]


def test_a_line_that_a_kill_left_unfinished_is_run_again(tmp_path: Path) -> None:
    kept(tmp_path, "a", "b")
    whole = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(whole[:-20])
    with Results(tmp_path).begin(RUN, resume=True) as again:
        assert [name for name, _ in again.done] == ["a"]
        again.add(result("b"))
    assert (tmp_path / FILE).read_bytes() == whole


def test_a_folder_with_a_run_is_not_begun_anew(tmp_path: Path) -> None:
    kept(tmp_path, "a")
    with pytest.raises(OperatorError, match="--resume goes on"):
        Results(tmp_path).begin(RUN, resume=False)
    assert Results(tmp_path).begin(RUN, resume=True).done


def test_a_run_goes_on_only_under_the_same_settings(tmp_path: Path) -> None:
    kept(tmp_path, "a")
    with pytest.raises(OperatorError, match="window = 8192, not 4096"):
        Results(tmp_path).begin(replace(RUN, window=4096), resume=True)


def test_a_line_that_is_no_result_is_named(tmp_path: Path) -> None:
    kept(tmp_path, "a")
    with (tmp_path / FILE).open("a") as file:
        file.write('{"id": 1}\n')
    with pytest.raises(OperatorError, match="Line 2 of"):
        Results(tmp_path).begin(RUN, resume=True)
    assert (tmp_path / FILE).read_text().endswith('{"id": 1}\n')


def test_resume_begins_where_nothing_is_yet(tmp_path: Path) -> None:
    assert Results(tmp_path / "new").begin(RUN, resume=True).done == {}
