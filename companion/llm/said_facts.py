"""Facts about a person, held against the words in which they told them.

A small model asked for facts also gives guesses. Whatever it writes is kept only if the words,
names and numbers stand in what the person said, and denials stay denials.
"""

import re
from collections.abc import Sequence

FACT_CHARS = 160
SENTENCE_CHARS = 200


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# words that carry no fact by themselves, so a paraphrase may bring them
_GLUE = _set(
    "a an the of in on at to for with from by as and or but that who which this these those it its"
    " is are was were be been being am has have had having do does did called named name will would"
    " she he they her his their him them there about into than then also currently s"
    " i my me mine we our us you your"
)
_DENIALS = _set(
    "not no never none nobody nothing without cannot can't don't doesn't didn't isn't aren't wasn't"
    " weren't won't wouldn't haven't hasn't hadn't couldn't shouldn't stopped quit nicht kein keine"
    " nie pas jamais nunca"
)
_RELATIVE = _set(
    "today tonight tomorrow yesterday now next last this ago week weekend month year soon monday"
    " tuesday wednesday thursday friday saturday sunday heute morgen gestern"
)
_ENGLISH = _set("the it it's its is was were been are that he she his her you they")
_OWN = _set(
    "i my me mine we our us i'm i've i'd i'll we're we've we'd we'll ich mein meine meinen mir mich"
    " wir unser unsere je mon ma mes nous notre yo mi mis nosotros 我 我们 私"
)
_ASKING = _set(
    "what when where who whom whose why how which can could do does did tell told know remember"
    " remind say said ever again still any some was wie wo wann wer warum qui quoi où quand"
)
_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?。！？](?=\S)[^.!?。！？\n]+)*[.!?。！？]*")
# scripts that part no words: each letter is held against the message by itself
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
_WORD = re.compile(
    rf"{_UNSPACED.pattern}|(?:(?!{_UNSPACED.pattern})[^\W_])+(?:['’](?:(?!{_UNSPACED.pattern})[^\W_])+)*"
)
_MONTH = re.compile(
    r"\b(?i:in|this|next) (?:January|February|March|April|May|June|July|August|September|October"
    r"|November|December)\b(?! \d)"
)
# what somebody has one of at a time: a new one takes the old one's place
_SINGLE = (
    re.compile(r" (?:now |currently )?(?:lives? in|is living in|moved (?:from|to))\b"),
    re.compile(r" (?:now |currently )?(?:works?|is working) (?:as|at|for)\b"),
    re.compile(r" (?:is|turned) (?:now )?\d+(?: years old)?\b"),
    re.compile(r"'s favou?rite (?P<what>[^\W\d_]+)"),
    re.compile(r"'s (?P<what>birthday|phone number|address) is\b"),
)


def statements(message: str) -> list[str]:
    """The sentences of `message` that tell something, that is, ask nothing."""
    sentences = (match.group().strip() for match in _SENTENCE.finditer(message))
    return [s for s in sentences if s and not s.endswith(("?", "？")) and len(_words(s)) > 1]


def kept(fact: str, *, name: str, message: str, when: str) -> str | None:
    """The line to keep for `fact`, which a model read out of `message`; None for an invention.

    A fact that only half stands there is kept as the sentence it comes from, word for word.
    `when` is the message's own time, which goes along where the words depend on it.
    """
    fact = " ".join(fact.split())[:FACT_CHARS]
    words = content(fact, name)
    source = max(statements(message), key=lambda sentence: len(_found(words, sentence)), default="")
    found = _found(words, source)
    if not found or _is_about_something_else(source):
        return None
    whole = (
        len(found) == len(words)
        and _denies(fact) == _denies(source)
        and _words(fact)[0] not in ("i", "my", "i'm", "i've")
    )
    if not whole and (len(found) * 2 < len(words) or len(source) > SENTENCE_CHARS):
        return None
    line = fact.rstrip(".") if whole else f"{name} said: “{source}”"
    dated = _RELATIVE & set(_words(source)) or _MONTH.search(source)
    return f"{line} (said {day(when)})" if dated else line


def is_known(line: str, known: str, name: str) -> bool:
    """Whether one line of `known` says already all that `line` says."""
    words = content(line, name)
    return any(len(_found(words, old)) == len(words) for old in known.splitlines())


def outdated(line: str, known: str, name: str) -> str | None:
    """The line of `known` that `line` takes the place of: both tell what one has one of."""
    about = _single(line, name)
    if about is None:
        return None
    same = [old for old in known.splitlines() if _single(old, name) == about]
    return same[0] if len(same) == 1 else None


def asks_about_past(message: str) -> bool:
    """Whether `message` asks for something that the person may have told before."""
    asked = [s for s in _sentences(message) if s.endswith(("?", "？"))]
    return any(_OWN & set(_words(sentence)) or _UNSPACED.search(sentence) for sentence in asked)


def search_words(message: str) -> list[str]:
    """The words of the questions in `message` that are worth a search."""
    asked = " ".join(s for s in _sentences(message) if s.endswith(("?", "？")))
    return [word for word in map(_bare, _words(asked)) if word not in _GLUE | _ASKING | _OWN]


def in_view(words: Sequence[str], text: str) -> bool:
    """Whether `text` has half of `words` or more: asked are other words than told."""
    return 2 * len(_found(words, text)) >= len(words)


def _sentences(text: str) -> list[str]:
    return [match.group().strip() for match in _SENTENCE.finditer(text)]


def _words(text: str) -> list[str]:
    return [word.replace("’", "'") for word in _WORD.findall(text.casefold())]


def content(fact: str, name: str) -> list[str]:
    """The words of `fact` that must have been said."""
    own = set(_words(name))
    words = [_bare(word) for word in _words(fact)]
    return [word for word in words if word not in _GLUE | _DENIALS and word not in own]


def _found(words: Sequence[str], text: str) -> list[str]:
    there = {_stem(_bare(word)) for word in _words(text)}
    return [word for word in words if _stem(word) in there]


def _bare(word: str) -> str:
    return word if word in _DENIALS else word.partition("'")[0]


def _stem(word: str) -> str:
    """`word` without the endings by which a paraphrase differs: works, working, worked."""
    if any(character.isdigit() for character in word):
        return word
    for ending in ("ing", "ies", "ied", "es", "ed", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def _is_about_something_else(sentence: str) -> bool:
    """Whether `sentence` is English and speaks of neither its speaker nor what is theirs.

    Of "it was cold outside" a small model makes that the person was cold.
    """
    words = set(_words(sentence))
    return bool(words & _ENGLISH) and not words & _OWN


def _denies(text: str) -> bool:
    return bool(_DENIALS & set(_words(text))) or "n't" in text


def _single(line: str, name: str) -> str | None:
    about = line.casefold().replace("’", "'").removeprefix(name.casefold())
    for number, pattern in enumerate(_SINGLE):
        match = pattern.match(about)
        if match:
            return f"{number} {match.groupdict().get('what', '')}"
    return None


def day(when: str) -> str:
    """The date in a local time such as "Mon 5 May 2025 14:03 Europe/Berlin"."""
    return " ".join(when.split()[:4])
