"""The queue: what is evicted, where it is cut, what stands in the prompt."""

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from companion.context.fifo_queue import SUMMARY_HEAD, FifoQueue
from companion.llm.protocol import Call
from companion.storage.memory_state import Summary
from companion.storage.messages import Entry, Kind

AT = datetime(2025, 5, 5, tzinfo=UTC)


def entry(kind: Kind, number: int, tokens: int = 10) -> Entry:
    calls = (Call(f"c{number}", "send_message", "{}"),) if kind == "answer" else ()
    call_id = f"c{number - 1}" if kind == "result" else None
    return Entry(
        id=number,
        kind=kind,
        text="" if kind == "answer" else f"text {number}",
        said_at=AT,
        tokens=tokens,
        calls=calls,
        call_id=call_id,
        event=number,
    )


def turns(number: int, tokens: int = 10) -> list[Entry]:
    """Turns of an event, an answer and the result of its call."""
    kinds: list[Kind] = ["event", "answer", "result"] * number
    return [entry(kind, at + 1, tokens) for at, kind in enumerate(kinds)]


def test_evicting_stops_at_the_border_of_a_turn() -> None:
    queue = FifoQueue(turns(4))
    assert [e.id for e in queue.oldest(31)] == [1, 2, 3, 4, 5, 6]


def test_the_newest_turn_is_never_evicted() -> None:
    queue = FifoQueue(turns(3))
    assert len(queue.oldest(10_000)) == 6
    assert FifoQueue(turns(1)).oldest(1) == []


def test_a_summary_stands_first_and_counts() -> None:
    queue = FifoQueue(turns(2))
    queue.evict(3, Summary("Anna plays the cello.", 7))
    assert queue.messages()[0].text == SUMMARY_HEAD + "Anna plays the cello."
    assert queue.tokens == 30 + 7


def test_a_call_without_its_result_is_not_shown_to_a_provider() -> None:
    cut_short = turns(2)[:-1]
    shown = FifoQueue(cut_short).messages()
    assert [message.role for message in shown] == ["user", "assistant", "tool", "user"]


def test_a_result_without_its_call_is_not_shown_to_a_provider() -> None:
    shown = FifoQueue(turns(2)[2:]).messages()
    assert [message.role for message in shown] == ["user", "assistant", "tool"]


@given(
    st.lists(
        st.tuples(st.sampled_from(["event", "alert", "answer", "result"]), st.integers(1, 500))
    ),
    st.integers(min_value=0, max_value=8_000),
)
def test_eviction_loses_nothing_keeps_the_order_and_cuts_before_an_event(
    history: list[tuple[Kind, int]], tokens: int
) -> None:
    entries = [entry(kind, at, size) for at, (kind, size) in enumerate(history)]
    queue = FifoQueue(entries)
    evicted = queue.oldest(tokens)
    queue.evict(len(evicted), Summary("", 0))
    assert [*evicted, *queue] == entries
    assert not evicted or next(iter(queue)).kind == "event"
    assert queue.tokens == sum(e.tokens for e in queue)


def test_what_was_just_read_is_shown_whole_while_older_pages_of_the_turn_give_way() -> None:
    queue = FifoQueue([entry("event", 1, 30)])
    for number in range(2, 82, 2):
        queue.append(entry("answer", number, 20), entry("result", number + 1, 900))
        queue.squeeze(5000, lambda e, limit: replace(e, tokens=limit))
        newest = list(queue)[-1]
        assert (newest.id, newest.tokens) == (number + 1, 900)
        assert queue.tokens <= 5000
    whole = [e.id for e in queue if e.kind == "result" and e.tokens == 900]
    assert whole == [79, 81]


def test_a_turn_larger_than_its_room_is_shown_in_it() -> None:
    big = [entry("event", 1, 900)]
    for number in range(2, 22, 2):
        big += [entry("answer", number, 300), entry("result", number + 1, 700)]
    queue = FifoQueue(big)
    queue.squeeze(400, lambda e, limit: replace(e, tokens=limit))
    assert queue.tokens <= 400
    kept = [e.id for e in queue]
    assert kept[0] == 1
    assert kept[-1] == 21
