"""Plain text counts as send_message, once."""

import json

from companion.functions.executor import MOST_CALLS
from companion.llm.protocol import Call, Reply
from companion.turns.reply_calls import as_calls
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


def test_the_same_call_in_one_answer_is_made_once() -> None:
    hi = ("send_message", {"message": "Hi!"})
    reply = calls(hi, ("send_message", {"message": "Ho!"}), hi, hi)
    assert shown(turned(reply)) == [("send_message", "Hi!"), ("send_message", "Ho!")]


def test_of_equal_calls_the_one_that_asks_for_a_heartbeat_is_made() -> None:
    search = {"query": "cat", "page": 1}
    again = {"page": 1, "request_heartbeat": True, "query": "cat"}
    reply = calls(
        ("conversation_search", search),
        ("stay_silent", {}),
        ("conversation_search", again),
        ("conversation_search", search | {"request_heartbeat": False}),
    )
    first, second = turned(reply).calls
    assert json.loads(first.arguments) == again
    assert second.name == "stay_silent"


def test_calls_that_nobody_can_read_are_equal_when_they_are_written_alike() -> None:
    broken = Call("1", "send_message", "{")
    reply = Reply(text="", calls=(broken, Call("2", "send_message", "[1]"), broken))
    assert [call.arguments for call in turned(reply).calls] == ["{", "[1]"]


def test_more_calls_than_one_answer_may_make_are_left_out_but_for_one_to_say_so() -> None:
    reply = calls(*(("send_message", {"message": f"{number}"}) for number in range(60)))
    assert len(turned(reply).calls) == MOST_CALLS + 1
