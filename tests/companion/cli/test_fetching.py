"""A download that somebody breaks off."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from companion.cli.fetching import KEPT, fetched
from companion.local.sources import Stream
from companion.local.weights import Model, Weights

WHOLE = b"GGUF" + b"w" * 100_000


@dataclass
class BrokenOff:
    """A source whose reader presses Ctrl-C after `half` of it, the first time."""

    half: int = 60_000
    offsets: list[int] = field(default_factory=list)

    @contextmanager
    def open(self, offset: int) -> Iterator[Stream]:
        self.offsets.append(offset)
        yield Stream(self._chunks(offset), len(WHOLE))

    def _chunks(self, offset: int) -> Iterator[bytes]:
        if not offset:
            yield WHOLE[: self.half]
            raise KeyboardInterrupt
        yield WHOLE[offset:]


def test_ctrl_c_keeps_what_was_fetched_says_so_and_the_next_time_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = BrokenOff()
    model = Model(name="m", about="", sources=(source,), sha256=None)
    with pytest.raises(KeyboardInterrupt):
        fetched(Weights(tmp_path), model)
    assert capsys.readouterr().err.endswith(f"{KEPT}\n")
    path = fetched(Weights(tmp_path), model)
    assert source.offsets == [0, source.half]
    assert path.read_bytes() == WHOLE
