"""Plain text counts as send_message, once."""

import json

from companion.llm.protocol import Reply
from companion.reply_calls import as_calls
from tests.support.scripted_llm import calls, says, sends


def shown(reply: Reply) -> list[tuple[str, str]]:
    return [(call.name, json.loads(call.arguments).get("message", "")) for call in reply.calls]


def turned(reply: Reply, *sent: str, may_say: bool = True) -> Reply:
    return as_calls(reply, sent=sent, may_say=may_say, prefix="7_0")


def test_plain_text_is_sent() -> None:
    assert shown(turned(says("Hi!"))) == [("send_message", "Hi!")]


def test_plain_text_beside_the_same_message_is_sent_once() -> None:
    reply = calls(("send_message", {"message": "Hi!"}), text="Hi!")
    assert shown(turned(reply)) == [("send_message", "Hi!")]


def test_plain_text_beside_a_memory_call_is_sent_too() -> None:
    reply = calls(("working_context_append", {"text": "x"}), text="Noted!")
    assert shown(turned(reply)) == [("send_message", "Noted!"), ("working_context_append", "")]


def test_a_thought_beside_a_message_is_not_sent() -> None:
    reply = calls(("send_message", {"message": "Hi!"}), text="She seems happy.")
    assert shown(turned(reply)) == [("send_message", "Hi!")]
    assert turned(reply).text == "She seems happy."


def test_text_that_was_sent_in_this_turn_is_not_sent_again() -> None:
    assert shown(turned(says("Hi  there!"), "hi there!")) == []


def test_text_that_answers_only_an_alert_is_not_sent() -> None:
    assert shown(turned(says("I saved everything."), "Hi!", may_say=False)) == []


def test_every_call_gets_an_id_of_its_own() -> None:
    ids = [call.id for call in turned(sends("a")).calls]
    ids += [call.id for call in as_calls(sends("a"), sent=(), may_say=True, prefix="7_1").calls]
    assert len(set(ids)) == 2
