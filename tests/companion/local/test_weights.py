import fcntl
import hashlib
from pathlib import Path

import pytest

from companion.errors import ModelFileError
from companion.local.sources import FileSource, Source, UrlSource
from companion.local.weights import CATALOGUE, Model, Weights
from tests.support.file_server import FileServer, file_server
from tests.support.folders import names

DATA = b"GGUF" + bytes(range(256)) * 20
DIGEST = hashlib.sha256(DATA).hexdigest()
NOWHERE = UrlSource("http://127.0.0.1:1/model.gguf")


def a_model(*sources: Source, sha256: str | None = DIGEST, size: int | None = len(DATA)) -> Model:
    return Model(name="tiny", about="for a test", sources=sources, sha256=sha256, size=size)


@pytest.fixture
def weights(tmp_path: Path) -> Weights:
    return Weights(tmp_path / "home")


@pytest.fixture
def file(tmp_path: Path) -> FileSource:
    (tmp_path / "tiny.gguf").write_bytes(DATA)
    return FileSource(tmp_path / "tiny.gguf")


def test_a_model_is_pulled_and_listed(weights: Weights, file: FileSource) -> None:
    seen: list[tuple[int, int | None]] = []
    path = weights.pull(a_model(file), lambda have, total: seen.append((have, total)))
    assert path.read_bytes() == DATA
    assert [(m.name, m.size) for m in weights.kept()] == [("tiny", len(DATA))]
    assert weights.find("tiny") == path
    assert seen[-1] == (len(DATA), len(DATA))


def test_where_the_first_source_is_out_of_reach_the_second_gives_it(
    weights: Weights, file: FileSource
) -> None:
    assert weights.pull(a_model(NOWHERE, file)).read_bytes() == DATA


def test_a_download_that_breaks_off_goes_on_at_the_next_source(
    weights: Weights, file: FileSource
) -> None:
    with file_server(FileServer(DATA, ends_after=1000)) as server:
        broken = UrlSource(server.url)
        assert weights.pull(a_model(broken, file)).read_bytes() == DATA


def test_a_download_that_was_killed_goes_on_where_it_ended(weights: Weights) -> None:
    weights.path("tiny").parent.mkdir(parents=True)
    weights.path("tiny").with_suffix(".partial").write_bytes(DATA[:2000])
    with file_server(FileServer(DATA)) as server:
        assert weights.pull(a_model(UrlSource(server.url))).read_bytes() == DATA
    assert server.asked == ["bytes=2000-"]


def test_a_file_killed_between_its_last_byte_and_the_check_is_only_checked(
    weights: Weights,
) -> None:
    weights.path("tiny").parent.mkdir(parents=True)
    weights.path("tiny").with_suffix(".partial").write_bytes(DATA)
    assert weights.pull(a_model(NOWHERE)).read_bytes() == DATA


def test_wrong_bytes_are_deleted_and_the_next_source_is_asked(
    weights: Weights, file: FileSource, tmp_path: Path
) -> None:
    (tmp_path / "wrong").write_bytes(DATA[:-1] + b"x")
    model = a_model(FileSource(tmp_path / "wrong"), file)
    assert weights.pull(model).read_bytes() == DATA


def test_wrong_bytes_are_refused_and_not_kept(weights: Weights, file: FileSource) -> None:
    with pytest.raises(ModelFileError, match=r"not the model: its SHA-256 is .*It was deleted"):
        weights.pull(a_model(file, sha256="0" * 64))
    assert weights.kept() == []
    assert weights.path("tiny").with_suffix(".partial").read_bytes() == b""


def test_more_bytes_than_the_model_has_are_refused(weights: Weights, file: FileSource) -> None:
    file.path.write_bytes(DATA + b"and more")
    with pytest.raises(ModelFileError, match="not the model"):
        weights.pull(a_model(file))


def test_what_is_no_gguf_is_refused(weights: Weights, tmp_path: Path) -> None:
    (tmp_path / "page").write_bytes(b"<html>not found</html>")
    with pytest.raises(ModelFileError, match="not a GGUF file"):
        weights.pull(a_model(FileSource(tmp_path / "page"), sha256=None, size=None))


def test_a_file_of_ones_own_needs_no_digest(weights: Weights, file: FileSource) -> None:
    assert weights.pull(a_model(file, sha256=None, size=None)).read_bytes() == DATA


def test_a_model_that_is_here_is_not_fetched_again(weights: Weights, file: FileSource) -> None:
    weights.pull(a_model(file))
    assert weights.pull(a_model(NOWHERE)).read_bytes() == DATA


def test_a_damaged_model_is_fetched_again(weights: Weights, file: FileSource) -> None:
    weights.pull(a_model(file)).write_bytes(b"GGUF damaged")
    assert weights.pull(a_model(file)).read_bytes() == DATA


def test_a_file_without_a_digest_does_not_take_anothers_place(
    weights: Weights, file: FileSource
) -> None:
    weights.pull(a_model(file))
    with pytest.raises(ModelFileError, match="give another --name"):
        weights.pull(a_model(file, sha256=None))


def test_a_disk_without_room_is_noticed_before_the_download(
    weights: Weights, file: FileSource
) -> None:
    with pytest.raises(ModelFileError, match="MB are free"):
        weights.pull(a_model(file, size=10**18))


def test_two_pulls_of_one_model_do_not_mix(weights: Weights, file: FileSource) -> None:
    weights.path("tiny").parent.mkdir(parents=True)
    with weights.path("tiny").with_suffix(".partial").open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(ModelFileError, match="being fetched already"):
            weights.pull(a_model(file))


def test_a_home_that_cannot_be_written_is_told_plainly(tmp_path: Path, file: FileSource) -> None:
    (tmp_path / "home").write_text("a file where the home should be")
    with pytest.raises(ModelFileError, match="cannot be stored"):
        Weights(tmp_path / "home").pull(a_model(file))


def test_no_source_at_all_names_every_reason(weights: Weights, tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"127\.0\.0\.1:1.*No such file"):
        weights.pull(a_model(NOWHERE, FileSource(tmp_path / "gone")))


def test_a_model_is_removed_with_what_was_half_fetched(weights: Weights, file: FileSource) -> None:
    path = weights.pull(a_model(file))
    path.with_suffix(".partial").write_bytes(b"GGUF")
    assert weights.remove("tiny") == len(DATA) + 4
    assert names(path.parent) == []


def test_removing_what_is_not_here_names_what_is(weights: Weights, file: FileSource) -> None:
    weights.pull(a_model(file))
    with pytest.raises(ModelFileError, match="no model other here; there are: tiny"):
        weights.remove("other")


def test_a_model_that_is_not_here_says_how_to_get_it(weights: Weights) -> None:
    known = next(iter(CATALOGUE))
    with pytest.raises(ModelFileError, match=f"companion model pull {known}$"):
        weights.find(known)
    others = f"fetched by name: {known}.*companion model pull FILE --name llama-99b$"
    with pytest.raises(ModelFileError, match=others):
        weights.find("llama-99b")
    with pytest.raises(ModelFileError, match=r"Mend that path"):
        weights.find("/nowhere/tiny.gguf")


@pytest.mark.parametrize("name", ["", "../up", "a/b", ".hidden"])
def test_a_name_that_would_leave_the_folder_is_refused(name: str) -> None:
    with pytest.raises(ModelFileError, match="cannot be a model's name"):
        Model(name=name, about="", sources=())


def test_a_digest_that_is_none_is_refused() -> None:
    with pytest.raises(ModelFileError, match="64 hex digits"):
        Model(name="a", about="", sources=(), sha256="abc")


def test_every_model_in_the_catalogue_has_a_size_and_a_digest() -> None:
    assert all(model.size and model.sha256 and model.sources for model in CATALOGUE.values())
