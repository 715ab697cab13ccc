"""Codes that people read from one screen and type on another."""

import random
from datetime import timedelta

SIGNS = "ACDEFGHJKMNPQRTUVWXY34679"
"""No two of these look alike: of 0 and O, 1, I and L, 2 and Z, 5 and S, 8 and B there is none."""
LENGTH = 8
VALID = timedelta(hours=1)
WRONG_TRIES = 5
LOCKED = timedelta(hours=1)
"""How long no code is taken after so many wrong ones."""


def new_code(rng: random.Random) -> str:
    """A code that nobody guesses, as `rng` is one that nobody foresees."""
    return "".join(rng.choice(SIGNS) for _ in range(LENGTH))


def typed_code(text: str) -> str:
    """`text` as the code that it means, however it was typed; empty if it is none."""
    code = "".join(sign for sign in text.upper() if sign not in " -\u2013\u2014")
    return code if len(code) == LENGTH and set(code) <= set(SIGNS) else ""


def shown(code: str) -> str:
    """`code` as it is easily read."""
    return f"{code[: LENGTH // 2]}-{code[LENGTH // 2 :]}"
