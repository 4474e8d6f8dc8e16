"""Output files: whole or not at all, and nothing but regular files is ever replaced."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rarewood._files import is_special, lock, written_whole

unix = pytest.mark.skipif(os.name == "nt", reason="pipes, modes and locks of Unix")


def names(folder):
    return sorted(each.name for each in folder.iterdir())


def test_a_file_appears_when_all_is_written(tmp_path):
    target = tmp_path / "model"
    with written_whole(target) as beside:
        beside.write_text("new")
        assert not target.exists()
    assert target.read_text() == "new"
    assert names(tmp_path) == ["model"]


def test_what_was_there_survives_a_failure(tmp_path):
    target = tmp_path / "model"
    target.write_text("old")

    def write():
        with written_whole(target) as beside:
            beside.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert target.read_text() == "old"
    assert names(tmp_path) == ["model"]


def test_an_interrupt_in_the_moment_the_file_is_made_leaves_nothing(tmp_path, monkeypatch):
    touch = Path.touch

    def touch_and_stop(path, **options):
        touch(path, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "touch", touch_and_stop)
    with pytest.raises(KeyboardInterrupt), written_whole(tmp_path / "model"):
        pass
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", ["m" * 250, "\N{LATIN SMALL LETTER E WITH ACUTE}" * 120])  # limits are in bytes
def test_a_long_name_has_room_for_a_temporary_one(tmp_path, name):
    target = tmp_path / name
    with written_whole(target) as beside:
        beside.write_text("new")
    assert target.read_text() == "new"


@unix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_permissions_are_kept(tmp_path, mode):
    target = tmp_path / "model"
    target.write_text("old")
    target.chmod(mode)
    with written_whole(target) as beside:
        beside.write_text("new")
    assert stat.S_IMODE(target.stat().st_mode) == mode


@unix
def test_a_new_file_gets_the_permissions_of_any_other(tmp_path):
    (tmp_path / "other").write_text("")
    with written_whole(tmp_path / "model") as beside:
        beside.write_text("new")
    assert (tmp_path / "model").stat().st_mode == (tmp_path / "other").stat().st_mode


@unix
@pytest.mark.parametrize("exists", [True, False])
def test_a_symbolic_link_keeps_pointing(tmp_path, exists):
    (tmp_path / "there").mkdir()
    real = tmp_path / "there" / "model"
    if exists:
        real.write_text("old")
    link = tmp_path / "link"
    link.symlink_to(real)
    with written_whole(link) as beside:
        beside.write_text("new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert names(tmp_path / "there") == ["model"]


@pytest.mark.several_threads
@unix
def test_a_pipe_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_bytes()))
    reader.start()
    with written_whole(pipe) as straight:
        straight.write_bytes(b"new")
    reader.join(10)
    assert heard == [b"new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@unix
def test_a_device_is_written_to(tmp_path):
    device = tmp_path / "null"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        device.write_bytes(b"")
    except OSError:
        pytest.skip("devices can be made by root only, and not everywhere")
    with written_whole(device) as straight:
        straight.write_bytes(b"new")
    assert stat.S_ISCHR(device.stat().st_mode)


def test_only_what_is_neither_file_nor_folder_is_special(tmp_path):
    (tmp_path / "file").write_text("")
    assert not any(map(is_special, [tmp_path, tmp_path / "file", tmp_path / "nothing"]))
    assert is_special(os.devnull) or os.name == "nt"


@pytest.mark.several_threads
def test_writers_at_the_same_time_never_mix(tmp_path):
    target = tmp_path / "model"
    contents = [bytes([65 + writer]) * 200_000 for writer in range(4)]
    target.write_bytes(contents[0])
    stop = threading.Event()

    def write(content):
        while not stop.is_set():
            with written_whole(target) as beside:
                beside.write_bytes(content)

    writers = [threading.Thread(target=write, args=(content,)) for content in contents]
    for writer in writers:
        writer.start()
    try:
        assert all(target.read_bytes() in contents for _ in range(300))
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    assert names(tmp_path) == ["model"]


@unix
def test_a_lock_ends_with_the_process_that_held_it(tmp_path):
    path = tmp_path / "records"
    path.write_text("")
    hold = f"import time\nfrom rarewood._files import lock\nfile = open({str(path)!r}, 'ab')\n"
    hold += "assert lock(file)\nprint('held', flush=True)\ntime.sleep(60)\n"
    with subprocess.Popen([sys.executable, "-c", hold], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        with path.open("ab") as file:
            assert not lock(file)
        holder.kill()
        holder.wait()
        with path.open("ab") as file:
            assert lock(file)
