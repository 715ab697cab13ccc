"""The model's Markdown as Discord shows it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.discord.render import render


def test_a_table_is_text_with_its_columns_below_each_other() -> None:
    table = "| What | Where |\n|---|:-:|\n| **tea** | 東京 |\n| `x` \\| y | b |"
    assert render(f"See:\n{table}\nDone.") == (
        "See:\n```\nWhat   Where\n-----  -----\ntea    東京\nx | y  b\n```\nDone."
    )


def test_a_table_in_code_stays_as_it_is() -> None:
    code = "```\n| a |\n|---|\n| b |\n```"
    assert render(code) == code


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("#### Deep", "**Deep**"),
        ("## Two", "## Two"),
        ("---", "———"),
        ("- - -", "———"),
        ("- one", "- one"),
        ("![cat](https://example.com/cat.png)", "[cat](https://example.com/cat.png)"),
        ("![](https://example.com/cat.png)", "https://example.com/cat.png"),
        ("```\n#### code\n---\n```", "```\n#### code\n---\n```"),
        ("**bold** _it_ ||spoiler||", "**bold** _it_ ||spoiler||"),
        ("a\x07b\r\nc", "ab\nc"),
    ],
)
def test_markup(written: str, shown: str) -> None:
    assert render(written) == shown


@given(st.text(st.sampled_from("|-: ab\n`#"), max_size=200))
def test_anything_can_be_shown(text: str) -> None:
    shown = render(text)
    assert shown.count("a") == text.count("a")
