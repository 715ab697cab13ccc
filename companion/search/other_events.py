"""Days that only another memory can tell: "before my exam", "nach dem Umzug", "考试之前"."""

import re
from dataclasses import dataclass
from datetime import date, timedelta

from companion.search.relative_dates import DAY, Days
from companion.search.words import query_terms

MONTH = timedelta(days=30)
"""How far before and after an event a query means."""
CLOSE = timedelta(days=3)
"""How far away something may be said that was during an event, or around it."""
LONGEST = 6
"""Words of an event; what is longer is rather a story."""

_BEFORE = ("before", "prior to", "vor", "之前")
_AFTER = ("after", "following", "since", "nach", "seit", "之后", "之後")
_WHOSE = (
    r"(?:my|our|your|his|her|their|the|that|\w+['’]s"
    r"|(?:mein|dein|sein|ihr|unser)(?:e[rsmn]?)?|de[rsmn]|das|die)"
)
_LATIN = re.compile(
    r"\b(?P<when>before|prior to|vor|after|following|since|nach|seit|during|around|während)"
    rf"\s+(?P<event>{_WHOSE}\s+[^,.;:?!\n]+)",
    re.IGNORECASE,
)
_HAN = re.compile(r"(?P<event>[\u4e00-\u9fff]{2,12}?)(?P<when>之前|之[后後]|期[间間])")
_TIMES = frozenset(
    """
    time times day days week weeks weekend weekends month months year years morning mornings evening
    evenings afternoon afternoons night nights hour hours spring summer autumn fall winter holidays
    last past next first end beginning same other late early mid
    """.split()  # noqa: SIM905 - quoted words are harder to read
)


@dataclass(frozen=True, slots=True)
class OtherEvent:
    """Something that happened; what is asked for was before, after or during it."""

    text: str
    when: str

    def days(self, day: date) -> Days:
        """The days that are meant where the event was on `day`, that day included: who tells of an
        event often tells on the same day what was before or came of it.

        Raises:
            OverflowError: they lie outside the calendar.
        """
        if self.when in _BEFORE:
            return Days(day - MONTH, day + DAY)
        if self.when in _AFTER:
            return Days(day, day + MONTH)
        return Days(day - CLOSE, day + CLOSE + DAY)


def other_event(query: str) -> OtherEvent | None:
    """The event by which `query` tells a time, if there is one."""
    found = _LATIN.search(query) or _HAN.search(query)
    if found is None:
        return None
    text = " ".join(found["event"].split()[:LONGEST])
    if _TIMES.issuperset(query_terms(f"{text} last")):  # of stop words alone it would give them all
        return None
    return OtherEvent(text, found["when"].lower())
