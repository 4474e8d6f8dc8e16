"""Work in processes that are forked off when everything is imported, so that thousands of them are cheap to stop and to kill."""

import contextlib
import faulthandler
import importlib
import json
import os
import select
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path


class Child:
    """A process that does some work and says when it ended and how: "finished", "interrupted", "exit N" or a traceback."""

    def __init__(self, work, folder="."):
        read, write = os.pipe()
        self._stacks = tempfile.TemporaryFile()  # noqa: SIM115 - until the process has ended
        self.pid = os.fork()
        if self.pid == 0:
            os.close(read)
            faulthandler.register(signal.SIGUSR1, file=self._stacks)
            _work_and_tell(work, folder, write, self._stacks)
        os.close(write)
        self._pipe = read
        assert os.read(read, 1) == b"!"
        self.started = time.monotonic()

    def ends_within(self, seconds):
        return bool(select.select([self._pipe], [], [], seconds)[0])

    def send(self, number):
        sent = time.monotonic()
        os.kill(self.pid, number)
        return sent

    def where(self):
        """What its threads are doing, for one that does not end."""
        self.send(signal.SIGUSR1)
        self.ends_within(0.2)
        self._stacks.seek(0)
        return self._stacks.read().decode()

    def result(self, patience=120.0, gives_up=None):
        """How it ended and when; "killed" if it could not say. One that does not end within `patience` seconds fails.

        `gives_up` is an exit code by which the C library may end a process, in words on standard error, such as 127 where it has no memory
        for thread-local data.
        """
        hangs = not self.ends_within(patience)
        if hangs:
            os.kill(self.pid, signal.SIGKILL)
        with os.fdopen(self._pipe, "rb") as pipe:
            told = pipe.read()
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        assert not hangs, f"no end after {patience} s"
        if not told:
            if gives_up is not None and status == gives_up:
                return f"exit {status}", time.monotonic()
            assert status == -signal.SIGKILL, f"the process ended by signal or exit code {status}"
            return "killed", time.monotonic()
        return json.loads(told)


def do(work, folder="."):
    """Work that nobody disturbs; raises what went wrong in it."""
    how, when = Child(work, folder).result()
    assert how in ("finished", "exit 0"), how
    return when


def import_all(names):
    """Import here what a child has imported, so that the next ones need not."""
    for name in names:
        if name.partition(".")[0] in (
            "rarewood",
            "sklearn",
            "scipy",
            "pandas",
            "pyarrow",
            "numpy",
            "rich",
            "typer",
            "joblib",
        ):
            with contextlib.suppress(ImportError):
                importlib.import_module(name)


def _work_and_tell(work, folder, pipe, stacks):
    lost = []  # Ctrl-C that came and did not end the work

    def interrupt(_number, frame):
        faulthandler.dump_traceback(stacks)  # where it came, and after that, if asked, where the work still is
        lost.append("Ctrl-C was lost in\n" + "".join(traceback.format_stack(frame, limit=12)))
        raise KeyboardInterrupt

    try:
        signal.signal(signal.SIGINT, interrupt)
        os.chdir(folder)
        sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - until the process ends
        try:
            os.write(pipe, b"!")
            work()
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            how = "\n".join(["finished", *lost])
        except KeyboardInterrupt:
            how = "interrupted"
        except SystemExit as stop:
            code = stop.code or 0
            how = "\n".join([f"exit {code}", *(lost if code == 0 else [])])
        except BaseException:
            how = traceback.format_exc(limit=-4)
        os.write(pipe, json.dumps([how, time.monotonic()]).encode())
    finally:
        os._exit(0)
