"""A page of search results."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some of the hits. `number` counts from 0; `total` counts all hits, on whatever page.

    A number past the last page gives no items, and `pages` says how many there are.
    """

    items: tuple[T, ...]
    number: int
    pages: int
    total: int


def pages(total: int, size: int) -> int:
    """How many pages of `size` it takes to show `total` hits."""
    return -(-total // size)


def cut(hits: Sequence[T], *, number: int, size: int) -> Sequence[T]:
    """The hits on page `number`."""
    return hits[number * size : (number + 1) * size]
