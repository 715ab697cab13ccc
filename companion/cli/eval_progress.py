"""How far an experiment has come: samples, what they cost, and the time that is left."""

import sys
from typing import TYPE_CHECKING, NoReturn, Self

from tqdm import tqdm

if TYPE_CHECKING:
    from companion.evaluation.results import Result


class Progress:
    """A bar on standard error; nothing where that is no terminal."""

    def __init__(self) -> None:
        self._bar: tqdm[NoReturn] | None = None
        self._cost = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def begin(self, total: int, done: int) -> None:
        """There are `total` samples, `done` of them from before."""
        self._bar = tqdm(
            initial=done, total=total, unit="sample", file=sys.stderr, disable=None, leave=False
        )

    def tell(self, result: "Result") -> None:
        """One more is done."""
        assert self._bar is not None
        self._cost += result.cost
        self._bar.set_postfix_str(f"${self._cost:.2f}", refresh=False)
        self._bar.update()
