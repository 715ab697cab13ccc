"""Time zones by the names that people give them: of a zone, of a city, or only an offset."""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

_OFFSET = re.compile(
    r"(?:utc|gmt|etc/gmt)? ?(?P<sign>[+-−])? ?(?P<hours>\d{1,2})(?::?(?P<minutes>\d\d))?"
)
_ABBREVIATIONS = {
    **dict.fromkeys(("gmt", "bst", "wet", "west"), ("Europe/London", "Europe/Lisbon")),
    **dict.fromkeys(("cet", "cest", "mez"), ("Europe/Berlin", "Europe/Paris")),
    **dict.fromkeys(("eet", "eest"), ("Europe/Athens", "Europe/Kyiv", "Africa/Cairo")),
    **dict.fromkeys(("est", "edt", "et"), ("America/New_York", "America/Panama")),
    **dict.fromkeys(("cst", "cdt", "ct"), ("America/Chicago", "America/Mexico_City")),
    **dict.fromkeys(("mst", "mdt", "mt"), ("America/Denver", "America/Phoenix")),
    **dict.fromkeys(("pst", "pdt", "pt"), ("America/Los_Angeles",)),
    **dict.fromkeys(("aest", "aedt"), ("Australia/Sydney", "Australia/Brisbane")),
    "msk": ("Europe/Moscow",),
    "ist": ("Asia/Kolkata",),
    "jst": ("Asia/Tokyo",),
}
"""What people write for a zone, and which it may be."""
_LARGE = (
    *("Pacific/Honolulu", "America/Anchorage", "America/Los_Angeles", "America/Denver"),
    *("America/Phoenix", "America/Chicago", "America/Mexico_City", "America/New_York"),
    *("America/Bogota", "America/Lima", "America/Caracas", "America/Halifax", "America/Santiago"),
    *("America/Sao_Paulo", "America/Argentina/Buenos_Aires", "America/St_Johns"),
    *("Atlantic/Azores", "Europe/London", "Europe/Lisbon", "Africa/Lagos", "Africa/Casablanca"),
    *("Europe/Berlin", "Europe/Paris", "Africa/Johannesburg", "Africa/Cairo", "Europe/Athens"),
    *("Europe/Kyiv", "Europe/Istanbul", "Europe/Moscow", "Africa/Nairobi", "Asia/Tehran"),
    *("Asia/Dubai", "Asia/Kabul", "Asia/Karachi", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Dhaka"),
    *("Asia/Yangon", "Asia/Bangkok", "Asia/Jakarta", "Asia/Shanghai", "Asia/Singapore"),
    *("Australia/Perth", "Asia/Tokyo", "Asia/Seoul", "Australia/Adelaide", "Australia/Brisbane"),
    *("Australia/Sydney", "Pacific/Auckland", "Pacific/Tongatapu", "Atlantic/Reykjavik"),
)
"""Zones to offer where only the offset is known; most people live in one of these."""
OFFERED = 4
_NO_PLACES = ("Etc/", "US/", "Canada/", "Brazil/", "Chile/", "Mexico/")


@dataclass(frozen=True, slots=True)
class Found:
    """The zone that was meant, or else the ones that may have been."""

    zone: str | None = None
    perhaps: Sequence[str] = ()
    offset: timedelta | None = None


def find(words: str, now: datetime) -> Found:
    """The zone that `words` mean: its name, the city in it, or questions where they leave it open.

    An offset alone is no zone: two places that share it in winter may not in summer.
    """
    wanted = " ".join(words.split()).casefold()
    if wanted == "utc":
        return Found(zone="UTC")
    if wanted in _ABBREVIATIONS:
        return Found(perhaps=_ABBREVIATIONS[wanted])
    offset = _offset(wanted)
    if offset is not None:
        fitting = [name for name in _LARGE if now.astimezone(ZoneInfo(name)).utcoffset() == offset]
        return Found(perhaps=fitting[:OFFERED], offset=offset)
    key = wanted.replace(" ", "_")
    named = [name for name in available_timezones() if key == name.casefold() and "/" in name]
    named = named or [name for name in _names() if key == _city(name)]
    if len(named) == 1 or (named and _same(named)):
        return Found(zone=named[0])
    if named:
        return Found(perhaps=named[:OFFERED])
    close = difflib.get_close_matches(key, {_city(name): name for name in _names()}, OFFERED, 0.75)
    return Found(perhaps=[name for name in _names() if _city(name) in close][:OFFERED])


@lru_cache
def _names() -> list[str]:
    """The zones that are named after a place."""
    return sorted(
        name for name in available_timezones() if "/" in name and not name.startswith(_NO_PLACES)
    )


def _city(name: str) -> str:
    return name.casefold().rpartition("/")[2]


def _same(names: Sequence[str]) -> bool:
    """Whether these are one zone under several names, such as Asia/Istanbul and Europe/Istanbul."""
    year = [datetime.fromisoformat(f"2026-{month:02}-15T00:00+00:00") for month in range(1, 13)]
    rules = {tuple(at.astimezone(ZoneInfo(name)).utcoffset() for at in year) for name in names}
    return len(rules) == 1


def _offset(wanted: str) -> timedelta | None:
    match = _OFFSET.fullmatch(wanted)
    if match is None or int(match["hours"]) > 14:
        return None
    size = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"] or 0))
    return -size if match["sign"] in ("-", "−") else size
