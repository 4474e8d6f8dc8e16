"""How the model does beside other models, and beside two methods that everyone has at hand, on the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from rarewood._pages.numbers import signed_in_words
from rarewood._progress import progress
from rarewood._recipes import Selected, columns_for_regression
from rarewood._validation import column_of, unmasked
from rarewood.metrics.areas import difference_with_interval
from rarewood.metrics.uncertainty import Estimate
from rarewood.report._arguments import check_model, name_of
from rarewood.report._samples import some_rows
from rarewood.report._scores import ScoredRows, counts_above, measures
from rarewood.report._subject import Subject
from rarewood.report._tables import Matrix

Floats = NDArray[np.float64]

_CURVE = 120  # places of a curve
_MOST_ROWS = 100_000  # for the baselines to learn from: their fits must not take longer than everything else
_MOST_CATEGORIES = 50  # of a column; rarer ones are taken together


def baselines(subject: Subject) -> dict[str, Any]:
    """Measures of the model, of other models and of each baseline on the test rows, and rare rows found by the same number of alarms."""
    n_alarms = subject.decisions["alarms"]
    others = {name: _scores_of(subject, name, other) for name, other in (subject.options.others or {}).items()}
    simple, note = _simple_methods(subject)
    rows = subject.rows
    compared = [{"name": name_of(subject.model), "model": True, **_measured(rows, n_alarms)}]
    for name, scores in (others | simple).items():
        more = difference_with_interval(rows.scores, scores, rows.is_rare)
        compared.append(
            {
                "name": name,
                "model": False,
                **_measured(ScoredRows(scores, rows.is_rare), n_alarms),
                "auc_difference": more.value,
                "auc_difference_low": more.low,
                "auc_difference_high": more.high,
                "verdict": _verdict(name if name in others else f"the {name}", more),
            }
        )
    return {"compared": compared if len(compared) > 1 else [], "n_alarms": n_alarms, "note": note}


def _simple_methods(subject: Subject) -> tuple[dict[str, Floats], str]:
    """The scores of each baseline, fitted to the training rows, and a note on them or on why there are none."""
    if not subject.options.baseline:
        return {}, "No comparison with baselines was asked for."
    train, train_rare = subject.tables.train, subject.train_rare
    if train is None or train_rare is None:
        return {}, "Baselines need the rows that the model was trained on; pass them to see a comparison here."
    kept = some_rows(train_rare, _MOST_ROWS, subject.options.random_state)
    return _fitted(subject, train[kept], train_rare[kept]), _note(len(kept), len(train_rare))


def _fitted(subject: Subject, train: Matrix, train_rare: NDArray[np.bool_]) -> dict[str, Floats]:
    options = subject.options
    methods = _methods(subject.tables.nominal.tolist(), options.n_jobs, options.random_state)
    scores = {}
    with progress(len(methods), "fitting baselines", options.verbose) as report:
        for done, (title, method) in enumerate(methods.items(), start=1):
            scores[title] = method.fit(train, train_rare).predict_proba(subject.tables.test)[:, 1]
            if report is not None:
                report(done)
    return scores


def _scores_of(subject: Subject, name: str, other: Any) -> Floats:
    """The scores of another model, or those that the caller gives for it."""
    if hasattr(other, "predict_proba"):
        check_model(other)
        scores = np.asarray(other.predict_proba(subject.X))[:, column_of(subject.positive, other.classes_)]
    else:
        scores = np.asarray(unmasked(other), dtype=np.float64)
    if scores.shape != subject.rows.scores.shape or not np.isfinite(scores).all():
        raise ValueError(
            f"others[{name!r}] must be a fitted classifier or a finite score for each of the {len(subject.rows.scores):,} rows; got an "
            f"array of shape {scores.shape}."
        )
    return scores


def _verdict(title: str, more: Estimate) -> str:
    if abs(more.value) < 0.0005:
        text = f"The model and {title} have the same area under the ROC curve to three decimals"
    else:
        size = f"{abs(more.value):.3f} {'larger' if more.value > 0 else 'smaller'}"
        text = f"The model's area under the ROC curve is {size} than that of {title}"
    if more.low is None or more.high is None:
        return f"{text}; there are too few rows to say how certain that is."
    doubt = ", which may be chance" if more.low <= 0.0 <= more.high and abs(more.value) >= 0.0005 else ""
    return (
        f"{text}{doubt} (95 % interval of the difference: {signed_in_words(more.low)} to {signed_in_words(more.high)})."
    )


def _methods(nominal: list[bool], n_jobs: int | None, random_state: int) -> dict[str, Any]:
    categories = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=_MOST_CATEGORIES, sparse_output=False
    )
    as_they_are = make_column_transformer(
        ("passthrough", Selected(nominal, nominal=False)), (categories, Selected(nominal, nominal=True))
    )
    forest = RandomForestClassifier(class_weight="balanced", n_jobs=n_jobs, random_state=random_state)
    return {
        "logistic regression": make_pipeline(
            columns_for_regression(nominal, _MOST_CATEGORIES), LogisticRegression(max_iter=1000)
        ),
        "class-weighted forest": make_pipeline(as_they_are, forest),
    }


def _measured(rows: ScoredRows, n_alarms: int) -> dict[str, Any]:
    wanted = ("auc", "auc_low", "auc_high", "average_precision", "brier", "log_loss")
    figures = measures(rows)
    return {**{key: figures[key] for key in wanted}, "found": _found_by(rows, n_alarms), "curve": _curve(rows)}


def _curve(rows: ScoredRows) -> list[list[float]]:
    """Recall and precision at even steps of recall."""
    descending = np.sort(rows.scores[rows.is_rare])[::-1]
    places = np.unique(np.linspace(0, len(descending) - 1, _CURVE).round().astype(np.intp))
    true, false = counts_above(rows, descending[places])
    return [list(point) for point in zip((true / rows.n_rare).tolist(), (true / (true + false)).tolist(), strict=True)]


def _found_by(rows: ScoredRows, n_alarms: int) -> float:
    """Rare rows among the `n_alarms` highest scores; rows that tie at the border count in proportion."""
    if n_alarms == 0:
        return 0.0
    border = np.sort(rows.scores)[-n_alarms]
    above, tied = rows.scores > border, rows.scores == border
    left = n_alarms - int(above.sum())
    return float(rows.is_rare[above].sum() + left * rows.is_rare[tied].mean())


def _note(n_kept: int, n_rows: int) -> str:
    text = (
        "Both baselines are scikit-learn's, fitted to the training rows of the model: a logistic regression on scaled and "
        "one-hot encoded columns, and a random forest of 100 trees with class_weight='balanced'."
    )
    if n_kept < n_rows:
        text += f" They were fitted to a stratified sample of {n_kept:,} of the {n_rows:,} training rows."
    return text
