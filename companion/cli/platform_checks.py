"""What `companion doctor` sees of the chat platforms: a small request to each that has a token."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import timedelta

from adapters.all import check
from companion.cli.database import looked_at
from companion.errors import OperatorError
from companion.findings import Finding
from companion.home import Home
from companion.settings import Settings
from companion.storage import access, people
from companion.storage.database import Tx

PATIENCE = timedelta(seconds=5)

_NOBODY_YET = (
    "Nobody is let in there yet: start `companion run`, write to the bot, and let yourself in with"
    " `companion people approve` and the code that it answers with."
)


async def check_platforms(
    settings: Settings, home: Home, environ: Mapping[str, str], patience: timedelta = PATIENCE
) -> AsyncIterator[Finding]:
    """A finding for each platform that there is, whether it is set up or not.

    None of their servers is waited for longer than `patience`.
    """
    async for finding, allowed in check(settings, environ, patience):
        works = finding.state == "ok" and not finding.advice
        if works and not allowed and not await _lets_somebody_in(finding.about, home, environ):
            finding = replace(finding, advice=_NOBODY_YET)
        yield finding


async def _lets_somebody_in(platform: str, home: Home, environ: Mapping[str, str]) -> bool:
    def query(tx: Tx) -> bool:
        standings = (
            access.standing(tx, platform, account.user)
            for person in people.everybody(tx)
            for account in people.accounts(tx, person.id)
            if account.platform == platform
        )
        return any(one is not None and one.admitted and not one.revoked for one in standings)

    if not home.database.is_file():
        return False
    try:
        async with looked_at(home, environ) as database:
            return await database.read(query)
    except OperatorError:  # the check of the database tells of it
        return True
