"""RareClassifier beside boosting and forests on thirteen real tables, before and after; writes docs/real-tables.md.

python benchmarks/real                                     what is not in the file of results yet, then the page
python benchmarks/real --methods LightGBM                  some methods; no page
python benchmarks/real --name 0.2.0 --methods RareClassifier    by an interpreter that has an older release: "before"
python benchmarks/real --times                             CPU time alone, by turns, on a machine that does nothing else: some minutes
python benchmarks/real --page                              the page, README's table and the guide's, from the results there are

Needs RAREWOOD_DATA with the folder `real`, and the dependency group `peers`. Finished fits are kept in benchmarks/results/real.jsonl
(--store FILE). About an hour of one core. Small tables and those of more classes are of `benchmarks/quality`.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:1] = [str(HERE), str(HERE.parent)]

from methods import CALIBRATED, METHODS  # noqa: E402
from page import write_page  # noqa: E402
from tables import Division, divisions, table_names  # noqa: E402

from quality.cells import splits  # noqa: E402
from quality.measures import calibrated, measure, reliability, two_columns  # noqa: E402
from quality.store import Store, pack, unpack  # noqa: E402

INNER_FOLDS = 3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", type=_names, help="names with commas, or semicolons, between them")
    parser.add_argument("--tables", type=_names, help="names with commas between them")
    parser.add_argument("--name", help="a release of rarewood, by whose name its results are kept")
    parser.add_argument("--equal", action="store_true", help="also with the same calibration and threshold")
    parser.add_argument("--first", action="store_true", help="only the first division of each table")
    parser.add_argument(
        "--times",
        action="store_true",
        help="fit and predict once more on the first division of each real table, by turns",
    )
    parser.add_argument("--page", action="store_true", help="write the page from the results there are")
    parser.add_argument("--store", type=Path, default=HERE.parent / "results" / "real.jsonl", help="file of results")
    options = parser.parse_args()
    store = Store(options.store)
    if options.page:
        write_page(store)
        return 0
    chosen = options.methods or list(METHODS)
    for name in options.tables or table_names():
        for division in divisions(name, first=options.first or options.times):
            for method in chosen:
                if options.times:
                    store.add(_key(division, "times", method, options.name), **_fitted(division, method)[-1])
                    continue
                _compute(store, division, method, options.name)
                if method in CALIBRATED and (options.equal or options.methods is None):
                    _compute_equal(store, division, method)
    if options.methods is None and options.tables is None:
        write_page(store)
    return 0


def _names(text: str) -> list[str]:
    return [name for name in text.split(";" if ";" in text else ",") if name]


def _key(division: Division, kind: str, name: str, release: str | None = None) -> tuple[str, ...]:
    return (division.table, str(division.number), kind, f"{name} {release}" if release else name, "", "")


def _fitted(division: Division, name: str) -> tuple[Any, np.ndarray, np.ndarray, dict[str, float]]:
    """The model, probabilities and decisions of fresh rows, and what fit and predict took, in seconds of CPU time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peers warn about their own future
        model, start = METHODS[name](division.number), time.process_time()
        model.fit(division.X, division.y)
        middle = time.process_time()
        p = model.predict_proba(division.fresh)
        end = time.process_time()
        labels = np.asarray(model.predict(division.fresh)).ravel().astype(int)
    return model, p, labels, {"fit": middle - start, "predict": end - middle}


def _compute(store: Store, division: Division, name: str, release: str | None) -> None:
    key = _key(division, "real", name, release)
    if key in store:
        return
    model, p, labels, seconds = _fitted(division, name)
    found = measure(division.truth, p, labels) | reliability(division.truth, p[:, 1])
    kept = {"p": pack(p[:, 1].astype(np.float32))}
    fitted = {"rows": len(division.y), "rare": int((division.y == 1).sum())}
    if hasattr(model, "column_effects_"):
        fitted |= {"effects": model.column_effects_ is not None, "leaf weight": getattr(model, "leaf_weight_", 1.0)}
    store.add(key, **found, **fitted, **seconds, **kept)


def _compute_equal(store: Store, division: Division, name: str) -> None:
    key = _key(division, "equal", name)
    if key in store:
        return
    plain = store[_key(division, "real", name)]
    start = time.process_time()
    honest = np.zeros((len(division.y), 2))
    for train, test in splits(division.y, INNER_FOLDS, division.number):
        part = METHODS[name](division.number).fit(division.X.iloc[train].reset_index(drop=True), division.y[train])
        honest[test] = part.predict_proba(division.X.iloc[test].reset_index(drop=True))
    fit = plain["fit"] + time.process_time() - start
    p, decided = calibrated(honest, division.y, two_columns(unpack(plain["p"]).astype(np.float64)))
    store.add(
        key, **measure(division.truth, p, decided), **reliability(division.truth, p[:, 1]), fit=fit, predict=np.nan
    )


if __name__ == "__main__":
    raise SystemExit(main())
