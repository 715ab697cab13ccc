"""What each person's turns cost, by day and model."""

from dataclasses import dataclass
from datetime import date

from companion.llm.protocol import Usage
from companion.storage.database import Tx


@dataclass(frozen=True, slots=True)
class UsageRow:
    """Requests to one model on one day (UTC)."""

    day: date
    model: str
    requests: int
    usage: Usage


def add(tx: Tx, person: int, day: date, model: str, usage: Usage) -> None:
    """Count one request."""
    tx.execute(
        "INSERT INTO usage (person_id, day, model, requests, prompt_tokens, cached_tokens,"
        " completion_tokens, cost)"
        " VALUES (:person, :day, :model, 1, :prompt, :cached, :completion, :cost)"
        " ON CONFLICT (person_id, day, model) DO UPDATE SET requests = requests + 1,"
        " prompt_tokens = prompt_tokens + excluded.prompt_tokens,"
        " cached_tokens = cached_tokens + excluded.cached_tokens,"
        " completion_tokens = completion_tokens + excluded.completion_tokens,"
        " cost = cost + excluded.cost",
        {
            "person": person,
            "day": day.isoformat(),
            "model": model,
            "prompt": usage.prompt_tokens,
            "cached": usage.cached_tokens,
            "completion": usage.completion_tokens,
            "cost": usage.cost,
        },
    )


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens, read and written, and US dollars."""

    tokens: int
    cost: float


_SPENT = "COALESCE(SUM(prompt_tokens + completion_tokens), 0), COALESCE(SUM(cost), 0)"


def spent(tx: Tx, person: int, day: date) -> Spent:
    """What the person's turns took on this day."""
    row = tx.execute(
        f"SELECT {_SPENT} FROM usage WHERE person_id = :person AND day = :day",
        {"person": person, "day": day.isoformat()},
    ).fetchone()
    return Spent(row[0], row[1])


def spent_by_all(tx: Tx, day: date) -> Spent:
    """What everybody's turns took on this day."""
    row = tx.execute(
        f"SELECT {_SPENT} FROM usage WHERE day = :day", {"day": day.isoformat()}
    ).fetchone()
    return Spent(row[0], row[1])


def of(tx: Tx, person: int) -> list[UsageRow]:
    """The person's usage, newest day first."""
    rows = tx.execute(
        "SELECT day, model, requests, prompt_tokens, cached_tokens, completion_tokens, cost"
        " FROM usage WHERE person_id = :person ORDER BY day DESC, model",
        {"person": person},
    )
    return [UsageRow(date.fromisoformat(row[0]), row[1], row[2], Usage(*row[3:])) for row in rows]
