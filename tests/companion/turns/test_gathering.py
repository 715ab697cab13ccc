"""Which messages are answered together."""

from datetime import datetime, timedelta
from typing import Any

from companion.events import (
    Address,
    FileReceived,
    MessageDeleted,
    MessageEdited,
    MessageReceived,
    Sender,
)
from companion.storage.inbox import InboxItem
from companion.turns.gathering import Batch, Gathering, albums
from tests.support.virtual_clock import VirtualClock

PAUSE, AT_MOST = timedelta(seconds=2.5), timedelta(seconds=10)
HERE = Address(platform="test", chat="1")


class Lane:
    """A lane that fills as time goes on."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.items: list[InboxItem] = []
        self.gathering = Gathering(PAUSE, AT_MOST, self.clock)

    def comes(self, event: Any, *, begun: bool = False) -> None:
        self.items.append(
            InboxItem(
                id=len(self.items) + 1,
                person=1,
                conversation=1,
                address=HERE,
                event=event,
                received_at=self.clock.now(),
                begun=begun,
            )
        )

    def said(self, text: str, *, after: float = 0, user: str = "1", **more: Any) -> None:
        self.clock.advance(timedelta(seconds=after))
        given = {"more_may_follow": not text.startswith("/"), **more}
        self.comes(MessageReceived(**self.common(user), text=text, message=f"m{text}", **given))

    def edited(self, message: str, text: str) -> None:
        self.comes(MessageEdited(**self.common("1"), message=f"m{message}", text=text))

    def common(self, user: str) -> dict[str, Any]:
        return {
            "id": f"e{len(self.items)}",
            "address": HERE,
            "sender": Sender(user=user, name="A"),
            "at": self.clock.now(),
        }

    def next(self, *, after: float = 0) -> tuple[list[str], float]:
        """What the next batch says, and how many seconds to wait for more."""
        self.clock.advance(timedelta(seconds=after))
        batch, wait = self.gathering.next(self.items)
        return texts(batch), wait.total_seconds()


def texts(batch: Batch) -> list[str]:
    return [getattr(item.event, "text", "?") for item in (*batch.earlier, batch.lead)]


def test_a_message_waits_a_moment_for_the_next() -> None:
    lane = Lane()
    lane.said("one")
    assert lane.next() == (["one"], 2.5)
    assert lane.next(after=2.5) == (["one"], 0)


def test_three_messages_in_four_seconds_are_answered_together() -> None:
    lane = Lane()
    lane.said("one")
    lane.said("two", after=2)
    lane.said("three", after=2)
    assert lane.next() == (["one", "two", "three"], 2.5)


def test_somebody_who_goes_on_writing_is_answered_after_a_while() -> None:
    lane = Lane()
    for number in range(5):
        lane.said(f"{number}", after=2)
    assert lane.next(after=1) == (["0", "1", "2", "3", "4"], 1.0)
    lane.said("late", after=2)
    assert lane.next() == (["0", "1", "2", "3", "4"], 0)


def test_messages_that_waited_for_a_start_are_kept_apart_as_they_were_written() -> None:
    lane = Lane()
    lane.said("one")
    lane.said("two", after=60)
    assert lane.next(after=3600) == (["one"], 0)


def test_a_command_runs_at_once_and_the_rest_goes_on_waiting() -> None:
    lane = Lane()
    lane.said("one")
    lane.said("/memory", after=1)
    lane.said("two", after=1)
    assert lane.next() == (["/memory"], 0)
    del lane.items[1]
    assert lane.next() == (["one", "two"], 2.5)


def test_a_command_passes_a_message_that_no_model_answered() -> None:
    lane = Lane()
    lane.said("first")
    lane.items[0].begun = True
    lane.said("/help")
    assert lane.next() == (["first"], 0)
    lane.items[0].attempts = 1
    assert lane.next() == (["/help"], 0)


def test_a_platform_of_whole_messages_waits_for_nothing() -> None:
    lane = Lane()
    lane.said("one", more_may_follow=False)
    lane.said("/memory")
    assert lane.next() == (["one"], 0)


def test_what_two_people_say_in_a_group_is_kept_apart() -> None:
    lane = Lane()
    lane.said("one")
    lane.said("two", user="2")
    assert lane.next() == (["one"], 0)


def test_an_album_is_one_batch() -> None:
    lane = Lane()
    for name in ("a", "b", "c"):
        event = FileReceived(
            **lane.common("1"), name=name, media_type="image/jpeg", size=1, more_may_follow=True
        )
        lane.comes(event)
    batch, _ = lane.gathering.next(lane.items)
    assert len(batch.earlier) == 2


def photo(lane: Lane, name: str, **more: Any) -> FileReceived:
    """A file of the album "1"."""
    given = {"media_type": "image/jpeg", "size": 1, "album": "1", "more_may_follow": True, **more}
    return FileReceived(**lane.common("1"), name=name, **given)


def test_an_album_is_waited_for_and_kept_together_where_nothing_else_is() -> None:
    lane = Lane()
    lane.gathering = Gathering(timedelta(0), timedelta(0), lane.clock)
    lane.comes(photo(lane, "a"))
    lane.comes(photo(lane, "b"))
    lane.said("one")
    batch, wait = lane.gathering.next(lane.items[:2])
    assert (len(batch.earlier), wait) == (1, timedelta(seconds=1))
    batch, wait = lane.gathering.next(lane.items)
    assert (len(batch.earlier), wait) == (1, timedelta(0))


def test_what_of_an_album_is_not_for_the_companion_is_kept_apart() -> None:
    lane = Lane()
    lane.comes(photo(lane, "a"))
    lane.comes(photo(lane, "b", addressed=False, more_may_follow=False))
    batch, _ = lane.gathering.next(lane.items)
    assert (batch.earlier, batch.lead) == ((), lane.items[0])


def test_an_album_is_told_as_one_among_others() -> None:
    lane = Lane()
    lane.said("one")
    for name in ("a", "b"):
        lane.comes(photo(lane, name))
    lane.comes(photo(lane, "c", album="2"))
    lane.comes(photo(lane, "d", album=""))
    assert [len(one) for one in albums(lane.items)] == [1, 2, 1, 1]


def test_an_edit_of_what_was_not_answered_replaces_it() -> None:
    lane = Lane()
    lane.said("first")
    lane.edited("first", "second")
    batch, _ = lane.gathering.next(lane.items)
    assert texts(batch) == ["second"]
    assert [item.id for item in batch.settled] == [2]
    assert texts(lane.gathering.next(lane.items)[0]) == ["second"]


def test_an_edit_of_a_message_that_is_being_answered_comes_after_it() -> None:
    lane = Lane()
    lane.said("first")
    lane.items[0].begun = True
    lane.edited("first", "second")
    batch, _ = lane.gathering.next(lane.items)
    assert (texts(batch), batch.settled) == (["first"], ())


def test_a_deleted_message_is_not_answered() -> None:
    lane = Lane()
    lane.said("first")
    lane.comes(MessageDeleted(**lane.common("1"), message="mfirst"))
    batch, wait = lane.gathering.next(lane.items)
    assert isinstance(batch.lead.event, MessageDeleted)
    assert [item.id for item in batch.settled] == [1]
    assert wait == timedelta(0)


def test_a_deleted_message_is_not_answered_for_an_edit_that_comes_behind() -> None:
    lane = Lane()
    lane.said("first")
    lane.comes(MessageDeleted(**lane.common("1"), message="mfirst"))
    lane.edited("first", "too late")
    batch, _ = lane.gathering.next(lane.items)
    assert isinstance(batch.lead.event, MessageDeleted)
    assert sorted(item.id for item in batch.settled) == [1, 3]


def test_an_edited_command_changes_nothing() -> None:
    lane = Lane()
    lane.said("/memory")
    lane.edited("/memory", "/forget yes all")
    batch, _ = lane.gathering.next(lane.items)
    assert (texts(batch), batch.settled) == (["/memory"], ())


def test_no_pause_gathers_nothing() -> None:
    lane = Lane()
    lane.gathering = Gathering(timedelta(0), timedelta(0), lane.clock)
    lane.said("one")
    lane.said("two")
    assert lane.next() == (["one"], 0)
    assert isinstance(lane.clock.now(), datetime)
