"""Errors as they may be logged: a library's own words often quote what people wrote."""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from companion.errors import LLMError, OperatorError

_ROOT = Path(__file__).parent.parent
_OURS = ("companion", "adapters")
_SAFE = (LLMError, OperatorError, OSError)
"""Whose words are made for the operator and quote nobody."""

FRAMES = 12
CAUSES = 5


def error_text(error: BaseException) -> str:
    """What `error` is, and where in our own code it went through, for itself and its causes.

    Its words are in it only where they are sure to quote nobody.
    """
    return " <- ".join(_one(cause) for cause in _causes(error))


def why(error: BaseException) -> str:
    """What is wrong with a file, in words: without the system's number and the file's name."""
    match error:
        case OSError(strerror=str(words)):
            return words
        case UnicodeDecodeError():
            return "it is not text in UTF-8"
    return str(error)


def _one(error: BaseException) -> str:
    said = f": {error}" if isinstance(error, _SAFE) else ""
    frames = list(_frames(error.__traceback__))[-FRAMES:]
    where = f" at {' > '.join(frames)}" if frames else ""
    return f"{type(error).__name__}{said}{where}"


def _causes(error: BaseException) -> list[BaseException]:
    """`error` and what it came from, in turn; of a group what is in it."""
    found: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting and len(found) < CAUSES:
        one = waiting.pop(0)
        if one is None or one in found:
            continue
        found.append(one)
        if isinstance(one, BaseExceptionGroup):
            waiting.extend(one.exceptions)
        waiting.append(one.__cause__ or (None if one.__suppress_context__ else one.__context__))
    return found


def _frames(traceback: TracebackType | None) -> Iterator[str]:
    while traceback is not None:
        code = traceback.tb_frame.f_code
        path = Path(code.co_filename)
        if path.is_relative_to(_ROOT) and path.relative_to(_ROOT).parts[0] in _OURS:
            yield f"{path.relative_to(_ROOT).as_posix()}:{traceback.tb_lineno} {code.co_name}"
        traceback = traceback.tb_next
