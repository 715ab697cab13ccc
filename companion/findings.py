"""What `companion doctor` finds."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at. `advice` says what to do, and is empty where nothing is."""

    about: str
    state: Literal["ok", "warn", "fail"]
    text: str
    advice: str = ""
