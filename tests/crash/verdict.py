"""What went wrong in a story of deaths, compared with a life that nobody disturbed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from tests.crash.lives import KILLED, Story
from tests.crash.platform import Delivery
from tests.crash.remains import Remains, Rows


def faults(story: Story, undisturbed: Story) -> list[str]:
    """Every fault in one line that begins with its kind; none if the kills did no harm."""
    return [
        *_ends(story),
        *_deliveries(story, undisturbed),
        *_questions(story),
        *_memory(story, undisturbed),
    ]


def _ends(story: Story) -> Iterator[str]:
    if story.codes[-1] != 0 or any(code not in (0, KILLED) for code in story.codes):
        yield f"end: the exit codes are {story.codes}"
    left = [file.name for file in story.home.iterdir() if file.name.endswith(("-wal", "-shm"))]
    if left:
        yield f"left open: {', '.join(left)} after the last end"


def _deliveries(story: Story, undisturbed: Story) -> Iterator[str]:
    for person in undisturbed.people():
        owed = [one.text for one in undisturbed.delivered_to(person)]
        got: dict[int, Delivery] = {}
        copies: Counter[int] = Counter()
        for one in story.delivered_to(person):
            got.setdefault(one.id, one)
            copies[one.id] += 1
        texts = [one.text for one in got.values()]
        lost, more = Counter(owed) - Counter(texts), Counter(texts) - Counter(owed)
        if lost:
            yield f"lost: {person} never got {list(lost)}"
        if more:
            yield f"doubled: {person} got {list(more)} too"
        if not lost and not more and texts != owed:
            yield f"order: {person} got {texts}"
        in_flight = Counter(death.last_delivered.get(person) for death in story.deaths)
        for piece, number in copies.items():
            if number - 1 > in_flight[piece]:
                yield f"doubled: {person} was sent {got[piece].text!r} {number} times"


def _questions(story: Story) -> Iterator[str]:
    for death in story.deaths:
        for marker, number in story.model.asked[death.asked :]:
            if (marker, number) in death.remains.journaled:
                yield f"asked again: answer {number} to {marker} was in the journal"


def _memory(story: Story, undisturbed: Story) -> Iterator[str]:
    for death in story.deaths:
        for misfit in death.remains.misfits:
            yield f"damaged: at a death, {misfit}"
    mine, other = Remains.of(story.database), Remains.of(undisturbed.database)
    for misfit in mine.misfits:
        yield f"damaged: {misfit}"
    for person, tables in other.memory.items():
        for table, rows in tables.items():
            found = mine.memory.get(person, {}).get(table, [])
            if found != rows:
                yield f"memory: {table} of {person}: {_difference(found, rows)}"


def _difference(found: Rows, expected: Rows) -> str:
    """The first row that differs, said shortly."""
    for number, (one, other) in enumerate(zip(found, expected, strict=False)):
        if one != other:
            return f"row {number} is {_short(one)} and should be {_short(other)}"
    longer: Sequence[tuple[Any, ...]] = max(found, expected, key=len)
    row = longer[min(len(found), len(expected))]
    return f"{len(found)} rows, should be {len(expected)}; one has {_short(row)}"


def _short(row: tuple[Any, ...]) -> str:
    text = repr(row)
    return text if len(text) <= 300 else f"{text[:300]}…"
