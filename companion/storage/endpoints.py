"""What servers were found to be able to do."""

from datetime import timedelta

from companion.clock import Clock
from companion.llm.abilities import Abilities
from companion.storage.database import Database, Tx

KEPT_FOR = timedelta(days=7)
"""How long a server is believed to stay as it is; it may be updated, or its model replaced."""


class EndpointStore:
    """Abilities by endpoint and model. Nobody's personal data."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def abilities(self, base_url: str, model: str) -> Abilities | None:
        """What was remembered within `KEPT_FOR`, or None."""
        oldest = (self._clock.now() - KEPT_FOR).isoformat()

        def query(tx: Tx) -> str | None:
            row = tx.execute(
                """
                SELECT abilities FROM endpoint
                 WHERE base_url = :base_url AND model = :model AND checked_at > :oldest
                """,
                {"base_url": base_url, "model": model, "oldest": oldest},
            ).fetchone()
            return str(row[0]) if row else None

        text = await self._database.read(query)
        return Abilities.from_json(text) if text else None

    async def remember(self, base_url: str, model: str, abilities: Abilities) -> None:
        """Keep `abilities` from now on, in place of what was known."""
        values = {
            "base_url": base_url,
            "model": model,
            "abilities": abilities.to_json(),
            "checked_at": self._clock.now().isoformat(),
        }

        def write(tx: Tx) -> None:
            tx.execute(
                """
                INSERT INTO endpoint (base_url, model, abilities, checked_at)
                VALUES (:base_url, :model, :abilities, :checked_at)
                    ON CONFLICT (base_url, model) DO UPDATE
                   SET abilities = excluded.abilities, checked_at = excluded.checked_at
                """,
                values,
            )

        await self._database.write(write)
