"""The least that a turn costs: its prompt posted with the SDK, two messages and a vector stored."""

import json
import os
from contextlib import closing
from pathlib import Path

from openai import AsyncOpenAI
from openai.types.chat import ChatCompletion

from companion.storage.connection import connect, keep_safe

VECTOR_BYTES = 256
"""What the default embedder's vector takes."""

SCHEMA = """
    CREATE TABLE message (id INTEGER PRIMARY KEY, person INTEGER, speaker TEXT, said TEXT, at TEXT);
    CREATE VIRTUAL TABLE message_words USING fts5 (said, content = '');
    CREATE TABLE message_vector (message INTEGER PRIMARY KEY, embedding BLOB);
"""


class Floor:
    """Asks and stores, and does nothing else."""

    def __init__(self, path: Path, server: str) -> None:
        self._client = AsyncOpenAI(api_key="none", base_url=server, max_retries=0)
        self._db = connect(path, None)
        keep_safe(self._db, path)
        self._db.executescript(SCHEMA)
        self._vector = os.urandom(VECTOR_BYTES)

    async def ask(self, prompt: dict[str, object]) -> str:
        """Post `prompt`, and give the answer's arguments or text."""
        completion = await self._client.post(
            "/chat/completions", body=prompt, cast_to=ChatCompletion
        )
        message = completion.choices[0].message
        return str(message.content or json.dumps([str(call) for call in message.tool_calls or ()]))

    def store(self, asked: str, answered: str) -> None:
        """Store both in one transaction, on disk when this returns."""
        self._db.execute("BEGIN IMMEDIATE")
        for speaker, said in (("Anna", asked), ("Mira", answered)):
            row = self._db.execute(
                "INSERT INTO message (person, speaker, said, at)"
                " VALUES (1, :speaker, :said, '2025-05-05T12:00:00+00:00')",
                {"speaker": speaker, "said": said},
            ).lastrowid
            self._db.execute(
                "INSERT INTO message_words (rowid, said) VALUES (:row, :said)",
                {"row": row, "said": said},
            )
        self._db.execute(
            "INSERT INTO message_vector VALUES (:row, :vector)",
            {"row": row, "vector": self._vector},
        )
        self._db.execute("COMMIT")

    async def close(self) -> None:
        """Let go of both."""
        await self._client.close()
        with closing(self._db):
            pass
