"""What a query finds, and in which order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from companion.search.ranking import (
    LONGEST_TURN,
    MESSAGES,
    PASSAGES,
    REACH,
    Ids,
    Ranking,
    Signs,
    Term,
    interleaved,
    led,
    rank,
)


def ids(*numbers: int) -> Ids:
    return np.array(numbers, np.int64)


TWENTY = ids(*range(1, 21))


def test_the_rarer_word_counts_more() -> None:
    signs = Signs(ids=TWENTY, terms=[Term("often", ids(1, 5, 9, 13)), Term("rare", ids(20))])
    assert rank(signs, MESSAGES).ids.tolist() == [20, 13, 9, 5, 1]


def test_a_turn_where_words_come_together_is_found_without_one() -> None:
    signs = Signs(ids=TWENTY, terms=[Term("garden", ids(10)), Term("party", ids(12))])
    assert set(rank(signs, MESSAGES).ids.tolist()) == {10, 11, 12}


def test_the_turns_around_a_single_word_are_not_found() -> None:
    signs = Signs(ids=TWENTY, terms=[Term("garden", ids(10))])
    assert rank(signs, MESSAGES).ids.tolist() == [10]


def test_nothing_is_gained_from_before_a_long_pause() -> None:
    apart = Signs(
        ids=TWENTY,
        terms=[Term("garden", ids(10)), Term("party", ids(12))],
        sittings=ids(1, 11, 12),
    )
    assert rank(apart, MESSAGES).ids.tolist() == [12, 10]


def test_passages_gain_nothing_from_those_beside_them() -> None:
    signs = Signs(ids=TWENTY, terms=[Term("garden", ids(10)), Term("party", ids(12))])
    assert rank(signs, PASSAGES).ids.tolist() == [12, 10]


def test_who_is_named_comes_first() -> None:
    signs = Signs(ids=TWENTY, terms=[Term("cat", ids(3, 9))], spoken=ids(1, 3))
    assert rank(signs, MESSAGES).ids.tolist() == [3, 9]


def test_what_falls_on_a_named_date_comes_first() -> None:
    signs = Signs(ids=TWENTY, terms=[Term("cat", ids(3, 9))], dated=ids(3, 4))
    assert rank(signs, MESSAGES).ids.tolist() == [3, 9]


def test_meaning_alone_finds_only_what_stands_out() -> None:
    likeness = np.full(20, 0.1, np.float32)
    likeness[6] = 0.9
    signs = Signs(ids=TWENTY, liked=TWENTY, likeness=likeness)
    assert rank(signs, MESSAGES).ids.tolist() == [7]


def test_the_only_thing_there_is_can_be_found_by_meaning() -> None:
    signs = Signs(ids=ids(4), liked=ids(4), likeness=np.array([0.4], np.float32))
    assert rank(signs, PASSAGES).ids.tolist() == [4]


def test_an_embedder_that_is_trusted_more_outweighs_words() -> None:
    likeness = np.full(20, 0.1, np.float32)
    likeness[6] = 0.9
    signs = Signs(ids=TWENTY, terms=[Term("cat", ids(15))], liked=TWENTY, likeness=likeness)
    assert rank(signs, MESSAGES.trusting(0.2)).ids.tolist()[0] == 15
    assert rank(signs, MESSAGES.trusting(0.8)).ids.tolist()[0] == 7


def test_what_has_no_vector_yet_is_found_by_its_words() -> None:
    signs = Signs(
        ids=ids(1, 2, 3),
        terms=[Term("cat", ids(3))],
        liked=ids(1),
        likeness=np.array([0.9], np.float32),
    )
    assert 3 in rank(signs, MESSAGES).ids


numbered = st.lists(st.integers(1, 60), max_size=30).map(lambda some: ids(*sorted(set(some))))


@given(numbered, st.lists(numbered, max_size=4), numbered, numbered)
def test_whatever_the_signs_each_hit_comes_once_and_only_from_what_may_be_found(
    all_ids: Ids, words: list[Ids], spoken: Ids, liked: Ids
) -> None:
    signs = Signs(
        ids=all_ids,
        terms=[Term(f"word{at}", held) for at, held in enumerate(words)],
        going_on=spoken,
        spoken=spoken,
        liked=liked,
        likeness=np.linspace(-1, 1, len(liked), dtype=np.float32),
    )
    found = rank(signs, MESSAGES).ids.tolist()
    assert len(found) == len(set(found))
    assert set(found) <= set(all_ids.tolist())
    assert set(found) >= {one for held in words for one in held.tolist()} & set(all_ids.tolist())
    assert rank(signs, MESSAGES).ids.tolist() == found


def test_what_is_led_stands_behind_its_leader_at_the_better_ones_place() -> None:
    signs = Signs(ids=TWENTY, terms=[Term("often", ids(1, 5, 9, 13)), Term("rare", ids(20))])
    ranking = led(rank(signs, MESSAGES), {20: 5, 9: 2})
    assert ranking.ids.tolist() == [5, 20, 13, 2, 9, 1]
    assert len(ranking.previous) == len(ranking.ids)
    words = [parts["words"] for parts in ranking.parts_of(slice(0, 6))]
    assert words[3] == 0, "it was not found itself"
    assert words[1] == max(words)


@given(
    st.lists(st.integers(1, 20), unique=True),
    st.dictionaries(st.integers(1, 20), st.integers(21, 25)),
)
def test_leading_loses_and_doubles_nothing(found: list[int], leaders: dict[int, int]) -> None:
    ranking = rank(Signs(ids=TWENTY, terms=[Term("word", ids(*sorted(found)))]), PASSAGES)
    after = led(ranking, leaders).ids.tolist()
    assert len(set(after)) == len(after)
    assert set(after) == set(found) | {leaders[one] for one in found if one in leaders}
    for place, one in enumerate(after):
        if one in leaders:
            assert leaders[one] in after[:place]


def test_several_messages_in_a_row_are_one_turn() -> None:
    terms = [Term("garden", ids(4)), Term("party", ids(7))]
    going_on = ids(2, 3, 4, 5, 7, 9, *range(11, 21))  # Anna from 1, Ben from 6, Cleo from 8
    alone = rank(Signs(ids=TWENTY, terms=terms), MESSAGES)
    in_turns = rank(Signs(ids=TWENTY, terms=terms, going_on=going_on), MESSAGES)
    assert set(alone.ids.tolist()) == {4, 5, 6, 7}
    # Anna's first five lie beside Ben's two, and those beside Cleo's; her next have one word near
    assert set(in_turns.ids.tolist()) == set(range(1, 10))
    assert set(in_turns.ids[:2].tolist()) == {4, 7}


def test_who_goes_on_and_on_says_more_than_one_turn() -> None:
    hundred = ids(*range(1, 101))
    terms = [Term("garden", ids(50)), Term("party", ids(50))]
    found = rank(Signs(ids=hundred, terms=terms, going_on=hundred), MESSAGES).ids.tolist()
    assert found[0] == 50
    assert len(found) == (2 * REACH + 1) * LONGEST_TURN


def test_what_stands_out_by_meaning_is_listed_by_meaning_alone() -> None:
    likeness = np.array([0.0] * 17 + [0.8, 0.1, 0.9], np.float32)
    signs = Signs(ids=TWENTY, terms=[Term("word", ids(2))], liked=TWENTY, likeness=likeness)
    ranking = rank(signs, MESSAGES)
    assert ranking.ids[0] == 2
    assert ranking.nearest.tolist() == [20, 18]


def test_several_rankings_have_their_turns() -> None:
    whole = Ranking(ids(1, 2, 3), {"words": np.array([3, 2, 1], np.float32)}, nearest=ids(3))
    part = Ranking(ids(4, 1, 5), {"meaning": np.array([6, 5, 4], np.float32)})
    both = interleaved([whole, part])
    assert both.ids.tolist() == [1, 4, 2, 3, 5]
    assert both.nearest.tolist() == [3]
    assert both.parts_of(slice(0, 2)) == [
        {"words": 3, "meaning": 0},
        {"words": 0, "meaning": 6},
    ]


@given(st.lists(numbered, min_size=1, max_size=4))
def test_rankings_in_turn_lose_and_double_nothing(found: list[Ids]) -> None:
    rankings = [Ranking(some, {"words": np.zeros(len(some), np.float32)}) for some in found]
    after = interleaved(rankings).ids.tolist()
    assert sorted(after) == sorted({one for some in found for one in some.tolist()})
    assert after[:1] == found[0][:1].tolist() or not len(found[0])
