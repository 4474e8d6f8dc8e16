"""The system refuses something in the middle of a job: disk, memory, threads. A clear error, no torn file, and the next run goes on."""

import builtins
import contextlib
import errno
import io
import os
import random
import resource
import sys
import tempfile
from pathlib import Path

import rarewood as rw
from fuzz._commands import program
from fuzz._forked import Child, do
from fuzz._kills import JOBS, Distributed, Job, command, table, undisturbed

ERRORS = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EACCES)
NOBODY = 65534


class Score(Job):
    """Scores appear whole or not at all."""

    output = "scored.csv"
    work = staticmethod(command("predict", "m.rarewood", "t.csv", "-o", "scored.csv"))

    def prepare(self):
        frame = table(400)
        frame.to_csv("t.csv", index=False)
        columns = frame.drop(columns="y")
        rw.save(rw.HeDExClassifier(20, random_state=0).fit(columns, frame.y), "m.rarewood")

    def check(self, reference):
        if Path(self.output).exists():
            self.check_end(reference)

    def check_end(self, reference):
        assert Path(self.output).read_bytes() == (reference / self.output).read_bytes()


class ScoreParquet(Score):
    output = "scored.parquet"
    work = staticmethod(command("predict", "m.rarewood", "t.csv", "-o", "scored.parquet", "--block-rows", "50"))


class Review(Score):
    output = "labels.csv"
    work = staticmethod(command("review", "m.rarewood", "t.csv", "-n", "20", "-o", "labels.csv"))


class Page(Score):
    """A page says when it was made, so that it is compared by its end."""

    output = "page.html"
    work = staticmethod(command("report", "m.rarewood", "t.csv", "-o", "page.html", "--no-baseline", "-t", "y"))

    def check_end(self, reference):
        assert Path(self.output).read_text().rstrip().endswith("</html>")


class Recalibrate(Score):
    """The new model appears whole, and the old one stays."""

    output = "new.rarewood"
    work = staticmethod(command("recalibrate", "m.rarewood", "t.csv", "-o", "new.rarewood", "-t", "y"))

    def prepare(self):
        super().prepare()
        frame = table(400)
        model = rw.RareClassifier(30, random_state=0).fit(frame.drop(columns="y")[200:], frame.y[200:])
        rw.save(model, "m.rarewood")

    def check_end(self, reference):
        rows = table(50).drop(columns="y")
        new, undisturbed = (rw.load(path).predict_proba(rows) for path in (self.output, reference / self.output))
        assert new.tobytes() == undisturbed.tobytes()
        rw.load("m.rarewood")


class OutOfCore(Distributed):
    """Temporary files do not stay; they are in this folder, where they would be seen."""

    @staticmethod
    def work():
        tempfile.tempdir = str(Path.cwd())
        model = rw.HeDExClassifier(16, random_state=0)
        options = {"checkpoint": "trees.npz", "trees_at_once": 2, "finish_rows": 30, "memory": "1GB"}
        rw.save(rw.distributed.fit(model, "parts/*.parquet", "y", **options), "m.rarewood")

    def check(self, reference):
        assert not [path for path in Path().iterdir() if path.name.startswith(("rarewood-", "tmp"))]
        super().check(reference)


ALL = (*JOBS, Score(), ScoreParquet(), Review(), Page(), Recalibrate(), OutOfCore())


def failing(module, name, number, error):
    """Let the call of a function fail once: the first but `number`, of those that write something below this folder."""
    real, left, here = getattr(module, name), [number], str(Path.cwd())

    def call(*arguments, **options):
        what = arguments[0] if arguments else ""
        concerns = isinstance(what, int) or str(Path(str(what)).absolute()).startswith(here)
        if name == "open":
            mode = str(options.get("mode", arguments[1] if len(arguments) > 1 else "r"))
            concerns = concerns and any(letter in mode for letter in "wax+")
        left[0] -= concerns
        if concerns and left[0] == -1:
            raise OSError(error, os.strerror(error), *([str(what)] if isinstance(what, (str, Path)) else []))
        return real(*arguments, **options)

    setattr(module, name, call)


def no_flush(chance):
    failing(os, "fsync", chance.randrange(4), chance.choice(ERRORS))


def no_rename(chance):
    failing(os, "replace", chance.randrange(2), chance.choice(ERRORS))


def no_open(chance):
    number, error = chance.randrange(3), chance.choice(ERRORS)
    failing(io, "open", number, error)
    builtins.open = io.open


def full_disk(chance):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size := int(10 ** chance.uniform(0, 5)), size))


def no_memory(chance):
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    most = used + int(10 ** chance.uniform(4, 8.3))
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def no_threads(chance):
    """Limits do not hold for root, so become nobody, who may keep this folder."""
    if os.getuid() == 0:
        for path in (Path(), *Path().rglob("*")):
            os.chown(path, NOBODY, NOBODY)
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        most = 1 + chance.randrange(2)
    else:
        most = 1
    resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


FAULTS = (no_flush, no_rename, no_open, full_disk, no_memory, no_threads)


def work_in_want(job, fault, seed):
    """Do the job; an error must be one of those that say what the system refused."""
    told = io.StringIO()
    sys.stderr = told
    code = 0
    try:
        fault(random.Random(seed))
        job.work()
    except SystemExit as stop:
        code = stop.code or 0
    except (OSError, MemoryError):
        code = "an error"
    except RuntimeError as error:
        if "start new thread" not in str(error):
            raise
        code = "an error"
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    words = told.getvalue()
    assert "should not happen" not in words, words
    assert "Traceback" not in words, words
    assert code in (0, "an error") or words.strip(), f"exit code {code} without a word"
    sys.exit(code)


def run(seed):
    """Refuse something to a job, look at what it left, and let it go on in peace."""
    chance = random.Random(seed)
    job, fault = chance.choice(ALL), chance.choice(FAULTS)
    program()
    reference = Path(undisturbed(job)[0].name)
    name = f"{type(job).__name__.lower()}, {fault.__name__.replace('_', ' ')}"
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        do(job.prepare, folder)
        how, _ = Child(lambda: work_in_want(job, fault, seed), folder).result(
            gives_up=127 if fault is no_memory else None
        )
        assert how == "finished" or how.startswith("exit "), f"{name}: {how}"
        assert not list(Path(folder).rglob(".*.part")), f"{name} left a part of a file"
        do(lambda: job.check(reference), folder)
        do(job.work, folder)
        do(lambda: job.check_end(reference), folder)
    return f"{name}: {'done' if how == 'exit 0' else 'refused'}"
