"""Wakes what fires due events: at the next moment, and every few seconds besides.

APScheduler is the timer and no more than that: its own job store loses and doubles jobs, ours are
rows. Looking again every few seconds finds what was scheduled meanwhile, and a clock that was set.
"""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, timedelta

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.date import DateTrigger
from apscheduler.triggers.interval import IntervalTrigger

from companion.clock import Clock, SystemClock
from companion.errors import DatabaseError
from companion.timed.firing import Firing

logger = logging.getLogger(__name__)

EVERY = timedelta(seconds=20)


@asynccontextmanager
async def alarm(firing: Firing, clock: Clock) -> AsyncIterator[None]:
    """While this lasts, what is due fires, beginning with what was due before.

    What is scheduled a few seconds ahead only may be found a few seconds late.

    Raises:
        DatabaseError: what is due at the start could not be read or written. Later on that is
            logged, and tried again.
    """
    machine = SystemClock()
    scheduler = AsyncIOScheduler(
        timezone="UTC",
        job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
    )

    async def look_again() -> None:
        try:
            await look()
        except DatabaseError as error:
            logger.error("what is due waits for the database: %s", error)  # noqa: TRY400

    async def look() -> None:
        following = await firing.fire_due()
        if following is None:
            return
        wait = following - clock.now()  # by our clock; the machine's may be another
        if timedelta(0) < wait < EVERY:
            at = machine.now() + wait
            scheduler.add_job(look_again, DateTrigger(at), id="next", replace_existing=True)

    every = IntervalTrigger(seconds=int(EVERY.total_seconds()), timezone=UTC)
    scheduler.add_job(look_again, every, id="look")
    await look()
    scheduler.start()
    try:
        yield
    finally:
        scheduler.shutdown(wait=False)
