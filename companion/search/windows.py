"""Hits with the turns around them, so that a search shows what was answered to what."""

from collections.abc import Iterable

import numpy as np

from companion.search.ranking import Ids

AROUND = 1
"""Turns each way, in the same sitting, that are shown with a hit."""


def windows(ids: Ids, sittings: Ids, hits: Iterable[int]) -> list[list[int]]:
    """A window for each of `hits`, best first, of ids in the order of `ids`.

    No turn is in two of them: what stands in the window of a better hit has none of its own, and
    is not repeated beside another. `sittings` is the first of each stretch without a long pause.
    """
    listed = ids.tolist()
    place_of = {one: place for place, one in enumerate(listed)}
    sitting = np.cumsum(np.isin(ids, sittings)).tolist()
    taken = bytearray(len(listed))
    found = []
    for hit in hits:
        place = place_of[hit]
        if taken[place]:
            continue
        around = range(max(place - AROUND, 0), min(place + AROUND + 1, len(listed)))
        window = [at for at in around if sitting[at] == sitting[place] and not taken[at]]
        for at in window:
            taken[at] = 1
        found.append([listed[at] for at in window])
    return found
