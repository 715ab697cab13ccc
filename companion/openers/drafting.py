"""What the model may call when it may write first: send_opener once, or stay_silent."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated

from pydantic import Field

from companion.errors import ToolError
from companion.functions.declare import Function, Outcome, Turn, Write, function
from companion.openers.candidates import About
from companion.storage import openers, outbox, remarks
from companion.storage.database import Tx
from companion.text import is_blank

LONGEST = 600
"""Characters of an opener; more is a letter."""
ASKED_TWICE = "its drafts were too like earlier ones"
WROTE_MEANWHILE = "they wrote meanwhile"
_SILENCE = re.compile(
    r"\W*(?:silen(?:t|ce)|stay[_ ]?silent|no[_ ]?(?:reply|response|message|opener)|none|null"
    r"|nothing|pass|skip)\W*(?:\(.*\))?\W*",
    re.IGNORECASE | re.DOTALL,
)
"""Words for silence that models put where the message should be."""


@dataclass(slots=True)
class Draft:
    """One opportunity to write first, which lasts `until` then. `repeats` gives the earlier opener
    that a text is too like, or None."""

    offered: Sequence[About]
    until: datetime
    repeats: Callable[[str], Awaitable[str | None]]
    refused: int = field(default=0, init=False)


def drafting(draft: Draft) -> tuple[Function, ...]:
    """The functions that end an opportunity, one way or the other."""

    @function
    async def send_opener(
        turn: Turn,
        text: Annotated[str, Field(description="What the person reads.")],
        about: Annotated[int, Field(ge=1, description="The number of what it is about.")],
    ) -> Write:
        """Write to the person first. Once, and only with something to say."""
        said = text.strip()
        _check(said, about, draft)
        repeated = await draft.repeats(said)
        if repeated is not None:
            return _again(draft, turn, repeated)
        chosen = draft.offered[about - 1]
        return lambda tx: _send(tx, turn, said, chosen, draft.until)

    @function
    async def stay_silent(
        turn: Turn,
        reason: Annotated[str, Field(description="Why, in a few words. Nobody reads it.")] = "",
    ) -> Write:
        """Say nothing this time."""
        return lambda tx: _silent(tx, turn, reason or "no reason given")

    return send_opener, stay_silent


def _check(said: str, about: int, draft: Draft) -> None:
    if is_blank(said):
        raise ToolError("The text is empty. Give the words that the person should read.")
    if _SILENCE.fullmatch(said):
        raise ToolError("That is no message. To say nothing call stay_silent.")
    if len(said) > LONGEST:
        raise ToolError(f"That is {len(said)} characters; an opener has {LONGEST} at most.")
    if about > len(draft.offered):
        raise ToolError(f"There is no number {about}; the last one is {len(draft.offered)}.")


def _again(draft: Draft, turn: Turn, repeated: str) -> Write:
    """Refuse a draft that repeats an earlier opener: once with the reason, then for good.

    Raises:
        ToolError: it is the first.
    """
    draft.refused += 1
    if draft.refused == 1:
        raise ToolError(
            f"That is too like what you wrote first before: “{repeated}”. Write about something"
            " else, or stay_silent."
        )
    return lambda tx: _silent(tx, turn, ASKED_TWICE)


def _send(tx: Tx, turn: Turn, said: str, about: About, until: datetime) -> Outcome:
    item = turn.item
    if outbox.sent_texts(tx, item.person, item.id):
        return Outcome(text="You have written already; one message is enough.")
    if openers.is_busy(tx, item.person):
        return _silent(tx, turn, WROTE_MEANWHILE)
    if remarks.find(tx, item.person, about.source) is None:
        raise ToolError("What that was about has been forgotten. Take another, or stay_silent.")
    piece = outbox.expire(tx, outbox.add(tx, item, said, now=turn.now()), until)
    openers.wrote(tx, item.person, item.id, about, piece.id)
    return Outcome(text="Sent.", said=said, piece=piece)


def _silent(tx: Tx, turn: Turn, reason: str) -> Outcome:
    openers.silent(tx, turn.item.person, turn.item.id, reason)
    return Outcome(text=f"Nothing was sent ({reason}).", silent=True)
