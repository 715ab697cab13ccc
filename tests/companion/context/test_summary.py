"""The recursive summary."""

from datetime import UTC, datetime

from companion.context.summary import summarise
from companion.storage.memory_state import Summary
from companion.storage.messages import WITHHELD, Entry
from tests.support.scripted_llm import ScriptedLLM
from tests.support.simple_counter import SimpleCounter

counter = SimpleCounter()
NOON = datetime(2025, 5, 5, 12, tzinfo=UTC)


def said(text: str, shown: str | None = None) -> Entry:
    shown = text if shown is None else shown
    return Entry(kind="event", text=shown, said_at=NOON, tokens=9, speaker="Anna", said=text)


async def test_the_request_for_a_summary_fits_its_room_whatever_is_evicted() -> None:
    llm = ScriptedLLM()
    evicted = [said(f"{number} " + "word " * 300) for number in range(30)]
    old = Summary("They met. " * 50, 125)
    await summarise(llm, counter, old, evicted, limit=150, room=2000)
    (asked,) = llm.summaries
    assert sum(map(counter.message, asked)) <= 2000 - 300
    assert "They met." in asked[1].text


async def test_what_a_model_refused_is_not_put_into_the_summary() -> None:
    llm = ScriptedLLM()
    evicted = [said("something awful", WITHHELD), said("My cat is called Miso.")]
    await summarise(llm, counter, None, evicted, limit=150, room=2000)
    (asked,) = llm.summaries
    assert "awful" not in asked[1].text
    assert "Miso" in asked[1].text
