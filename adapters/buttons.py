"""How buttons are laid out, and what somebody is told who presses one too late."""

from collections.abc import Sequence

OVER = "That question is over. You can still write what you want."

MOST_IN_A_ROW = 3
CHARS_IN_A_ROW = 36
"""On a phone, longer labels are cut."""


def rows(labels: Sequence[str]) -> list[list[int]]:
    """The places of `labels` in rows, as many in each as a phone shows whole."""
    found: list[list[int]] = []
    room = 0
    for place, label in enumerate(labels):
        if not found or len(found[-1]) == MOST_IN_A_ROW or len(label) > room:
            found.append([])
            room = CHARS_IN_A_ROW
        found[-1].append(place)
        room -= len(label)
    return found
