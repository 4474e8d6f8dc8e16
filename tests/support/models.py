"""Every public classifier in every mode that it has: the one list of models for all tests of what a fitted model can become.

Classifiers are discovered, modes are declared: a mode applies to each classifier that has the parameters or methods it needs. So a
new mode is one line in `MODES`, and a new classifier gets all modes of its kind by being public.
"""

from __future__ import annotations

import copy
import inspect
import os
import warnings
import zlib
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import has_fit_parameter

import rarewood as rw
from rarewood._decisions import _effect_learning
from rarewood.ensemble import fit_threshold
from rarewood.exceptions import RarewoodWarning
from support.tables import array_of, mixed_table


def _plain_fit(model, X, y):
    return model.fit(X, y)


def _weighted_fit(model, X, y):
    return model.fit(X, y, sample_weight=np.arange(len(y)) % 4)


def _grouped_fit(model, X, y):
    return model.fit(X, y, groups=np.arange(len(y)) // 6)


def _fit_twice(model, X, y):
    n_estimators = model.n_estimators
    model.set_params(n_estimators=n_estimators // 2).fit(X, y)
    return model.set_params(n_estimators=n_estimators).fit(X, y)


@contextmanager
def effects_at_any_price():
    """Effects of columns and pairs are kept, even where they are no gain."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_effect_learning, "_UNLIKELY", np.inf)
        patch.setattr(_effect_learning._Evidence, "gain_over", lambda *_: 1.0)
        patch.setattr(_effect_learning, "is_sure_gain", lambda _: True)
        patch.setattr(_effect_learning, "_PARTS", [1.0])
        allowed = _effect_learning._parts_beside_trees
        patch.setattr(_effect_learning, "_parts_beside_trees", lambda *slopes: allowed(*slopes) or [0.1])
        yield


def _fit_with_effects(model, X, y):
    with effects_at_any_price():
        model.fit(X, y)
    assert len(model.classes_) > 2 or len(model.column_effects_.pairs) == 3
    return model


def _rarest(y):
    labels, counts = np.unique(y, return_counts=True)
    return labels[counts.argmin()].item()


def told_prior(model, X, y):
    model.set_prior({_rarest(y): 0.4})


def told_label_rate(model, X, y):
    model.set_label_rate(0.6)


def with_threshold(rule):
    def choose(model, X, y):
        is_slow = isinstance(model, rw.RuleSetClassifier)  # any cut will do: no clones are fitted to find a good one
        fit_threshold(model, X, y, rule=rule, cv=2, held_out=is_slow)

    return choose


def in_turn(*steps):
    def run(model, X, y):
        for step in steps:
            step(model, X, y)

    return run


@dataclass(frozen=True)
class Mode:
    """One way to use a classifier: its parameters, its table, how it is fitted, what it is told afterwards."""

    name: str
    parameters: dict[str, Any] = field(default_factory=dict)
    then: Callable[..., None] | None = None
    needs: str | None = None  # a method that a classifier must have
    fit: Callable[..., Any] = _plain_fit
    table: Callable[..., Any] = mixed_table
    classes: tuple[int, ...] = (2, 3)
    essential: bool = False  # changes how a probability is made, or what a table is

    def suits(self, classifier):
        """Whether a classifier has what the mode is about."""
        if self.fit is _weighted_fit and not has_fit_parameter(classifier, "sample_weight"):
            return False
        if self.fit is _grouped_fit and not has_fit_parameter(classifier, "groups"):
            return False
        return set(self.parameters) <= set(classifier.get_params(deep=False)) and (
            self.needs is None or hasattr(classifier, self.needs)
        )


_CALIBRATED = {"calibration": "beta"}
_MONOTONE = {"monotonic_cst": {"a": 1}}
_RULES = ("precision=0.35", "recall=0.8", "cost=1:20", "alerts=10%", 0.3)

MODES = [
    Mode("plain", essential=True),
    Mode("calibrated", _CALIBRATED, essential=True),
    Mode("calibrated, f1", _CALIBRATED, with_threshold("f1"), essential=True),
    Mode("calibrated, prior", _CALIBRATED, told_prior, essential=True),
    Mode("calibrated, label rate", _CALIBRATED, told_label_rate, classes=(2,), essential=True),
    Mode("calibrated, f1, label rate", _CALIBRATED, in_turn(with_threshold("f1"), told_label_rate), classes=(2,)),
    Mode("calibrated, prior, cost", _CALIBRATED, in_turn(told_prior, with_threshold("cost=1:20"))),
    Mode(
        "calibrated, class weights", {**_CALIBRATED, "class_weight": "balanced"}, with_threshold("f1"), essential=True
    ),
    Mode("calibrated, balanced bags", {**_CALIBRATED, "sampling": "balanced"}, with_threshold("f1"), essential=True),
    Mode("prior", {}, told_prior, needs="set_prior", essential=True),
    Mode("f1", {}, with_threshold("f1")),
    Mode("larger leaves", {"min_samples_leaf": 9, "column_effects": False}),
    Mode("f1, prior", {}, in_turn(with_threshold("f1"), told_prior), needs="set_prior", classes=(2,)),
    *(Mode(f"own {rule}", {"threshold": rule, "column_effects": False}, classes=(2,)) for rule in (*_RULES, None)),
    *(Mode(str(rule), {}, with_threshold(rule), classes=(2,)) for rule in _RULES),
    Mode("out-of-bag", {"oob_score": True}),
    Mode("class weights", {"class_weight": "balanced"}),
    Mode("weighted rows", fit=_weighted_fit, essential=True),
    Mode("groups", {"threshold": "f1", "column_effects": False}, fit=_grouped_fit),
    Mode("groups, calibrated", _CALIBRATED, fit=_grouped_fit),
    Mode("warm start", {"warm_start": True}, fit=_fit_twice),
    Mode("effects", {"column_effects": True}, fit=_fit_with_effects, essential=True),
    Mode("effects, prior", {"column_effects": True}, told_prior, fit=_fit_with_effects, essential=True),
    Mode(
        "effects, label rate",
        {"column_effects": True},
        told_label_rate,
        fit=_fit_with_effects,
        classes=(2,),
        essential=True,
    ),
    Mode(
        "effects, class weights",
        {"column_effects": True, "class_weight": "balanced"},
        fit=_fit_with_effects,
        classes=(2,),
    ),
    Mode("effects, cost", {"column_effects": True, "threshold": "cost=1:20"}, fit=_fit_with_effects, classes=(2,)),
    Mode("monotone", {"monotonic_cst": {"a": 1, "d": -1}}, classes=(2,), essential=True),
    Mode("monotone, multiway, pruned", {**_MONOTONE, "nominal": "multiway", "pruning": "pessimistic"}, classes=(2,)),
    Mode("monotone, lines", {**_MONOTONE, "splitter": "hyperplane"}, classes=(2,)),
    Mode("monotone, weighted rows", _MONOTONE, fit=_weighted_fit, classes=(2,)),
    Mode("monotone, effects", {**_MONOTONE, "column_effects": True}, fit=_fit_with_effects, classes=(2,)),
    Mode("multiway", {"nominal": "multiway"}, essential=True),
    Mode("one against the rest", {"nominal": "one_vs_rest"}),
    Mode("random cuts", {"splitter": "random"}),
    Mode("lines", {"splitter": "hyperplane"}, essential=True),
    Mode("pruned", {"pruning": "pessimistic"}),
    Mode("raw leaves", {"smoothing": 0.0}, classes=(2,)),
    Mode("half a case", {"smoothing": 0.5}, classes=(3,)),
    Mode("all rows", {"sampling": "all"}, classes=(2,)),
    Mode("stratified bags", {"sampling": "stratified"}, classes=(3,)),
    Mode("another criterion", {"criterion": "entropy"}, classes=(2,)),
    Mode("float32", table=array_of(np.float32), essential=True),
    Mode("float64", table=array_of(np.float64)),
    Mode("weka", {"normalize": "weka"}, essential=True),
    Mode(
        "of calibrated forests",
        {"estimator": rw.ForestClassifier(8, calibration="beta", random_state=0)},
        essential=True,
    ),
    Mode("of rare classifiers", {"estimator": rw.RareClassifier(9, random_state=0)}, essential=True),
    Mode("of lines", {"estimator": rw.HeDExhClassifier(3, random_state=0)}, with_threshold("f1")),
    Mode("cleaned", {"clean": True}, classes=(2,)),
]

_SMALL = {
    "RareClassifier": {"n_estimators": 12},
    "OneVsAllClassifier": {"estimator": rw.TreeClassifier(max_depth=5)},
    "ECOCClassifier": {"estimator": rw.TreeClassifier(max_depth=5)},
    "BiasedRankingClassifier": {"n_iterations": 3, "n_estimators": 5, "clean": False},
}
_TWO_CLASSES_ONLY = ("RuleSetClassifier",)


def public_classifiers():
    """Of each public class of classifiers one of few trees, seeded."""
    found = {}
    for name in rw.__all__:
        kind = getattr(rw, name)
        if inspect.isclass(kind) and is_classifier(model := kind()):
            parameters = model.get_params(deep=False)
            small = {"n_estimators": 6, "random_state": 0} | _SMALL.get(name, {})
            found[name] = model.set_params(**{key: value for key, value in small.items() if key in parameters})
    return found


CLASSIFIERS = public_classifiers()


@dataclass(frozen=True)
class Case:
    """A classifier in a mode, for a number of classes."""

    classifier: str
    mode: Mode
    n_classes: int

    def __str__(self):
        return f"{self.classifier}, {self.mode.name}" + (f", {self.n_classes} classes" if self.n_classes > 2 else "")

    def __hash__(self):
        return hash(str(self))

    def __eq__(self, other):
        return str(self) == str(other)

    def make(self):
        """The classifier with the parameters of the mode, not fitted."""
        return clone(CLASSIFIERS[self.classifier]).set_params(**self.mode.parameters)

    def rows(self):
        """The rows and labels that it is fitted to."""
        n_rows = 900 if self.classifier == "RuleSetClassifier" else 300
        return self.mode.table(self.n_classes, n_rows)

    @cache  # noqa: B019 - cases live as long as the tests
    def fitted(self):
        """The fitted model, told what the mode tells it. Tests must not change it."""
        before = self._before()
        return self.fitted_to(*self.rows(), None if before is None else copy.deepcopy(before.fitted()))

    def fitted_to(self, X, y, model=None):
        """The same on other rows; a `model` that was fitted to them is only told what the mode tells."""
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", RarewoodWarning
            )  # few trees leave rows without scores and cuts out of reach
            if model is None:
                model = self.mode.fit(self.make(), X, y)
            if self.mode.then is not None:
                self.mode.then(model, X, y)
        return model

    def _before(self):
        """The case of the same fit that is told nothing afterwards."""
        if self.mode.then is None:
            return None
        same = (
            mode
            for mode in MODES
            if mode.then is None
            and (mode.parameters, mode.fit, mode.table) == (self.mode.parameters, self.mode.fit, self.mode.table)
            and self.n_classes in mode.classes
        )
        mode = next(same, None)
        return None if mode is None else Case(self.classifier, mode, self.n_classes)


def _cases():
    for name, classifier in CLASSIFIERS.items():
        for mode in MODES:
            if mode.suits(classifier):
                for n_classes in mode.classes:
                    if n_classes == 2 or name not in _TWO_CLASSES_ONLY:
                        yield Case(name, mode, n_classes)


CASES = list(_cases())


def case(name):
    """The case with a name, such as "RareClassifier, prior, 3 classes"."""
    return next(each for each in CASES if str(each) == name)


def runs(case, purpose):
    """Whether a case is run for a purpose: all of them where RAREWOOD_EVERY_CASE is set, else the essential and a third of the others.

    Each purpose has another third, so every case is run for some of them in every run of the tests.
    """
    if case.mode.essential or os.environ.get("RAREWOOD_EVERY_CASE"):
        return True
    return zlib.crc32(f"{case}, {purpose}".encode()) % 3 == 0


def all_cases(purpose, wanted=lambda case: True):
    """Parametrizes a test by the cases that are `wanted`."""
    return pytest.mark.parametrize("case", [each for each in CASES if wanted(each) and runs(each, purpose)], ids=str)
