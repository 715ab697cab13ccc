"""What a new text makes of what is kept: a double, the past, or something near."""

import itertools
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.embedders.wordllama import WordLlama
from companion.search.upkeep import Known, Verdict, adds_to, judge

CORRECTIONS = [
    ("Robin lives in Shanghai.", "Robin lives in Berlin."),
    ("I live in Shanghai", "I live in Berlin now"),
    ("Her favourite colour is blue.", "Her favourite colour is green."),
    ("Robin works at Siemens", "Robin no longer works at Siemens"),
    ("My sister is called Lea.", "My sister is called Mia."),
    ("Anna's exam is on 12 June", "Anna's exam is on 19 June now"),
    ("Robin is vegetarian.", "Robin is not vegetarian any more."),
    ("Robin's boss is Martin Krause.", "Robin's boss is Julia Stein."),
    ("Robin goes to the gym three times a week.", "Robin now goes to the gym once a week."),
    ("The interview at Bosch is on Monday at 10.", "The interview at Bosch was moved to Friday."),
    ("Robin's birthday is 3 May.", "Robin's birthday is 5 May."),
    ("Mein Bruder wohnt in Köln.", "Mein Bruder wohnt jetzt in Bonn."),
    ("Ich arbeite bei Siemens.", "Ich arbeite nicht mehr bei Siemens."),
    ("我住在上海", "我现在住在柏林"),
]
BOTH_TRUE = [
    ("Robin's mother lives in Hamburg.", "Robin's father lives in Munich."),
    ("Robin likes tea.", "Robin likes coffee."),
    ("Anna is learning Portuguese since spring.", "Anna moved to Porto in spring."),
    ("Robin visited Rome in 2019.", "Robin visited Paris in 2021."),
    ("Robin is allergic to hazelnuts.", "Robin is allergic to penicillin."),
    ("Robin speaks German.", "Robin speaks Spanish."),
    ("Robin watched Dune.", "Robin watched Arrival."),
    ("Lea is Robin's sister.", "Mia is Robin's sister."),
    ("Robin has a daughter, Mia.", "Robin has a son, Paul."),
    ("Anna's exam is on 12 June.", "Ben's exam is on 19 June."),
    ("Robin ran 5 km on Monday.", "Robin ran 8 km on Wednesday."),
    ("Notes on Kim's thesis, chapter one.", "Notes on Kim's thesis, chapter two."),
    ("Robin's favourite food is ramen.", "Robin's favourite drink is mate."),
    ("Robin lives in Berlin.", "Robin lives with two cats."),
    ("Meine Mutter wohnt in Köln.", "Mein Vater wohnt in Bonn."),
    ("我喜欢茶", "我喜欢咖啡"),
]


def test_a_text_too_long_to_be_a_fact_is_only_its_own_double() -> None:
    long = "I live in Shanghai. " + "word " * 20_000
    assert judge(long, [Known(id=1, text=long + " ")]) == Verdict(1)
    assert judge(long, [Known(id=1, text="I live in Berlin.")]) == Verdict()
    assert judge("I live in Berlin.", [Known(id=1, text=long)]) == Verdict()


def test_all_of_a_long_text_has_to_stand_in_what_adds_to_it() -> None:
    long = "I live in Shanghai. " + "word " * 20_000
    assert adds_to(f"{long} And more.", long)
    assert not adds_to("I live in Berlin.", long)


async def judged(old: str, new: str) -> Verdict:
    """What `new` makes of `old`, with real vectors."""
    rows = await WordLlama().embed([old, new])
    return judge(new, [Known(id=1, text=old, likeness=float(rows[0] @ rows[1]))])


@pytest.mark.parametrize(("old", "new"), CORRECTIONS)
async def test_a_correction_makes_the_old_fact_past(old: str, new: str) -> None:
    assert (await judged(old, new)).past == (1,)
    assert judge(new, [Known(id=1, text=old)]).past == (1,), "without vectors too"


@pytest.mark.parametrize(("old", "new"), BOTH_TRUE)
async def test_what_can_be_true_beside_it_stays(old: str, new: str) -> None:
    verdict = await judged(old, new)
    assert verdict.past == ()
    assert verdict.double is None
    assert judge(new, [Known(id=1, text=old)]).past == (), "without vectors too"


async def test_what_may_or_may_not_be_true_beside_it_is_named() -> None:
    assert (await judged("Robin speaks German.", "Robin speaks Spanish.")).near == (1,)


@pytest.mark.parametrize(
    "again", ["Robin likes the herons.", "robin likes herons!", "- Robin really likes herons"]
)
async def test_the_same_in_other_letters_is_a_double(again: str) -> None:
    assert (await judged("Robin likes herons.", again)).double == 1


@pytest.mark.parametrize(
    ("old", "other"),
    [
        ("Robin works here.", "Robin worked here."),
        ("Lea is taller than Mia.", "Mia is taller than Lea."),
        ("Robin eats before noon.", "Robin eats after noon."),
        ("Robin took 2 pills.", "Robin took 3 pills."),
        ("Robin likes herons.", "Robin doesn't like herons."),
    ],
)
async def test_one_word_that_matters_is_enough_to_be_no_double(old: str, other: str) -> None:
    assert (await judged(old, other)).double is None


def test_keys_are_near_to_no_other_keys() -> None:
    keys = [str(uuid.UUID(int=number * 7919 << 64 | number)) for number in range(20)]
    pairs = [f"key {one}, value {other}" for one, other in itertools.pairwise(keys)]
    known = [Known(id=at, text=pair, likeness=0.99) for at, pair in enumerate(pairs[1:])]
    assert judge(pairs[0], known) == Verdict()


def test_a_long_text_is_compared_with_nothing() -> None:
    page = " ".join(f"word{chr(97 + at % 26)}{chr(97 + at // 26)}" for at in range(90))
    assert judge(f"{page} not", [Known(id=1, text=page, likeness=0.99)]) == Verdict()
    assert judge(page, [Known(id=1, text=page, likeness=1.0)]).double == 1


def test_more_words_add_and_a_nay_does_not() -> None:
    assert adds_to("Lives in Bonn with two cats.", "Lives in Bonn.")
    assert not adds_to("Lives in Rome.", "Lives in Bonn.")
    assert not adds_to("No longer lives in Bonn.", "Lives in Bonn.")


@given(st.text(max_size=80), st.lists(st.text(max_size=80), max_size=4))
def test_whatever_is_said_each_known_text_has_one_part(new: str, texts: list[str]) -> None:
    known = [Known(id=at, text=text) for at, text in enumerate(texts)]
    verdict = judge(new, known)
    named = [*verdict.past, *verdict.near]
    assert len(set(named)) == len(named)
    assert set(named) <= set(range(len(texts)))
    if verdict.double is not None:
        assert not named
