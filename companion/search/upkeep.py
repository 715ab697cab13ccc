"""Whether a text that is about to be kept says again what is kept, or that it is true no more.

docs/search.md tells how the weights were found, and how often this is wrong.
"""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from companion.search.words import STOP_WORDS, tokens

LONG = 60
"""Words that mean something, of a text too long to be one fact: it is compared with nothing."""
LONGEST = 2000
"""Characters of a text that is not even read for it: somebody waits meanwhile."""
MOST_WORDS = 200
"""Words of any kind, of a text that is compared word by word."""
WEIGHTS = {
    # the cosine
    "likeness": 3.5,
    # the share of words that mean something which both have
    "common": 5.5,
    # how much stands in the same order
    "order": 5.2,
    # the share of the old text's words that the new one has, and how many, both without names
    "matter": 4.3,
    "shared": 5.5,
    # whether the new text tells of a change
    "change": 1.0,
}
BIAS = -10.2
"""How much each sign says, by `training/upkeep.py`."""
THE_SAME = -2.0
"""The score from which on the nearest text speaks of the same thing."""
THE_SAME_TOO = 2.0
"""The score from which on others do as well."""
NEAR = -4.0
"""The score from which on a text may speak of the same thing: for a model to judge."""
MOST_NEAR = 3
MANY_WORDS = 6
"""Common words that are as good as more."""
ENOUGH_WORDS = 4
"""Common words that tell what a fact is about; fewer may hold of many things at once: who likes
tea may like coffee too."""
UNSPACED = "\u3000"
PARTS = 3
"""Characters and pairs of them that stand for a word in a script without spaces."""
UNKNOWN_LIKENESS = 0.4
"""How like in meaning two texts of no common word count, where no vectors are to be had; those of
the same words count half as much more."""

_CHANGE = re.compile(
    r"\b(?:not|never|no|no longer|any ?more|instead|rather than|now|only|exclusively|unlike"
    r"|moved|stopped|quit|changed|different|nicht|kein|keine|keinen|jetzt|statt|nunmehr)\b|n['’]t\b"
    r"|现在|不再|改成|已经不",
    re.IGNORECASE,
)
"""Words by which a text tells that something changed."""
_ATTRIBUTE = re.compile(
    r"^(.{0,60}?(?:\b(?:lives? (?:in|at|with)|works? (?:as|at|for|in)|(?:is|am) (?:called|named)"
    r"|(?:name|birthday|boss|address|number|e-?mail|employer|husband|wife|partner) is"
    r"|favou?rite \w+ is|wohn(?:t|e) in|arbeite[t]? (?:bei|als)|hei(?:ß|ss)(?:t|e)|heissen)\b"
    r"|住在|名字是|生日是))",
    re.IGNORECASE,
)
"""Whatever stands up to a word that has one value at a time."""
_NOW = re.compile(r"\b(?:now|currently|jetzt)\b|现在", re.IGNORECASE)
_NAME = re.compile(r"\b[A-Z]\w+")
_ENDINGS = ("ingly", "edly", "ings", "ing", "ied", "ies", "ed", "es", "ly", "s", "e")
_SHORTEST = 3
_COUNTS = frozenset(
    """
    one two three four five six seven eight nine ten first second third fourth fifth last next
    monday tuesday wednesday thursday friday saturday sunday january february march april may june
    july august september october november december morning afternoon evening night
    spring summer autumn winter today yesterday tomorrow day week month year
    montag dienstag mittwoch donnerstag freitag samstag sonntag
    """.split()  # noqa: SIM905 - quoted words are harder to read
)
"""Words that number things: what differs in them alone may be two of a kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A text that is kept. `likeness` is the cosine with what is about to be; None if unknown."""

    id: int
    text: str
    likeness: float | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Which of the known texts say the same, are true no more, or are so near that somebody who
    understands them should say."""

    double: int | None = None
    past: tuple[int, ...] = ()
    near: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Read:
    """A text as it is compared: its words in order, as they are `said` but for those that say
    nothing, and without their endings; and those that mean something."""

    text: str
    said: tuple[str, ...]
    words: tuple[str, ...]
    content: frozenset[str]
    names: frozenset[str]

    @property
    def is_a_fact(self) -> bool:
        """Whether it can be compared: keys and numbers are near to all of their kind."""
        if not 0 < len(self.content) <= LONG or len(self.words) > MOST_WORDS:
            return False
        return 2 * sum(_has_digit(word) for word in self.content) <= len(self.content)


def judge(text: str, known: Sequence[Known]) -> Verdict:
    """What `text` makes of what is `known`."""
    new = _read(text)
    old = {one.id: _read(one.text) for one in known}
    double = next((one.id for one in known if _says_the_same(new, old[one.id])), None)
    if double is not None:
        return Verdict(double)
    if not new.is_a_fact:
        return Verdict()
    scored = [
        (_score(new, old[one.id], one.likeness), one.id) for one in known if old[one.id].is_a_fact
    ]
    scored.sort(reverse=True)
    past = [
        number
        for place, (score, number) in enumerate(scored)
        if _same_attribute(new, old[number])
        or (score >= (THE_SAME_TOO if place else THE_SAME) and _is_clear(new, old[number]))
    ]
    near = [number for score, number in scored if score >= NEAR and number not in past]
    return Verdict(None, tuple(past), tuple(near[:MOST_NEAR]))


def adds_to(new: str, old: str) -> bool:
    """Whether `new` says all that `old` does, and perhaps more."""
    if len(old) > LONGEST:
        return old.strip() in new
    return _read(old).content <= _read(new).content and not _changes(_read(new), _read(old))


def shared(text: str, other: str) -> float:
    """How much of what `text` says stands in `other`, from 0 to 1."""
    words = _meant(text)
    return len(words & _meant(other)) / max(len(words), 1)


def _says_the_same(new: _Read, old: _Read) -> bool:
    """The same words in the same order, but for those that say nothing."""
    return new.text == old.text or (bool(new.said) and new.said == old.said)


def signs(new: str, old: str, likeness: float | None) -> dict[str, float]:
    """What tells that both texts speak of the same thing, by name; `WEIGHTS` has each."""
    return _signs(_read(new), _read(old), likeness)


def _signs(new: _Read, old: _Read, likeness: float | None) -> dict[str, float]:
    common, every = new.content & old.content, new.content | old.content
    share = len(common) / max(len(every), 1)
    if likeness is None:
        likeness = UNKNOWN_LIKENESS + share / 2
    order = difflib.SequenceMatcher(None, old.words, new.words, autojunk=False).ratio()
    names = new.names | old.names
    matter = len(common - names) / max(len(old.content - names), 1)
    shared = min(len(common - names), MANY_WORDS) / MANY_WORDS
    return {
        "likeness": likeness,
        "common": share,
        "order": order,
        "matter": matter,
        "shared": shared,
        "change": float(_changes(new, old)),
    }


def _score(new: _Read, old: _Read, likeness: float | None) -> float:
    """How surely both speak of the same thing, as logits."""
    found = _signs(new, old, likeness)
    return BIAS + sum(WEIGHTS[name] * value for name, value in found.items())


def _is_clear(new: _Read, old: _Read) -> bool:
    """Whether two texts of the same thing can't both be true: as many things may be so at once,
    it takes words that tell of a change, or enough that is the same."""
    common = new.content & old.content
    if _changes(new, old):
        return bool(common - new.names - old.names - _COUNTED)
    more = new.content - old.content
    counted = bool(more) and all(_has_digit(word) or word in _COUNTED for word in more)
    return _size(common) >= ENOUGH_WORDS and not counted


def _size(words: frozenset[str]) -> float:
    """How many words those are: of scripts without spaces each is there in several parts."""
    return sum(1 / PARTS if word >= UNSPACED else 1 for word in words)


def _changes(new: _Read, old: _Read) -> bool:
    return bool(_CHANGE.search(new.text)) and not _CHANGE.search(old.text)


def _same_attribute(new: _Read, old: _Read) -> bool:
    """Whether both give the value of an attribute of the same thing that has one value."""
    heads = [_ATTRIBUTE.match(_plain(text)) for text in (new.text, old.text)]
    return all(heads) and len({head[1].casefold() for head in heads if head}) == 1


def _plain(text: str) -> str:
    return " ".join(_NOW.sub("", text).strip(" -*•").split())


def _read(text: str) -> _Read:
    if len(text) > LONGEST:
        return _Read(text.strip(), (), (), frozenset(), frozenset())
    return _read_fact(text.strip())


@lru_cache(maxsize=4096)
def _read_fact(text: str) -> _Read:
    every = tokens(text)
    said = tuple(word for word in every if word not in _FILLING)
    words = tuple(_stem(word) for word in every)
    content = frozenset(words) - _EMPTY
    names = frozenset(_stem(name.casefold()) for name in _NAME.findall(text))
    return _Read(text, said, words, content, names)


def _meant(text: str) -> frozenset[str]:
    """The words that mean something."""
    return frozenset(map(_stem, tokens(text))) - _EMPTY


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            return word[: -len(ending)]
    return word


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


_EMPTY = STOP_WORDS | {_stem(word) for word in STOP_WORDS}
_FILLING = frozenset(("a", "an", "the", "is", "are", "am", "also", "just", "very", "really", "too"))
_COUNTED = frozenset(_stem(word) for word in _COUNTS)
