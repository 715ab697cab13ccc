"""Tasks that end with the block that started them, and work whose failure ends nothing else."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager


@asynccontextmanager
async def task_group() -> AsyncIterator[asyncio.TaskGroup]:
    """As asyncio.TaskGroup, but a single error comes out as it is, not as a group of one.

    Whoever wrote the block catches the error that they know, the operator reads one line.
    """
    try:
        async with asyncio.TaskGroup() as tasks:
            yield tasks
    except BaseExceptionGroup as group:
        if len(group.exceptions) > 1:
            raise
        error = group.exceptions[0]
        raise error from error.__cause__


async def failure_of(
    work: Awaitable[object], *, but: tuple[type[Exception], ...] = ()
) -> Exception | None:
    """What `work` fails with, whatever that is; None when it ends well. `but` these is raised.

    For what others made, or wrote: a library that raises anything, an update that nobody foresaw.
    It costs itself, and whoever calls this tells of it.
    """
    try:
        await work
    except but:
        raise
    except Exception as error:  # noqa: BLE001 - the one place for it besides a lane's worker
        return error
    return None
