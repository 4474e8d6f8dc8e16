"""What a fit says of rows that out-of-bag scores cannot be learned from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rarewood._decisions import Learned
from rarewood._tables.groups import RowGroups
from rarewood._validation import Labels
from rarewood._warnings import warn
from rarewood.metrics.thresholds import FEWEST_GROUPS


def warn_too_few(learned: Learned, labels: Labels, consequence: str) -> None:
    """Warn that a class has too few rows with out-of-bag scores to learn from."""
    assert learned.too_few is not None
    label, n_rows = labels.classes.tolist()[learned.too_few], learned.n_scored[learned.too_few]
    warn(
        f"class {label!r} has {n_rows} out-of-bag rows, too few to learn from: {consequence}. Give more rows of the "
        "class, or use more trees.",
    )


def warn_single_class(labels: Labels) -> None:
    """Warn that there is nothing to tell apart."""
    warn(
        f"y has a single class, {labels.classes.tolist()[0]!r}: the model can only predict that. Give rows of another class as well."
    )


def warn_few_groups(groups: RowGroups) -> None:
    """Warn that rare rows are in few groups."""
    warn(
        f"{groups.n_with_rare} of {groups.n_groups} groups hold{'s' * (groups.n_with_rare == 1)} a row of the rare class: what "
        f"out-of-bag scores say of new groups is little, and nothing is promised for fewer than {FEWEST_GROUPS}.",
    )


def warn_found_groups(groups: RowGroups, name: str) -> None:
    """Warn that rows are kept together because of a column, which nobody has asked for."""
    if groups.n_repeated:
        warn(
            f"{groups.n_repeated:,} rows equal another in all columns but {name!r}, which differs in nearly every row: copies are left out "
            f"together, so that none is judged by trees that know the other. Leave {name!r} out: it tells nothing of new rows, and "
            "hides what the copies have in common.",
        )
        return
    warn(
        f"the values of {name!r} seem to be groups: each has a few rows, more evenly than chance makes it, so new rows will have new "
        f"values. Rows of a value are left out together ({groups.n_groups:,} groups), and probabilities, threshold and "
        "promises are those for new values. If that is right, fit without the column and give it as groups (--group in the command line); "
        "if new rows will have these values, take rows one by one: groups=range(len(y)), or --group with a column that differs in each.",
    )


def warn_made(made: NDArray[np.bool_]) -> None:
    """Warn that rows are left out because a sampler made them."""
    warn(
        f"the last {np.count_nonzero(made):,} of {len(made):,} rows were made by a sampler: they repeat rows before them, or lie between "
        "two. They are left out here, because trees know the rows that they were made of: out-of-bag scores, calibration, threshold and "
        "promises would be far too good, and for other shares of the classes. Fit without the sampler and choose a threshold instead.",
    )


def warn_unscored(scored: NDArray[np.bool_]) -> None:
    """Warn that rows have no out-of-bag scores."""
    warn(
        f"{np.count_nonzero(~scored)} of {len(scored)} rows were seen by every tree and have no out-of-bag score (NaN in "
        "oob_decision_function_); use more trees.",
    )
