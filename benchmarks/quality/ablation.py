"""RareClassifier with one part taken away at a time. Its parts are private, so this reaches into them; nothing else here does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression

import rarewood as rw
from quality.methods import Method

FOLDS = 5
_LEARNING, _CHOICE = "rarewood._decisions._learning", "rarewood._decisions._choice"


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


def _equal(likelihoods: NDArray[np.float64], *_: Any) -> NDArray[np.float64]:
    return np.full(likelihoods.shape[1], 1.0 / likelihoods.shape[1])


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


def _without(name: str, parts: dict[str, Any] | None = None, **settings: Any) -> Method:
    def make(seed: int) -> Patched:
        return Patched(rw.RareClassifier(**settings, random_state=seed, n_jobs=1), parts or {})

    return Method(name, "rarewood", make, "one part changed", folds=FOLDS)


def _one_family(number: int, name: str) -> Method:
    def make(seed: int) -> Any:
        families = rw.RareClassifier._families[number : number + 1]
        return type("OneFamily", (rw.RareClassifier,), {"_families": families})(random_state=seed, n_jobs=1)

    return Method(f"{name} only", "rarewood", make, "one part changed", folds=FOLDS)


ABLATION = [
    _without("no column effects", column_effects=False),
    _without("no calibration", {f"{_LEARNING}.fit_calibration": _none}, column_effects=False),
    _without(
        "isotonic regression instead of beta calibration",
        {f"{_LEARNING}.fit_calibration": _isotonic},
        column_effects=False,
    ),
    _without("the most probable class", threshold=None),
    _without("the best cut itself", {f"{_CHOICE}.half_best_f1": lambda *_: None}),
    _without("equal weights of families", {f"{_LEARNING}.mixture_weights": _equal}),
    *(_one_family(*family) for family in enumerate(("entropy lines", "Hellinger lines", "Hellinger cuts"))),
]
