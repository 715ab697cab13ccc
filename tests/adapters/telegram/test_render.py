"""The model's Markdown as Telegram shows it, judged by Telegram's own library."""

import json
import os

import pytest
from hypothesis import given, settings
from telegram import MessageEntity

from adapters.telegram.render import render
from adapters.telegram.split import split
from companion.text import clean, is_blank
from tests.adapters.telegram.markdown import answers
from tests.support.telegram_rules import check_text

EXAMPLES = int(os.environ.get("COMPANION_EXAMPLES", "400"))


def shown(markdown: str) -> str:
    return render(markdown).text


def marked(markdown: str) -> list[tuple[str, str]]:
    """Kinds of formatting and what they are about."""
    rich = render(markdown)
    return [(str(span.kind), rich.text[span.start : span.end]) for span in rich.spans]


@pytest.mark.parametrize(
    ("markdown", "text", "marks"),
    [
        ("**bold** and *italic*", "bold and italic", [("bold", "bold"), ("italic", "italic")]),
        ("~~gone~~ ~5 km", "gone ~5 km", [("strikethrough", "gone")]),
        ("`a & b`", "a & b", [("code", "a & b")]),
        ("[here](https://example.com)", "here", [("text_link", "here")]),
        ("[file](notes.md)", "file (notes.md)", []),
        ("[mail](mailto:a@b.de)", "mail (a@b.de)", []),
        ("![cat](https://example.com/c.png)", "cat", [("text_link", "cat")]),
        ("# Title", "Title", [("bold", "Title")]),
        ("> quoted\n> twice", "quoted\ntwice", [("blockquote", "quoted\ntwice")]),
        ("```py\nx = 1\n```", "x = 1", [("pre", "x = 1")]),
        ("**a `b` c**", "a b c", [("bold", "a b c"), ("code", "b")]),
    ],
)
def test_formatting_becomes_telegrams(
    markdown: str, text: str, marks: list[tuple[str, str]]
) -> None:
    assert shown(markdown) == text
    assert marked(markdown) == marks


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        (
            "Write to <anna@example.com> or my_best_friend",
            "Write to anna@example.com or my_best_friend",
        ),
        ("a < b > c & d", "a < b > c & d"),
        ("<b>not bold</b>", "<b>not bold</b>"),
        ("- one\n- two\n  - three", "• one\n• two\n  • three"),
        ("3. three\n4. four", "3. three\n4. four"),
        ("1986. A good year.", "1986. A good year."),
        ("#tag and #1", "#tag and #1"),
        ("~ about five", "~ about five"),
        ("| so", "| so"),
        ("-5 degrees\n+5 too", "-5 degrees\n+5 too"),
        ("-", "•"),
        ("#", "#"),
        ("Title\n---\ntext", "Title\n\n———\n\ntext"),
        ("    indented", "indented"),
        ("[1]: https://example.com\n\nas in [1]", "[1]: https://example.com\n\nas in [1]"),
        ("**unfinished", "**unfinished"),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ("end\\. of\\-line\\!", "end. of-line!"),
        ("|a|b|\n|-|-|\n|1|22|", "a | b\n--+---\n1 | 22"),
        ("|日本|b|\n|-|-|\n|1|2|", "日本 | b\n-----+--\n1    | 2"),
    ],
)
def test_what_looks_like_markup_is_shown_as_it_was_meant(markdown: str, text: str) -> None:
    assert shown(markdown) == text


def test_an_empty_block_of_code_is_shown_as_it_was_written() -> None:
    assert shown("```\n```") == "```\n```"


def test_the_language_of_code_is_kept() -> None:
    (span,) = render("```python title=x\npass\n```").spans
    assert span.language == "python"


def test_places_are_given_in_utf_16_units() -> None:
    (entity,) = render("😀 **bold**").entities()
    assert (entity.offset, entity.length) == (3, 4)


@pytest.mark.parametrize("deep", ["> " * 200 + "deep", "- " * 200 + "deep", "[" * 200 + "deep"])
def test_nesting_however_deep_loses_nothing(deep: str) -> None:
    assert "deep" in shown(deep)


@given(answers)
@settings(max_examples=EXAMPLES, deadline=None)
def test_whatever_a_model_writes_telegram_takes(markdown: str) -> None:
    pieces = split(render(clean(markdown)))
    assert pieces or is_blank(markdown)
    for piece in pieces:
        entities = [json.loads(entity.to_json()) for entity in piece.entities()]
        check_text(piece.text, entities)


@given(answers)
@settings(max_examples=200, deadline=None)
def test_every_word_that_was_written_is_shown(markdown: str) -> None:
    text = clean(markdown)
    visible = shown(text)
    assert is_blank(visible) == is_blank(text)
    for word in ("longer-word", "x_y_z", "日", "🇵🇹"):
        if text.count(word) and "](" not in text and "```" not in text:
            assert visible.count(word) == text.count(word)


def test_kinds_are_those_that_telegram_knows() -> None:
    assert {kind for kind, _ in marked("**a** `b`")} <= {str(k) for k in MessageEntity.ALL_TYPES}
