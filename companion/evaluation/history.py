"""A chat that was had before, put into a home as if it had been had there."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from companion.event_text import event_text, zone
from companion.events import Address, MessageReceived, Sender
from companion.llm.protocol import Call
from companion.opening import Storage
from companion.storage import memory_state, messages
from companion.storage.database import Tx
from companion.storage.memory_state import Summary
from companion.storage.messages import Entry

NOTHING_TOLD = Summary("(nothing: recall storage has all that was said)", 20)


@dataclass(frozen=True, slots=True)
class Said:
    """Something said at a time in UTC, by the person or else by the companion."""

    text: str
    at: datetime
    by_person: bool


async def put_history(
    storage: Storage,
    person: int,
    history: Sequence[Said],
    address: Address,
    sender: Sender,
    *,
    evicted: bool,
) -> None:
    """Put `history` into queue and recall storage; `evicted`, into recall storage alone.

    Eviction leaves no summary, as in the paper's retrieval task: what was said is found by search
    or not at all.
    """
    entries = [
        entry
        for number, said in enumerate(history)
        for entry in _entries(said, number, address, sender, storage.settings.agent.name)
    ]

    def work(tx: Tx) -> None:
        storage.memories.of(person).working_context_in(tx)
        stored = [messages.add(tx, person, _counted(storage, entry)) for entry in entries]
        if evicted and stored:
            now = storage.clock.now()
            memory_state.flush(tx, person, through=stored[-1].id, summary=NOTHING_TOLD, now=now)

    await storage.db.write(work)


def _entries(
    said: Said, number: int, address: Address, sender: Sender, name: str
) -> tuple[Entry, ...]:
    at: dict[str, Any] = {"said_at": said.at, "tokens": 0}
    if said.by_person:
        event = MessageReceived(
            id=f"history-{number}", address=address, sender=sender, at=said.at, text=said.text
        )
        text = event_text(event, zone(None), said.text)
        return (Entry(kind="event", text=text, speaker=sender.name, said=said.text, **at),)
    call = Call(f"history_{number}", "send_message", json.dumps({"message": said.text}))
    return (
        Entry(kind="answer", text="", calls=(call,), **at),
        Entry(kind="result", text="Sent.", call_id=call.id, speaker=name, said=said.text, **at),
    )


def _counted(storage: Storage, entry: Entry) -> Entry:
    return replace(entry, tokens=storage.counter.message(entry.message))
