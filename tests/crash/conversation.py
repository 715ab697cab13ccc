"""What three people say to the companion, and what its model answers: the same in every run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

PLATFORM = "paper"

REFUSED, DELAYED = "Rude:", "Slowly:"
"""Beginnings of messages that the platform takes never, and at the second attempt."""

Calls = tuple[tuple[str, Mapping[str, Any]], ...]
ModelStep = str | Calls
"""One answer of the model: plain text, or calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A message of a person's. `steps` are the model's answers to it, one request each.

    `pieces` is how many messages the person gets for it. Before writing it they wait for all that
    they are owed, unless they are `hasty`. During an `outage` no model answers before the person
    was told so.
    """

    marker: str
    text: str
    steps: tuple[ModelStep, ...] = ()
    pieces: int = 1
    hasty: bool = False
    outage: bool = False

    @property
    def person(self) -> str:
        return PEOPLE[self.marker[0]]

    @property
    def written(self) -> str:
        """The message as it is sent; the marker tells the model which line it is."""
        return self.text if self.text.startswith("/") else f"({self.marker}) {self.text}"


PEOPLE = {"a": "Anna", "b": "Ben", "c": "Cleo"}

# Fills the window of 4,096 tokens within a few turns, so that warnings and flushes come.
LONG = " ".join(
    f"We walked past mill number {number} by the river and talked about its owner."
    for number in range(1, 10)
)


def say(message: str, **more: Any) -> tuple[str, Mapping[str, Any]]:
    return "send_message", {"message": message, **more}


def note(text: str, **more: Any) -> tuple[str, Mapping[str, Any]]:
    return "working_context_append", {"text": text, **more}


def change(old: str, new: str, **more: Any) -> tuple[str, Mapping[str, Any]]:
    return "working_context_replace", {"old": old, "new": new, **more}


def keep(text: str, **more: Any) -> tuple[str, Mapping[str, Any]]:
    return "archival_storage_insert", {"text": text, **more}


def look_up(query: str, **more: Any) -> tuple[str, Mapping[str, Any]]:
    return "conversation_search", {"query": query, "request_heartbeat": True, **more}


def look_for_note(query: str) -> tuple[str, Mapping[str, Any]]:
    return "archival_storage_search", {"query": query, "request_heartbeat": True}


ANNA = (
    Line(marker="a1", text="Hello, I am Anna.", steps=((say("Hello Anna! (a1)"),),)),
    Line(
        marker="a2",
        text="I have a cat called Momo.",
        steps=(
            (note("Anna has a cat called Momo.", request_heartbeat=True),),
            (say("Momo is a lovely name. (a2)"),),
        ),
    ),
    Line(
        marker="a3",
        text="My sister Lea visits in June, and I am learning Portuguese.",
        steps=(
            (
                note("Anna's sister is called Lea."),
                say("Lea in June, how nice! (a3)"),
                keep("Anna is learning Portuguese since spring."),
                note("Anna learns Portuguese."),
            ),
        ),
    ),
    Line(
        marker="a4",
        text="What was my cat called?",
        steps=((look_up("cat Momo"),), (say("Momo, you told me. (a4)"),)),
    ),
    Line(
        marker="a5",
        text="Say something nice.",
        steps=(
            (("send_message", {"text": "You are nice."}), ("dance", {})),
            (say(f"{REFUSED} You are kind to animals."),),
        ),
        pieces=0,
    ),
    Line(marker="a6", text="/remember my bicycle is green (a6)"),
    Line(
        marker="a7",
        text=f"Momo is gone, I have a dog now, Bruno. {LONG}",
        steps=(
            (
                change("Anna has a cat called Momo.", "Anna has a dog, Bruno (before: Momo)."),
                say("Oh, welcome Bruno! (a7)"),
            ),
        ),
    ),
    Line(marker="a8", text="/undo"),
    Line(
        marker="a9",
        text=f"I moved to Porto last week. {LONG}",
        steps=(
            (note("Anna lives in Porto."),),
            (say("Porto! (a9)"), keep("Anna moved to Porto in spring."), say("Tell me more. (a9)")),
        ),
        pieces=2,
    ),
    Line(marker="a10", text=f"The walk again. {LONG}", steps=("It does sound long. (a10)",)),
    Line(
        marker="a11",
        text="What do your notes say of Portuguese?",
        steps=((look_for_note("Portuguese"),), (say("That you learn it. (a11)"),)),
    ),
)

BEN = (
    Line(marker="b1", text="Hey, Ben here.", steps=("Hey Ben! (b1)",)),
    Line(
        marker="b2",
        text=f"A long story first. {LONG}",
        steps=((say("I am listening. (b2)"), say("And it is a good one. (b2)")),),
        pieces=2,
    ),
    Line(
        marker="b3",
        text=f"It goes on. {LONG}",
        steps=((say("Go on! (b3)", request_heartbeat=True),), (say("Please do. (b3)"),)),
        pieces=2,
    ),
    Line(marker="b4", text=f"And on. {LONG}", steps=((say("I see. (b4)"),),)),
    Line(
        marker="b5",
        text=f"My birthday is on 3 May. {LONG}",
        steps=((note("Ben's birthday is on 3 May."), say(f"{DELAYED} Noted! (b5)")),),
    ),
    Line(
        marker="b6",
        text="Remember something, quietly.",
        steps=((note("Ben likes quiet."),), (keep("Ben asked for quiet."),)),
    ),
    Line(
        marker="b7",
        text="Where was I?",
        steps=(
            (look_up("birthday"),),
            (look_up("birthday"),),
            (look_up("birthday"),),
            (say("At the river. (b7)"),),
        ),
    ),
    Line(marker="b8", text=f"Yes, the river. {LONG}", steps=((say("That river. (b8)"),),)),
    Line(
        marker="b9",
        text="Let us stop.",
        steps=(
            (note("Ben ended the story of the mills."), keep("Ben told a story of mills.")),
            (say("Good night, Ben. (b9)"), note("Ben says good night.")),
        ),
    ),
    Line(marker="b10", text="/usage"),
)

CLEO = (
    Line(marker="c1", text="Are you there?", steps=((say("I am. (c1)"),),)),
    Line(marker="c2", text="One", steps=((say("One. (c2)"),),), hasty=True),
    Line(marker="c3", text="Two", steps=((say("Two. (c3)"),),), hasty=True),
    Line(
        marker="c4",
        text="Three",
        steps=((note("Cleo counts to three."), say("Three. (c4)")),),
        hasty=True,
    ),
    # the notice that no model answers comes for c5, and its answer once c6 has come
    Line(
        marker="c5",
        text="I start a new job on Monday.",
        steps=((note("Cleo starts a new job."), say("Good luck! (c5)")),),
        outage=True,
    ),
    Line(marker="c6", text="Hello?", steps=((say("Here I am again. (c6)"),),), pieces=2),
    Line(marker="c7", text="/remember I take my tea without milk (c7)"),
    Line(
        marker="c8",
        text=f"It went well. {LONG}",
        steps=((look_up("job"),), (say("I am glad. (c8)"), keep("Cleo's first day went well."))),
    ),
    Line(marker="c9", text=f"So well. {LONG}", steps=("So I heard. (c9)",)),
    Line(marker="c10", text=f"Very. {LONG}", steps=((say("Very good. (c10)"),),)),
    Line(marker="c11", text=f"Bye. {LONG}", steps=((say("Bye, Cleo. (c11)"),),)),
)

LINES = {"Anna": ANNA, "Ben": BEN, "Cleo": CLEO}
STEPS = {line.marker: line.steps for lines in LINES.values() for line in lines}
OUTAGES = {line.marker: line.person for lines in LINES.values() for line in lines if line.outage}


def owed(lines: Sequence[Line]) -> list[int]:
    """For each line how many messages the person has got by then, if all went well."""
    return [0, *accumulate(line.pieces for line in lines)][:-1]
