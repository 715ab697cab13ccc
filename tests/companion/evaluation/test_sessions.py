"""Chats of several sessions, read from the files that others published."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from companion.errors import OperatorError
from companion.evaluation.sessions import read_sessions
from companion.evaluation.story_clock import BEGIN
from tests.companion.evaluation.small import sessions_file


def test_sessions_come_in_order_with_their_times_and_speakers_in_turn(tmp_path: Path) -> None:
    (record,) = read_sessions(sessions_file(tmp_path))
    assert [said.by_person for said in record.history[:4]] == [False, True, False, True]
    assert record.history[0].at == BEGIN - timedelta(days=9, hours=2, minutes=4)
    assert record.history[4].at == BEGIN - timedelta(days=3, minutes=2)
    times = [said.at for said in record.history]
    assert times == sorted(times)
    assert record.following[0] == "How was the first night?"


def test_the_persona_is_the_persons_a_sentence_each(tmp_path: Path) -> None:
    (record,) = read_sessions(sessions_file(tmp_path))
    assert record.persona == ("SECRET I have a beagle.", "SECRET I am a nurse.")


def test_a_named_speaker_counts_more_than_the_turn(tmp_path: Path) -> None:
    path = sessions_file(tmp_path)
    raw = json.loads(path.read_text())
    raw["previous_dialogs"][0]["dialog"][0]["id"] = "Speaker 2"
    path.write_text(json.dumps(raw))
    assert read_sessions(path)[0].history[0].by_person


@pytest.mark.parametrize("text", ["", "7", "{}", '{"previous_dialogs": [], "dialog": []}', "\xff"])
def test_a_file_of_another_form_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "sessions.jsonl"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(OperatorError, match=r"sessions\.jsonl cannot be read"):
        read_sessions(path)
