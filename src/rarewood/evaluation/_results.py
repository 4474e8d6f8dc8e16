"""The results of a comparison as arrays and frames, and the file they are kept in."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import inf
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rarewood._tables.frames import data_frame
from rarewood._validation import did_you_mean
from rarewood.evaluation._plan import cells_of, holds_measures
from rarewood.evaluation._records import read_records, write_records
from rarewood.metrics import REGISTRY

COSTS = {"fit_seconds": "seconds to fit", "predict_seconds": "seconds to predict", "model_bytes": "bytes of the model"}


class Results:
    """Scores of a run by data set, method, fold and repeat; the part of a `Comparison` without statistics."""

    def __init__(self, run: Mapping[str, Any], results: Mapping[str, Mapping[str, Any]]) -> None:
        self.provenance = dict(run)
        self.methods = list(run["methods"])
        self.datasets = list(run["datasets"])
        self.metrics = list(run["metrics"])
        self._cells = cells_of(run)
        # names as in this run: the same method may have had another name when it was computed
        self.records = [
            {
                **results[cell.key],
                "dataset": cell.dataset,
                "method": cell.method,
                "fold": cell.fold,
                "repeat": cell.repeat,
            }
            for cell in self._cells
            if cell.key in results
        ]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read the last comparison of a record file, finished or not.

        Parameters
        ----------
        path : path
            A file written by :meth:`save`, or the `cache` of :func:`compare`, even while it is running.

        Returns
        -------
        Comparison
        """
        records = read_records(path)
        runs = [record for record in records if record.get("kind") == "run"]
        if not runs:
            raise ValueError(f"{path} holds no comparison yet.")
        last = runs[-1]
        try:
            results = [record for record in records if record.get("kind") == "result" and holds_measures(record, last)]
            return cls(last, {record["key"]: record for record in results})
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(
                f"{path} is damaged: its last comparison cannot be read. Delete it, or name another file."
            ) from error

    def part(self, *, datasets: Sequence[str] | None = None, methods: Sequence[str] | None = None) -> Self:
        """Keep only some of the data sets and methods, as if the others had not been compared.

        Parameters
        ----------
        datasets, methods : sequence of str, default=None
            Names to keep; unknown names are ignored. None keeps all.

        Returns
        -------
        Comparison
        """
        kept = {
            kind: {name: about for name, about in self.provenance[kind].items() if names is None or name in names}
            for kind, names in (("datasets", datasets), ("methods", methods))
        }
        return type(self)({**self.provenance, **kept}, {record["key"]: record for record in self.records})

    @property
    def n_wanted(self) -> int:
        """Number of results of the finished comparison."""
        return len(self._cells)

    @property
    def is_finished(self) -> bool:
        """Whether all results are there, including failures."""
        return len(self.records) == self.n_wanted

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a record file.

        Parameters
        ----------
        path : path
            One JSON object per line; also accepted as `cache` by :func:`compare`.
        """
        write_records(path, [self.provenance, *self.records])

    def frame(self, backend: Any = None) -> Any:
        """All results, one row each.

        Parameters
        ----------
        backend : module or str, default=None
            The data-frame library, such as "polars". None takes the first installed of pandas, polars and pyarrow.

        Returns
        -------
        data frame, or dict of arrays if no such library is installed
            dataset, method, fold, repeat, seed, n_train, n_test, a column per metric, fit_seconds, predict_seconds, model_bytes,
            error and warnings. NaN where a score is not defined.
        """
        return data_frame(self._columns(), backend)

    def _columns(self) -> dict[str, NDArray[Any]]:
        def column(name: str, dtype: Any) -> NDArray[Any]:
            return np.array([record[name] for record in self.records], dtype=dtype)

        words = {name: column(name, object) for name in ("dataset", "method")}
        whole = {name: column(name, np.int64) for name in ("fold", "repeat", "seed", "n_train", "n_test")}
        scores = {name: np.array([_value(record, name) for record in self.records]) for name in self.metrics}
        costs = {name: np.array([_value(record, name) for record in self.records]) for name in COSTS}
        remarks = {
            "error": np.array([record["error"] or "" for record in self.records], dtype=object),
            "warnings": np.array(["; ".join(record["warnings"]) for record in self.records], dtype=object),
        }
        return {**words, **whole, **scores, **costs, **remarks}

    def fold_scores(self, metric: str, dataset: str) -> NDArray[np.float64]:
        """Scores on the folds of one data set, averaged over the repeats of a learner.

        Parameters
        ----------
        metric : str
            The measure.
        dataset : str
            The data set.

        Returns
        -------
        ndarray of shape (n_methods, n_folds)
            NaN where a score is not defined, a method failed or the result is still missing.
        """
        self._check_metric(metric)
        self._check_name(dataset, self.datasets, "data set")
        return np.stack([self._scores[dataset, method, metric] for method in self.methods])

    @cached_property
    def _scores(self) -> dict[tuple[str, str, str], NDArray[np.float64]]:
        """Fold means by data set, method and measure."""
        n_repeats = self.provenance["n_learner_repeats"]
        tables = {
            (dataset, method, metric): np.full((len(about["folds"]), n_repeats), np.nan)
            for dataset, about in self.provenance["datasets"].items()
            for method in self.methods
            for metric in [*self.metrics, *COSTS]
        }
        for record in self.records:
            for metric in [*self.metrics, *COSTS]:
                table = tables[record["dataset"], record["method"], metric]
                table[record["fold"], record["repeat"]] = _value(record, metric)
        return {key: mean_of_known(table) for key, table in tables.items()}

    def fold_sizes(self, dataset: str) -> tuple[float, float]:
        """Mean number of training and test rows per fold.

        Parameters
        ----------
        dataset : str
            The data set.

        Returns
        -------
        tuple of float
            Training rows, test rows; 1 and 1 as long as there is no result.
        """
        self._check_name(dataset, self.datasets, "data set")
        return self._fold_sizes.get(dataset, (1.0, 1.0))

    @cached_property
    def _fold_sizes(self) -> dict[str, tuple[float, float]]:
        sizes: dict[str, list[tuple[int, int]]] = {}
        for record in self.records:
            sizes.setdefault(record["dataset"], []).append((record["n_train"], record["n_test"]))
        means = {dataset: np.mean(each, axis=0) for dataset, each in sizes.items()}
        return {dataset: (float(mean[0]), float(mean[1])) for dataset, mean in means.items()}

    def means(self, metric: str) -> NDArray[np.float64]:
        """Mean score of every method on every data set.

        Parameters
        ----------
        metric : str
            The measure.

        Returns
        -------
        ndarray of shape (n_datasets, n_methods)
            The mean over the folds on which the score is defined. NaN if it is defined on none, or if the method failed on a
            fold or has not finished, because a mean over easier folds would not be fair.
        """
        self._check_metric(metric)
        means = [mean_of_known(self.fold_scores(metric, dataset)) for dataset in self.datasets]
        return np.where(self.is_complete, np.stack(means), np.nan)

    @cached_property
    def is_complete(self) -> NDArray[np.bool_]:
        """Whether a method has finished a data set without failure, of shape (data sets, methods)."""
        done = np.zeros((len(self.datasets), len(self.methods)), dtype=np.int64)
        wanted = np.zeros_like(done)
        row = {name: number for number, name in enumerate(self.datasets)}
        column = {name: number for number, name in enumerate(self.methods)}
        for cell in self._cells:
            wanted[row[cell.dataset], column[cell.method]] += 1
        for record in self.records:
            done[row[record["dataset"]], column[record["method"]]] += record["error"] is None
        complete: NDArray[np.bool_] = done == wanted
        return complete

    def n_undefined(self, metric: str) -> int:
        """Count the undefined scores: a class is missing from the fold, or the method lacks what the measure needs.

        Parameters
        ----------
        metric : str
            The measure.

        Returns
        -------
        int
        """
        self._check_metric(metric)
        return sum(record["error"] is None and np.isnan(_value(record, metric)) for record in self.records)

    def failures(self) -> dict[tuple[str, str], str]:
        """The first error of each method on each data set that it failed on.

        Returns
        -------
        dict of (data set, method) to str
        """
        failed: dict[tuple[str, str], str] = {}
        for record in self.records:
            if record["error"] is not None:
                failed.setdefault((record["dataset"], record["method"]), record["error"])
        return failed

    def title(self, metric: str) -> str:
        """Title of a measure in tables.

        Parameters
        ----------
        metric : str
            The measure.

        Returns
        -------
        str
        """
        self._check_metric(metric)
        return COSTS[metric] if metric in COSTS else str(self.provenance["metrics"][metric]["title"])

    def larger_is_better(self, metric: str) -> bool:
        """Whether larger values of a measure are better.

        Parameters
        ----------
        metric : str
            The measure.

        Returns
        -------
        bool
        """
        self._check_metric(metric)
        return metric not in COSTS and bool(self.provenance["metrics"][metric]["larger_is_better"])

    def _limits(self, metric: str) -> tuple[float, float]:
        """The smallest and the largest possible value; of our measures, older files do not say it."""
        if metric in COSTS:
            return 0.0, inf
        about = self.provenance["metrics"][metric]
        if metric in REGISTRY and not about["fingerprint"]:
            return REGISTRY[metric].limits
        low, high = about.get("limits", (None, None))
        return -inf if low is None else low, inf if high is None else high

    def _check_metric(self, metric: str) -> None:
        self._check_name(metric, [*self.metrics, *COSTS], "metric")

    @staticmethod
    def _check_name(name: str, known: list[str], what: str) -> None:
        if name not in known:
            raise ValueError(f"no {what} {name!r} here{did_you_mean(name, known)} Choose from {', '.join(known)}.")


def _value(record: Mapping[str, Any], metric: str) -> float:
    value = record.get(metric) if metric in COSTS else record["scores"].get(metric)
    return float("nan") if value is None else float(value)


def mean_of_known(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean over the last axis without NaN; NaN where there is nothing else."""
    known = np.isfinite(scores)
    sums = np.where(known, scores, 0.0).sum(axis=-1)
    return np.where(known.any(axis=-1), sums / np.maximum(known.sum(axis=-1), 1), np.nan)
