"""The rules of editing the working context."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.context.working_context import appended, first, replaced
from companion.errors import ToolError

TEXT = "## Persona\nWarm.\n\n## Person\nAnna lives in Shanghai.\nAnna likes tea.\n"


def test_a_new_persons_context_has_the_persona_and_room_for_the_person() -> None:
    assert first(" Warm. \n") == "## Persona\nWarm.\n\n## Person\n"


def test_an_appended_line_stands_at_the_end() -> None:
    assert appended(TEXT, "Anna plays the cello.", 4000).endswith(
        "Anna likes tea.\nAnna plays the cello.\n"
    )


@pytest.mark.parametrize("line", ["Anna likes tea.", "- anna likes  tea", "ANNA LIKES TEA."])
def test_the_same_fact_is_not_stored_again(line: str) -> None:
    with pytest.raises(ToolError, match="already says"):
        appended(TEXT, line, 4000)


def test_a_write_over_the_limit_is_refused_with_the_sizes_and_what_to_do() -> None:
    with pytest.raises(ToolError) as refused:
        appended(TEXT, "x" * 100, 120)
    said = str(refused.value)
    assert str(len(TEXT)) in said
    assert "the limit is 120" in said
    assert "archival_storage_insert" in said


def test_a_text_that_is_too_long_already_may_still_be_shortened() -> None:
    assert "tea" not in replaced(TEXT, "Anna likes tea.\n", "", 10)


def test_a_replace_that_matches_once_is_done() -> None:
    assert "Anna lives in Berlin." in replaced(TEXT, "Shanghai", "Berlin", 4000)


def test_a_replace_of_nothing_is_refused() -> None:
    with pytest.raises(ToolError, match="empty"):
        replaced(TEXT, " ", "x", 4000)


def test_a_replace_that_matches_twice_names_both_places() -> None:
    with pytest.raises(ToolError) as refused:
        replaced(TEXT, "Anna", "Ana", 4000)
    assert "Anna lives in Shanghai." in str(refused.value)
    assert "Anna likes tea." in str(refused.value)


def test_a_replace_that_matches_nowhere_shows_the_nearest_line() -> None:
    with pytest.raises(ToolError, match="Anna lives in Shanghai"):
        replaced(TEXT, "Anna lives in Shanghi", "x", 4000)


def test_a_replace_that_changes_nothing_is_refused() -> None:
    with pytest.raises(ToolError, match="Nothing would change"):
        replaced(TEXT, "tea", "tea", 4000)


def test_an_edit_that_wipes_most_of_a_long_context_is_refused() -> None:
    long = first("Warm.") + "".join(f"Fact {n} about Anna.\n" for n in range(500))
    with pytest.raises(ToolError, match="shrink"):
        replaced(long, long[40:], "cut off", 20_000)


@given(st.text(), st.text(), st.text())
def test_a_refused_or_done_replace_never_raises_anything_else(
    text: str, old: str, new: str
) -> None:
    try:
        result = replaced(text, old, new, 1000)
    except ToolError:
        return
    assert result == text.replace(old, new)
    assert result != text or old == new
