"""Archival storage finds passages."""

from pathlib import Path

import pytest

from companion.storage import passages, search_index
from companion.storage.database import Tx
from tests.support.remembered import MORNING, TopicEmbedder, remembering


async def test_passages_are_found_by_words_with_where_they_came_from(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory:
        await memory.keep("Anna's exam is on 12 June", source="person")
        await memory.keep("She plays the cello")
        (hit,) = (await memory.archival().search("exams")).items
        assert (hit.text, hit.source, hit.created_at) == (
            "Anna's exam is on 12 June",
            "person",
            MORNING,
        )


async def test_passages_are_found_by_meaning(tmp_path: Path) -> None:
    async with remembering(tmp_path, TopicEmbedder("cello music", "exam test")) as memory:
        await memory.keep("She plays the cello", "The exam is in June", "The exam room is cold")
        await memory.embed()
        page = await memory.archival().search("music")
        assert [hit.text for hit in page.items] == ["She plays the cello"]


async def test_pages_of_passages_have_true_totals(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory:
        ids = await memory.keep(*(f"note {number}" for number in range(7)))
        archival = memory.archival(page_size=3)
        found = [await archival.search("note", page=page) for page in range(4)]
        assert [(page.pages, page.total, len(page.items)) for page in found] == [
            (3, 7, 3),
            (3, 7, 3),
            (3, 7, 1),
            (3, 7, 0),
        ]
        assert sorted(hit.id for page in found for hit in page.items) == ids


async def test_a_passage_that_was_removed_is_found_no_more(tmp_path: Path) -> None:
    async with remembering(tmp_path, TopicEmbedder("cello")) as memory:
        (gone,) = await memory.keep("She plays the cello")
        await memory.embed()
        await memory.db.write(lambda tx: passages.remove(tx, memory.person, gone))
        assert (await memory.archival().search("cello")).total == 0


async def test_a_passage_that_is_indexed_anew_is_found_by_as_much_of_it_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "MOST_CHARS", 10)
    async with remembering(tmp_path) as memory:
        (note,) = await memory.keep("She plays the cello")
        found = [(await memory.archival().search(word)).total for word in ("plays", "cello")]
        assert found == [1, 0]

        def anew(tx: Tx) -> None:
            tx.execute("DELETE FROM passage_words WHERE rowid = ?", (note,))
            search_index.index_anew(tx, "passage", person=memory.person, item=note)

        await memory.db.write(anew)
        found = [(await memory.archival().search(word)).total for word in ("plays", "cello")]
        assert found == [1, 0]
