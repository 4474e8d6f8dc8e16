"""The command line: which cells to compute, in an order that gives something to read early."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from quality.ablation import ABLATION
from quality.cells import LIMIT, compute_fold
from quality.few import TABLES as TABLES_WITH_FEW
from quality.few import compute_few, few_methods
from quality.large import compute_large, compute_spread
from quality.methods import CALIBRATED_FROM_OUTSIDE, LADDER, LARGE_METHODS, METHODS, PLACEBO, Method
from quality.page import write_page
from quality.problems import CALIBRATED, FOLDS, LARGE, MORE_CLASSES, SAME_FOLDS, SHORT, TUNED, TWO_CLASSES, problem
from quality.results import as_they_come, with_calibration
from quality.short import VARIANTS
from quality.speed import TABLES as SPEED_TABLES
from quality.speed import compute_speed
from quality.store import DEFAULT, Store
from quality.tables import summary
from quality.tuning import OUTER, SEARCHES, tune
from run import circumstances

PARTS = ["test", "inner", "tuned", "large", "ladder", "ablation", "short", "few", "speed", "page"]
QUICK_TABLES, QUICK_METHODS = ["haberman", "ecoli2"], ["RareClassifier", "HeDEx", "extra-trees (scikit-learn)"]


def main(description: str | None) -> int:
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=PARTS, action="append", help="one part; may be given more than once")
    parser.add_argument("--methods", type=_names, help="names with commas, or semicolons, between them")
    parser.add_argument("--tables", type=_names, help="names with commas between them")
    parser.add_argument("--name", help="a release of rarewood, by whose name its results are kept")
    parser.add_argument("--store", type=Path, default=DEFAULT, help="file of results")
    parser.add_argument("--quick", action="store_true", help="does it run? Writes nothing")
    options = parser.parse_args()
    known = METHODS | {method.name: method for method in [*LARGE_METHODS, *LADDER, *ABLATION, *VARIANTS]}
    unknown = [name for name in options.methods or [] if name not in known]
    if unknown:
        parser.error(f"no such method: {', '.join(unknown)}; there are {', '.join(known)}")
    if options.quick:
        return _quick()
    chosen = [known[name] for name in options.methods or known]
    if options.name:
        chosen = [method.of_release(options.name) for method in chosen]
    compute(Store(options.store), options.only or (PARTS[:-1] if options.methods else PARTS), chosen, options.tables)
    return 0


def _names(text: str) -> list[str]:
    return text.split(";" if ";" in text else ",")


def compute(store: Store, parts: list[str], methods: list[Method], tables: list[str] | None = None) -> None:
    if "test" in parts:
        _folds(
            store,
            "test",
            tables or [*TWO_CLASSES, *MORE_CLASSES],
            [m for m in methods if m.released or m.name in METHODS],
        )
    if "inner" in parts:
        _folds(
            store,
            "inner",
            tables or CALIBRATED,
            [m for m in methods if m.name in CALIBRATED_FROM_OUTSIDE],
        )
    if "tuned" in parts:
        for fold in range(OUTER):  # one fold of all is worth more than all folds of some
            for name in [m.name for m in methods if m.name in SEARCHES]:
                for table in tables or TUNED:
                    _timed(
                        f"tuned: {name} on {table}, fold {fold}",
                        lambda f=fold, n=name, t=table: tune(store, problem(t), f, n),
                    )
    if "large" in parts:
        for table in tables or LARGE:
            for method in [m for m in LARGE_METHODS if m in methods]:
                _timed(
                    f"large: {method.name} on {table}", lambda m=method, t=table: compute_large(store, problem(t), m)
                )
            compute_spread(store, problem(table))
    if "ladder" in parts:
        _folds(store, "test", tables or TWO_CLASSES, [m for m in LADDER if m in methods])
    if "ablation" in parts:
        _folds(store, "test", tables or CALIBRATED, [m for m in ABLATION if m in methods])
    if "short" in parts:
        _folds(store, "test", tables or SHORT, [m for m in VARIANTS if m in methods])
    if "few" in parts:
        for table in TABLES_WITH_FEW:
            for method in [m for m in few_methods() if m in methods]:
                _timed(f"few: {method.name} on {table}", lambda m=method, t=table: compute_few(store, t, m))
    if "speed" in parts:
        everywhere = [m for m in methods if m.name in METHODS and m.folds == FOLDS and m.name != PLACEBO]
        for table in SPEED_TABLES:
            _timed(f"speed: {table}", lambda t=table: compute_speed(store, t, everywhere))
    if "page" in parts:
        write_page(store, circumstances("python benchmarks/quality"))


def _folds(store: Store, kind: str, tables: list[str], methods: list[Method]) -> None:
    for method in methods:
        for table in tables:
            if table in method.tables:
                _timed(f"{kind}: {method.name} on {table}", lambda m=method, t=table: _all_folds(store, kind, t, m))


def _all_folds(store: Store, kind: str, table: str, method: Method) -> None:
    folds = SAME_FOLDS if kind == "inner" else method.folds
    if not all(compute_fold(store, problem(table), fold, kind, method) for fold in range(folds)):
        print(f"  a fit takes more than {LIMIT:.0f} s: the other folds are left out")


def _timed(what: str, work: Callable[[], None]) -> None:
    before = time.process_time()
    work()
    print(f"{what}: {time.process_time() - before:.1f} s", flush=True)


def _quick() -> int:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "quick.jsonl")
        compute(store, ["test", "inner"], [METHODS[name] for name in QUICK_METHODS], QUICK_TABLES)
        for title, results in [("as they come", as_they_come), ("calibrated", with_calibration)]:
            summary(results(store, QUICK_TABLES, QUICK_METHODS).complete(), title, "")
    return 0
