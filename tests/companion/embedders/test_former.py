"""Whose vectors count until there are new ones."""

from companion.embedders.former import former_embedder
from companion.embedders.wordllama import WordLlama
from tests.support.remembered import TopicEmbedder


def test_it_is_the_one_of_this_process_that_made_the_vectors_before() -> None:
    former = former_embedder([WordLlama.name, "small at example.com"], now=TopicEmbedder("dog"))
    assert former is not None
    assert former.name == WordLlama.name


def test_there_is_none_before_any_change_or_without_an_embedder() -> None:
    assert former_embedder([WordLlama.name], now=WordLlama()) is None
    assert former_embedder([WordLlama.name], now=None) is None
    assert former_embedder(["small at example.com"], now=WordLlama()) is None
    assert former_embedder([], now=TopicEmbedder("dog")) is None
