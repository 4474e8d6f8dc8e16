"""What each column contributes to the score of a row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rarewood._core import contributions
from rarewood._decisions import Score
from rarewood._pipelines import last_step, steps_of
from rarewood._tables import Rows
from rarewood._validation import NONE, Integer, check_parameter, column_of
from rarewood.decomposition.base import BaseDecomposition
from rarewood.ensemble.base import thread_count
from rarewood.inspection._explanation import Explanation
from rarewood.inspection._through import Sums, carried_over, with_effects
from rarewood.tree.base import BaseTreeModel

_LARGEST_SEED = 2**63 - 1


def explain(
    model: Any,
    X: Any,
    *,
    positive: Any = None,
    n_permutations: int = 32,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Explanation:
    r"""Explain the predicted probabilities of rows: the contribution of each column.

    Contributions are Shapley values: a base value, which is the same for every row, and the contributions of a row add up to
    the probability from `predict_proba`. A column that no tree uses contributes nothing; two columns that always act alike
    contribute the same.

    Parameters
    ----------
    model : classifier
        A fitted tree or forest of this package, or a pipeline that ends with one; contributions are then those of the columns
        that the last step sees.
    X : array-like or data frame of shape (n_samples, n_features)
        Rows with the columns seen by `fit`.
    positive : label or None, default=None
        For two classes, the class whose probability is explained. None takes `positive_` of the model or of its
        `decision_threshold_`, or else the class with less weight in the training rows of the trees; of two equal ones, the
        last.
    n_permutations : int, default=32
        Number of permutations for a tree with lines through two columns; must be even. Four times as many halve the
        standard errors.
    random_state : int, default=0
        Seed of the permutations. They are the same for every row, so the contributions of a row do not depend on the
        other rows.
    n_jobs : int or None, default=None
        Number of threads: None takes `n_jobs` of the model, -1 all processors. The result does not depend on it.

    Returns
    -------
    Explanation
        `values`, `base_values`, and ways to show them: ``text(row)``, ``frame()``, ``plot(row)``, ``plot()``.

    Raises
    ------
    TypeError
        For a model whose probabilities are not a sum over trees, such as a ranking or a decomposition into several problems.

    Notes
    -----
    *Unknown columns.* The prediction of a tree when only some columns are known follows every test whose column is known, and
    otherwise averages the branches by the weight of their training rows, as in the path-dependent TreeSHAP of Lundberg et al. A
    line through two columns is decided only where both are known. For tests on one column the values are exact. For trees with
    lines they are estimated from random permutations of the columns and their reverses, with `standard_errors`. The sums are
    exact either way.

    *Calibration and priors.* A :class:`rarewood.RareClassifier` calibrates a sum over its trees, and ``set_prior`` or
    ``set_label_rate`` moves probabilities once more. The contributions to the sum are Shapley values; those to the
    probability :math:`f(m)` of the sum m are the same times :math:`(f(m) - f(m_0)) / (m - m_0)`, where :math:`m_0` is the
    base value of the sum: the rule that SHAP uses for the last, one-dimensional layer of a network. Signs and proportions
    stay the same. With more than two classes the factor is a matrix, the mean of the derivative of f between :math:`m_0` and
    m. Where single columns have effects, the same rule is used twice: contributions to the sum become contributions to its
    log-odds, each column's effect (whose mean over the training rows is 0) is added to its own, that of a pair half to each,
    and these become contributions to the probability.

    References
    ----------
    S. M. Lundberg et al., "From local explanations to global understanding with explainable AI for trees", Nature Machine
    Intelligence 2, 2020.

    Examples
    --------
    >>> import rarewood as rw
    >>> payments = rw.datasets.make_planted_rules(2000, random_state=0)
    >>> model = rw.HeDExClassifier(random_state=0).fit(payments.X, payments.y)
    >>> told = rw.inspection.explain(model, payments.X)
    >>> told.values.shape == payments.X.shape
    True
    >>> total = told.base_values + told.values.sum(axis=1)
    >>> bool(abs(total - model.predict_proba(payments.X)[:, 1]).max() < 1e-12)
    True
    """
    check_parameter("n_permutations", n_permutations, Integer(4))
    check_parameter("random_state", random_state, Integer(0, _LARGEST_SEED))
    check_parameter("n_jobs", n_jobs, NONE, Integer(-(2**31)))
    if n_permutations % 2:
        raise ValueError(
            f"n_permutations={n_permutations} is odd; give an even number, because permutations are used in pairs."
        )
    check_is_fitted(model)
    explained, X = _without_steps(model, X)
    score = explained._score() if isinstance(explained, BaseTreeModel) else None
    if score is None:
        raise TypeError(_refusal(explained))
    rows = Rows.of(explained, X)
    classes = explained.classes_
    two = len(classes) == 2
    column = explained._positive_column() if positive is None else column_of(positive, classes)
    n_threads = thread_count(getattr(explained, "n_jobs", None) if n_jobs is None else n_jobs)
    base, values, variances = contributions(
        score.trees,
        rows.matrix,
        score.pseudo_counts,
        [column] if two else list(range(len(classes))),
        score.tree_weights,
        n_pairs=n_permutations // 2,
        seed=random_state,
        n_threads=n_threads,
    )
    errors = None if variances is None else np.sqrt(variances)
    total = score.total(rows.matrix, n_threads)
    probabilities = score.finished(total, score.shift(rows.matrix))
    if not score.is_sum:
        parts = None if score.effects is None else score.effects.parts(rows.matrix)
        base, values, errors = _through(score, base, values, errors, total, parts, probabilities, column)
    if two:
        probabilities = probabilities[:, column]
        base, values, errors = base[0], values[:, :, 0], None if errors is None else errors[:, :, 0]
    return Explanation(
        values=values,
        base_values=base if not two else float(base),
        scores=probabilities,
        standard_errors=errors,
        columns=rows.columns,
        cells=rows.matrix,
        classes=classes,
        positive=classes.tolist()[column],
    )


def _through(
    score: Score,
    base: NDArray[np.float64],
    values: NDArray[np.float64],
    errors: NDArray[np.float64] | None,
    total: NDArray[np.float64],
    parts: NDArray[np.float64] | None,
    probabilities: NDArray[np.float64],
    column: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]:
    """The same of the probabilities instead of the sums over the trees."""
    n_classes = total.shape[1]
    full = base
    if n_classes == 2:
        full = np.empty(2)
        whole = 1.0 if score.tree_weights is None else float(np.sum(score.tree_weights))  # of any row, up to rounding
        full[column], full[1 - column] = base[0], whole - base[0]
    finished = score.finished(full[np.newaxis, :])[0]
    sums = Sums(score, full, finished, values, errors, total, probabilities)
    if parts is not None:
        return with_effects(sums, parts, column)
    return carried_over(sums, [column] if n_classes == 2 else list(range(n_classes)))


def _without_steps(model: Any, X: Any) -> tuple[Any, Any]:
    """The last step of a pipeline, and the rows as it sees them; what samples rows does so in fit alone."""
    for step in steps_of(model)[:-1]:
        if step is not None and step != "passthrough" and not hasattr(step, "fit_resample"):
            X = step.transform(X)
    last = last_step(model)
    if isinstance(last, BaseDecomposition) and last.n_classes_ == 2:
        return _without_steps(last.estimators_[0], X)
    return last, X


def _refusal(model: Any) -> str:
    name = type(model).__name__
    if isinstance(model, BaseDecomposition):
        return (
            f"the probabilities of {name} are not a sum over trees, so contributions of columns would not add up to them; explain its "
            "problems one by one: explain(model.estimators_[0], X), or a forest for all classes."
        )
    return (
        f"{name} is not accepted; give a fitted TreeClassifier, RareClassifier or forest of rarewood, whose probabilities are "
        "sums over trees, or a pipeline that ends with one."
    )
