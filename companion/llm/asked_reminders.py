"""Reminders that a message asks for, found without a model: "remind me tomorrow at 9 to call Lea".

Small models choose functions badly, and a reminder must not hang on that.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations
from zoneinfo import ZoneInfo

from companion.errors import ToolError
from companion.timed.when import resolve
from companion.timed.when_parts import NoTimeError
from companion.timed.when_words import FILLERS

_ASKS = re.compile(r"\bremind me\b(?P<rest>[^.?!\n]*)", re.IGNORECASE)
_BEFORE = re.compile(r"^(?:please|to|that|about|of|then|,|\s)+(?=\s|$)", re.IGNORECASE)
_AFTER = re.compile(r"(?<![\s,])[\s,]+(?:please|thanks|ok|okay)$", re.IGNORECASE)
_JOINT = re.compile(r"\b(?:to|that|about)\s*$", re.IGNORECASE)
MOST_WORDS = 25
NOW = datetime(2026, 1, 1, tzinfo=UTC)
"""Only whether words are a time is asked here, not which."""


@dataclass(frozen=True, slots=True)
class AskedReminder:
    """What to be reminded of, and the words for the time."""

    what: str
    when: str


def asked_reminder(text: str) -> AskedReminder | None:
    """The reminder that `text` asks for, with the longest words for a time in it; None for none."""
    match = _ASKS.search(text)
    if match is None:
        return None
    words = match["rest"].replace(",", " ").split()[:MOST_WORDS]
    spans = sorted(combinations(range(len(words) + 1), 2), key=lambda s: (s[0] - s[1], s[0]))
    for begin, end in spans:
        when = " ".join(words[begin:end])
        if words[end - 1].casefold() not in FILLERS and _is_time(when):
            what = _what(" ".join(words[:begin]), " ".join(words[end:]))
            return AskedReminder(what, when) if what else None
    return None


def _is_time(words: str) -> bool:
    try:
        resolve(words, NOW, ZoneInfo("UTC"))
    except NoTimeError:
        return False
    except ToolError:  # it is one that can't be: whoever schedules it says why
        return any(letter.isalpha() for letter in words) and any(map(str.isdigit, words))
    return True


def _what(before: str, after: str) -> str:
    kept = " ".join(part for part in (_JOINT.sub("", before), after) if part.strip())
    return _AFTER.sub("", _BEFORE.sub("", f"{kept} ").strip()).strip()
