"""What a character knows of its world."""

from companion.people.cards import Lore
from companion.people.lorebook import READ, told

DRAGON = Lore(("dragon", "x"), "It sleeps below the hill.")


def test_what_comes_up_is_told_once() -> None:
    assert told([DRAGON], "A Dragon?", []) == "\n[of your world: It sleeps below the hill.]"
    assert told([DRAGON], "A Dragon?", [DRAGON.text]) == ""
    assert told([DRAGON], "an x", []) == "", "a single letter stands in every text"


def test_only_the_beginning_of_what_is_very_long_is_searched() -> None:
    assert told([DRAGON], "a" * (READ - 6) + "dragon", [])
    assert told([DRAGON], "a" * READ + "dragon", []) == ""
