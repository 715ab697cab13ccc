"""Buttons by which a person chooses: how a platform calls them.

A platform gives back a few bytes when a button is pressed, too few for the words that it stands
for: they name the message in the outbox, the number of the choice, and prove that it is the one.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from companion.events import Choice, OutgoingMessage

_WRITTEN = re.compile(r"choice/(\d{1,18})/(\d{1,3})/([0-9a-f]{12})")
_PROOF_CHARS = 12


@dataclass(frozen=True, slots=True)
class Reference:
    """Names one choice of one message in at most 64 bytes, which is what Telegram takes."""

    message: int
    number: int
    proof: str

    @classmethod
    def read(cls, written: str) -> Self | None:
        """The reference in `written`; None for a button that isn't ours."""
        found = _WRITTEN.fullmatch(written)
        return cls(int(found[1]), int(found[2]), found[3]) if found else None

    def __str__(self) -> str:
        return f"choice/{self.message}/{self.number}/{self.proof}"

    def among(self, choices: Sequence[Choice]) -> Choice | None:
        """Which of the message's choices it names; None if it names another message's."""
        if self.number >= len(choices):
            return None
        choice = choices[self.number]
        return choice if _proof(choice) == self.proof else None


def references(message: OutgoingMessage) -> list[tuple[str, Reference]]:
    """What the buttons below `message` say, and the reference of each."""
    return [
        (choice.label, Reference(message.id, number, _proof(choice)))
        for number, choice in enumerate(message.choices)
    ]


def _proof(choice: Choice) -> str:
    """Row numbers come again after an erasure; a button from before must not fit a new row."""
    return hashlib.sha256(choice.words.encode()).hexdigest()[:_PROOF_CHARS]
