"""Writing a `companion.toml` with a person's answers filled in."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from companion.error_text import why
from companion.errors import OperatorError
from companion.private import make_file, make_folder
from companion.settings import parse
from companion.shipped import settings_template


def write_settings(path: Path, *, name: str | None = None, model: Mapping[str, object]) -> None:
    """Write the explained settings to `path`, with the companion's name and its first model.

    `model` has the keys of [[models]]; empty, no endpoint is configured. A file that was there is
    kept beside it as `companion.toml.before`.

    Raises:
        SettingsError: an answer is no good.
        OperatorError: it cannot be written.
    """
    text = filled_in(settings_template(), name=name, model=model)
    parse(text, path.name)
    try:
        make_folder(path.parent)
        if path.exists():
            path.replace(path.with_name(path.name + ".before"))
        make_file(path)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OperatorError(f"{path} cannot be written: {why(error)}.") from error


def filled_in(template: str, *, name: str | None, model: Mapping[str, object]) -> str:
    """`template` with these settings in force; the others stay as they are, commented out."""
    before, head, after = template.partition("#[[models]]\n")
    block, gap, after = after.partition("\n# The model that runs inside")
    if name is not None:
        before = _set(before, "name", name)
    if model:
        head = "[[models]]\n"
        for key, value in model.items():
            block = _set(block, key, value)
    return before + head + block + gap + after


def _set(text: str, key: str, value: object) -> str:
    # TOML's strings, numbers and truths are JSON's.
    line = f"{key} = {json.dumps(value, ensure_ascii=False)}"
    text, times = re.subn(rf"^#{key} = .*$", lambda _: line, text, count=1, flags=re.MULTILINE)
    if not times:
        raise LookupError(f"the shipped settings do not explain {key}")
    return text
