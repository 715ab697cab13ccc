"""What is wrong with settings, in words that say what to do."""

import difflib
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from companion.settings_words import in_words

_VARIABLES = {"base_url": "OPENAI_BASE_URL", "level": "COMPANION_LOG"}


def explain(error: ValidationError, where: str, settings: type[BaseModel]) -> str:
    """What is wrong in the file called `where`, a line a fault."""
    return "\n".join(f"{where}: {_fault(fault, settings)}" for fault in error.errors())


def explain_variable(error: ValidationError) -> str:
    """What is wrong in environment variables, a line a fault."""
    return "\n".join(
        f"{_VARIABLES[str(fault['loc'][0])]}: {_reason(fault)}" for fault in error.errors()
    )


def _fault(fault: ErrorDetails, settings: type[BaseModel]) -> str:
    key = ".".join(part for part in fault["loc"] if isinstance(part, str))
    where = "".join(f" (number {part + 1})" for part in fault["loc"] if isinstance(part, int))
    if fault["type"] != "extra_forbidden":
        return f"{key}{where}: {_reason(fault)}" if key else _reason(fault)
    known = _known_keys(fault["loc"], settings)
    near = difflib.get_close_matches(key.rpartition(".")[2], known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"known here: {', '.join(known)}"
    return f"unknown key {key}{where}; {hint}"


def _reason(fault: ErrorDetails) -> str:
    """What is wrong. A value is shown unless it may be a key written in the wrong place."""
    name = fault["loc"][-1] if fault["loc"] else ""
    if name == "api_key_env":
        return "write the name of an environment variable here, never the key itself"
    if fault["type"] == "tuple_type":
        return _list_wanted(str(name), fault["input"])
    message = in_words(fault, str(name))
    if str(name).endswith(("_url", "api_base", "gateway")) or isinstance(fault["input"], dict):
        return message
    return f"{message} (it is {fault['input']!r})"


def _list_wanted(key: str, written: object) -> str:
    """What to write where something else than a list stands."""
    if key == "models":
        return "write [[models]], with two brackets on each side: there may be several"
    # all other lists are of ids
    if isinstance(written, int) or (isinstance(written, str) and written.isdecimal()):
        return f"write a list: {key} = [{written}]"
    return f"write a list of ids, which are numbers, not names: {key} = [123456789]"


def _known_keys(location: tuple[int | str, ...], settings: type[BaseModel]) -> list[str]:
    section: Any = settings
    for part in location[:-1]:
        if isinstance(part, str):
            annotation = section.model_fields[part].annotation
            section = getattr(annotation, "__args__", (annotation,))[0]
    return list(section.model_fields)
