"""RareClassifier beside boosting on tables like those that users bring: fit and predict, and other forests and boosters on workload e.

Everybody has default settings and one thread; categories are handed over as each library takes them.
RAREWOOD_DATA names the folder whose folder `real` has the tables; lightgbm is in the group `peers`, and these are used where they are:
pip install catboost ydf scikit-learn-intelex snapml
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import rarewood as rw
from quality import peers
from report import Table, at_most, duration
from timing import Contestant, Times, race, ratio, repeat_call
from workloads import e_in_frames

sys.path.append(str(Path(__file__).parent / "real"))
ROUNDS_TO_PREDICT = 500  # of LightGBM; fit has its 100
MOST_FRESH = 10_000


def missing() -> str | None:
    """Why this benchmark cannot run, or None."""
    if importlib.util.find_spec("lightgbm") is None:
        return "lightgbm is not installed"
    return None if "RAREWOOD_DATA" in os.environ else "RAREWOOD_DATA is not set"


def run(quick: bool = False) -> list[Table]:
    warnings.simplefilter("ignore")  # peers warn about their own future
    return [*_beside_lightgbm(quick), _on_workload_e(quick)]


def _tables(quick: bool) -> Iterator[tuple[str, Any, Any, Any]]:
    """Name, rows to learn from, their labels, fresh rows."""
    from tables import divisions, table_names

    for name in table_names()[: 1 if quick else None]:
        division = next(divisions(name, first=True))
        yield name, division.X, division.y, division.fresh
    yield "e", *e_in_frames(quick)


def _fitting(model: Any, X: Any, y: Any) -> Contestant:
    return lambda: lambda: model.fit(X, y)


def _predicting(model: Any, X: Any) -> Contestant:
    return lambda: repeat_call(lambda: model.predict_proba(X), at_least=0.1)


def _beside_lightgbm(quick: bool) -> list[Table]:
    columns = ["table", "rows", "columns", "RareClassifier", "LightGBM", "times as long", "target", "verdict"]
    note = "CPU time, one thread, by turns, default settings. The ratio is the median over the rounds, with its range."
    fits = Table("RareClassifier beside LightGBM: fit", columns, note)
    predictions = Table(
        f"RareClassifier beside LightGBM of {ROUNDS_TO_PREDICT} rounds: predict_proba, per row", columns, note
    )
    factors: dict[str, list[float]] = {fits.title: [], predictions.title: []}

    def add(table: Table, name: str, shape: tuple[int, int], times: dict[str, Times], n: int, most: float) -> None:
        factor = ratio(times["ours"], times["theirs"])
        seconds = [duration(times[who].best() / n) for who in ("ours", "theirs")]
        table.add(name, *shape, *seconds, factor, *at_most(factor.median, most, "x"))
        factors[table.title].append(factor.median)

    for name, X, y, fresh in _tables(quick):
        some = fresh.iloc[:MOST_FRESH]
        ours, theirs = rw.RareClassifier(random_state=0, n_jobs=1), peers.lightgbm(0)
        times = race({"ours": _fitting(ours, X, y), "theirs": _fitting(theirs, X, y)}, 1 if quick else 3)
        add(fits, name, X.shape, times, 1, 12.0)
        theirs = peers.lightgbm(0, n_estimators=ROUNDS_TO_PREDICT).fit(X, y)
        ours.predict_proba(some)  # prepares
        calls = race({"ours": _predicting(ours, some), "theirs": _predicting(theirs, some)}, 1 if quick else 3)
        add(predictions, name, X.shape, calls, len(some), 1.0)
    for table, most in ((fits, 4.0), (predictions, 1.0)):
        middle = statistics.median(factors[table.title])
        table.add("median", "", "", "", "", f"{middle:.3g}x", *at_most(middle, most, "x"))
    return [fits, predictions]


def _on_workload_e(quick: bool) -> Table:
    table = Table(
        "Workload e: forests and boosters",
        ["method", "fit", "times as long as RareClassifier's", "predict, per row", "times as long, predict"],
        "20,000 rows of 40 columns, half of them categories of 2 to 700 levels, missing values, 5 % rare. CPU time, one thread, "
        "default settings. HistGradientBoosting takes columns of more than 255 categories as numbers; the forests of "
        "scikit-learn-intelex and snapml take all categories as numbers, and missing cells as -1.",
    )
    X, y, fresh = e_in_frames(quick)
    models = {"RareClassifier": rw.RareClassifier(random_state=0, n_jobs=1)} | _peers()
    times = race({name: _fitting(model, X, y) for name, model in models.items()}, 1 if quick else 3)
    for model in models.values():
        model.predict_proba(fresh)  # prepares
    calls = race({name: _predicting(model, fresh) for name, model in models.items()}, 1 if quick else 3)
    for name in models:
        factors = [ratio(of[name], of["RareClassifier"]) for of in (times, calls)]
        table.add(name, duration(times[name].best()), factors[0], duration(calls[name].best() / len(fresh)), factors[1])
    return table


def _peers() -> dict[str, Any]:
    """Those that are installed."""
    found: dict[str, Any] = {
        "HeDEx": rw.HeDExClassifier(random_state=0, n_jobs=1),
        "LightGBM": peers.lightgbm(0),
        "HistGradientBoosting": _Coded(peers.hist_gradient_boosting(0), most_levels=255),
    }
    for name, module, make in (
        ("CatBoost", "catboost", lambda: peers.CatBoost(0)),
        ("YDF gradient boosted trees", "ydf", _Ydf),
        ("random forest (scikit-learn-intelex)", "sklearnex", _intelex),
        ("extra-trees (scikit-learn-intelex)", "sklearnex", lambda: _intelex("ExtraTreesClassifier")),
        ("random forest (snapml)", "snapml", _snapml),
    ):
        if importlib.util.find_spec(module) is not None:
            found[name] = make()
    return found


def _intelex(name: str = "RandomForestClassifier") -> Any:
    import sklearnex.ensemble

    return _Coded(getattr(sklearnex.ensemble, name)(random_state=0, n_jobs=1), gaps=-1.0)


def _snapml() -> Any:
    import snapml

    return _Coded(snapml.RandomForestClassifier(n_estimators=100, random_state=0, n_jobs=1), gaps=-1.0)


class _Coded:
    """A classifier that gets categories as numbers, where they are more than `most_levels`, and `gaps` for missing cells."""

    def __init__(self, model: Any, *, most_levels: int = 0, gaps: float | None = None) -> None:
        self.model, self.most_levels, self.gaps = model, most_levels, gaps

    def fit(self, X: Any, y: Any) -> _Coded:
        self.model.fit(self._coded(X), y)
        return self

    def predict_proba(self, X: Any) -> Any:
        return self.model.predict_proba(self._coded(X))

    def _coded(self, X: Any) -> Any:
        wide = [name for name in X if X[name].dtype == "category" and len(X[name].cat.categories) > self.most_levels]
        coded = X.assign(**{name: X[name].cat.codes.astype(np.float32).replace(-1.0, np.nan) for name in wide})
        return coded if self.gaps is None else coded.fillna(self.gaps).to_numpy(dtype=np.float32)


class _Ydf:
    """YDF reads labels as a column of the table."""

    def fit(self, X: Any, y: Any) -> _Ydf:
        import ydf

        ydf.verbose(0)
        self.model_ = ydf.GradientBoostedTreesLearner(label="label", num_threads=1).train(
            self._given(X).assign(label=y)
        )
        return self

    def predict_proba(self, X: Any) -> Any:
        return self.model_.predict(self._given(X), num_threads=1)

    def _given(self, X: Any) -> Any:
        words = [name for name in X if X[name].dtype == "category"]
        return X.assign(**{name: X[name].astype(object).where(X[name].notna(), "").astype(str) for name in words})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two tables, one round: a check that everything runs")
    run(parser.parse_args().quick)
