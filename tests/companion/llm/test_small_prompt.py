"""The working context as a small model is shown it."""

import json

from companion.llm.protocol import Call
from companion.llm.small_prompt import edited

BEFORE = "## Person\nAnna lives in Shanghai\n"
MOVED = "Anna lives in Berlin (until Mon 5 May 2025: Anna lives in Shanghai)"


def appends(text: str) -> Call:
    return Call("1", "working_context_append", json.dumps({"text": text}))


def replaces(old: str, new: str) -> Call:
    return Call("2", "working_context_replace", json.dumps({"old": old, "new": new}))


EDITS = [appends("Anna has a cat"), replaces("Anna lives in Shanghai", MOVED)]


def test_edits_since_the_last_flush_count() -> None:
    assert edited(BEFORE, EDITS) == f"## Person\n{MOVED}\nAnna has a cat\n"


def test_edits_that_a_flush_has_put_into_the_prompt_are_not_made_twice() -> None:
    after = edited(BEFORE, EDITS)
    assert edited(after, EDITS) == after


def test_words_can_be_taken_out() -> None:
    taken_out = [replaces(" in Shanghai", ""), replaces("Anna lives", "Anna")]
    assert edited(BEFORE, taken_out) == "## Person\nAnna\n"
