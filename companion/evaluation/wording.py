"""Words that the experiments write and the scripted reader understands."""

import re

EVERY_PAGE = "read every page of the results"
NOTHING_FOUND = "INSUFFICIENT INFORMATION"

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
UUID = re.compile(_UUID)
KEY_AND_VALUE = re.compile(rf"\bKey ({_UUID}) has the value ({_UUID})\b")


def pair(key: str, value: str) -> str:
    """A key and its value as one text."""
    return f"Key {key} has the value {value}."
