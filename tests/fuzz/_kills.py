"""Fits, comparisons, reproductions and fits on data in parts, killed in the middle: nothing is lost, and the next run goes on."""

import contextlib
import functools
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd

import rarewood as rw
from fuzz._commands import program
from fuzz._forked import Child, do, import_all
from rarewood.distributed._checkpoint import Checkpoint
from rarewood.evaluation import Comparison
from support.tables import noisy_numbers


def table(n_rows):
    X, y = noisy_numbers(n_rows, 4, labels=("no", "yes"))
    return pd.DataFrame(X, columns=list("abcd")).assign(y=y)


def command(*arguments):
    return lambda: program()(list(arguments), prog_name="rarewood")


class Job:
    """What is done in a folder, and what must hold there whenever it was killed."""

    def prepare(self):
        table(400).to_csv("t.csv", index=False)

    def check(self, reference):
        """After a kill."""

    def check_end(self, reference):
        """After the next run, which nobody disturbs."""


class Fit(Job):
    """A model file is the old one or the new one."""

    work = staticmethod(
        command("fit", "t.csv", "-o", "m.rarewood", "-m", "hedex", "-s", "n_estimators=40", "--rules", "0")
    )

    def prepare(self):
        super().prepare()
        frame = table(50)
        rw.save(rw.TreeClassifier().fit(frame[["a"]], frame.y), "m.rarewood", metadata={"is": "old"})

    def check(self, reference):
        model = rw.load("m.rarewood")
        if isinstance(model, rw.HeDExClassifier):
            self.check_end(reference)

    def check_end(self, reference):
        rows = table(50).drop(columns="y")
        new, undisturbed = (rw.load(path).predict_proba(rows) for path in ("m.rarewood", reference / "m.rarewood"))
        assert new.tobytes() == undisturbed.tobytes()


class Compare(Job):
    """Every result that was written stays, none is computed twice, and the table at the end is the same."""

    cache, page = "results.jsonl", "page.html"
    work = staticmethod(
        command(
            *("compare", "t.csv", "-m", "hddt,c4.5", "--protocol", "2x3", "-j", "1"),
            *("--cache", "results.jsonl", "-o", "page.html"),
        )
    )

    def check(self, reference):
        if Path(self.page).exists():
            self.check_page(reference)
        if results(self.cache):
            assert Comparison.load(self.cache).records
        Path("before").write_bytes(b"".join(results(self.cache)))

    def check_end(self, reference):
        self.check_page(reference)
        before, after = Path("before").read_bytes().splitlines(keepends=True), results(self.cache)
        assert after[: len(before)] == before
        assert len(after) == len(results(reference / self.cache))
        assert _measured(self.cache) == _measured(reference / self.cache)

    def check_page(self, reference):
        assert Path(self.page).read_text().rstrip().endswith("</html>")


class Reproduce(Compare):
    cache, page = "cache/ihd-table-3.jsonl", "page.md"
    work = staticmethod(
        command(
            *("reproduce", "ihd", "--experiment", "table-3", "--dataset", "wine", "-m", "Gini", "-m", "HDDT"),
            *("--protocol", "1x5", "--cache", "cache", "-o", "page.md", "-j", "1"),
        )
    )

    def prepare(self):
        pass

    def check_page(self, reference):
        pages = (Path(self.page).read_text(), (reference / self.page).read_text())
        one, other = ([line for line in page.splitlines() if not line.startswith("Run of ")] for page in pages)
        assert one == other


class Distributed(Job):
    """Trees that are in the checkpoint are not grown again, and the forest is the same."""

    @staticmethod
    def work():
        model = rw.HeDExClassifier(16, random_state=0)
        options = {"checkpoint": "trees.npz", "trees_at_once": 2, "finish_rows": 30}
        rw.save(rw.distributed.fit(model, "parts/*.parquet", "y", **options), "m.rarewood")

    def prepare(self):
        Path("parts").mkdir()
        for number in range(3):
            table(900)[number * 300 : (number + 1) * 300].to_parquet(f"parts/{number}.parquet")

    def check(self, reference):
        Checkpoint("trees.npz")
        if Path("m.rarewood").exists():
            self.check_end(reference)

    def check_end(self, reference):
        rows = table(50).drop(columns="y")
        new, undisturbed = (rw.load(path).predict_proba(rows) for path in ("m.rarewood", reference / "m.rarewood"))
        assert new.tobytes() == undisturbed.tobytes()


JOBS = (Fit(), Compare(), Reproduce(), Distributed())


def results(cache):
    """The whole lines with a result."""
    lines = Path(cache).read_bytes().splitlines(keepends=True) if Path(cache).exists() else []
    return [line for line in lines if b'"kind": "result"' in line and line.endswith(b"\n")]


def _measured(cache):
    return {record["key"]: record["scores"] for record in Comparison.load(cache).records}


def at_an_event(number, act):
    """Act when a file below this folder is opened, renamed, removed or flushed to the disk for the given time."""
    left, here = [number], str(Path.cwd())

    def count():
        left[0] -= 1
        if left[0] == 0:
            act()

    def hear(event, arguments):
        if event in ("open", "os.rename", "os.remove") and str(Path(str(arguments[0])).absolute()).startswith(here):
            count()

    def flush(descriptor, real=os.fsync):
        count()
        real(descriptor)

    sys.addaudithook(hear)
    os.fsync = flush
    return left


@functools.cache
def undisturbed(job):
    """A folder in which the job was done in peace, how long it took, and how often it touched files."""
    folder = tempfile.TemporaryDirectory()
    do(job.prepare, folder.name)

    def work():
        left = at_an_event(-1, None)
        with contextlib.suppress(SystemExit):
            job.work()
        Path("touched").write_text(str(-1 - left[0]))
        Path("imported").write_text("\n".join(sys.modules))

    do(work, folder.name)
    import_all((Path(folder.name) / "imported").read_text().split())
    touched = int((Path(folder.name) / "touched").read_text())
    with tempfile.TemporaryDirectory() as again:
        do(job.prepare, again)
        start = time.monotonic()
        seconds = do(job.work, again) - start
    return folder, seconds, touched


def run(seed):
    """Kill a job at a random moment, half of the time one in which it touches a file; then look, and let it go on."""
    chance = random.Random(seed)
    job = JOBS[chance.randrange(len(JOBS))]
    reference, seconds, touched = undisturbed(job)
    name = type(job).__name__.lower()
    with tempfile.TemporaryDirectory() as folder:
        do(job.prepare, folder)
        if chance.random() < 0.5:
            moment = chance.uniform(0.0, seconds)
            child = Child(job.work, folder)
            if not child.ends_within(moment):
                child.send(signal.SIGKILL)
        else:
            event = chance.randint(1, touched)
            child = Child(
                lambda: at_an_event(event, lambda: os.kill(os.getpid(), signal.SIGKILL)) and job.work(), folder
            )
        how, _ = child.result()
        assert how in ("killed", "finished", "exit 0"), how
        do(lambda: job.check(Path(reference.name)), folder)
        do(job.work, folder)
        do(lambda: job.check_end(Path(reference.name)), folder)
    return f"{name} killed" if how == "killed" else f"{name} finished first"
