"""What is kept of the chat platforms themselves: health, and what nobody could read."""

from dataclasses import dataclass
from datetime import datetime

from companion.storage.database import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How it goes with a platform. `heard_at` is the last finished round trip, in UTC."""

    name: str
    heard_at: datetime | None
    trouble: str | None
    dead_letters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """Something that a platform gave and nobody could read. `user` is who sent it, if known."""

    platform: str
    id: str
    body: str
    error: str
    user: str | None = None


def heard(tx: Tx, name: str, now: datetime) -> None:
    """A round trip with the platform was finished, so nothing is wrong."""
    tx.execute(
        "INSERT INTO platform (name, heard_at) VALUES (:name, :now)"
        " ON CONFLICT (name) DO UPDATE SET heard_at = :now, trouble = NULL",
        {"name": name, "now": now.isoformat()},
    )


def troubled(tx: Tx, name: str, trouble: str) -> None:
    """Something is wrong with the platform."""
    tx.execute(
        "INSERT INTO platform (name, trouble) VALUES (:name, :trouble)"
        " ON CONFLICT (name) DO UPDATE SET trouble = :trouble",
        {"name": name, "trouble": trouble},
    )


def all_of_them(tx: Tx) -> list[Health]:
    """The platforms that were ever connected to."""
    rows = tx.execute(
        "SELECT name, heard_at, trouble, (SELECT COUNT(*) FROM dead_letter WHERE platform = name)"
        " FROM platform ORDER BY name"
    )
    return [
        Health(
            name=row[0],
            heard_at=datetime.fromisoformat(row[1]) if row[1] else None,
            trouble=row[2],
            dead_letters=row[3],
        )
        for row in rows
    ]


def bury(tx: Tx, letter: DeadLetter, person: int | None, now: datetime) -> bool:
    """Keep what could not be read. False when it was kept before."""
    row = tx.execute(
        "INSERT INTO dead_letter (platform, external_id, person_id, body, error, received_at)"
        " VALUES (:platform, :id, :person, :body, :error, :now)"
        " ON CONFLICT (platform, external_id) DO NOTHING RETURNING 1",
        {
            "platform": letter.platform,
            "id": letter.id,
            "person": person,
            "body": letter.body if person is not None else None,
            "error": letter.error,
            "now": now.isoformat(),
        },
    ).fetchone()
    return row is not None
