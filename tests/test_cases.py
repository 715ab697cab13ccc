"""The list of cases names only tests that are there."""

import re
from pathlib import Path

TESTS = Path(__file__).parent
CASES = (TESTS / "CASES.md").read_text(encoding="utf-8")


def test_every_test_that_the_list_names_is_there() -> None:
    named = re.findall(r"`([\w/]+\.py)`: ([\w, ]+)", CASES)
    assert named
    missing = [
        f"{file}: {name}"
        for file, names in named
        for name in re.split(r", ", names.strip())
        if "_" in name and f"def test_{name}(" not in (TESTS / file).read_text(encoding="utf-8")
    ]
    assert missing == []


def test_every_file_that_the_list_names_is_there() -> None:
    for path in re.findall(r"`([\w/]+(?:\.py|/))`", CASES):
        assert (TESTS / path).exists(), path
