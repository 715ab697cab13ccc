"""Long chats with questions about them, read from the files that others published."""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from companion.error_text import why
from companion.errors import OperatorError

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
"""LoCoMo's. Its fifth has no answer to find and is left out."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Something said."""

    id: str
    speaker: str
    said: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class Question:
    """Something asked later, and the turns that answer it."""

    text: str
    category: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat in order, and what is asked about it."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def read_chats(path: Path) -> list[Chat]:
    """The chats in a file of LoCoMo's form, or in one object of dated docs and questions.

    Only what was said is read, never what was made from it, such as LoCoMo's summaries.

    Raises:
        OperatorError: it cannot be read, or has another form.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return [_locomo(chat) for chat in raw] if isinstance(raw, list) else [_docs(raw)]
    except (OSError, UnicodeDecodeError) as error:
        raise OperatorError(f"{path} cannot be read: {why(error)}.") from error
    except (ValueError, LookupError, TypeError) as error:
        raise OperatorError(f"{path} holds no chats in LoCoMo's form.") from error


def _locomo(raw: dict[str, Any]) -> Chat:
    conversation = raw["conversation"]
    turns = []
    number = 1
    while (session := f"session_{number}") and f"{session}_date_time" in conversation:
        stated = f"{conversation[f'{session}_date_time']} +0000"
        began = datetime.strptime(stated, "%I:%M %p on %d %B, %Y %z")
        for minute, turn in enumerate(conversation.get(session, ())):
            said = turn["text"]
            if caption := turn.get("blip_caption"):
                said = f"{said} [picture: {caption}]"
            said_at = began + timedelta(minutes=minute)
            turns.append(Turn(turn["dia_id"], turn["speaker"], said, said_at))
        number += 1
    known = {turn.id for turn in turns}
    questions = []
    for asked in raw["qa"]:
        named = re.findall(r"D\d+:\d+", " ".join(asked.get("evidence", ())))
        evidence = frozenset(named) & known
        if asked["category"] in CATEGORIES and evidence:
            category = CATEGORIES[asked["category"]]
            questions.append(Question(asked["question"], category, evidence))
    return Chat(raw["sample_id"], tuple(turns), tuple(questions))


def _docs(raw: dict[str, Any]) -> Chat:
    turns = [
        Turn(
            doc["id"],
            doc["speaker"],
            f"{doc['text']} [picture: {doc['caption']}]" if doc["caption"] else doc["text"],
            datetime.fromisoformat(doc["date"]).replace(tzinfo=UTC),
        )
        for doc in raw["docs"]
    ]
    questions = [
        Question(asked["q"], str(asked["cat"]), frozenset(map(str, asked["evidence"])))
        for asked in raw["questions"]
        if asked["evidence"]
    ]
    return Chat(raw["id"], tuple(turns), tuple(questions))
