"""Recall storage finds what was said."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from companion.storage import search_index
from companion.storage.database import Tx
from companion.storage.erase import purge
from tests.support.remembered import MORNING, TopicEmbedder, remembering
from tests.support.storage import add

TALK = (
    "I moved from 上海 to Berlin last year",
    "У меня два кота",
    "he writes C++ all day",
    "the a-b test went well",
    'she said "quoted" and laughed',
    "near( the station",
    "50% off today",
    "the file is snake_case.py",
    "cake for you 🎂",
    "nothing of that here",
    "and nothing there",
    "just some more talk",
)


@pytest.mark.parametrize(
    ("query", "hit"),
    [
        ("上海", 0),
        ("два", 1),
        ("C++", 2),
        ("a-b", 3),
        ('"quoted', 4),
        ("NEAR(", 5),
        ("%", 6),
        ("_", 7),
        ("🎂", 8),
        ("kota", None),
        ('AND OR NOT ) " * ^', None),
        ("' OR 1=1 --", None),
        ("person:p1", None),
        ("\x00", None),
        ("?!", None),
        ("*", None),
    ],
)
async def test_every_kind_of_query_finds_what_there_is_and_never_everything(
    tmp_path: Path, query: str, hit: int | None
) -> None:
    async with remembering(tmp_path) as memory:
        await memory.hear(*TALK)
        found = await memory.found(query)
        assert len(found) <= 2
        assert hit is None or TALK[hit] in found


async def test_words_are_found_in_their_other_forms_and_without_accents(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory:
        await memory.hear("We painted the café walls")
        assert await memory.found("painting") == ["We painted the café walls"]
        assert await memory.found("CAFE") == ["We painted the café walls"]


async def test_only_what_somebody_said_is_found(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory:
        await memory.hear("the garden is dry")
        await memory.hear("I watered the garden", speaker="Mira")
        await memory.hear("", speaker="")
        assert sorted(await memory.found("garden")) == ["I watered the garden", "the garden is dry"]


async def test_a_query_never_leaves_the_person(tmp_path: Path) -> None:
    async with remembering(tmp_path, TopicEmbedder("garden")) as memory:
        others = [await memory.db.write(add(f"Other {number}")) for number in range(12)]
        for other in others:
            assert other is not None
            await memory.hear("their secret garden", speaker="Zoë", person=other)
        await memory.hear("our garden")
        await memory.embed()
        assert await memory.found("garden") == ["our garden"]
        assert await memory.found("secret") == []


async def test_twenty_three_hits_make_five_pages_and_no_hit_shows_twice(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory:
        ids = await memory.hear(*(f"garden, day {day}" if day % 2 else "rain" for day in range(46)))
        recall = memory.recall()
        found = [await recall.search("garden", page=page) for page in range(5)]
        assert [(page.pages, page.total) for page in found] == [(5, 23)] * 5
        assert sorted(hit.id for page in found for hit in page.items) == ids[1::2]
        beyond = await recall.search("garden", page=8)
        assert (beyond.items, beyond.pages, beyond.total) == ((), 5, 23)


async def test_a_message_that_comes_between_two_pages_shifts_no_hit(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory:
        await memory.hear(*(f"garden {day}" for day in range(9)))
        recall = memory.recall()
        first = await recall.search("garden")
        await memory.hear("garden again")
        second = await recall.search("garden", page=1)
        assert not {hit.id for hit in first.items} & {hit.id for hit in second.items}


async def test_another_memory_of_the_same_person_gives_the_same_pages(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory:
        await memory.hear(*(f"garden {day % 3}" for day in range(12)))
        recall = memory.recall()
        await recall.search("garden")
        assert await recall.search("garden", page=1) == await memory.recall().search(
            "garden", page=1
        )


async def test_a_day_is_the_whole_day_in_the_persons_zone(tmp_path: Path) -> None:
    zone = ZoneInfo("Asia/Tokyo")
    day = datetime(2026, 5, 5, tzinfo=zone)
    async with remembering(tmp_path) as memory:
        for said, at in (
            ("the evening before", day - timedelta(seconds=1)),
            ("midnight", day),
            ("a moment before the next", day + timedelta(days=1, microseconds=-1)),
            ("the next day", day + timedelta(days=1)),
        ):
            await memory.hear(said, at=at.astimezone(UTC))
        page = await memory.recall().search(None, since=day, until=day + timedelta(days=1))
        assert [hit.said for hit in page.items] == ["midnight", "a moment before the next"]
        page = await memory.recall().search("day evening", since=day + timedelta(days=1))
        assert [hit.said for hit in page.items] == ["the next day"]


async def test_without_a_query_and_dates_all_is_listed_oldest_first(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory:
        await memory.hear("second")
        await memory.hear("first", at=MORNING - timedelta(days=9))
        assert await memory.found(None) == ["first", "second"]


async def test_a_date_in_the_query_brings_what_was_said_then_to_the_front(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory:
        await memory.hear("the cat is ill", at=datetime(2026, 3, 2, tzinfo=UTC))
        await memory.hear("the cat is well", at=datetime(2026, 4, 2, tzinfo=UTC))
        await memory.hear("the cat is back", at=datetime(2026, 5, 2, tzinfo=UTC))
        assert (await memory.found("how was the cat in March?"))[0] == "the cat is ill"
        assert (await memory.found("how was the cat on 2 April 2026?"))[0] == "the cat is well"


async def test_a_query_may_name_days_by_how_far_back_they_lie(tmp_path: Path) -> None:
    zone = ZoneInfo("Asia/Tokyo")
    now = datetime(2026, 5, 15, 9, tzinfo=zone)
    async with remembering(tmp_path) as memory:
        for days in (20, 9, 2):
            before = (now - timedelta(days=days)).astimezone(UTC)
            await memory.hear(f"the cat, {days} days before", at=before)
        midnight = datetime(2026, 5, 14, tzinfo=zone).astimezone(UTC)
        await memory.hear("just after midnight", at=midnight)
        await memory.hear("just before", at=midnight - timedelta(minutes=1))
        recall = memory.recall()
        for query, first in (("the cat last week", 9), ("猫 cat two days ago", 2)):
            (hit, *_) = (await recall.search(query, now=now)).items
            assert hit.said == f"the cat, {first} days before"
        page = await recall.search("what did we talk about yesterday?", now=now)
        assert [hit.said for hit in page.items] == ["just after midnight"]


async def test_an_event_that_the_query_names_tells_the_days(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory:
        exam = MORNING + timedelta(days=60)
        await memory.hear("we had tea in a café", at=exam - timedelta(days=55))
        await memory.hear("we had tea in the park", at=exam - timedelta(days=3))
        await memory.hear("my exam is tomorrow!", at=exam - timedelta(days=1))
        await memory.hear("we had tea at home", at=exam + timedelta(days=6))
        for query, first in (
            ("where did we have tea before my exam?", "park"),
            ("where did we have tea after my exam?", "home"),
            ("where did we have tea during my exam?", "park"),
            ("where did we have tea before the flood?", "home"),  # of equals the newest
        ):
            teas = [said for said in await memory.found(query) if "tea" in said]
            assert first in teas[0], query


async def test_windows_have_true_totals_and_show_no_turn_twice(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory:
        ids = await memory.hear(
            *("garden" if number % 3 == 0 else f"line {number}" for number in range(40))
        )
        recall = memory.recall()
        pages = [await recall.search_windows("garden", page=page) for page in range(4)]
        assert [(page.pages, page.total) for page in pages] == [(3, 14)] * 4
        shown = [turn.id for page in pages for window in page.items for turn in window.turns]
        assert sorted(shown) == ids
        hits = [hit for page in pages for window in page.items for hit in window.hits]
        assert sorted(hits) == ids[::3]


async def test_each_hit_tells_what_its_score_is_made_of(tmp_path: Path) -> None:
    async with remembering(tmp_path, TopicEmbedder("dog puppy", "rain")) as memory:
        await memory.hear("the dog sleeps", "what rain", speaker="Ben")
        await memory.embed()
        (hit, *_) = (await memory.recall().search("Ben's dog in 2026")).items
        assert {name for name, part in hit.parts.items() if part > 0} == {
            *("words", "meaning", "neighbours", "speaker", "date")
        }


async def test_a_speaker_in_the_query_brings_what_they_said_to_the_front(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory:
        await memory.hear("Anna, my cat is called Tom", speaker="Ben")
        await memory.hear("Ben, my cat is called Kit", speaker="Anna", at=MORNING + timedelta(3))
        await memory.hear("what a fine cat", speaker="Cleo", at=MORNING + timedelta(6))
        assert (await memory.found("What is Ben's cat called?"))[0].endswith("Tom")
        assert (await memory.found("What is Anna's cat called?"))[0].endswith("Kit")


async def test_words_come_together_in_several_messages_of_one_turn(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory:
        await memory.hear("so", "I met", "the dentist", "well", "at six", "about a tooth")
        assert "at six" in await memory.found("dentist and tooth")
        far = MORNING + timedelta(days=1)
        for number, said in enumerate(("my aunt", "well", "so", "oh", "hm", "an uncle")):
            speaker = ("Anna", "Ben")[number % 2]
            await memory.hear(said, speaker=speaker, at=far + timedelta(minutes=number))
        assert "so" not in await memory.found("aunt uncle")


async def test_meaning_finds_what_shares_no_word(tmp_path: Path) -> None:
    embedder = TopicEmbedder("dog puppy beagle", "rain weather")
    async with remembering(tmp_path, embedder) as memory:
        await memory.hear(*("rain again",) * 9, "Rex is a beagle", *("rain still",) * 9)
        await memory.embed()
        assert await memory.found("which dog?") == ["Rex is a beagle"]


async def test_each_of_several_questions_has_its_turn(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory:
        for day in range(9):
            await memory.hear(
                f"the hotel in Rome, again and again {day}", at=MORNING + timedelta(days=day)
            )
        await memory.hear("my dentist is Dr. Weiss", at=MORNING + timedelta(days=20))
        await memory.hear("a dentist hurts", speaker="Ben", at=MORNING + timedelta(days=30))
        found = await memory.found("Which hotel did Anna like in Rome, and who is the dentist?")
        assert len(found) == len(set(found)) == 11
        # the second part names nobody, and means Anna as the first does
        assert found[0] == "my dentist is Dr. Weiss"
        assert "hotel" in found[1]


async def test_the_nearest_in_meaning_stand_beside_the_first_page_and_in_none_of_its_windows(
    tmp_path: Path,
) -> None:
    embedder = TopicEmbedder("hospital surgery nurse", "rain weather")
    async with remembering(tmp_path, embedder) as memory:
        await memory.hear("the hospital food is bad", *("tired of food",) * 30)
        await memory.hear("my surgery is on Monday", at=MORNING + timedelta(days=3))
        await memory.embed()
        recall = memory.recall(page_size=1)
        first = await recall.search_windows("so tired of hospital food")
        shown = {turn.id for window in first.items for turn in window.turns}
        assert [one.said for one in first.nearest] == ["my surgery is on Monday"]
        assert shown.isdisjoint(one.id for one in first.nearest)
        assert (await recall.search_windows("so tired of hospital food", page=1)).nearest == ()


async def test_words_are_found_while_the_embedder_is_down(tmp_path: Path) -> None:
    embedder = TopicEmbedder("dog puppy")
    async with remembering(tmp_path, embedder) as memory:
        await memory.hear("my puppy is asleep")
        embedder.down = True
        assert await memory.found("puppy") == ["my puppy is asleep"]


async def test_a_removed_message_is_found_no_more(tmp_path: Path) -> None:
    async with remembering(tmp_path, TopicEmbedder("dog")) as memory:
        gone, _ = await memory.hear("a dog", "another dog")
        await memory.embed()

        def remove(tx: Tx) -> None:
            search_index.remove_message(tx, person=memory.person, message=gone)
            tx.execute("DELETE FROM message WHERE id = ?", (gone,))

        await memory.db.write(remove)
        assert await memory.found("dog") == ["another dog"]


async def test_after_a_purge_no_word_of_what_was_removed_is_in_the_index(tmp_path: Path) -> None:
    def held(tx: Tx) -> bool:
        blocks = tx.execute("SELECT block FROM message_words_data").fetchall()
        return any(b"abracadabra" in block for (block,) in blocks)

    async with remembering(tmp_path) as memory:
        gone, _ = await memory.hear("abracadabra", "something else")
        await memory.db.write(
            lambda tx: search_index.remove_message(tx, person=memory.person, message=gone)
        )
        assert await memory.db.read(held)
        assert await purge(memory.db)
        assert not await memory.db.read(held)
        assert await memory.found("something") == ["something else"]


async def test_a_message_of_somebody_else_cannot_be_removed(tmp_path: Path) -> None:
    async with remembering(tmp_path) as memory:
        (theirs,) = await memory.hear("a dog")
        await memory.db.write(
            lambda tx: search_index.remove_message(tx, person=memory.person + 1, message=theirs)
        )
        assert await memory.found("dog") == ["a dog"]
