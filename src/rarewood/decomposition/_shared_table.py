"""All binary problems of a decomposition on one prepared table, for the trees and forests of this package.

Each model comes out bit for bit as if it had been fitted to the table with the labels of its own problem.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from rarewood._progress import progress
from rarewood._validation import Labels, Weights, resolve_class_weight
from rarewood.decomposition.codes import LEFT_OUT, CodeBook
from rarewood.ensemble.base import BaseForest, thread_count
from rarewood.tree import TreeClassifier
from rarewood.tree.base import TrainingData

TreeModel = TreeClassifier | BaseForest

TWO_CLASSES = np.array([0, 1])


def grows_together(estimator: Any, code_book: CodeBook) -> TypeGuard[TreeModel]:
    """Whether the problems of `estimator` can share a table: one of our models, with the `fit` it came with.

    Out-of-bag scores of a problem that leaves rows out have other rows than the table.
    """
    return is_tree_model(estimator) and not (estimator._looks_back() and bool((code_book == LEFT_OUT).any()))


def is_tree_model(estimator: Any) -> TypeGuard[TreeModel]:
    """Whether an estimator is one of our models, with the `fit` it came with."""
    return getattr(type(estimator), "fit", None) in (TreeClassifier.fit, BaseForest.fit)


def reader_of(estimator: TreeModel) -> TreeModel:
    """What reads the rows of all problems: class weights differ between them."""
    estimator._check_parameters()
    reader: TreeModel = clone(estimator).set_params(class_weight=None)
    return reader


@dataclass(frozen=True)
class SharedTable:
    """A prepared table and the models to grow on it, one per column of the code book."""

    estimator: TreeModel
    code_book: CodeBook
    data: TrainingData
    n_threads: int

    @classmethod
    def of(cls, reader: TreeModel, code_book: CodeBook, data: TrainingData, n_jobs: int | None) -> SharedTable:
        """Of rows that `reader_of` an estimator has read, wherever they are."""
        n_threads = thread_count(getattr(reader, "n_jobs", None) if n_jobs is None else n_jobs)
        return cls(reader, code_book, data, n_threads)

    def fit(self, class_weight: Any, verbose: int) -> list[TreeModel]:
        """The fitted models."""
        models = [self._unfitted(class_weight) for _ in self.code_book.T]
        plans: list[Any] = []
        for model, column in zip(models, self.code_book.T, strict=True):
            plans.append(model._plan_fit(self._problem(model, column), column.tolist()))
        n_trees = sum(getattr(model, "n_estimators", 1) for model in models)
        with progress(n_trees, "growing trees", verbose) as report:
            forests = self.data.grow(plans, self.n_threads, report)
        for model, column, plan, forest in zip(models, self.code_book.T, plans, forests, strict=True):
            model._finish_fit(forest, self._problem(model, column), plan, self.n_threads)
        return models

    def _unfitted(self, class_weight: Any) -> TreeModel:
        model: TreeModel = clone(self.estimator).set_params(class_weight=class_weight)
        self.data.columns.put_on(model)
        return model

    def _problem(self, model: TreeModel, column: NDArray[np.int8]) -> Any:
        """The table with the labels of one problem."""
        codes = column[self.data.labels.codes].astype(np.int32)
        labels = Labels(TWO_CLASSES, codes)
        data: Any = self.data
        return replace(data, labels=labels, class_weights=self._class_weights(model.class_weight, codes))

    def _class_weights(self, class_weight: Any, codes: NDArray[np.int32]) -> Weights:
        if class_weight is None:
            return None
        kept = codes != LEFT_OUT
        weights = None if self.data.weights is None else self.data.weights[kept]
        return resolve_class_weight(class_weight, Labels(TWO_CLASSES, codes[kept]), weights)
