"""Whether a draft says again what was said before."""

import pytest

from companion.embedders.wordllama import WordLlama
from companion.openers.likeness import too_like

AGAIN = [
    ("How are you today?", "How are you today?"),
    ("How are you today?", "How are you doing this morning?"),
    ("How are you today?", "Hi Anna, how are you?"),
    ("How are you today?", "Good morning! How's your day going?"),
    ("How did the interview at Acme go?", "So, how was the interview with Acme?"),
    ("How did the interview go?", "Did the interview go well?"),
    ("Are you still reading the Ferrante novel?", "Did you finish the Ferrante novel?"),
    ("How is Minka settling in?", "Has Minka settled in by now?"),
    ("今天过得怎么样？", "你今天过得怎么样？"),
]
NEW = [
    ("Good luck with your exam tomorrow!", "How did the exam go?"),
    ("Good luck with the exam!", "Good luck with the interview!"),
    ("How did the interview at Acme go?", "How did the dentist appointment go?"),
    ("How did the interview go?", "How did the marathon go?"),
    ("How are you today?", "How did the interview go?"),
    ("Did you get to play the cello this week?", "Any news from the clinic?"),
    ("面试怎么样？", "周末的演出你去看了吗？"),
]


@pytest.mark.parametrize(("earlier", "draft"), AGAIN)
async def test_the_same_question_is_known_in_other_words(earlier: str, draft: str) -> None:
    embedder = WordLlama()
    assert await too_like(draft, ["Any news from Rome?", earlier], embedder, ["anna"]) == earlier


@pytest.mark.parametrize(("earlier", "draft"), NEW)
async def test_another_question_is_another(earlier: str, draft: str) -> None:
    assert await too_like(draft, [earlier], WordLlama(), ["anna"]) is None
    assert await too_like(draft, [earlier], None, ["anna"]) is None


async def test_without_an_embedder_the_words_decide() -> None:
    earlier = ["How did the interview at Acme go?"]
    assert await too_like("So how did the interview at Acme go?", earlier, None) == earlier[0]
    assert await too_like("How are you this evening?", ["How are you today?"], None)


async def test_the_first_opener_is_like_none() -> None:
    assert await too_like("How are you?", [], WordLlama()) is None
