"""“Yes” or “no”, written in answer to a question that has buttons, where one could be pressed."""

from collections.abc import Sequence

from companion.events import Choice, Event, MessageReceived
from companion.sources import is_own

YES = frozenset({"yes", "y", "ja", "sí", "si", "oui", "sim", "да", "是", "是的"})
NO = frozenset({"no", "n", "nein", "non", "não", "нет", "不", "不是", "不要"})

LONGEST = 40
"""Characters of a message that is one of these words; no other is looked at."""


def is_yes_or_no(event: Event) -> bool:
    """Whether `event` is one of these words, and nothing else."""
    return _word(event) in YES | NO


def chosen(event: Event, choices: Sequence[Choice]) -> str | None:
    """What the choice stands for that `event` names; empty words change nothing.

    None where the question was none of yes and no.
    """
    confirming = [one.words for one in choices if "yes" in one.words.split()]
    others = [one.words for one in choices if "yes" not in one.words.split()]
    if len(confirming) != 1 or len(others) > 1:
        return None
    return confirming[0] if _word(event) in YES else (others or [""])[0]


def _word(event: Event) -> str:
    if not isinstance(event, MessageReceived) or not is_own(event):
        return ""
    if len(event.text) > LONGEST:
        return ""
    return event.text.strip().rstrip(".!。！").casefold()
