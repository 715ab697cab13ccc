"""What came of the samples: JSON lines in a folder, to which a killed run goes on adding."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self, TextIO

from pydantic import TypeAdapter, ValidationError

from companion.error_text import why
from companion.errors import OperatorError
from companion.evaluation.experiment import Method
from companion.evaluation.trace import Exchange

FILE = "samples.jsonl"
RUN = "run.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What was run, and on what. A run is continued only under the same."""

    experiment: str
    model: str
    judge: str
    embedder: str
    window: int
    page_size: int
    seed: int
    data: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of one sample by one method; a line of the file."""

    id: str
    method: Method
    x: int | None
    question: str
    gold: tuple[str, ...]
    answer: str
    scores: Mapping[str, float | None]
    details: Mapping[str, Any]
    requests: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost: float
    seconds: float
    trace: tuple[Exchange, ...]


_results = TypeAdapter(Result)


class Results:
    """The results in a folder. `with` it, so that the file is closed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.done: dict[tuple[str, Method], Result] = {}
        self._file: TextIO | None = None

    def begin(self, run: Run, *, resume: bool) -> Self:
        """Open the folder for `run`: a new one, or with `resume` one that has some results.

        Raises:
            OperatorError: there are results already and they are not to be continued, or they
                are of another run.
        """
        about = self.folder / RUN
        if about.is_file():
            if not resume:
                raise OperatorError(
                    f"{self.folder} holds a run already. --resume goes on with it; --out names"
                    " another folder."
                )
            _same(about, run)
            self._load()
        else:
            self.folder.mkdir(parents=True, exist_ok=True)
            about.write_text(json.dumps(asdict(run), indent=2) + "\n", encoding="utf-8")
        return self

    def __enter__(self) -> Self:
        self._file = (self.folder / FILE).open("a", encoding="utf-8")
        return self

    def __exit__(self, *_error: object) -> None:
        assert self._file is not None
        self._file.close()

    def add(self, result: Result) -> None:
        """Keep `result`; it is in the file when this returns."""
        assert self._file is not None
        self._file.write(json.dumps(asdict(result), ensure_ascii=False) + "\n")
        self._file.flush()
        self.done[result.id, result.method] = result

    def _load(self) -> None:
        """Read what is there; a line that a kill left unfinished is taken out."""
        path = self.folder / FILE
        if not path.is_file():
            return
        whole: list[bytes] = []
        for line in path.read_bytes().splitlines(keepends=True):
            if not line.endswith(b"\n"):
                break
            try:
                result = _results.validate_json(line)
            except ValidationError as error:
                raise OperatorError(
                    f"Line {len(whole) + 1} of {path} is no result of this program. Mend it or"
                    " take it out, then go on with --resume."
                ) from error
            self.done[result.id, result.method] = result
            whole.append(line)
        kept = path.with_suffix(".new")
        kept.write_bytes(b"".join(whole))
        kept.replace(path)


def _same(about: Path, run: Run) -> None:
    try:
        before = json.loads(about.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise OperatorError(f"{about} cannot be read: {why(error)}.") from error
    for key, value in asdict(run).items():
        if before.get(key) != value:
            raise OperatorError(
                f"{about.parent} holds a run with {key} = {before.get(key)}, not {value}. Go on"
                " with that, or choose another --out."
            )
