"""What of an error may be logged."""

import re
from pathlib import Path

import pytest
from pydantic import BaseModel, ValidationError

from companion.error_text import CAUSES, error_text
from companion.errors import DatabaseError
from companion.events import Address

SECRET = "her canary is yellow"


class Small(BaseModel):
    number: int


def test_what_pydantic_was_given_is_not_told() -> None:
    with pytest.raises(ValidationError, match="canary") as caught:
        Small.model_validate({"number": SECRET})
    assert error_text(caught.value) == "ValidationError"


def test_the_way_through_our_own_code_is_told_with_its_lines() -> None:
    with pytest.raises(ValueError, match="canary") as caught:
        Address(platform="", chat=SECRET)
    text = error_text(caught.value)
    assert re.fullmatch(r"ValueError at companion/events\.py:\d+ __post_init__", text)


def failing() -> None:
    try:
        int(SECRET)
    except ValueError as cause:
        raise RuntimeError(SECRET) from cause


def test_causes_are_told_and_their_words_are_not() -> None:
    with pytest.raises(RuntimeError) as caught:
        failing()
    assert error_text(caught.value) == "RuntimeError <- ValueError"


def test_what_is_in_a_group_is_told() -> None:
    group = ExceptionGroup(SECRET, [ValueError(SECRET), KeyError(SECRET)])
    assert error_text(group) == "ExceptionGroup <- ValueError <- KeyError"


def test_a_long_chain_of_causes_ends() -> None:
    error = Exception(SECRET)
    last = error
    for _ in range(CAUSES * 2):
        last.__cause__ = Exception(SECRET)
        last = last.__cause__
    last.__cause__ = error
    assert error_text(error).count("Exception") == CAUSES


def test_what_is_said_to_the_operator_is_told(tmp_path: Path) -> None:
    assert error_text(DatabaseError("The disk is full.")) == "DatabaseError: The disk is full."
    with pytest.raises(OSError, match="missing") as caught:
        (tmp_path / "missing").read_text()
    assert "No such file or directory" in error_text(caught.value)
