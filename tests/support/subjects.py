"""Subjects of reports with just the parts that a section reads."""

import numpy as np

from rarewood.report._importances import Importances
from rarewood.report._options import Options
from rarewood.report._scores import ScoredRows
from rarewood.report._subject import Subject
from rarewood.report._threshold import PageThreshold


def subject_of(
    rows=None, tables=None, *, threshold=0.5, costs=(1.0, 1.0), days=None, importances=None, amounts=None, **options
):
    """A subject without a model; every second row is rare where nothing says which are."""
    if rows is None:
        rows = ScoredRows(np.linspace(0.0, 1.0, len(tables.test)), np.arange(len(tables.test)) % 2 == 1)
    train_truth = None if tables is None or tables.train is None else np.arange(len(tables.train)) % 2
    subject = Subject(
        model=None,
        inner=None,
        X=None,
        truth=rows.is_rare.astype(int),
        train_truth=train_truth,
        positive=1,
        tables=tables,
        chances=np.column_stack([1.0 - rows.scores, rows.scores]),
        rows=rows,
        threshold=PageThreshold(threshold),
        costs=costs,
        amounts=amounts,
        days=days,
        row_names=None,
        options=Options(**options),
    )
    if importances is not None:
        vars(subject)["importances"] = Importances(np.asarray(importances), "")  # in place of the cached property
    return subject
