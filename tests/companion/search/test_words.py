"""Texts and queries as tokens."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.search.words import (
    LONGEST,
    PIECE,
    named_in,
    names,
    pieces,
    query_terms,
    tokens,
    without_names,
)


@given(st.text())
def test_every_query_asks_only_for_what_the_same_text_would_be_found_by(text: str) -> None:
    assert set(query_terms(text)) <= set(tokens(text))


@given(st.text())
def test_tokens_hold_nothing_that_the_index_or_its_query_language_gives_a_meaning(
    text: str,
) -> None:
    for token in tokens(text):
        assert token
        assert len(token) <= LONGEST
        assert not re.search("[^a-z0-9\u0080-\U0010ffff]|[\ue000-\uf8ff\ud800-\udfff]", token)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("上海", "我去年从上海搬到柏林"),
        ("茶", "她喜欢喝绿茶"),
        ("สวัสดี", "แล้วสวัสดีครับ"),
        ("ありがとう", "本当にありがとうね"),
        ("서울", "서울에서 왔어요"),
        ("два", "У меня два кота"),
        ("Cafe", "the café in Łódź"),
        ("ÉCOLE", "à l'école"),
        ("C++", "he writes C++ and C#"),
        ("a-b", "the a-b test"),
        ("node.js", "It runs on Node.js."),
        ('"quoted', 'she "quoted" him'),
        ("NEAR(", "near( the station"),
        ("%", "50% off"),
        ("_", "it is called snake_case"),
        ("🎂", "Happy birthday🎂🎂!"),
        ("👍🏽", "ok 👍"),
        ("हिन्दी", "मैं हिन्दी बोलता हूँ"),
        ("iPhone15", "买了iPhone15手机"),
    ],
)
def test_what_people_type_is_among_the_tokens_of_what_they_look_for(query: str, text: str) -> None:
    assert query_terms(query)
    assert set(query_terms(query)) <= set(tokens(text))


def test_symbols_do_not_ask_for_their_single_letters() -> None:
    assert not set(query_terms("C++")) & set(tokens("vitamin C"))
    assert not set(query_terms("a-b")) & set(tokens("a b"))


def test_a_word_among_others_is_left_out_when_every_text_has_it() -> None:
    assert query_terms("what did she say about the garden") == ["say", "garden"]
    assert query_terms("我们的花园") == ["们的", "的花", "花园", "花", "园"][1:]


def test_a_query_of_nothing_but_such_words_asks_for_them() -> None:
    assert query_terms("The Who") == ["the", "who"]


def test_punctuation_alone_asks_for_nothing() -> None:
    assert query_terms("?!… 。") == []


def test_a_long_text_pasted_as_a_query_asks_for_a_bounded_number_of_terms() -> None:
    assert len(query_terms(" ".join(f"word{number}" for number in range(5000)))) == 200


def test_names_are_found_in_a_query_whatever_the_case_and_taken_out() -> None:
    among = [*names("Anna-María O'Neil"), *names("小明")]
    assert named_in("what did anna's brother tell 小明 of Maria?", among) == [
        "anna",
        "maria",
        "小明",
    ]
    rest = without_names("When did Anna's cat come?", ["anna"])
    assert " ".join(rest.split()) == "When did cat come?"


def test_a_query_of_nothing_but_a_name_keeps_it() -> None:
    assert without_names("Anna", ["anna"]) == "Anna"


def test_a_name_that_is_an_everyday_word_names_nobody() -> None:
    assert names("Will Smith") == ["smith"]


@given(st.text(st.sampled_from("a é我\n\u0301"), max_size=30), st.integers(1, 4000))
def test_a_long_text_is_read_in_pieces_that_are_all_of_it(text: str, times: int) -> None:
    long = text * times
    parts = list(pieces(long))
    assert "".join(parts) == long
    assert all(0 < len(part) <= PIECE for part in parts)


def test_no_word_of_a_long_text_is_cut_where_it_is_cut_into_pieces() -> None:
    assert set(tokens("lorem café " * 10_000)) == {"lorem", "cafe"}
    assert set(tokens("lorem\ncafé\n" * 10_000)) == {"lorem", "cafe"}


def test_of_a_query_the_first_piece_is_looked_for() -> None:
    assert query_terms("plum " * PIECE + "pear") == ["plum"]
