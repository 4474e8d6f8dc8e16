"""How the model does beside two methods that everyone has at hand, on the same split."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from rarewood._progress import progress
from rarewood._recipes import Selected, columns_for_regression
from rarewood.report._areas import difference_with_interval
from rarewood.report._arguments import name_of
from rarewood.report._scores import ScoredRows, measures
from rarewood.report._subject import Subject
from rarewood.report._tables import Matrix
from rarewood.report._uncertainty import Estimate

_MOST_ROWS = 100_000  # for the baselines to learn from: their fits must not take longer than everything else
_MOST_CATEGORIES = 50  # of a column; rarer ones are taken together


def baselines(subject: Subject) -> dict[str, Any]:
    """Measures of the model and of each baseline on the test rows, and rare rows found by the same number of alarms."""
    n_alarms = subject.decisions["alarms"]
    if not subject.options.baseline:
        return {"compared": [], "n_alarms": n_alarms, "note": "No comparison with baselines was asked for."}
    train, train_rare = subject.tables.train, subject.train_rare
    if train is None or train_rare is None:
        note = "Baselines need the rows that the model was trained on; pass them to see a comparison here."
        return {"compared": [], "n_alarms": n_alarms, "note": note}
    kept = _some_rows(train_rare, subject.options.random_state)
    compared = _compared(subject, train[kept], train_rare[kept])
    return {"compared": compared, "n_alarms": n_alarms, "note": _note(len(kept), len(train_rare))}


def _compared(subject: Subject, train: Matrix, train_rare: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """A row of figures for the model, and one for each baseline, fitted to these training rows."""
    rows, options, n_alarms = subject.rows, subject.options, subject.decisions["alarms"]
    compared = [{"name": name_of(subject.model), "model": True, **_measured(rows, n_alarms)}]
    methods = _methods(subject.tables.nominal.tolist(), options.n_jobs, options.random_state)
    with progress(len(methods), "fitting baselines", options.verbose) as report:
        for done, (title, method) in enumerate(methods.items(), start=1):
            scores = method.fit(train, train_rare).predict_proba(subject.tables.test)[:, 1]
            theirs = ScoredRows(scores, rows.is_rare)
            more = difference_with_interval(rows.scores, scores, rows.is_rare)
            compared.append(
                {
                    "name": title,
                    "model": False,
                    **_measured(theirs, n_alarms),
                    "auc_difference": more.value,
                    "auc_difference_low": more.low,
                    "auc_difference_high": more.high,
                    "verdict": _verdict(title, more),
                }
            )
            if report is not None:
                report(done)
    return compared


def _verdict(title: str, more: Estimate) -> str:
    if abs(more.value) < 0.0005:
        text = f"The model and the {title} have the same area under the ROC curve to three decimals"
    else:
        size = f"{abs(more.value):.3f} {'larger' if more.value > 0 else 'smaller'}"
        text = f"The model's area under the ROC curve is {size} than that of the {title}"
    if more.low is None or more.high is None:
        return f"{text}; there are too few rows to say how certain that is."
    doubt = ", which may be chance" if more.low <= 0.0 <= more.high and abs(more.value) >= 0.0005 else ""
    return f"{text}{doubt} (95 % interval of the difference: {more.low:+.3f} to {more.high:+.3f})."


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
    return {**{key: figures[key] for key in wanted}, "found": _found_by(rows, n_alarms)}


def _found_by(rows: ScoredRows, n_alarms: int) -> float:
    """Rare rows among the `n_alarms` highest scores; rows that tie at the border count in proportion."""
    if n_alarms == 0:
        return 0.0
    border = np.sort(rows.scores)[-n_alarms]
    above, tied = rows.scores > border, rows.scores == border
    left = n_alarms - int(above.sum())
    return float(rows.is_rare[above].sum() + left * rows.is_rare[tied].mean())


def _some_rows(rare: NDArray[np.bool_], random_state: int) -> NDArray[np.intp]:
    if len(rare) <= _MOST_ROWS:
        return np.arange(len(rare))
    rng = np.random.default_rng(random_state)
    groups = [np.flatnonzero(rare), np.flatnonzero(~rare)]
    sizes = [max(2, round(_MOST_ROWS * len(group) / len(rare))) for group in groups]
    return np.sort(np.concatenate([rng.choice(group, size, replace=False) for group, size in zip(groups, sizes)]))


def _note(n_kept: int, n_rows: int) -> str:
    text = (
        "Both baselines are scikit-learn's, fitted to the training rows of the model: a logistic regression on scaled and "
        "one-hot encoded columns, and a random forest of 100 trees with class_weight='balanced'."
    )
    if n_kept < n_rows:
        text += f" They were fitted to a stratified sample of {n_kept:,} of the {n_rows:,} training rows."
    return text
