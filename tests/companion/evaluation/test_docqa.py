"""Questions over documents."""

import gzip
import json
from pathlib import Path

import pytest

from companion.errors import OperatorError
from companion.evaluation.docqa import TRAITS, DocQA, DocQASample, names_one, shown_of
from companion.evaluation.fresh_home import fresh_home
from companion.evaluation.trace import Called, Exchange
from companion.settings import Settings
from tests.companion.evaluation.small import questions_file, reader_bench

DATA = Path(__file__).parents[4] / "shared" / "data" / "nq_oracle.jsonl.gz"


async def prepared(file: Path, *documents: int, take: int = 3) -> tuple[DocQA, list[DocQASample]]:
    """The experiment, ready for some of its samples."""
    docqa = DocQA(file, documents)
    samples = list(docqa.samples(0))[: take * len(documents)]
    with fresh_home(Settings(), {}, TRAITS) as home:
        await docqa.prepare(samples, home)
    return docqa, samples


async def test_the_gold_passage_is_always_among_the_documents_and_each_is_there_once(
    tmp_path: Path,
) -> None:
    docqa, samples = await prepared(questions_file(tmp_path), 1, 5, 20)
    for sample in samples:
        documents = docqa.documents(sample)
        assert sample.gold in documents
        assert len(set(documents)) == len(documents) <= (sample.x or 0)


async def test_the_reader_pages_to_the_end_and_is_shown_every_answer(tmp_path: Path) -> None:
    docqa, samples = await prepared(questions_file(tmp_path), 40, take=1)
    async with reader_bench(TRAITS, window=6144) as bench:
        outcome = await docqa.run(samples[0], "companion", bench)
    assert outcome.scores == {"right": 1, "shown": 1, "judged": None}
    # every document that the search finds was quoted, to the last page
    last = bench.trace[-2].calls[-1]
    assert last.result.startswith("Page 8 of 8, 40 in all:")
    titles = [document.partition(":")[0] for document in docqa.documents(samples[0])]
    assert all(f"{title}: " in outcome.answer for title in titles)


async def test_the_baseline_cuts_documents_until_all_fit(tmp_path: Path) -> None:
    docqa, samples = await prepared(questions_file(tmp_path), 2, 40, take=1)
    async with reader_bench(TRAITS, window=4096) as bench:
        few, many = [await docqa.run(sample, "baseline", bench) for sample in samples]
    assert few.scores["shown"] == few.scores["right"] == 1
    assert many.scores["shown"] == 0  # the answer stands at the end of its document


def test_an_answer_is_found_without_case_articles_and_punctuation() -> None:
    assert names_one("It was THE Beatles, of course.", ["Beatles"])
    assert names_one("on 14 December 1972", ["14 December 1972", "1972"])
    assert not names_one("Beatlesmania", ["Beatles"])


def test_only_what_was_listed_of_the_gold_passage_counts_as_shown() -> None:
    head = "[kept Mon 3 Mar 2025 12:00 UTC, from Wikipedia]"

    def shown(text: str) -> str:
        page = f"Page 1 of 1, 2 in all:\n{head} {text}\n{head} Other: the end"
        call = Called(name="archival_storage_search", arguments="{}", result=page)
        trace = [Exchange(model="", text="", calls=(call,))]
        return shown_of("Gold: beginning, middle, end", trace)

    assert shown("Gold: beginning, […]") == "Gold: beginning, […]"
    assert shown("[…] middle, end") == "[…] middle, end"
    assert shown("Else: nothing") == ""


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"question": "a", "answers": [], "ctxs": []}'])
def test_a_file_of_another_form_is_refused_by_name(tmp_path: Path, text: str) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(text)
    with pytest.raises(OperatorError, match=r"questions\.jsonl cannot be read"):
        DocQA(file).samples(0)


def test_a_gzipped_file_is_read_too(tmp_path: Path) -> None:
    plain = questions_file(tmp_path)
    packed = tmp_path / "questions.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert DocQA(packed, [5]).samples(0) == DocQA(plain, [5]).samples(0)
    assert json.loads(plain.read_text().splitlines()[0])["answers"]


async def test_the_reader_is_shown_the_answer_among_published_passages() -> None:
    if not DATA.is_file():
        pytest.skip(f"{DATA} is not part of the product and is not here")
    docqa, samples = await prepared(DATA, 15, take=1)
    async with reader_bench(TRAITS) as bench:
        outcome = await docqa.run(samples[0], "companion", bench)
    assert outcome.scores["shown"] == outcome.scores["right"] == 1
