"""Wakes what fires due events: at the next moment, and every few seconds besides.

APScheduler is the timer and no more than that: its own job store loses and doubles jobs, ours are
rows. Looking again every few seconds finds what was scheduled meanwhile, and a clock that was set.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.date import DateTrigger
from apscheduler.triggers.interval import IntervalTrigger

from companion.clock import Clock, SystemClock
from companion.timed.firing import Firing

EVERY = timedelta(seconds=20)


@asynccontextmanager
async def alarm(firing: Firing, clock: Clock) -> AsyncIterator[None]:
    """While this lasts, what is due fires, beginning with what was due before.

    Nothing here is so exact that a thing can be scheduled less than a minute ahead.
    """
    machine = SystemClock()
    scheduler = AsyncIOScheduler(
        timezone="UTC",
        job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
    )

    async def look() -> None:
        following = await firing.fire_due()
        if following is None:
            return
        wait = following - clock.now()  # by our clock; the machine's may be another
        if timedelta(0) < wait < EVERY:
            at = machine.now() + wait
            scheduler.add_job(look, DateTrigger(at), id="next", replace_existing=True)

    scheduler.add_job(look, IntervalTrigger(seconds=int(EVERY.total_seconds())), id="look")
    await look()
    scheduler.start()
    try:
        yield
    finally:
        scheduler.shutdown(wait=False)
