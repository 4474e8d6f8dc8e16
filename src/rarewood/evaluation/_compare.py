"""Several methods on several data sets."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from typing import Any

import joblib

from rarewood._progress import progress as show_progress
from rarewood._validation import NONE, Choice, Integer, check_parameter
from rarewood.evaluation._comparison import Comparison
from rarewood.evaluation._data import LabelledData, read_datasets
from rarewood.evaluation._plan import cells_of, describe_run, holds_measures
from rarewood.evaluation._protocol import resolve_protocol
from rarewood.evaluation._records import RecordFile, read_records
from rarewood.evaluation._runner import Record, Work
from rarewood.evaluation.divisions import Division
from rarewood.metrics import Metric
from rarewood.metrics import get as get_metric

DEFAULT_METRICS = ("auc", "average_precision", "minority_f1", "log_loss")


def compare(
    methods: Mapping[str, Any],
    datasets: Any,
    protocol: Any = None,
    metrics: str | Metric | Sequence[str | Metric] = DEFAULT_METRICS,
    *,
    groups: Any = None,
    time: Any = None,
    delay: Any = None,
    copies: str = "together",
    n_jobs: int | None = None,
    progress: bool | None = None,
    cache: str | os.PathLike[str] | None = None,
    random_state: int = 0,
) -> Comparison:
    """Train and test every method on every data set, with the same folds and seeds for all.

    Parameters
    ----------
    methods : dict of str to classifier
        Anything with scikit-learn's interface: classifiers, pipelines, searches; or a function that makes one. Each fold gets
        a fresh copy.
    datasets : dict of str to data set
        ``(X, y)``, ``(X, y, rare label)``, or an object with `X` and `y` (or `data` and `target`) and, optionally, `rare` and
        `groups`. X may be an array, a data frame or a sparse matrix. Objects with a `name` may be given as a list. Unless
        given, the rare label is that of the rarest class of the whole data set.
    protocol : str or splitter, default=None
        Repeats x folds, such as "5x2", "10x10" or "50x2": stratified, and shuffled anew for each repeat; "10fold" is "1x10";
        "10x10x20" trains each learner 20 times on every fold, each time with another seed. Or any scikit-learn splitter.
        None means "5x2", or "5fold" if `time` is given.
    metrics : str, Metric or sequence of them, default=("auc", "average_precision", "minority_f1", "log_loss")
        Names from :func:`rarewood.metrics.names`, or measures of your own. Adding a measure later means training again.
    groups : str or dict, default=None
        Groups, such as customers, that must not be split between training and test rows: the name of a column of every X, or a
        dictionary from data sets to such names or to arrays with a value per row. The column is not used for training.
    time : str or dict, default=None
        Numbers, dates or times that order the rows: the name of a column of every X, or a dictionary from data sets to such
        names or to arrays with a value per row. The column is not used for training. With "5fold", the rows are divided into
        six periods of about equal size, and each but the first is tested with methods trained on all earlier periods; rows
        with the same time are in the same period. With `groups` as well, training rows whose group is tested are left out.
    delay : str, timedelta, number or None, default=None
        How long after the `time` of a row its label is known: "7d", "36h", "2w", "15min", or a number in the unit of a column of
        numbers. A method learns only from rows whose labels were known when the period under test began. The last rows, whose
        labels are not known at the end of the data set, are not used.
    copies : {"together", "apart"}, default="together"
        Where rows that equal another in all columns go, if `protocol` is a word: "together" keeps them in one fold, since a row
        is no test of what its copy has taught, and so rows with the same value of a nominal column whose values are groups of a
        few rows, such as households; "apart" divides all rows at random, as most papers do. Where equal rows are natural,
        because few different ones are possible, rows are divided at random either way.
    n_jobs : int or None, default=None
        Number of parallel processes: None means 1, -1 one per processor. With several, each method gets one thread,
        whatever its own `n_jobs` says. Scores do not depend on it.
    progress : bool or None, default=None
        Whether to show a bar with the time left; None shows it on a terminal.
    cache : path, default=None
        A file that results are appended to as they come. If it exists, results of the same comparison (same data, same
        parameters and versions of the methods, same folds, seeds and measures) are taken from it and only the rest is
        computed, so that a stopped run resumes where it stopped. Failures are tried again. Two comparisons cannot use one
        file at the same time: the second raises an error.
    random_state : int, default=0
        Seed of the folds and of the methods: on each fold of a data set, every `random_state` inside every method gets the same
        seed, which differs from fold to fold.

    Returns
    -------
    Comparison
        The results, with tables, ranks, tests and plots.

    See Also
    --------
    Comparison.load : Results from a file, without computing any.
    time_split : Earlier and later rows of one table.
    rarewood.statistics : The tests by themselves.

    Notes
    -----
    If a method fails on a fold, its error is recorded and the others go on; its mean over that data set is then missing. With
    several processes, this holds even if a method crashes the process or is killed for lack of memory. A score that is not
    defined on a fold, such as an area under the ROC curve where a class is missing, is skipped and counted. Warnings of the
    methods are kept with the results instead of being shown.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer, load_wine
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from rarewood.evaluation import compare
    >>> methods = {
    ...     "regression": make_pipeline(StandardScaler(), LogisticRegression()),
    ...     "tree": DecisionTreeClassifier(),
    ... }
    >>> datasets = {"breast": load_breast_cancer(), "wine": load_wine()}
    >>> result = compare(methods, datasets, "5x2", ["auc", "g_mean"])
    >>> result
    Comparison of 2 methods on 2 data sets, 5x2, 40 results
    >>> result.table("auc")
    AUC of the rare class, 5x2
                  regression   tree
    breast           [0.995]  0.908
    wine             [0.999]  0.926
    mean             [0.997]  0.917
    average rank      [1.00]   2.00
    [ ] best of the row
    """
    check_parameter("random_state", random_state, Integer(0, 2**32 - 1))
    check_parameter("copies", copies, Choice(("together", "apart")))
    check_parameter("n_jobs", n_jobs, NONE, Integer(-(2**15)))
    if n_jobs == 0:
        raise ValueError("n_jobs=0 is not accepted; give None, a number of processes, or -1 for one per processor.")
    tables = {table.name: table for table in read_datasets(datasets, groups, time, delay)}
    estimators = _read_methods(methods)
    measures = _read_metrics(metrics)
    plan = resolve_protocol(
        protocol, random_state, _common_division(list(tables.values())), divides_copies=copies == "apart"
    )
    folds = {name: plan.folds(table) for name, table in tables.items()}
    run = describe_run(list(tables.values()), estimators, plan, folds, measures, random_state)

    cells = cells_of(run)
    work = Work(estimators, tables, folds, measures)
    kept = {name: about["fingerprint"] for name, about in run["metrics"].items()}
    with ExitStack() as stack:
        file = stack.enter_context(RecordFile(cache)) if cache is not None else None
        found = _from_cache(cache, run)  # after the file is ours: nobody adds to it any more
        missing = [cell for cell in cells if cell.key not in found]
        if file:
            file.append(run)
        already = len(cells) - len(missing)
        report = stack.enter_context(show_progress(len(cells), "comparing", _is_shown(progress), already))
        results = stack.enter_context(closing(work.results(missing, joblib.effective_n_jobs(n_jobs))))
        for done, record in enumerate(results, already + 1):
            found[record["key"]] = record = {**record, "measures": kept}
            if file:
                file.append(record)
            if report:
                report(done)
    return Comparison(run, found)


def _common_division(tables: Sequence[LabelledData]) -> Division | None:
    """That of the first data set, where all are divided by the same."""
    first = tables[0].division
    for table in tables[1:]:
        if (table.division is None) != (first is None) or (
            table.division is not None and first is not None and table.division.in_words() != first.in_words()
        ):
            raise ValueError(
                f"data sets {tables[0].name!r} and {table.name!r} use different columns for time or groups; give "
                "these columns the same names in all data sets, or compare on each data set separately."
            )
    return first


def _from_cache(cache: str | os.PathLike[str] | None, run: Record) -> dict[str, Record]:
    """Results of the same cells that hold all measures, by key."""
    if cache is None:
        return {}
    keys = {cell.key for cell in cells_of(run)}
    return {
        record["key"]: record
        for record in read_records(cache)
        if record.get("kind") == "result"
        and record["key"] in keys
        and record["error"] is None
        and holds_measures(record, run)
    }


def _read_methods(methods: Any) -> dict[str, Any]:
    if not isinstance(methods, Mapping):
        raise TypeError(f"methods must be a dictionary from names to classifiers, got {type(methods).__name__}.")
    if not methods:
        raise ValueError("methods is empty; give a dictionary from names to classifiers.")
    return {str(name): _read_method(str(name), method) for name, method in methods.items()}


def _read_method(name: str, method: Any) -> Any:
    if callable(method) and (isinstance(method, type) or not hasattr(method, "fit")):
        method = method()
    if not (hasattr(method, "fit") and hasattr(method, "predict")):
        raise TypeError(
            f"method {name!r} is {method!r}, which has no fit and predict; give a classifier with scikit-learn's interface, "
            "or a function that makes one."
        )
    return method


def _read_metrics(metrics: Any) -> list[Metric]:
    given = [metrics] if isinstance(metrics, (str, Metric)) else list(metrics)
    if not given:
        raise ValueError("metrics is empty; give at least one name or measure.")
    measures = [get_metric(metric) for metric in given]
    names = [measure.name for measure in measures]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"metrics has names that occur twice: {', '.join(sorted(twice))}.")
    return measures


def _is_shown(progress: bool | None) -> int:
    return int(sys.stderr.isatty() if progress is None else progress)
