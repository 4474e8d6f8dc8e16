"""How well a model does on rows it has not seen: out-of-bag scores where it has them, cross-validation otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from rarewood._progress import progress
from rarewood.cli._errors import CommandError, ExitCode
from rarewood.metrics import DecisionThreshold, Predictions, choose_threshold
from rarewood.metrics import get as get_metric

MEASURES = ("auc", "average_precision", "log_loss")
_FOLDS = 5


@dataclass(frozen=True, eq=False)
class UnseenScores:
    """Probabilities of rows by what did not learn from them; `kept` says which rows have any."""

    how: str
    probabilities: NDArray[np.float64]
    kept: NDArray[np.bool_]

    def measures(self, y: NDArray[Any], classes: NDArray[Any], positive: Any) -> dict[str, float]:
        """AUC, average precision and log-loss."""
        given = Predictions(y[self.kept], classes, positive, scores=self.probabilities[self.kept])
        return {name: float(get_metric(name).compute(given)) for name in MEASURES}

    def threshold(self, y: NDArray[Any], classes: NDArray[Any], positive: Any, **rule: Any) -> DecisionThreshold:
        """The threshold that a rule chooses."""
        scores = self.probabilities[self.kept, int(np.flatnonzero(classes == positive)[0])]
        try:
            return choose_threshold(y[self.kept], scores, positive=positive, **rule)
        except ValueError as error:
            raise CommandError(ExitCode.USAGE, f"--threshold: {error}") from error


def unseen_scores(model: Any, X: Any, y: NDArray[Any], verbose: int) -> UnseenScores:
    """Of a fitted model and the rows it was fitted to."""
    if hasattr(model, "oob_decision_function_"):
        scores = np.asarray(model.oob_decision_function_)
        return UnseenScores("out-of-bag", scores, ~np.isnan(scores).any(axis=1))
    n_folds = min(_FOLDS, int(np.unique(y, return_counts=True)[1].min()))
    scores = np.zeros((len(y), len(model.classes_)))
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    with progress(n_folds, "cross-validating", verbose) as report:
        for done, (train, test) in enumerate(folds.split(np.zeros(len(y)), y), start=1):
            part = silent(clone(model)).fit(_rows(X, train), y[train])
            scores[test] = part.predict_proba(_rows(X, test))
            if report:
                report(done)
    return UnseenScores(f"{n_folds}-fold cross-validation", scores, np.ones(len(y), dtype=bool))


def silent(model: Any) -> Any:
    """The same without progress bars of its own."""
    shown = {name: value for name, value in model.get_params().items() if name.split("__")[-1] == "verbose"}
    return model.set_params(**{name: type(value)(0) for name, value in shown.items()})  # False or 0, as it was


def _rows(X: Any, chosen: NDArray[np.intp]) -> Any:
    return X.iloc[chosen] if hasattr(X, "iloc") else X[chosen]
