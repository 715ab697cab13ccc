"""Small data for the experiments, written for these tests."""

import json
import random
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from companion.evaluation.bench import Bench
from companion.evaluation.experiment import Traits
from companion.evaluation.reader import NAME
from companion.evaluation.reader_server import ReaderServer
from companion.settings import ModelSettings, Settings


def kv_folder(folder: Path, pairs: int = 24, orderings: int = 2) -> Path:
    """Pairs of UUIDs and orderings of 0 to 4 nestings."""
    rng = random.Random(1)
    ids = [str(uuid.UUID(int=rng.getrandbits(128), version=4)) for _ in range(2 * pairs)]
    folder.mkdir(parents=True, exist_ok=True)
    listed = list(zip(ids[::2], ids[1::2], strict=True))
    (folder / "pairs.json").write_text(json.dumps(listed))
    for nestings in range(5):
        lines = [json.dumps(rng.sample(range(pairs), nestings + 1)) for _ in range(orderings)]
        (folder / f"orderings_{nestings}_nestings.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def questions_file(folder: Path, documents: int = 60) -> Path:
    """Questions, each with a passage whose last words hold the answer."""
    lines = []
    for number in range(documents):
        middle = "The river and the road run side by side through fields of rye. " * 4
        text = f"A valley in the hills. {middle}Its mayor is Ada Number{number} Smith."
        passage = {"title": f"Valley {number}", "text": text, "isgold": True}
        question = f"who is the mayor of valley {number}"
        raw = {"question": question, "answers": [f"Number{number}"], "ctxs": [passage]}
        lines.append(json.dumps(raw))
    path = folder / "questions.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def sessions_file(folder: Path) -> Path:
    """A chat of three sessions in the form of MSC-Self-Instruct, written for these tests."""

    def session(*texts: str, ago: str = "") -> dict[str, object]:
        return {"dialog": [{"text": text} for text in texts], "time_back": ago}

    first = session(
        "Hello! I just planted tomatoes.",
        "Nice. I adopted a beagle called Waffles, she chews my shoes.",
        "Oh no. My brother runs a shoe shop in Leeds.",
        "Maybe he can help!",
        ago="9 days 2 hours ago",
    )
    second = session(
        "The tomatoes are up.",
        "I start as a night nurse on Sunday.",
        ago="3 days ago",
    )
    third = session("How was the first night?", "Long. I lived on coffee and crackers.")
    record = {
        "previous_dialogs": [first, second],
        "dialog": third["dialog"],
        "personas": [["SECRET I garden."], ["SECRET I have a beagle. SECRET I am a nurse."]],
        "summary_speaker_1": ["SECRET summary"],
        "self_instruct": {
            "B": "Remember where your brother has his shop?",
            "A": "In Leeds!",
        },
    }
    path = folder / "sessions.jsonl"
    path.write_text(json.dumps(record) + "\n")
    return path


def facts_file(folder: Path) -> Path:
    """Facts with one that contradicts the second, in the form of letta-evals."""
    facts = ["Ada bakes bread.", "Ada lives in the town of Ulm.", "Bo sails.", "Bo owns a ketch."]
    told = {
        "facts": facts,
        "contradicting_fact": '"Ada lives in the town of Bonn."',
        "contradicting_answer": "Bonn",
        "supporting_fact_indices": [1],
    }
    raw = {"input": "In which town does Ada live?", "agent_args": {"extra": told}}
    path = folder / "facts.jsonl"
    path.write_text(json.dumps(raw) + "\n")
    return path


@asynccontextmanager
async def reader_bench(traits: Traits, window: int = 8192) -> AsyncIterator[Bench]:
    """A bench on which the scripted reader answers."""
    async with ReaderServer() as server:
        yield Bench(settings_at(server.base_url, window), {}, traits, None)


def settings_at(base_url: str, window: int = 8192) -> Settings:
    """Settings with the scripted reader as the model."""
    model = ModelSettings(name=NAME, base_url=base_url, window_tokens=window)
    return Settings(models=(model,))
