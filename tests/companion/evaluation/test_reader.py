"""The scripted reader: what it does at each request, and that it sees nothing but the request."""

import json
from typing import Any

from companion.evaluation.reader import Move, move
from companion.evaluation.wording import EVERY_PAGE, pair

TOOLS = [{"type": "function", "function": {"name": "send_message"}}]
KEY, VALUE, LAST = (f"{n:08x}-0000-4000-8000-000000000000" for n in (1, 2, 3))
PAGE = "Page {} of {}, 12 in all:\n[kept Mon 3 Mar 2025 12:00 UTC, from a] {}"


def event(text: str) -> dict[str, Any]:
    return {"role": "user", "content": f"[Mon 3 Mar 2025 12:00 UTC, eval] Robin: {text}"}


def called(name: str, result: str, **arguments: object) -> list[dict[str, Any]]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": f"c{len(result)}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call["id"], "content": result},
    ]


def status(archived: int = 5) -> dict[str, Any]:
    text = f"[status] now. Recall storage: 3 messages; archival storage: {archived} passages."
    return {"role": "user", "content": text}


def asked(*messages: dict[str, Any], archived: int = 5, tools: bool = True) -> Move:
    system = {"role": "system", "content": "Be a friend."}
    return move(
        {"tools": TOOLS if tools else [], "messages": [system, *messages, status(archived)]}
    )


def searches(query: str, page: int) -> tuple[str, dict[str, object]]:
    arguments = {"query": query, "page": page, "request_heartbeat": True}
    return ("archival_storage_search", arguments)


def says(text: str) -> tuple[str, dict[str, object]]:
    return ("send_message", {"message": text})


def test_it_looks_up_the_key_that_is_asked_for() -> None:
    assert asked(event(f"What is {KEY}?")).calls == (searches(KEY, 1),)


def test_it_follows_a_value_and_pages_on_until_that_is_no_key() -> None:
    found = called(
        "archival_storage_search", PAGE.format(1, 2, pair(KEY, VALUE)), query=KEY, page=1
    )
    assert asked(event(f"{KEY}?"), *found).calls == (searches(VALUE, 1),)
    no_key = called(
        "archival_storage_search", PAGE.format(1, 2, pair(KEY, VALUE)), query=VALUE, page=1
    )
    assert asked(event(f"{KEY}?"), *no_key).calls == (searches(VALUE, 2),)
    last = called(
        "archival_storage_search", PAGE.format(2, 2, pair(LAST, KEY)), query=VALUE, page=2
    )
    assert asked(event(f"{KEY}?"), *no_key, *last).calls == (says(VALUE),)


def test_it_quotes_every_page_as_it_goes_on_to_the_next() -> None:
    question = event(f"Please {EVERY_PAGE}.\nWho?")
    assert asked(question).calls == (searches("Who?", 1),)
    first = called("archival_storage_search", PAGE.format(1, 2, "Ada"), query="Who?", page=1)
    assert asked(question, *first).calls == (says("Ada"), searches("Who?", 2))
    second = called("archival_storage_search", PAGE.format(2, 2, "Bob"), query="Who?", page=2)
    assert asked(question, *first, *second).calls == (says("Bob"),)


def test_it_answers_a_plain_question_with_the_first_note() -> None:
    found = called("archival_storage_search", PAGE.format(1, 3, "Ada"), query="Who?", page=1)
    assert asked(event("Who?"), *found).calls == (says("Ada"),)


def test_it_searches_the_conversation_where_no_notes_are() -> None:
    (call,) = asked(event("Who?"), archived=0).calls
    assert call[0] == "conversation_search"


def test_it_keeps_what_it_is_told_and_then_has_nothing_more_to_do() -> None:
    (kept,) = asked(event("Ada bakes.")).calls
    assert kept == ("archival_storage_insert", {"text": "Ada bakes.", "request_heartbeat": True})
    stored = called("archival_storage_insert", "Kept in archival storage as note 3.", text="…")
    assert asked(event("Ada bakes."), *stored).calls == (says("I will remember that."),)
    alert = {"role": "user", "content": "[system alert] Memory pressure: save what is worth it."}
    sent = called("send_message", "Sent.", message="I will remember that.")
    assert asked(event("Ada bakes."), *sent, alert).calls == ()


def test_it_asks_about_a_note_that_may_be_untrue_and_replaces_it_when_told() -> None:
    near = (
        "Kept in archival storage as note 3. There is also: note 2 of 5 March 2025: “Ada sews.”."
        " If the new note makes one of these untrue, insert it again."
    )
    stored = called("archival_storage_insert", near, text="Ada bakes.")
    ((_, said),) = asked(event("Ada bakes."), *stored).calls
    assert str(said["message"]).endswith("Is one of these true no more?\n2: “Ada sews.”")
    ((name, told),) = asked(event("Note 2 is true no more: Ada bakes.")).calls
    assert name == "archival_storage_insert"
    assert (told["text"], told["replaces"]) == ("Ada bakes.", 2)


def test_it_opens_with_the_first_matter_that_there_is() -> None:
    tools = [{"type": "function", "function": {"name": "send_opener"}}]
    brief = "[system] Nobody wrote.\n1. (a promise) “I will send it.”, said on Monday\n2. (…) “No”"
    made = move({"tools": tools, "messages": [event("Hi"), _user(brief), status()]})
    text = "You told me: “I will send it.” How is that going?"
    assert made.calls == (("send_opener", {"text": text, "about": 1}),)
    made = move({"tools": tools, "messages": [event("Hi"), status()]})
    assert made.calls == (("stay_silent", {}),)


def test_it_reads_a_prompt_without_functions() -> None:
    lines = [pair(KEY, VALUE), pair(VALUE, LAST), f"What is the value of {KEY}?"]
    body = {"messages": [{"role": "system", "content": "Answer."}, _user("\n".join(lines))]}
    assert move(body).text == LAST
    body = {"messages": [{"role": "system", "content": "Answer."}, _user("Ada bakes. Who?")]}
    assert move(body).text == "Ada bakes. Who?"


def test_it_sums_up_in_as_many_words_as_it_is_given() -> None:
    body = {
        "messages": [
            {"role": "system", "content": "Sum up. At most 6 words."},
            _user("one two three four five\n\nsix seven eight nine"),
        ]
    }
    assert move(body).text == "one two three\nsix seven eight"


def _user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}
