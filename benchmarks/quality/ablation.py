"""RareClassifier with one part taken away at a time. Its parts are private, so this reaches into them; nothing else here does."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression

import rarewood as rw
from quality.methods import Method
from quality.problems import CALIBRATED

FOLDS = 5
_LEARNING, _CHOICE = "rarewood._decisions._learning", "rarewood._decisions._choice"
_RARE, _LEAVES = "rarewood.ensemble._rare", "rarewood.ensemble._leaf_weights"

FAMILIES = ("entropy lines, leaves of 5", "Hellinger lines", "Hellinger cuts", "entropy lines, half of the columns")


@dataclass
class Isotonic:
    """Isotonic regression in the place of beta calibration."""

    curve: IsotonicRegression

    def apply(self, p: NDArray[np.float64], *_: Any) -> NDArray[np.float64]:
        rare = self.curve.predict(p[:, 1])
        return np.column_stack([1.0 - rare, rare])


def _isotonic(p: NDArray[np.float64], codes: NDArray[Any], classes: NDArray[Any], weights: Any) -> Isotonic:  # noqa: ARG001
    return Isotonic(IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(p[:, 1], codes, weights))


class _Same:
    def apply(self, p: NDArray[np.float64], *_: Any) -> NDArray[np.float64]:
        return p


def _none(*_: Any) -> _Same:
    return _Same()


def _equal(probabilities: Iterable[Any], *_: Any) -> NDArray[np.float64]:
    n = sum(1 for _ in probabilities)
    return np.full(n, 1.0 / n)


def _never(*_: Any) -> bool:
    return False


def _as_learned(learned: Any, *_: Any) -> Any:
    """For rows left out, not carried to new ones."""
    return learned


class Patched:
    """RareClassifier fitted with other parts."""

    def __init__(self, model: Any, parts: dict[str, Any]) -> None:
        self.model, self.parts = model, parts

    def fit(self, X: Any, y: NDArray[np.int64]) -> Patched:
        patches = [patch(name, part) for name, part in self.parts.items()]
        for each in patches:
            each.start()
        try:
            self.model.fit(X, y)
        finally:
            for each in patches:
                each.stop()
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        return self.model.predict_proba(X)

    def predict(self, X: Any) -> NDArray[np.int64]:
        return self.model.predict(X)


def changed(
    name: str,
    parts: dict[str, Any] | None = None,
    *,
    tables: Container[str] = frozenset(CALIBRATED),
    folds: int = FOLDS,
    seeds_from: int = 0,
    **settings: Any,
) -> Method:
    """RareClassifier with other settings, and with other parts in the place of those with these names."""

    def make(seed: int) -> Patched:
        return Patched(rw.RareClassifier(**settings, random_state=seeds_from + seed, n_jobs=1), parts or {})

    return Method(name, "rarewood", make, "one part changed", tables=tables, folds=folds)


def _one_family(number: int, name: str) -> Method:
    def only(*_: Any, **__: Any) -> Any:
        from rarewood.ensemble.families import families_for

        return families_for(2)[number : number + 1]

    return changed(f"{name} only", {f"{_RARE}.families_for": only})


ABLATION = [
    changed("no column effects", column_effects=False),
    changed("calibration of rows left out", {f"{_RARE}.sharpened": _as_learned}),
    changed(
        "no calibration",
        {f"{_LEARNING}.fit_calibration": _none, f"{_RARE}.sharpened": _as_learned},
        column_effects=False,
    ),
    changed(
        "isotonic regression instead of beta calibration",
        {f"{_LEARNING}.fit_calibration": _isotonic, f"{_RARE}.sharpened": _as_learned},
        column_effects=False,
    ),
    changed("the most probable class", threshold=None),
    changed("the best cut itself", {f"{_CHOICE}.half_best_f1": lambda *_: None}),
    changed("equal weights of families", {f"{_LEARNING}.mixture_weights": _equal}),
    changed("leaves that are hardly smoothed", {f"{_LEAVES}.is_sure_gain": _never}),
    *(_one_family(*family) for family in enumerate(FAMILIES)),
]
