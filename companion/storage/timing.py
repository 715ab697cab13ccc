"""When a person wants to be written to unasked: quiet hours, and a pause."""

from dataclasses import dataclass
from datetime import datetime, time

from companion.storage.database import Tx
from companion.timed.hours import Hours


@dataclass(frozen=True, slots=True)
class Timing:
    """What a person said of it; `quiet` is None while they said nothing."""

    quiet: Hours | None = None
    paused_until: datetime | None = None

    def paused(self, now: datetime) -> bool:
        """Whether the companion shall write nothing of its own accord."""
        return self.paused_until is not None and now < self.paused_until


def get(tx: Tx, person: int) -> Timing:
    """What the person said of when to write to them."""
    row = tx.execute(
        "SELECT quiet_from, quiet_until, paused_until FROM timing WHERE person_id = :person",
        {"person": person},
    ).fetchone()
    return read(*row) if row else Timing()


def read(begins: str | None, ends: str | None, paused_until: str | None) -> Timing:
    """A row, as it is stored."""
    return Timing(
        Hours(time.fromisoformat(begins), time.fromisoformat(ends)) if begins and ends else None,
        datetime.fromisoformat(paused_until) if paused_until else None,
    )


def set_quiet(tx: Tx, person: int, quiet: Hours) -> None:
    """Remember the person's quiet hours."""
    tx.execute(
        "INSERT INTO timing (person_id, quiet_from, quiet_until) VALUES (:person, :begins, :ends)"
        " ON CONFLICT (person_id) DO UPDATE SET quiet_from = :begins, quiet_until = :ends",
        {
            "person": person,
            "begins": quiet.begin.isoformat("minutes"),
            "ends": quiet.end.isoformat("minutes"),
        },
    )


def set_paused(tx: Tx, person: int, until: datetime | None) -> None:
    """Write nothing unasked to the person until then; None ends a pause."""
    tx.execute(
        "INSERT INTO timing (person_id, paused_until) VALUES (:person, :until)"
        " ON CONFLICT (person_id) DO UPDATE SET paused_until = :until",
        {"person": person, "until": until.isoformat() if until else None},
    )


def ask_zone(tx: Tx, person: int, now: datetime) -> bool:
    """Whether to ask the person where they are: only once. Notes it if so."""
    row = tx.execute(
        "INSERT INTO timing (person_id, zone_asked_at) VALUES (:person, :now)"
        " ON CONFLICT (person_id) DO UPDATE SET zone_asked_at = :now"
        " WHERE zone_asked_at IS NULL RETURNING 1",
        {"person": person, "now": now.isoformat()},
    ).fetchone()
    return row is not None
