"""Which languages the default embedder knows."""

import pytest

from companion.search.languages import known_to_default


@pytest.mark.parametrize(
    "text",
    [
        "I went to the doctor yesterday and she said that I am fine",
        "ok",
        "",
        "🎂🎂🎂",
        "Kaffee?",
        "café with Zoë at noon, then the train to Lyon",
    ],
)
def test_english_and_what_is_too_short_to_tell_is_known(text: str) -> None:
    assert known_to_default(text)


@pytest.mark.parametrize(
    "text",
    [
        "Meine Schwester wohnt seit drei Jahren in Köln",
        "ayer comimos paella con toda la familia en Valencia",
        "у меня два кота",
        "我去年搬到柏林",
        "昨日はとても疲れました",
        "오늘 병원에 갔어요",
    ],
)
def test_other_languages_are_not(text: str) -> None:
    assert not known_to_default(text)
