"""Names and places of files that are no ordinary ones: a slash at the end, pipes, folders that are closed."""

import os
import tempfile
import threading
from pathlib import Path

import pytest

from rarewood.cli._errors import CommandError, ExitCode
from rarewood.cli._files import check_readable
from rarewood.cli._model import read_model

# Every option and argument that takes a file, with the slash of a folder at its end.
WITH_SLASH = [
    ("fit", "{t}/", "-o", "new"),
    ("fit", "{t}", "-o", "new/"),
    ("describe", "{m}/"),
    ("predict", "{m}/", "{t}", "-o", "new"),
    ("predict", "{m}", "{t}/", "-o", "new"),
    ("predict", "{m}", "{t}", "-o", "new/"),
    ("report", "{m}", "{t}", "-o", "new/"),
    ("report", "{m}", "{t}", "--train", "{t}/", "-o", "new"),
    ("rules", "{m}", "{t}/"),
    ("monitor", "{m}", "{t}/"),
    ("monitor", "{m}", "{t}", "--html", "new/"),
    ("recalibrate", "{m}", "{t}/", "-o", "new"),
    ("recalibrate", "{m}", "{t}", "-o", "new/"),
    ("review", "{m}", "{t}/", "-o", "new"),
    ("review", "{m}", "{t}", "-o", "new/"),
    ("compare", "{t}/", "-o", "new"),
    ("compare", "{t}", "--cache", "new/"),
    ("compare", "{t}", "-o", "new/"),
    ("reproduce", "hedex", "-o", "new/"),
]


@pytest.mark.parametrize("arguments", WITH_SLASH, ids=" ".join)
def test_a_file_has_no_slash_at_its_end(program, tables, arguments):
    paths = {"t": tables / "test.csv", "m": tables / "m.rarewood"}
    asked = [each.format(**paths) for each in arguments]
    reads = not any(each.endswith("new/") for each in asked)
    err = program(*asked, code=ExitCode.UNREADABLE if reads else ExitCode.UNWRITABLE).err
    assert "ends in a slash, as only folders do; name a file" in err
    assert not list(program.folder.iterdir())


@pytest.fixture
def pipe(program):
    """Makes a pipe with a name that gives the bytes of a file, once."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes with names")

    def pipe(path):
        os.mkfifo(program.folder / "pipe")
        threading.Thread(target=(program.folder / "pipe").write_bytes, args=[path.read_bytes()], daemon=True).start()
        return "pipe"

    return pipe


def test_a_pipe_is_read_once_where_a_file_is_read_twice(program, tables, pipe):
    expected = program("predict", tables / "m.rarewood", tables / "test.csv", "--top", 5).out
    assert program("predict", tables / "m.rarewood", pipe(tables / "test.csv"), "--top", 5).out == expected


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_model_in_a_pipe(program):
    os.mkfifo(program.folder / "pipe")
    assert "copy the model to a file" in program("describe", "pipe", code=ExitCode.UNREADABLE).err


@pytest.mark.parametrize("check", [check_readable, lambda path: read_model(path, None)], ids=["table", "model"])
def test_a_folder_on_the_way_may_be_closed(monkeypatch, check):
    def closed(_path, **_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.stat", closed)
    with pytest.raises(CommandError, match=r"^closed/file cannot be read: Permission denied$") as refused:
        check("closed/file")
    assert refused.value.code is ExitCode.UNREADABLE


def test_a_model_that_is_not_there_may_be_another(program, tables):
    assert "did you mean" in program("describe", tables / "n.rarewood", code=ExitCode.UNREADABLE).err
    assert "is a folder" in program("describe", tables, code=ExitCode.UNREADABLE).err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_no_room_for_what_is_read_twice(program, tables, pipe, monkeypatch):
    class Folder(tempfile.TemporaryDirectory):
        def __enter__(self):
            (Path(self.name) / "standard-input").symlink_to("/dev/full")
            return self.name

    monkeypatch.setattr(tempfile, "TemporaryDirectory", Folder)
    given = pipe(tables / "test.csv")
    err = program("predict", tables / "m.rarewood", given, "--top", 5, code=ExitCode.UNWRITABLE).err
    assert f"pipe is read twice and cannot be kept in {tempfile.gettempdir()}: No space left on device" in err
