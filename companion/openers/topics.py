"""The words that tell what a text is about."""

from functools import lru_cache

from companion.search.words import query_terms

_DAYS = frozenset(
    """
    today tonight tomorrow yesterday morning afternoon evening night noon day days week weeks
    weekend month months year years next last monday tuesday wednesday thursday friday saturday
    sunday january february march april june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec am pm
    heute morgen übermorgen gestern abend montag dienstag mittwoch donnerstag freitag samstag
    sonntag woche wochenende monat jahr nächste nächsten
    今天 明天 后天 昨天 下周 上周 周末 周一 周二 周三 周四 周五 周六 周日 星期
    """.split()  # noqa: SIM905 - quoted words are harder to read
)
_EMPTY = frozenset(
    """
    go going goes went gone get got getting have has had make made take took come came coming want
    really still just maybe well good great nice fine new old time thing things lot bit back soon
    think hope know tell told say said ask asked feel feeling like love hey hi hello oh yes no okay
    ok thanks thank please let could would should might must also even much many
    ich du er sie es wir ihr der die das ein eine einen und oder aber ist war bin hat habe mit von
    zu im am um auf für nicht noch auch sehr gut mein meine dein deine
    """.split()  # noqa: SIM905
)


@lru_cache(maxsize=4096)
def topic(text: str) -> frozenset[str]:
    """The words of `text` that are about something: no days, numbers or empty words.

    The plural counts as the singular.
    """
    return frozenset(
        word
        for term in query_terms(text)
        if len(word := _singular(term)) > 1
        and not any(character.isdigit() for character in word)
        and word not in _DAYS
        and word not in _EMPTY
    )


def _singular(term: str) -> str:
    return term[:-1] if len(term) > 3 and term.endswith("s") and not term.endswith("ss") else term
