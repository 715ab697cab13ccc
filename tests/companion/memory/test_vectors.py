"""Vectors that are made in the background."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from companion.errors import EmbedderUnavailableError
from companion.memory.vectors import Vectorizer
from companion.storage import search_index, vector_blocks
from companion.storage.database import Tx
from tests.support.remembered import Remembered, TopicEmbedder, remembering


def kept(tx: Tx) -> dict[str, int]:
    """How many vectors are kept under each model."""
    return dict(
        tx.execute(
            "SELECT name, SUM(length(items) / 8) FROM vector_block"
            " JOIN embedding_model ON embedding_model.id = model_id GROUP BY name"
        ).fetchall()
    )


def waiting(tx: Tx) -> int:
    (count,) = tx.execute("SELECT COUNT(*) FROM unembedded").fetchone()
    return int(count)


async def test_every_text_gets_one_vector_and_is_asked_for_once(tmp_path: Path) -> None:
    embedder = TopicEmbedder("dog", "cat")
    async with remembering(tmp_path, embedder) as memory:
        said = [f"dog {number}" for number in range(150)]
        await memory.hear(*said)
        await memory.keep("a cat")
        assert await memory.embed() == 151
        assert await memory.embed() == 0
        assert sorted(embedder.asked) == sorted([*said, "a cat"])
        assert await memory.db.read(kept) == {"topics": 151}


async def test_when_the_embedder_fails_what_was_made_is_kept_and_the_rest_follows(
    tmp_path: Path,
) -> None:
    async def tire(texts: Sequence[str]) -> None:
        embedder.down = len(embedder.asked) >= 64

    embedder = TopicEmbedder("dog", before=tire)
    async with remembering(tmp_path, embedder) as memory:
        await memory.hear(*(f"dog {number}" for number in range(100)))
        with pytest.raises(EmbedderUnavailableError):
            await memory.embed()
        assert await memory.db.read(kept) == {"topics": 64}
        embedder.asked.clear()
        assert await memory.embed() == 36


async def test_the_newest_texts_come_first(tmp_path: Path) -> None:
    embedder = TopicEmbedder("dog")
    async with remembering(tmp_path, embedder) as memory:
        await memory.hear(*(f"dog {number}" for number in range(70)))
        await memory.embed()
        assert embedder.asked[0] == "dog 69"


async def test_another_model_makes_all_vectors_anew_and_the_old_are_not_compared(
    tmp_path: Path,
) -> None:
    old = TopicEmbedder("dog puppy", "cat", name="old")
    new = TopicEmbedder("cat", "dog puppy", name="new")
    async with remembering(tmp_path, old) as memory:
        await memory.hear(*("nothing",) * 12, "my puppy sleeps")
        await memory.embed()
        meanwhile = Remembered(memory.db, memory.person, new)
        assert await meanwhile.found("dog") == []
        assert await meanwhile.found("puppy") == ["my puppy sleeps"]
        assert await meanwhile.embed() == 13
        assert await meanwhile.found("dog") == ["my puppy sleeps"]
        assert await memory.db.read(kept) == {"new": 13}


async def test_until_the_new_vectors_are_there_the_old_ones_count_each_under_its_own_model(
    tmp_path: Path,
) -> None:
    async def tire(_texts: Sequence[str]) -> None:
        new.down = len(new.asked) >= 64

    old = TopicEmbedder("dog puppy", "cat", name="old")
    new = TopicEmbedder("cat", "bird", "dog puppy", name="new", before=tire)
    async with remembering(tmp_path, old) as memory:
        await memory.hear("my puppy sleeps", *("nothing",) * 70, "this puppy barks")
        await memory.embed()
        changed = Remembered(memory.db, memory.person, new)
        with pytest.raises(EmbedderUnavailableError):
            await changed.embed()
        progress = await memory.db.read(vector_blocks.progress)
        assert (progress.model, progress.made, progress.waiting) == ("new", 64, 8)
        new.before, new.down = None, False
        without = await changed.recall(page_size=50).search("which dog?")
        assert [hit.said for hit in without.items] == ["this puppy barks"]
        with_old = await changed.recall(page_size=50, former=old).search("which dog?")
        assert {hit.said for hit in with_old.items} == {"this puppy barks", "my puppy sleeps"}
        assert await changed.embed() == 8
        page = await changed.recall(page_size=50, former=old).search("which dog?")
        assert {hit.said for hit in page.items} == {"this puppy barks", "my puppy sleeps"}


async def test_a_change_of_model_that_was_cut_short_goes_on_where_it_was(tmp_path: Path) -> None:
    old, new = TopicEmbedder("dog", name="old"), TopicEmbedder("dog", name="new")
    async with remembering(tmp_path, old) as memory:
        await memory.hear(*(f"dog {number}" for number in range(20)))
        await memory.embed()
        changed = Remembered(memory.db, memory.person, new)
        new.down = True
        with pytest.raises(EmbedderUnavailableError):
            await changed.embed()
        assert await memory.db.read(kept) == {"old": 20}
        assert await memory.embed() == 0, "back to the old model: its vectors are still there"
        new.down = False
        assert await changed.embed() == 20


async def test_vectors_of_another_size_under_the_same_name_are_not_compared(
    tmp_path: Path,
) -> None:
    async with remembering(tmp_path, TopicEmbedder("dog", "cat")) as memory:
        await memory.hear("a dog", *("nothing",) * 12)
        await memory.embed()
        swapped = Remembered(memory.db, memory.person, TopicEmbedder("dog", "cat", "bird"))
        assert await swapped.found("dog") == ["a dog"]


async def test_a_text_that_is_taken_back_while_its_vector_is_made_gets_none(
    tmp_path: Path,
) -> None:
    async with remembering(tmp_path, embedder := TopicEmbedder("dog", "cat")) as memory:
        (gone,) = await memory.hear("a dog")

        def take_back(tx: Tx) -> None:
            search_index.remove_message(tx, person=memory.person, message=gone)
            tx.execute("UPDATE message SET said = '' WHERE id = ?", (gone,))

        async def take_it_back(_texts: Sequence[str]) -> None:
            await memory.db.write(take_back)

        embedder.before = take_it_back
        await memory.embed()
        assert embedder.asked == ["a dog"]
        assert await memory.db.read(kept) == {}
        assert await memory.db.read(waiting) == 0


async def test_the_background_task_notices_what_is_written(tmp_path: Path) -> None:
    asked = asyncio.Queue[Sequence[str]]()
    embedder = TopicEmbedder("dog", before=asked.put)
    async with remembering(tmp_path, embedder) as memory:
        vectorizer = Vectorizer(memory.db, embedder, gather=timedelta())
        running = asyncio.create_task(vectorizer.run())
        try:
            for text in ("first dog", "second dog"):
                await memory.hear(text)
                assert await asked.get() == [text]
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


async def test_the_background_task_tries_again_after_a_failure(tmp_path: Path) -> None:
    tries = asyncio.Queue[Sequence[str]]()
    embedder = TopicEmbedder("dog", before=tries.put)
    embedder.down = True
    async with remembering(tmp_path, embedder) as memory:
        await memory.hear("a dog")
        vectorizer = Vectorizer(memory.db, embedder, gather=timedelta(), retry=timedelta())
        running = asyncio.create_task(vectorizer.run())
        try:
            for _ in range(3):
                assert await tries.get() == ["a dog"]
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


async def test_vectors_of_another_size_under_the_same_name_stand_apart_from_the_old(
    tmp_path: Path,
) -> None:
    async with remembering(tmp_path, TopicEmbedder("dog", "cat")) as memory:
        await memory.hear("a dog")
        await memory.embed()
        swapped = Remembered(memory.db, memory.person, TopicEmbedder("dog", "cat", "bird"))
        await swapped.hear("a bird")
        assert await swapped.embed() == 1
        assert await swapped.found("bird") == ["a bird"]
