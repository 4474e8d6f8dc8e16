"""Fitted models as JSON and arrays.

A model is described by its class, its parameters and what `fit` learned; what follows from these is made again by `_model_reader`.
Nothing of single training rows is kept: no out-of-bag scores, no sampled rows, no votes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from sklearn.utils.validation import check_is_fitted

from rarewood._tables.moments import MOMENTS
from rarewood.decomposition.base import BaseDecomposition
from rarewood.decomposition.constant import ConstantClassifier
from rarewood.ensemble import BiasedRankingClassifier, RuleSetClassifier
from rarewood.ensemble.threshold import kept_threshold
from rarewood.exceptions import ModelFileError
from rarewood.export._forests import write_forest
from rarewood.export._kinds import PIPELINES, SAMPLERS, name_of, parameters_of
from rarewood.export._rules import write_rules
from rarewood.export._trees import write_trees
from rarewood.export._values import Told, Writer
from rarewood.metrics import DecisionThreshold
from rarewood.tree import TreeClassifier
from rarewood.tree.base import BaseTreeModel

SAMPLER_ATTRIBUTES = ("n_features_in_", "sampling_strategy_", "acceptance_rate_", "positive_")


@dataclass
class ModelWriter(Writer):
    """Describes models. A table of columns that several models share is described once."""

    columns: list[Told] = field(default_factory=list)
    _numbers: dict[int, int] = field(default_factory=dict)

    def model(self, model: Any, where: str = "the model") -> Told:
        """A fitted model; `where` says which, for errors."""
        if type(model).__module__.startswith("sklearn."):
            from rarewood.export import _wrappers as wrappers  # here and below: what it wraps takes long to import

            model = wrappers.thawed(model)
            if isinstance(model, wrappers.THRESHOLD_WRAPPERS):
                check_is_fitted(model)
                threshold = self._threshold(wrappers.threshold_of(model))
                return {**self.model(model.estimator_, where), "threshold": threshold}
        name = name_of(model)
        if name is None:
            self.value(model, where)  # raises
        if name in SAMPLERS:
            raise ModelFileError(f"{where} is a sampler, {name}; save the pipeline that contains it and a classifier.")
        if not isinstance(model, ConstantClassifier):  # has no fit
            check_is_fitted(model)
        steps = dict(model.steps) if name in PIPELINES else {}
        told: Told = {"model": name}
        if steps:
            told["steps"] = [[step, self._step(each, f"step {step!r}")] for step, each in steps.items()]
        told["parameters"] = self._parameters(model, where, besides="steps")
        if isinstance(model, BaseDecomposition):
            told |= self._decomposition(model, where)
        elif isinstance(model, BaseTreeModel):
            told |= self._tree_model(model, where)
        elif name == "CalibratedClassifierCV":
            told |= self._calibrated(model, where)
        try:
            threshold = kept_threshold(model)
        except ValueError as error:
            raise ModelFileError(str(error)) from error
        if threshold is not None:
            told["threshold"] = self._threshold(threshold)
        return told

    def _parameters(self, estimator: Any, where: str, besides: str = "") -> Told:
        given = parameters_of(estimator)
        return {name: self.value(value, f"{name} of {where}") for name, value in given.items() if name != besides}

    def _step(self, estimator: Any, where: str) -> Told:
        if name_of(estimator) not in SAMPLERS:
            told = self.model(estimator, where)
            told.pop("threshold", None)  # it is that of the pipeline
            return told
        fitted = {
            name: self.value(getattr(estimator, name), f"{name} of {where}")
            for name in SAMPLER_ATTRIBUTES
            if hasattr(estimator, name)
        }
        return {
            "sampler": name_of(estimator),
            "parameters": self._parameters(estimator, where),
            "fitted": fitted,
            "names": self._names(getattr(estimator, "feature_names_in_", None)),
        }

    def _decomposition(self, model: BaseDecomposition, where: str) -> Told:
        members = [self.model(each, f"{where}, problem {number}") for number, each in enumerate(model.estimators_)]
        return {
            "classes": self.values(model.classes_, f"classes_ of {where}"),
            "code_book": self.add(model.code_book_),
            "together": model._together,
            "estimators": members,
        }

    def _tree_model(self, model: BaseTreeModel, where: str) -> Told:
        told: Told = {
            "columns": self._columns(model, where),
            "classes": self.values(model.classes_, f"classes_ of {where}"),
        }
        signs = getattr(model, "monotonic_cst_", None)
        if signs is not None:
            told["monotone"] = self.add(signs)
        if isinstance(model, TreeClassifier):
            return {**told, "trees": write_trees(self, model.tree_)}
        if isinstance(model, BiasedRankingClassifier):
            rest = model.rest_forest_
            return {
                **told,
                "positive": int((model.classes_ == model.positive_).argmax()),
                "n_removed": model.n_removed_,
                "forests": [write_trees(self, forest) for forest in model.forests_],
                "rest": None if rest is None else write_trees(self, rest),
            }
        if isinstance(model, RuleSetClassifier):
            label = int((model.classes_ == model.positive_).argmax())
            return {**told, **write_rules(self, model.rules_, label, model.intercept_, model.weights_)}
        return {**told, **write_forest(self, model)}

    def _calibrated(self, model: Any, where: str) -> Told:
        from rarewood.export._wrappers import pairs_of

        return {
            "classes": self.values(model.classes_, f"classes_ of {where}"),
            "pairs": [
                {
                    "estimator": self.model(inside, f"{where}, fold {number}"),
                    "calibrators": list(map(self._curve, curves)),
                }
                for number, (inside, curves) in enumerate(pairs_of(model, where))
            ],
        }

    def _curve(self, curve: Any) -> Told:
        if hasattr(curve, "X_thresholds_"):
            return {"isotonic": [self.add(curve.X_thresholds_), self.add(curve.y_thresholds_)]}
        return {"sigmoid": [self.value(curve.a, "a sigmoid"), self.value(curve.b, "a sigmoid")]}

    def _columns(self, model: BaseTreeModel, where: str) -> int:
        """The number of the table of columns."""
        columns = model._columns
        if id(columns) not in self._numbers:
            self._numbers[id(columns)] = len(self.columns)
            names = columns.names
            categories = [
                None
                if levels is None
                else self.values(levels, f"column {number if names is None else names[number]!r} of {where}")
                for number, levels in enumerate(columns.categories)
            ]
            told = {"names": self._names(names), "categories": categories, "has_missing": self.add(columns.has_missing)}
            words = [kind.word if kind.word in MOMENTS else None for kind in columns.kinds]
            self.columns.append({**told, "kinds": words} if any(words) else told)
        return self._numbers[id(columns)]

    def _names(self, names: Any) -> Told | None:
        return None if names is None else self.values(names, "feature_names_in_")

    def _threshold(self, threshold: Any) -> Told:
        if not isinstance(threshold, DecisionThreshold):
            raise ModelFileError(
                f"decision_threshold_ is {type(threshold).__name__}; a model file can hold only what "
                "rarewood.ensemble.fit_threshold sets."
            )
        return {
            each.name: self.value(getattr(threshold, each.name), "decision_threshold_") for each in fields(threshold)
        }
