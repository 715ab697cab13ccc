"""The power is cut at any moment: what a write returned for is there, and nothing is half done."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from companion.errors import DatabaseError
from companion.storage.database import Database, Tx
from tests.support import folders
from tests.support.power_loss_vfs import Disk, forgetful_disk

SEEDS = int(os.environ.get("POWER_LOSS_SEEDS", "30"))
WRITES = 40

Setting = Callable[[Tx], None]


def checkpoint_often(tx: Tx) -> None:
    tx.execute("PRAGMA wal_autocheckpoint = 30")


def sync_seldom(tx: Tx) -> None:
    tx.execute("COMMIT")  # it cannot be set inside a transaction
    tx.execute("PRAGMA synchronous = NORMAL")
    tx.execute("BEGIN IMMEDIATE")


def pair(number: int, filling: str) -> Callable[[Tx], int]:
    """A write of two rows and a counter that belong together."""

    def work(tx: Tx) -> int:
        for side in ("left", "right"):
            tx.execute(
                "INSERT INTO person (name, timezone, created_at) VALUES (:name, :filling, '')",
                {"name": f"{number} {side}", "filling": filling},
            )
        tx.execute("UPDATE person SET evicted_through = evicted_through + 1 WHERE id = 1")
        return number

    return work


async def live(
    path: Path, random: Random, key: str | None, settings: tuple[Setting, ...]
) -> set[int]:
    """Write, alone and many at once, until done or the power is off: the writes that returned."""
    returned: set[int] = set()
    try:
        db = await Database.open(path, key=key)
    except DatabaseError:
        return returned
    for setting in settings:
        await asyncio.gather(db.write(setting), return_exceptions=True)
    number = 0
    while number < WRITES:
        together = range(number, number + random.randint(1, 6))
        works = [pair(n, "x" * random.randint(0, 9000)) for n in together]
        outcomes = await asyncio.gather(*map(db.write, works), return_exceptions=True)
        returned |= {outcome for outcome in outcomes if isinstance(outcome, int)}
        number = together.stop
    await db.close()
    return returned


async def found(path: Path, key: str | None) -> set[int]:
    """The writes that are in the database, after a look at all of it."""
    db = await Database.open(path, key=key)
    assert await db.read(lambda tx: tx.execute("PRAGMA integrity_check").fetchall()) == [("ok",)]
    assert await db.read(lambda tx: tx.execute("PRAGMA foreign_key_check").fetchall()) == []
    names = await db.read(lambda tx: tx.execute("SELECT name FROM person").fetchall())
    counter = await db.read(
        lambda tx: tx.execute("SELECT evicted_through FROM person WHERE id = 1").fetchone()
    )
    halves = [name.split() for (name,) in names]
    lefts = [int(number) for number, side in halves if side == "left"]
    assert lefts == [int(number) for number, side in halves if side == "right"]
    assert counter == ((len(lefts),) if lefts else None)
    assert await db.write(pair(WRITES * 2, "")) == WRITES * 2  # and it goes on
    await db.close()
    return set(lefts)


async def lost(
    folder: Path, seed: int, *settings: Setting, key: str | None = None, unsynced: bool = True
) -> set[int]:
    """Cut the power somewhere in a life of writes: those that returned and are not there.

    `unsynced` lets a random part of what was not synced be there.
    """
    whole, cut, after = (folder / name for name in ("whole", "cut", "after"))
    for part in (whole, cut, after):
        part.mkdir()
    with forgetful_disk(whole) as disk:
        assert len(await live(whole / "companion.db", Random(seed), key, settings)) >= WRITES
    operations = disk.operations
    with forgetful_disk(cut) as disk:
        disk.cut_power_at(Random(seed).randrange(operations))
        returned = await live(cut / "companion.db", Random(seed), key, settings)
    disk.after_power_loss(after, Random(seed) if unsynced else None)
    return returned - await found(after / "companion.db", key)


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_no_write_that_returned_is_lost_when_the_power_is_cut(
    tmp_path: Path, seed: int
) -> None:
    assert await lost(tmp_path, seed, checkpoint_often, unsynced=seed % 4 > 0) == set()


@pytest.mark.parametrize("seed", range(3))
async def test_an_encrypted_database_loses_nothing_either(tmp_path: Path, seed: int) -> None:
    assert await lost(tmp_path, seed, checkpoint_often, key="sésame") == set()


async def test_with_fewer_syncs_the_same_cuts_lose_writes_that_returned(tmp_path: Path) -> None:
    losses = 0
    for seed in range(8):
        (tmp_path / str(seed)).mkdir()
        losses += len(await lost(tmp_path / str(seed), seed, sync_seldom, unsynced=False))
    assert losses > 0


async def test_a_full_disk_stops_writes_until_there_is_space_again(tmp_path: Path) -> None:
    path = tmp_path / "companion.db"
    with forgetful_disk(tmp_path) as disk:
        db = await Database.open(path)
        await db.write(pair(0, ""))
        disk.fill(20_000)
        works = [pair(n, "x" * 50_000) for n in (1, 2, 3)]
        outcomes = await asyncio.gather(*map(db.write, works), return_exceptions=True)
        for outcome in outcomes:
            assert isinstance(outcome, DatabaseError)
            assert f"The disk is full: {path} cannot grow. Nothing" in str(outcome)
        assert await db.read(lambda tx: tx.execute("SELECT count(*) FROM person").fetchone()) == (
            2,
        )
        disk.fill(None)
        assert await db.write(pair(4, "x" * 50_000)) == 4
        await db.close()
    assert await found(path, None) == {0, 4}


def write_through(disk: Disk, *changes: tuple[int, bytes | None], sync: bool) -> None:
    inode = disk.opened("file", 0)
    for offset, data in changes:
        disk.truncated(inode, offset) if data is None else disk.wrote(inode, offset, data)
    if sync:
        disk.synced(inode)


def test_the_disk_keeps_what_was_synced_and_drops_the_rest(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    before.mkdir()
    after.mkdir()
    (before / "file").write_bytes(b"old content")
    disk = Disk(before)
    write_through(disk, (0, b"NEW"), (8, None), sync=True)
    write_through(disk, (4, b"CONTENT"), sync=False)
    disk.after_power_loss(after, None)
    assert folders.contents(after) == {"file": b"NEW cont"}


def test_the_disk_tears_an_unsynced_write_between_sectors_only(tmp_path: Path) -> None:
    before = tmp_path / "before"
    before.mkdir()
    (before / "file").write_bytes(b"o" * 2048)
    disk = Disk(before)
    write_through(disk, (0, b"n" * 2048), sync=False)
    seen = set()
    for seed in range(50):
        after = tmp_path / str(seed)
        after.mkdir()
        disk.after_power_loss(after, Random(seed))
        content = folders.contents(after)["file"]
        sectors = [content[at : at + 512] for at in range(0, 2048, 512)]
        assert all(sector in (b"o" * 512, b"n" * 512) for sector in sectors)
        seen.add(content)
    assert len(seen) > 5


def test_a_new_name_is_lost_and_a_deleted_one_comes_back_until_the_folder_is_synced(
    tmp_path: Path,
) -> None:
    before, lost_folder, kept = (tmp_path / name for name in ("before", "lost", "kept"))
    for folder in (before, lost_folder, kept):
        folder.mkdir()
    (before / "gone").write_bytes(b"still here")
    disk = Disk(before)
    write_through(disk, (0, b"new"), sync=True)
    disk.deleted("gone", sync_folder=False)
    disk.after_power_loss(lost_folder, None)
    assert folders.contents(lost_folder) == {"gone": b"still here"}
    disk.deleted("other", sync_folder=True)
    disk.after_power_loss(kept, None)
    assert folders.contents(kept) == {"file": b"new"}
