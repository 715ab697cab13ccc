"""How much memory the process holds besides what it uses."""

import ctypes
from contextlib import suppress

M_ARENA_MAX = -8


def share_one_heap() -> None:
    """Let all threads share one heap. By default glibc makes one for each, and they fragment: 4 MB
    here. For programs, early; a library has no business with it."""
    with suppress(OSError, AttributeError):  # not glibc
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)


def give_back() -> None:
    """Give what was freed back to the system, which glibc would rather keep."""
    with suppress(OSError, AttributeError):  # not glibc
        ctypes.CDLL(None).malloc_trim(0)
