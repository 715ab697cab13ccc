"""A page of search results as a model reads it, taken apart again."""

import re
from dataclasses import dataclass

from companion.functions.memory import BESIDES

_HEAD = re.compile(r"Page (\d+) of (\d+), (\d+) in all:\n")
_DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_ITEM = re.compile(rf"^\[((?:kept|{_DAY}) [^\]\n]*)\][ \n]", re.M)
_SPEAKER = re.compile(r"^(?:> |  )?[^:\n]{1,60}: ", re.M)
_BESIDES = re.compile(rf"^{re.escape(BESIDES)}\n", re.M)
_MORE = re.compile(r"\nFor more ask for page \d+, with request_heartbeat\.\s*\Z")


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of hits, and what is near besides. `heads` says when each was kept or said."""

    page: int
    pages: int
    total: int
    heads: tuple[str, ...]
    items: tuple[str, ...]

    @property
    def has_more(self) -> bool:
        """Whether there are pages after this one."""
        return self.page < self.pages


NOTHING = Listing(0, 0, 0, (), ())


def read_listing(result: str) -> Listing:
    """What a search gave; `NOTHING` where that is no page of hits."""
    head = _HEAD.match(result)
    if head is None:
        return NOTHING
    body = _BESIDES.sub("", _MORE.sub("", result[head.end() :]))
    found = list(_ITEM.finditer(body))
    ends = [item.start() for item in found[1:]] + [len(body)]
    return Listing(
        page=int(head[1]),
        pages=int(head[2]),
        total=int(head[3]),
        heads=tuple(item[1] for item in found),
        items=tuple(
            _said(item[1], body[item.end() : end]) for item, end in zip(found, ends, strict=False)
        ),
    )


def _said(head: str, text: str) -> str:
    """A note as it is, or what was said without the names of who said it."""
    return text.strip() if head.startswith("kept") else _SPEAKER.sub("", text).strip()
