"""Chats with questions, from files of others' making."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from companion.errors import OperatorError
from companion.evaluation.chats import read_chats

LOCOMO = [
    {
        "sample_id": "one",
        "observation": {"session_1": "NEVER READ"},
        "conversation": {
            "speaker_a": "Anna",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Anna", "dia_id": "D1:1", "text": "Look at my cello!"},
                {
                    "speaker": "Ben",
                    "dia_id": "D1:2",
                    "text": "Nice.",
                    "blip_caption": "a cello on a chair",
                },
            ],
            "session_2_date_time": "9:00 am on 1 June, 2023",
            "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "My dog is Rex."}],
        },
        "qa": [
            {"question": "Which dog?", "category": 4, "evidence": ["D2:1"]},
            {"question": "Both?", "category": 1, "evidence": ["D1:1; D2:1"]},
            {"question": "No answer", "category": 5, "evidence": ["D1:1"]},
            {"question": "Nowhere", "category": 4, "evidence": ["D9:9"]},
        ],
    }
]


def write(folder: Path, raw: object) -> Path:
    path = folder / "chats.json"
    path.write_text(json.dumps(raw, ensure_ascii=False), encoding="utf-8")
    return path


def test_turns_come_with_speaker_time_and_what_a_picture_shows(tmp_path: Path) -> None:
    (chat,) = read_chats(write(tmp_path, LOCOMO))
    assert [turn.said for turn in chat.turns] == [
        "Look at my cello!",
        "Nice. [picture: a cello on a chair]",
        "My dog is Rex.",
    ]
    assert chat.turns[0].said_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert chat.turns[2].speaker == "Ben"


def test_questions_without_an_answer_among_the_turns_are_left_out(tmp_path: Path) -> None:
    (chat,) = read_chats(write(tmp_path, LOCOMO))
    assert [(asked.text, asked.category, set(asked.evidence)) for asked in chat.questions] == [
        ("Which dog?", "single-hop", {"D2:1"}),
        ("Both?", "multi-hop", {"D1:1", "D2:1"}),
    ]


def test_dated_memories_are_read_as_a_chat(tmp_path: Path) -> None:
    raw = {
        "id": "zh",
        "docs": [
            {
                "id": "1",
                "speaker": "user",
                "date": "2023-12-25",
                "text": "他在圣诞节跳舞。",
                "caption": "",
            }
        ],
        "questions": [{"q": "圣诞节", "cat": "proactive", "evidence": ["1"]}],
    }
    (chat,) = read_chats(write(tmp_path, raw))
    assert chat.turns[0].said == "他在圣诞节跳舞。"
    assert chat.questions[0].evidence == {"1"}


@pytest.mark.parametrize("raw", [{}, [{"qa": []}], 7, [1], {"id": "a", "docs": [{}]}])
def test_a_file_of_another_form_is_refused_by_name(tmp_path: Path, raw: object) -> None:
    with pytest.raises(OperatorError, match=r"chats\.json"):
        read_chats(write(tmp_path, raw))


def test_a_file_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="missing"):
        read_chats(tmp_path / "missing.json")
