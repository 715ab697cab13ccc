"""What a platform gave and nobody can read: its name among the dead letters, and its text."""

import hashlib
import json

from companion.foreign_json import is_deep


def written(given: object) -> str:
    """`given` as JSON; empty where it is nested too deeply to be written."""
    return "" if is_deep(given) else json.dumps(given, ensure_ascii=False)


def fingerprint(given: object) -> str:
    """A name for what came without an id: the same for the same, so that it is kept once."""
    return hashlib.sha256(written(given).encode("utf-8", "surrogatepass")).hexdigest()[:16]
