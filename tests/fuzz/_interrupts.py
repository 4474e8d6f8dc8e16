"""Ctrl-C at any moment of anything that takes long: it ends soon, by KeyboardInterrupt or exit code 130, and leaves nothing behind."""

import contextlib
import functools
import random
import signal
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_array

import rarewood as rw
from fuzz._commands import program
from fuzz._forked import Child, do, import_all
from rarewood.evaluation import compare
from rarewood.export import from_bytes, to_bytes
from rarewood.inspection import explain, find_rules
from support.tables import noisy_numbers

LIMIT = 1.0
WAITED = []  # seconds from each Ctrl-C to the end


def table(n_rows):
    return noisy_numbers(n_rows, 8, labels=("no", "yes"))


def write_files(n_rows):
    X, y = table(n_rows)
    Path("m").write_bytes(to_bytes(rw.RareClassifier(30, random_state=0).fit(X, y)))
    text = "\n".join(",".join([*(f"{cell:.4g}" for cell in row), label]) for row, label in zip(X, y))
    Path("t.csv").write_text("a,b,c,d,e,f,g,h,label\n" + text + "\n")
    Path("many.csv").write_text("a,b,c,d,e,f,g,h,label\n" + (text + "\n") * 40)
    with contextlib.suppress(SystemExit):
        program()(["fit", "t.csv", "-o", "m.rarewood", "-m", "hedex", "--rules", "0"], prog_name="rarewood")


@functools.cache
def ready():
    """A folder with a model and tables; made in a process of its own, because threads do not survive a fork."""
    folder = tempfile.TemporaryDirectory()

    def make():
        write_files(300)
        kept = set(Path().iterdir())
        for work in (*SMALL, *(WORK[name] for name in WORK if name.startswith("rarewood"))):
            with contextlib.suppress(SystemExit):
                work()
        for path in set(Path().iterdir()) - kept:
            path.unlink()
        Path("imported").write_text("\n".join(sys.modules))
        write_files(6000)

    do(make, folder.name)
    import_all((Path(folder.name) / "imported").read_text().split())
    check_array(np.zeros((1, 1)))  # looks for plugins the first time, in destructors that discard a Ctrl-C
    table(300_000)
    return folder


@functools.cache
def model():
    return from_bytes((Path(ready().name) / "m").read_bytes())


def fit(estimator, n_rows=300_000):
    """A fit that is stopped leaves no half of a model."""
    X, y = table(n_rows)
    try:
        estimator.fit(X, y)
    except KeyboardInterrupt:
        try:
            estimator.predict(X[:3])
        except NotFittedError:
            raise KeyboardInterrupt from None
        raise AssertionError("a fit that was stopped has left a model") from None


def commands(*arguments):
    return lambda: program()([*arguments, "-q"], prog_name="rarewood")


WORK = {
    "fit of a tree": lambda: fit(rw.TreeClassifier()),
    "fit of HeDEx": lambda: fit(rw.HeDExClassifier(500, n_jobs=2)),
    "fit of lines": lambda: fit(rw.HeDExhClassifier(500)),
    "fit of RareClassifier": lambda: fit(rw.RareClassifier(300, n_jobs=2)),
    "fit of one against all": lambda: fit(rw.OneVsAllClassifier()),
    "fit of a rule set": lambda: fit(rw.RuleSetClassifier()),
    "fit of a ranking": lambda: fit(rw.BiasedRankingClassifier()),
    "predict": lambda: [model().predict(table(300_000)[0]) for _ in range(50)],
    "predict_proba": lambda: [model().predict_proba(table(300_000)[0]) for _ in range(50)],
    "apply": lambda: [model().apply(table(300_000)[0]) for _ in range(50)],
    "explain": lambda: explain(model(), table(300_000)[0][:20_000]),
    "rules": lambda: find_rules(*table(300_000)),
    "pattern oversampling": lambda: rw.PatternOversampler(random_state=0).fit_resample(*table(300_000)),
    "cleaning": lambda: rw.BiasedForestCleaner(random_state=0).fit_resample(*table(300_000)),
    "compare": lambda: compare({"tree": rw.TreeClassifier()}, {"t": table(20_000)}, n_jobs=1, progress=False),
    "rarewood fit": commands("fit", "t.csv", "-o", "new.rarewood", "-s", "n_estimators=300"),
    "rarewood predict": commands("predict", "m.rarewood", "many.csv", "-o", "scored.csv"),
    "rarewood rules": commands("rules", "m.rarewood", "t.csv"),
    "rarewood compare": commands("compare", "t.csv", "-m", "rare,hedex", "-j", "1", "-o", "page.html"),
    "rarewood report": commands("report", "m.rarewood", "t.csv", "-o", "page.html"),
}


# The same kinds of work on little data: what they import is imported once, in the process that forks the others. An import that is stopped
# is scikit-learn's or pandas' own affair.
SMALL = (
    lambda: rw.RuleSetClassifier().fit(*table(300)),
    lambda: explain(rw.HeDExClassifier(3).fit(*table(300)), table(300)[0]),
    lambda: find_rules(*table(300)),
    lambda: rw.PatternOversampler(random_state=0).fit_resample(*table(300)),
    lambda: rw.BiasedForestCleaner(random_state=0).fit_resample(*table(300)),
    lambda: compare({"tree": rw.TreeClassifier()}, {"t": table(300)}, n_jobs=1, progress=False),
)


def run(seed):
    """Start something, press Ctrl-C after up to half a second, and see when and how it ends."""
    chance = random.Random(seed)
    name = chance.choice(sorted(WORK))
    folder = ready()
    model()
    before = {path.name for path in Path(folder.name).iterdir()}
    child = Child(WORK[name], folder.name)
    if child.ends_within(chance.uniform(0.0, 0.5)):
        how, _ = child.result()
        assert how in ("finished", "exit 0"), f"{name}: {how}"
        _remove(folder, {path.name for path in Path(folder.name).iterdir()} - before)
        return f"{name} finished first"
    pressed = child.send(signal.SIGINT)
    where = "" if child.ends_within(LIMIT) else child.where()
    how, when = child.result()
    assert how in ("interrupted", "exit 130", "finished", "exit 0"), f"{name}: {how}"
    if when - pressed > LIMIT:
        sys.stdout.write(
            f"{name}: {how} {when - pressed:.3f} s after Ctrl-C (seed {seed}); after {LIMIT} s it was in\n{where}"
        )
    after = {path.name for path in Path(folder.name).iterdir()}
    WAITED.append(max(when - pressed, 0.0))
    if how in ("interrupted", "exit 130"):
        assert after == before, f"{name} left {after - before}"
        return f"{name} stopped"
    _remove(folder, after - before)
    return f"{name} done as Ctrl-C came"


def _remove(folder, names):
    for name in names:
        (Path(folder.name) / name).unlink()


def summary():
    """How long it took from Ctrl-C to the end, and whether that is a failure."""
    return summary_of_waits(WAITED)


def summary_of_waits(waited):
    """The same of the waits of any campaign."""
    if not waited:
        return "nothing had to be stopped", 0
    late = sum(seconds > LIMIT for seconds in waited)
    middle, high = np.quantile(waited, [0.5, 0.99])
    told = f"{len(waited)} times Ctrl-C: median {middle:.3f} s, 99th percentile {high:.3f} s, longest {max(waited):.3f} s, "
    told += f"{late} above {LIMIT} s"
    return told, int(high > LIMIT)
