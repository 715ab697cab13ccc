"""The home's folders, and its lock against a second process, with real processes."""

import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from companion.clock import SystemClock
from companion.errors import HomeInUseError, OperatorError
from companion.home import Home
from companion.storage.database import Database

CLOCK = SystemClock()
NOBODY = 65534

HOLD = """
import sys
from pathlib import Path
from companion.clock import SystemClock
from companion.home import Home
import subprocess

with Home(Path(sys.argv[1])).lock(SystemClock()):
    if "with-child" in sys.argv:
        subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    print("locked", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "some" / "home")
    home.make()
    return home


@contextmanager
def holder(home: Home, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """Another process that holds the lock until its stdin is closed."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(home.path), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def as_plain_user() -> Iterator[Path]:
    """A folder of a user who, unlike root, is bound by permissions; the test runs as that user."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        user = os.geteuid()
        if user == 0:
            os.chown(folder, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            yield folder
        finally:
            os.seteuid(user)
            folder.chmod(0o700)


def test_a_home_is_made_for_its_owner_alone(home: Home) -> None:
    folders = [home.path, home.attachments, home.logs, home.models, home.backups]
    assert [folder.stat().st_mode & 0o777 for folder in folders] == [0o700] * 5
    home.make()


def test_a_home_that_is_a_file_is_refused_in_words(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    for path in (file, file / "home"):
        with pytest.raises(OperatorError, match=r"a file where a folder should be \(.*COMPANION_H"):
            Home(path).make()


@pytest.mark.parametrize("mode", [0o000, 0o500, 0o300])
def test_a_home_that_cannot_be_read_and_written_is_refused_in_words(mode: int) -> None:
    with as_plain_user() as folder:
        folder.chmod(mode)
        with pytest.raises(OperatorError, match=r"Permission denied.*Give it to the user"):
            Home(folder).make()
        if not mode & 0o200:
            with pytest.raises(OperatorError, match=r"Permission denied.*Give it to the user"):
                Home(folder / "home").make()


def test_a_second_process_is_refused_and_told_who_is_there(home: Home) -> None:
    begun = datetime.now(UTC).replace(microsecond=0)  # noqa: TID251 - the other process's clock
    with holder(home) as other:
        with pytest.raises(HomeInUseError) as raised, home.lock(CLOCK):
            pass
        text = str(raised.value)
        assert f"process {other.pid}, since " in text
        since = datetime.fromisoformat(text.split("since ")[1].split(" UTC")[0] + "+00:00")
        assert begun <= since <= datetime.now(UTC)  # noqa: TID251
        # to ask twice does no harm to the holder's name in the file
        with pytest.raises(HomeInUseError, match=f"process {other.pid}"), home.lock(CLOCK):
            pass


def test_the_lock_holds_inside_one_process_as_well(home: Home) -> None:
    with home.lock(CLOCK):
        second = home.lock(CLOCK)
        with pytest.raises(HomeInUseError, match=f"process {os.getpid()}"):
            second.__enter__()
    with home.lock(CLOCK):
        pass


@pytest.mark.parametrize("arguments", [[], ["with-child"]])
def test_a_lock_is_free_once_its_holder_was_killed(home: Home, arguments: list[str]) -> None:
    with holder(home, *arguments) as other:
        other.kill()
        other.wait()
        with home.lock(CLOCK):
            pass


def test_a_home_can_be_taken_while_somebody_looks_whether_it_is_in_use(home: Home) -> None:
    with home.lock(CLOCK):
        pass
    looking = (home.path / "companion.lock").open("rb")
    fcntl.flock(looking, fcntl.LOCK_SH)
    threading.Timer(0.02, looking.close).start()
    with home.lock(CLOCK):
        assert looking.closed


def test_a_lock_whose_file_cannot_be_made_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="cannot be locked"), Home(tmp_path / "no").lock(CLOCK):
        pass


async def test_a_database_in_use_can_be_looked_at_without_the_lock(home: Home) -> None:
    db = await Database.open(home.database)
    await db.write(
        lambda tx: tx.execute("INSERT INTO person (name, created_at) VALUES ('Ada', '')")
    )
    look = f"""
import asyncio
from pathlib import Path
from companion.errors import DatabaseError
from companion.storage.database import Database

async def main():
    db = await Database.open(Path({str(home.database)!r}), read_only=True)
    print(await db.read(lambda tx: tx.execute("SELECT name FROM person").fetchall()))
    try:
        await db.write(lambda tx: tx.execute("DELETE FROM person"))
    except DatabaseError as error:
        print(error)
    await db.close()

asyncio.run(main())
"""
    with home.lock(CLOCK):
        seen = subprocess.run(  # noqa: ASYNC221 - nothing else runs here
            [sys.executable, "-c", look], capture_output=True, text=True, check=True
        ).stdout
    assert seen.splitlines() == [
        "[('Ada',)]",
        f"{home.database} is open for reading only: nothing can be written.",
    ]
    assert await db.read(lambda tx: tx.execute("SELECT count(*) FROM person").fetchone()) == (1,)
    await db.close()


async def test_looking_at_a_home_makes_no_database(home: Home) -> None:
    with pytest.raises(OperatorError, match="no database at"):
        await Database.open(home.database, read_only=True)
    assert not home.database.exists()


def test_it_is_told_which_process_runs_on_a_home(home: Home) -> None:
    assert home.holder() is None
    with holder(home) as process:
        assert f"process {process.pid}, since " in str(home.holder())
    assert home.holder() is None


def test_nobody_runs_on_a_home_that_is_not_there(tmp_path: Path) -> None:
    assert Home(tmp_path / "nothing").holder() is None


def test_a_check_says_what_making_it_would_and_makes_nothing() -> None:
    with as_plain_user() as folder:
        home = Home(folder / "some" / "home")
        assert not home.check()
        folder.chmod(0o500)
        with pytest.raises(OperatorError) as checked:
            home.check()
        with pytest.raises(OperatorError) as made:
            home.make()
        assert str(checked.value) == str(made.value)
        assert "cannot be used: Permission denied. Give it to the user" in str(made.value)
        folder.chmod(0o700)
        assert list(folder.iterdir()) == []
        home.make()
        assert home.check()
