"""What is kept of the facts that a small model reads out of a message."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.llm import said_facts

WHEN = "Mon 5 May 2025 14:03 Europe/Berlin"


def kept(fact: str, message: str) -> str | None:
    return said_facts.kept(fact, name="Anna", message=message, when=WHEN)


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ("Anna has a dog named Bruno", "I have a dog, he's called Bruno."),
        ("Anna works as a nurse in Leipzig", "Hi! I work as a nurse in Leipzig."),
        ("Anna does not like coffee", "I don't like coffee."),
        ("Anna's sister Clara lives in Oslo", "My sister Clara is living in Oslo!"),
    ],
)
def test_a_fact_in_the_words_of_the_message_is_kept(fact: str, message: str) -> None:
    assert kept(fact, message) == fact


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ("Anna is 25 years old", "Hi there! I'm Anna."),
        ("Anna lives in New York City", "I'm a bit tired, it was a long day."),
        ("Anna was cold outside", "I'm back. It was cold outside."),
        ("Anna lives in Berlin", "Do I live in Berlin?"),
        ("Anna is here", ""),
    ],
)
def test_an_invention_is_not_kept(fact: str, message: str) -> None:
    assert kept(fact, message) is None


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ("Anna likes coffee", "I don't like coffee."),
        ("Anna has 3 cats", "I have 2 cats."),
        ("Anna has a cat called Tom", "I have a cat called Tim."),
        ("My dog is Bruno", "My dog is Bruno."),
        ("Anna hat einen Hund", "Ich habe einen Hund namens Rex."),
    ],
)
def test_a_fact_that_half_stands_there_is_kept_in_the_persons_own_words(
    fact: str, message: str
) -> None:
    assert kept(fact, message) == f"Anna said: “{message}”"


def test_scripts_without_spaces_are_held_against_the_message_too() -> None:
    assert kept("Anna住在柏林", "我住在柏林。") == "Anna住在柏林"
    assert kept("Anna住在巴黎", "我喜欢猫。") is None


def test_words_that_depend_on_the_day_go_with_the_day() -> None:
    fact = "Anna has a dentist appointment tomorrow"
    assert kept(fact, "I have a dentist appointment tomorrow.") == f"{fact} (said Mon 5 May 2025)"
    fact = "Anna travels to Iceland in August"
    assert kept(fact, "I travel to Iceland in August.") == f"{fact} (said Mon 5 May 2025)"


def test_a_date_needs_no_day_beside_it() -> None:
    fact = "Anna's birthday is on 14 March"
    assert kept(fact, "My birthday is on 14 March!") == fact


@given(st.text(), st.text(), st.text(min_size=1))
def test_whatever_a_model_writes_no_word_is_kept_that_was_not_said(
    fact: str, message: str, name: str
) -> None:
    line = said_facts.kept(fact, name=name, message=message, when=WHEN)
    assert line is None or said_facts.in_view(said_facts.content(line, name), message + WHEN)


def test_what_is_known_is_known_in_other_words_too() -> None:
    known = "## Person\nAnna has a dog named Bruno, a beagle\n"
    assert said_facts.is_known("Anna's dog is called Bruno", known, "Anna")
    assert not said_facts.is_known("Anna's cat is called Bruno", known, "Anna")


def test_a_new_home_takes_the_old_ones_place_but_not_a_sisters() -> None:
    known = "Anna lives in Shanghai\nAnna's sister Clara lives in Oslo\n"
    line = "Anna moved from Shanghai to Berlin"
    assert said_facts.outdated(line, known, "Anna") == "Anna lives in Shanghai"
    assert said_facts.outdated("Anna's sister Clara lives in Rome", known, "Anna") is None


def test_a_second_dog_takes_nobodys_place() -> None:
    assert said_facts.outdated("Anna has a dog", "Anna has a dog called Bruno", "Anna") is None


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("What is my dog called?", True),
        ("Weißt du, wo ich wohne? Sag mir, wo ist mein Hund?", True),
        ("What do you think of jazz?", False),
        ("My dog is called Bruno.", False),
        ("我住在哪里？", True),
    ],
)
def test_a_question_about_oneself_is_about_the_past(message: str, asks: bool) -> None:
    assert said_facts.asks_about_past(message) is asks


def test_a_search_takes_the_words_that_matter() -> None:
    message = "I'm back. Do you remember what my dog's name is?"
    assert said_facts.search_words(message) == ["dog"]
