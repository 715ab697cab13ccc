"""JSON that somebody else wrote."""

import pytest

from companion.foreign_json import DEEPEST, read_json


def test_what_is_meant_for_us_is_read() -> None:
    assert read_json('{"a": [1, "é", null]}') == {"a": [1, "é", None]}
    assert read_json(b"[1]") == [1]
    nested = "[" * DEEPEST + "]" * DEEPEST
    assert read_json(nested)[0] is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        b"\xff\xfe\xfa",
        "9" * 5000,
        "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1),
        '{"a":' * 950 + "1" + "}" * 950,
        "[" * 100_000,
    ],
)
def test_all_else_is_a_value_error_whatever_it_would_be_to_the_library(text: str | bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - of any kind
        read_json(text)
