"""Everything a report says, as a dictionary."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Unpack

import numpy as np

from rarewood._progress import progress
from rarewood.metrics import hand_till_auc, imbalance_ratio
from rarewood.report._arguments import name_of
from rarewood.report._options import Keywords, Options, shows_options
from rarewood.report._scores import calibration, cut_offs, histogram, measures, recall_table
from rarewood.report._sections.baselines import baselines
from rarewood.report._sections.card import card, versions
from rarewood.report._sections.cases import single_rows
from rarewood.report._sections.cost_curve import cost_curve
from rarewood.report._sections.dictionary import dictionary
from rarewood.report._sections.drift import drift
from rarewood.report._sections.effects import effects
from rarewood.report._sections.gains import gains
from rarewood.report._sections.intervals import intervals
from rarewood.report._sections.learning_curve import curve_of_training
from rarewood.report._sections.money import money
from rarewood.report._sections.periods import periods
from rarewood.report._sections.review import review
from rarewood.report._sections.rules import strongest_rules
from rarewood.report._sections.segments import segments
from rarewood.report._sections.slices import slices
from rarewood.report._subject import Subject, read_subject
from rarewood.report._trained_on import trained_on
from rarewood.report.problems import find_problems

FORMAT = 1  # of the dictionary; larger when a key goes or changes its meaning

Section = Callable[[Subject], Any]


@shows_options
def summarise(model: Any, X: Any, y: Any, **options: Unpack[Keywords]) -> dict[str, Any]:
    """Compute all figures of a report: a fitted classifier measured on rows it has not seen.

    Parameters
    ----------
    model : classifier
        A fitted classifier with `predict_proba`: of this package, of scikit-learn, or a pipeline.
    X, y : array-like or data frame of shape (n_samples, n_features), array-like of shape (n_samples,)
        Rows that the model has not seen, and their labels.
    **options
        Keyword arguments of :func:`build`, explained there; all but `path`.

    Returns
    -------
    dict
        Only strings, numbers, booleans, None, lists and dictionaries, so ``json.dumps`` can write it. Its keys are
        listed in `docs/report.md`.

    See Also
    --------
    build : The same as a page.

    Examples
    --------
    >>> from rarewood import BalancedForestClassifier
    >>> from rarewood.datasets import make_planted_rules
    >>> from rarewood.report import summarise
    >>> train, test = (make_planted_rules(2000, random_state=seed) for seed in (0, 1))
    >>> model = BalancedForestClassifier(random_state=0).fit(train.X, train.y)
    >>> summary = summarise(model, test.X, test.y, threshold=0.6)
    >>> summary["measures"]["auc"] > 0.9
    True
    >>> bool(summary["decisions"]["alarms"] == sum(model.predict_proba(test.X)[:, 1] >= 0.6))
    True
    """
    choices = Options.read(options)
    with progress(1 + len(_SECTIONS), "writing the report", choices.verbose) as report:
        subject = read_subject(model, X, y, choices)
        summary = _heading(subject)
        for n_done, (key, section) in enumerate(_SECTIONS.items(), start=1):
            if report is not None:
                report(n_done)
            summary[key] = section(subject)
    summary |= {key: section(subject) for key, section in _WITH_THEIR_OWN_PROGRESS.items()}
    return summary | {"card": card(subject, summary)}


def _heading(subject: Subject) -> dict[str, Any]:
    """The title and who is judged: a model, a class."""
    model = subject.model
    others = [str(label) for label in model.classes_.tolist() if label != subject.positive]
    return {
        "format": FORMAT,
        "title": subject.options.title or f"{name_of(model)} on {len(subject.truth):,} rows",
        "created": datetime.now().astimezone().isoformat(timespec="minutes"),
        "versions": versions(),
        "model": {"name": name_of(model), "text": repr(model)},
        "positive": str(subject.positive),
        "rest": others[0] if len(others) == 1 else "the rest",
        "n_classes": len(model.classes_),
    }


def _area_of_all_classes(subject: Subject) -> float | None:
    """Hand and Till's area; of two classes it is the ordinary one, which the page has already."""
    classes = subject.model.classes_
    return float(hand_till_auc(subject.truth, subject.chances, labels=classes)) if len(classes) > 2 else None


def _about_data(subject: Subject) -> dict[str, Any]:
    tables = subject.tables
    counts = _class_counts(subject.truth)
    in_training = None if subject.train_truth is None else _class_counts(subject.train_truth)
    return {
        "n_rows": len(subject.truth),
        "n_columns": len(tables.names),
        "n_nominal": int(tables.nominal.sum()),
        "missing_share": float(np.isnan(tables.test).mean()),
        "imbalance_ratio": imbalance_ratio(subject.truth),
        "classes": [
            {"label": label, "n_rows": n, "n_train": None if in_training is None else in_training.get(label, 0)}
            for label, n in sorted(counts.items(), key=lambda item: -item[1])
        ],
        "n_train_rows": None if subject.train_truth is None else len(subject.train_truth),
    }


def _class_counts(truth: Any) -> dict[str, int]:
    labels, counts = np.unique(np.asarray(truth), return_counts=True)
    return {str(label): int(count) for label, count in zip(labels.tolist(), counts)}


_SECTIONS: Mapping[str, Section] = {
    "hand_till_auc": _area_of_all_classes,
    "data": _about_data,
    "split": lambda subject: subject.options.split,
    "threshold": lambda subject: subject.threshold.in_words(),
    "costs": lambda subject: dict(zip(("false_alarm", "miss"), subject.costs, strict=True)),
    "decisions": lambda subject: subject.decisions,
    "measures": lambda subject: measures(subject.rows),
    "cut_offs": lambda subject: cut_offs(subject.rows, subject.threshold.value),
    "recall_table": lambda subject: recall_table(subject.rows, subject.costs),
    "calibration": lambda subject: calibration(subject.rows),
    "histogram": lambda subject: histogram(subject.rows),
    "intervals": intervals,
    "gains": gains,
    "review": review,
    "cost_curve": cost_curve,
    "money": money,
    "segments": segments,
    "slices": slices,
    "periods": periods,
    "drift": drift,
    "columns": dictionary,
    "importance_meaning": lambda subject: subject.importances.meaning,
    "effects": effects,
    "rules": strongest_rules,
    "single_rows": single_rows,
}
# Two progress bars at a time would overwrite each other. The keys of a summary stay in the order of the page.
_WITH_THEIR_OWN_PROGRESS: Mapping[str, Section] = {
    "baselines": baselines,
    "learning_curve": curve_of_training,
    "problems": lambda subject: find_problems(
        subject.examined, trained_on(subject.inner, subject.positive, subject.rows.scores, subject.rows.is_rare)
    ),
}
