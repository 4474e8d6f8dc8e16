"""Encoded rows of two classes, as the search for rules takes them."""

import numpy as np

from rarewood._tables import Columns, LabelledRows, Rows
from rarewood._validation import Labels


def labelled_rows(matrix, is_rare, n_categories, has_missing=None):
    """Rows of a matrix with columns of numbers, or of as many categories as `n_categories` says."""
    categories = [np.arange(n) if n else None for n in n_categories]
    missing = np.zeros(len(categories), dtype=bool) if has_missing is None else has_missing
    rows = Rows(np.asfortranarray(matrix, dtype=np.float64), Columns.described(categories, None, missing))
    return LabelledRows(rows, Labels(np.array([False, True]), np.asarray(is_rare, dtype=np.int32)), True)
