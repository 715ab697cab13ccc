from statistics import mean

from companion.bench.texts import Texts


def test_the_same_seed_gives_the_same_messages() -> None:
    one, other = Texts(seed=7), Texts(seed=7)
    assert [one.message() for _ in range(50)] == [other.message() for _ in range(50)]
    assert Texts(seed=8).message() != Texts(seed=7).message()


def test_messages_are_as_long_as_those_of_real_chats() -> None:
    texts = Texts()
    words = [len(texts.message().split()) for _ in range(1000)]
    assert 25 <= mean(words) <= 30
    assert min(words) >= 4
    assert max(words) > 45
