"""What `companion doctor` looks at, one thing a function."""

import platform
import shlex
import shutil
import stat
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from companion.cli.database import looked_at
from companion.cli.embedder_checks import check_embedder
from companion.cli.model_checks import check_models
from companion.cli.platform_checks import check_platforms
from companion.errors import OperatorError
from companion.findings import Finding
from companion.home import Home
from companion.settings import load, settings_path
from companion.shipped import persona
from companion.storage.migrate import migrations
from companion.storage.versions import versions

LITTLE_SPACE, TOO_LITTLE_SPACE = 1_000_000_000, 100_000_000
OTHERS_LOOK = stat.S_IRWXG | stat.S_IRWXO
PLAIN_DATABASE = b"SQLite format 3\0"


async def examine(home: Home, environ: Mapping[str, str]) -> AsyncIterator[Finding]:
    """Look at everything, in the order in which a conversation needs it."""
    yield _python()
    yield _sqlite()
    found = _home(home)
    yield found
    if found.state == "fail":  # nothing in it could be looked at
        return
    yield _space(home)
    yield await _database(home, environ)
    try:
        path = settings_path(environ)
    except OperatorError as error:
        yield Finding(about="settings", state="fail", text=str(error), advice=_VARIABLE_ADVICE)
        return
    try:
        persona(load(path, {}).agent, home.path)
    except OperatorError as error:
        yield Finding(about="settings", state="fail", text=str(error), advice=_SETTINGS_ADVICE)
        return
    try:
        settings = load(path, environ)
    except OperatorError as error:
        yield Finding(about="settings", state="fail", text=str(error), advice=_VARIABLE_ADVICE)
        return
    yield Finding(about="settings", state="ok", text=str(path or "none, so all are the defaults"))
    yield await check_embedder(settings.embedder, home, environ)
    async for finding in check_models(settings, home, environ):
        yield finding
    async for finding in check_platforms(settings, home, environ):
        yield finding


_SETTINGS_ADVICE = "Mend that file; `companion init` writes one where every setting is explained."
_VARIABLE_ADVICE = "That is an environment variable: set it right, or unset it."


def _python() -> Finding:
    text = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    return Finding(about="python", state="ok", text=text)


def _sqlite() -> Finding:
    try:
        engine, vectors = versions()
    except OperatorError as error:
        return Finding(about="sqlite", state="fail", text=str(error))
    return Finding(about="sqlite", state="ok", text=f"{engine}, with sqlite-vec {vectors}")


def _home(home: Home) -> Finding:
    try:
        there = home.check()
    except OperatorError as error:
        return Finding(about="home", state="fail", text=str(error))
    if not there:
        text = f"{home.path} is not there yet; the first conversation makes it"
        return Finding(about="home", state="ok", text=text)
    holder = home.holder()
    text = f"{home.path}, in use by {holder}" if holder else f"{home.path}, not in use"
    if home.path.stat().st_mode & OTHERS_LOOK:
        text += "; other users of this machine may look into it"
        advice = f"To keep it to yourself: chmod 700 {shlex.quote(str(home.path))}"
        return Finding(about="home", state="warn", text=text, advice=advice)
    return Finding(about="home", state="ok", text=text)


def _space(home: Home) -> Finding:
    folder = next(path for path in (home.path, *home.path.parents) if path.is_dir())
    disk = shutil.disk_usage(folder)
    if not disk.total:  # as some network drives have it
        return Finding(about="disk", state="ok", text=f"{folder} does not tell how much is free")
    free = disk.free
    text = f"{free / 1e9:,.1f} GB free"
    if free > LITTLE_SPACE:
        return Finding(about="disk", state="ok", text=text)
    advice = f"Free some space on the disk of {folder}, or set COMPANION_HOME to another one."
    enough = free > TOO_LITTLE_SPACE
    return Finding(about="disk", state="warn" if enough else "fail", text=text, advice=advice)


async def _database(home: Home, environ: Mapping[str, str]) -> Finding:
    if not home.database.is_file():
        text = "none yet; the first conversation makes it"
        return Finding(about="database", state="ok", text=text)
    try:
        async with looked_at(home, environ):
            pass
    except OperatorError as error:
        return Finding(about="database", state="fail", text=str(error))
    size = home.database.stat().st_size / 1e6
    encrypted = "not encrypted" if _is_plain(home.database) else "encrypted"
    text = f"{size:,.1f} MB, schema {len(migrations())}, {encrypted}"
    return Finding(about="database", state="ok", text=text)


def _is_plain(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(PLAIN_DATABASE)) == PLAIN_DATABASE
