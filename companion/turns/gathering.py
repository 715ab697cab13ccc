"""Which events of a lane one turn answers: quick messages together, with their edits applied."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice

from companion.clock import Clock
from companion.commands.declare import command_name
from companion.events import (
    FileReceived,
    MessageDeleted,
    MessageEdited,
    MessageReceived,
    TimerFired,
)
from companion.storage.inbox import InboxItem

NOW = timedelta(0)
AHEAD = 200
"""How far a lane is searched for what belongs to its first event."""
RESOLUTION = timedelta(seconds=1)
"""Platforms tell the time of a message in whole seconds."""
ALBUM_PAUSE = timedelta(seconds=1)
"""The files of an album come one by one, and belong together even where nothing is gathered."""
AT_MOST_FOR_AN_ALBUM = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class Batch:
    """What one turn deals with: the event `lead`, with the messages that came right before it.

    `settled` are events that need nothing more: edits that were applied, deleted messages.
    """

    lead: InboxItem
    earlier: tuple[InboxItem, ...] = ()
    settled: tuple[InboxItem, ...] = ()


class Gathering:
    """Waits `pause` after a message for the next one, `at_most` in all; no pause gathers nothing.

    Whether messages belong together depends on when they were written, so that those that waited
    for a start are answered as they would have been.
    """

    def __init__(self, pause: timedelta, at_most: timedelta, clock: Clock) -> None:
        self._pause = pause
        self._at_most = at_most
        self._clock = clock

    def next(self, lane: Sequence[InboxItem]) -> tuple[Batch, timedelta]:
        """The next batch of a lane, and how long to wait before it for what may still come."""
        first = lane[0]
        # a command waits for no model: neither for one that is down, nor for more to be said
        if first.attempts or (_may_go_on(first) and not first.begun):
            for item in islice(lane, 1, AHEAD):
                if command_name(item.event) is not None:
                    return Batch(item), NOW
        if first.begun or isinstance(first.event, TimerFired):
            return Batch(first), NOW
        run, changes, closed = self._run(lane)
        kept, settled = _changed(run, changes)
        if not kept:
            deletion = next(c for c in reversed(changes) if isinstance(c.event, MessageDeleted))
            others = (change for change in changes if change is not deletion)
            return Batch(deletion, settled=(*run, *others)), NOW
        alone = closed or not (_may_go_on(first) or _album(first))
        wait = NOW if alone else self._until_all_came(run)
        return Batch(kept[-1], tuple(kept[:-1]), tuple(settled)), wait

    def _run(self, lane: Sequence[InboxItem]) -> tuple[list[InboxItem], list[InboxItem], bool]:
        """The messages at the head of `lane` that belong together, what changes them, and whether
        something else stands behind them."""
        run = [lane[0]]
        changes: list[InboxItem] = []
        closed = False
        for item in islice(lane, 1, AHEAD):
            if isinstance(item.event, MessageEdited | MessageDeleted):
                if any(_changes(item, other) for other in run):
                    changes.append(item)
            elif not closed and self._belongs(item, run):
                run.append(item)
            else:
                closed = True
        return run, changes, closed

    def _belongs(self, item: InboxItem, run: Sequence[InboxItem]) -> bool:
        first, last = run[0], run[-1]
        if _album(item) and _album(item) == _album(last):
            return True
        return (
            self._pause > NOW
            and _may_go_on(last)
            and _may_go_on(item)
            and item.conversation == first.conversation
            and _sender(item) == _sender(first)
            and item.event.at - last.event.at <= self._pause + RESOLUTION
            and item.event.at - first.event.at <= self._at_most
        )

    def _until_all_came(self, run: Sequence[InboxItem]) -> timedelta:
        pause, at_most = self._pause, self._at_most
        if _album(run[-1]):
            pause, at_most = max(pause, ALBUM_PAUSE), max(at_most, AT_MOST_FOR_AN_ALBUM)
        until = min(run[-1].received_at + pause, run[0].received_at + at_most)
        return max(until - self._clock.now(), NOW)


def _may_go_on(item: InboxItem) -> bool:
    event = item.event
    return isinstance(event, MessageReceived | FileReceived) and event.more_may_follow


def _album(item: InboxItem) -> str:
    """The album that a file belongs to, where it was sent and for whom; empty for none."""
    event = item.event
    if not isinstance(event, FileReceived) or not event.album:
        return ""
    return f"{item.conversation}/{event.album}/{event.addressed}"


def albums(items: Sequence[InboxItem]) -> list[list[InboxItem]]:
    """`items` in order, the files of one album together and everything else by itself."""
    found: list[list[InboxItem]] = []
    for item in items:
        if found and _album(item) and _album(item) == _album(found[-1][-1]):
            found[-1].append(item)
        else:
            found.append([item])
    return found


def _sender(item: InboxItem) -> str:
    return "" if isinstance(item.event, TimerFired) else item.event.sender.user


def _changes(change: InboxItem, item: InboxItem) -> bool:
    return (
        change.conversation == item.conversation
        and isinstance(change.event, MessageEdited | MessageDeleted)
        and isinstance(item.event, MessageReceived | FileReceived)
        and change.event.message == item.event.message
        and command_name(item.event) is None
    )


def _changed(
    run: Sequence[InboxItem], changes: Sequence[InboxItem]
) -> tuple[list[InboxItem], list[InboxItem]]:
    """The messages as they are now, and the events that this settles."""
    kept, settled = list(run), list(changes)
    for change in changes:
        for item in [item for item in kept if _changes(change, item)]:
            if isinstance(change.event, MessageDeleted):
                kept.remove(item)
                settled.append(item)
            elif isinstance(change.event, MessageEdited):
                assert isinstance(item.event, MessageReceived | FileReceived)
                item.event = replace(item.event, text=change.event.text)
    return kept, settled
