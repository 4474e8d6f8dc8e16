"""Whether oversampling helps once every method has a threshold of its own; writes docs/oversampling.md.

python benchmarks/patterns_quality.py              all sets, about half an hour of one core
python benchmarks/patterns_quality.py --quick      two small sets, few trees: does it run? Writes nothing.

Three learners behind six ways to sample, by cross-validation (--protocol, twice two folds): the same folds and seeds for all. A
threshold is chosen on rows of the training half that the model had not seen. The data sets are those of the folder RAREWOOD_DATA.
Results are kept in benchmarks/results as they come, so a run that was stopped goes on where it stopped.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import warnings
from pathlib import Path
from typing import Any, Self

import numpy as np
from imblearn.over_sampling import SMOTE, SMOTEN, SMOTENC, RandomOverSampler
from imblearn.pipeline import make_pipeline
from numpy.typing import NDArray
from scipy.stats import wilcoxon
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import train_test_split

import rarewood as rw
from rarewood.ensemble import fit_threshold
from rarewood.evaluation import Comparison, compare
from rarewood.metrics import Metric, Predictions, minority_f1
from report import Table
from run import circumstances

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent / "docs" / "oversampling.md"
CACHE = HERE / "results" / "patterns_quality.jsonl"

sys.path.insert(0, str(HERE.parent / "tests"))
folder = importlib.import_module("peers.folder")
os.environ.setdefault("RAREWOOD_DATA", str(folder.FOLDER))

# The sets of Kang and Ramamohanarao with two classes that are at hand, without the largest (covtype).
SETS = [
    "breast-y",
    "oil",
    "german.numer",
    "credit-g",
    "segment-brickface",
    "phoneme",
    "page",
    "satimage-4",
    "pendigits-7",
    "ism",
    "letter-A",
]
QUICK = ["breast-y", "credit-g"]
LEARNERS = {"LR": "logistic-regression", "ET": "extra-trees", "HeDEx": "hedex"}
NONE = "no sampler"


class Smote(BaseEstimator):
    """SMOTE for the columns of the table: SMOTEN if all are nominal, SMOTENC if some are; missing is a category."""

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        nominal = list(X.select_dtypes(["category", "object"]).columns)
        filled = X.astype(dict.fromkeys(nominal, object)).fillna(dict.fromkeys(nominal, "(missing)"))
        smote: Any = SMOTE(random_state=0)
        if nominal:
            smote = (
                SMOTEN(random_state=0)
                if len(nominal) == X.shape[1]
                else SMOTENC(categorical_features=nominal, random_state=0)
            )
        more, labels = smote.fit_resample(filled, y)
        return more.replace({name: {"(missing)": None} for name in nominal}).astype(X.dtypes), labels


class Thresholded(ClassifierMixin, BaseEstimator):
    """A classifier with the threshold of the best F-measure on rows that two models, of half of the rows each, had not seen."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> Self:
        self.model_ = clone(self.estimator).fit(X, y)
        self.classes_ = self.model_.classes_
        self.threshold_ = fit_threshold(self.model_, X, y, rule="f1", cv=2)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        return np.asarray(self.model_.predict_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        assert self.threshold_ is not None
        rare = int(np.flatnonzero(self.classes_ == self.threshold_.positive)[0])
        is_rare = self.predict_proba(X)[:, rare] >= self.threshold_.value
        return np.asarray(self.classes_[np.where(is_rare, rare, 1 - rare)])


def _f1_at_half(given: Predictions) -> float:
    return minority_f1(given.y_true == given.rare, given.rare_scores > 0.5, positive=True)


AT_HALF = Metric("f1_at_half", "F at 0.5", "probabilities", True, _f1_at_half, (0.0, 1.0))
METRICS = {"f1_at_half": "F at 0.5", "minority_f1": "F at its threshold", "average_precision": "average precision"}


def samplers(few: dict[str, Any]) -> dict[str, Any]:
    """The ways to sample; the pattern oversampler with its defaults, by the words of the paper, and with the top-up."""
    return {
        NONE: None,
        "random": RandomOverSampler(random_state=0),
        "SMOTE": Smote(),
        "patterns": rw.PatternOversampler(random_state=0, **few),
        "patterns, values of all": rw.PatternOversampler(values_of="all", random_state=0, **few),
        "patterns until balanced, values of all": rw.PatternOversampler(
            until_balanced=True, values_of="all", random_state=0, **few
        ),
    }


def measure(names: list[str], protocol: str, quick: bool) -> Comparison:
    few = {"n_estimators": 5} if quick else {}
    methods = {}
    for label, recipe in LEARNERS.items():
        learner = rw.make(recipe, random_state=0, **({} if label == "LR" else few))
        for way, sampler in samplers(few).items():
            methods[f"{label}, {way}"] = Thresholded(learner if sampler is None else make_pipeline(sampler, learner))
    if not quick:
        CACHE.parent.mkdir(exist_ok=True)
    return compare(
        methods,
        {name: rw.datasets.load(name) for name in names},
        protocol,
        [AT_HALF, "minority_f1", "average_precision"],
        cache=None if quick else CACHE,
        progress=sys.stderr.isatty(),
    )


def overview(result: Comparison) -> Table:
    """Means over the sets, a line per way to sample."""
    table = Table(
        "Results",
        ["sampler", *(f"{label}: {title}" for label in LEARNERS for title in METRICS.values())],
        f"Means over {len(result.datasets)} tables.",
    )
    means = {metric: dict(zip(result.methods, result.means(metric).T, strict=True)) for metric in METRICS}
    for way in samplers({}):
        table.add(way, *(f"{means[metric][f'{label}, {way}'].mean():.3f}" for label in LEARNERS for metric in METRICS))
    return table


def against_none(result: Comparison) -> Table:
    """On how many sets a sampler is better than none if both have a threshold."""
    table = Table(
        "Against no sampler, both with a threshold",
        ["sampler", *(f"{label}: {title}" for label in LEARNERS for title in ("F", "average precision"))],
        "On how many tables the sampler is better, the mean change, and p of the signed-rank test (two-sided).",
    )
    counts = {metric: [0, 0] for metric in ("minority_f1", "average_precision")}
    for way in list(samplers({}))[1:]:
        cells = []
        for label in LEARNERS:
            for metric, count in counts.items():
                means = dict(zip(result.methods, result.means(metric).T, strict=True))
                change = means[f"{label}, {way}"] - means[f"{label}, {NONE}"]
                count[int(np.mean(change) < 0)] += _p_value(change) < 0.05
                cells.append(_change(change))
        table.add(way, *cells)
    significant = (
        f"in {METRICS[metric]}, {better} significantly better and {worse} worse"
        for metric, (better, worse) in counts.items()
    )
    table.note += f" Of {len(table.rows) * len(LEARNERS)} pairs of sampler and learner, {'; '.join(significant)} (5 %)."
    return table


def threshold_alone(result: Comparison) -> Table:
    """What a threshold does without a sampler."""
    table = Table(
        "A threshold alone",
        ["learner", "F at its threshold against F at 0.5", "worst table"],
        "Without a sampler: on how many tables the threshold is better, the mean change, p, and the largest loss.",
    )
    for label in LEARNERS:
        ours, half = (
            dict(zip(result.methods, result.means(metric).T, strict=True))[f"{label}, {NONE}"]
            for metric in ("minority_f1", "f1_at_half")
        )
        table.add(label, _change(ours - half), f"{(ours - half).min():+.3f}")
    return table


def _change(change: NDArray[np.float64]) -> str:
    return f"{int(np.sum(change > 0))} of {len(change)}, {change.mean():+.3f}, p {_p_value(change):.3f}"


def _p_value(change: NDArray[np.float64]) -> float:
    return float(wilcoxon(change).pvalue) if np.any(change) else 1.0


def single(result: Comparison, metric: str) -> Table:
    """Set by set, for the last learner."""
    label = list(LEARNERS)[-1]
    table = Table(f"{label} table by table: {METRICS[metric]}", ["table", *samplers({})])
    means = dict(zip(result.methods, result.means(metric).T, strict=True))
    for number, dataset in enumerate(result.datasets):
        table.add(dataset, *(f"{means[f'{label}, {way}'][number]:.3f}" for way in samplers({})))
    return table


def accepted(names: list[str]) -> Table:
    """How many of the rows made pass, on halves of the sets."""
    table = Table(
        "Rows that pass",
        ["table", "rare rows", "rows made", "pass", "share", "share, values of all"],
        "By the pattern oversampler for the smallest class, on a random half of the table: means over four halves.",
    )
    for name in names:
        data = rw.datasets.load(name)
        y = np.asarray(data.y)
        counts = [_passed(data.X, y, seed, values_of) for values_of in ("class", "all") for seed in range(4)]
        rare, made, passed = np.mean(counts[:4], axis=0)
        others = np.mean(counts[4:], axis=0)
        table.add(
            name, f"{rare:.0f}", f"{made:.0f}", f"{passed:.0f}", f"{passed / made:.2f}", f"{others[2] / others[1]:.2f}"
        )
    return table


def _passed(X: Any, y: NDArray[Any], seed: int, values_of: str) -> tuple[int, int, int]:
    half, _ = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=seed)
    sampler = rw.PatternOversampler("minority", values_of=values_of, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # if nothing passes, the table says so
        sampler.fit_resample(X.iloc[half], y[half])
    (label, n_made), (n_passed,) = next(iter(sampler.n_made_.items())), sampler.n_passed_.values()
    return int(np.sum(y[half] == label)), n_made, n_passed


OTHER_SETS = [
    "glass",
    "car",
    "page-5",
    "sat",
    "nursery-4",
    "dna",
    "covtype-3_vs_4",
]  # of the paper, only for `accepted`

QUESTION = """\
Does it help to add rare rows, if the threshold is free? Oversampling makes a classifier call more rows rare, and so does a lower
threshold. Here both are allowed: three learners, alone and behind five samplers, are judged at 0.5 and at a threshold that each of them
chose on unseen rows, the same way for all.
"""

HOW = """\
## How it was measured

A logistic regression (LR, one-hot encoded and scaled), 100 extra-trees (ET) and 100 HeDEx trees, as `rarewood.make` builds them. Samplers
raise the rare class to the size of the other: random repetition, SMOTE (SMOTENC or SMOTEN where columns are nominal) and
`PatternOversampler` with its defaults, with `values_of="all"`, and with `until_balanced=True` as well, which was its behaviour up to
version 0.2.

The protocol is {protocol} stratified cross-validation (repeats x folds); only training rows are oversampled. Thresholds are those of
`fit_threshold(model, X, y, cv=2)`: the best F-measure on original rows that two models, each fitted on half of the training rows, had not
seen. The tables are those of Kang and Ramamohanarao (PAKDD 2014) with two classes, without covtype. The default of the oversampler was
chosen by the distance to the figures that this paper prints for the same tables
([decision 3](decisions/0003-patterns-and-oversampling.md)), not by this comparison; it is not independent of it, either.
"""


def page(tables: list[Table], protocol: str) -> str:
    made = f"{circumstances('python benchmarks/patterns_quality.py --protocol ' + protocol)} Generated; do not edit."
    parts = [each.to_markdown() for each in tables]
    return "\n".join(["# Pattern oversampling", "", QUESTION, *parts, HOW.format(protocol=protocol), made, ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two sets, 5 trees; writes nothing")
    parser.add_argument("--protocol", default="2x2", help="repeats x folds")
    given = parser.parse_args()
    quick = given.quick
    names = QUICK if quick else SETS
    result = measure(names, given.protocol, quick)
    tables = [overview(result), against_none(result), threshold_alone(result)]
    tables += [single(result, metric) for metric in ("f1_at_half", "minority_f1")]
    tables.append(accepted(names if quick else [*SETS, *OTHER_SETS]))
    if quick:
        print("\n" + page(tables, given.protocol))
    else:
        DOCS.write_text(page(tables, given.protocol))
        print(f"\nwritten: {DOCS.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
