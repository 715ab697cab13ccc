"""Dates that a query names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.memory.dates import date_patterns


@pytest.mark.parametrize(
    ("query", "patterns"),
    [
        ("on 5 May 2023", ["2023-05-05*"]),
        ("May 5th, 2023", ["2023-05-05*"]),
        ("the 3rd of June", ["????-06-03*"]),
        ("in October", ["????-10-*"]),
        ("Sept. 2022", ["2022-09-*"]),
        ("2023-05-05", ["2023-05-05*"]),
        ("2023-05", ["2023-05-*"]),
        ("back in 2021", ["2021-??-*"]),
        ("2023年5月5日", ["2023-05-05*"]),
        ("5月发生了什么", ["????-05-*"]),
        ("between 1 June and 3 July 2023", ["????-06-01*", "2023-07-03*"]),
    ],
)
def test_a_date_becomes_the_head_of_its_iso_form(query: str, patterns: list[str]) -> None:
    assert date_patterns(query) == patterns


@pytest.mark.parametrize(
    "query", ["may I ask", "they march on", "12345", "call 555-2020", "the 20 men", ""]
)
def test_what_is_no_date_is_left_alone(query: str) -> None:
    assert date_patterns(query) == []


@given(st.text())
def test_any_text_gives_patterns_that_match_only_dates(text: str) -> None:
    for pattern in date_patterns(text):
        assert pattern.endswith("*")
        assert pattern.count("-") == 2
