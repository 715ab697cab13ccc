"""How far a download has come."""

import sys
from typing import NoReturn

from tqdm import tqdm


class Progress:
    """A bar on standard error; nothing where that is no terminal."""

    def __init__(self) -> None:
        self._bar: tqdm[NoReturn] | None = None

    def __call__(self, have: int, total: int | None) -> None:
        """`have` of `total` bytes are there."""
        if self._bar is None:
            self._bar = tqdm(
                initial=have,
                total=total,
                unit="B",
                unit_scale=True,
                file=sys.stderr,
                disable=None,
                leave=False,
            )
        self._bar.update(have - self._bar.n)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
