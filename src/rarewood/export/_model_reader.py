"""Fitted models from JSON and arrays. Every piece is checked against the others before a model is made of it."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Forest, Tree
from rarewood._tables import Columns
from rarewood._tables.moments import MOMENTS
from rarewood._validation import check_parameters, column_of
from rarewood.decomposition.base import BaseDecomposition
from rarewood.decomposition.codes import LEFT_OUT
from rarewood.decomposition.constant import ConstantClassifier
from rarewood.ensemble import BiasedRankingClassifier, RuleSetClassifier
from rarewood.ensemble.base import BaseForest, thread_count
from rarewood.ensemble.bias import as_voters
from rarewood.ensemble.threshold import keep_threshold
from rarewood.exceptions import ModelFileError
from rarewood.export._container import is_count
from rarewood.export._forests import read_forest
from rarewood.export._kinds import PIPELINES, SAMPLERS, class_named, make_unfitted
from rarewood.export._model_writer import SAMPLER_ATTRIBUTES
from rarewood.export._rules import read_rules
from rarewood.export._trees import read_trees
from rarewood.export._values import Reader, Told, check_distinct, expect
from rarewood.metrics import DecisionThreshold
from rarewood.tree import TreeClassifier
from rarewood.tree.base import BaseTreeModel

_MOST_MODELS_INSIDE = 8  # one in the other
_NEEDED = {each.name for each in fields(DecisionThreshold) if each.default is MISSING}  # of a threshold


@dataclass
class ModelReader(Reader):
    """Makes models again."""

    columns: list[Columns] = field(default_factory=list)

    def tables(self, told: object) -> None:
        """Read the tables of columns that the models refer to."""
        self.columns = [self._table(expect(each, dict)) for each in expect(told, list)]

    def _table(self, told: Told) -> Columns:
        listed = expect(told.get("categories"), list)
        categories = [None if each is None else check_distinct(self.values(each), "categories") for each in listed]
        has_missing = self.contents.take(told.get("has_missing")).copy()
        if not categories or has_missing.dtype != np.bool_ or has_missing.shape != (len(categories),):
            raise ModelFileError("the columns of the training table are not valid.")
        names = self._names(told.get("names"), len(categories))
        return Columns.described(categories, names, has_missing, self._kinds(told.get("kinds"), categories))

    def _kinds(self, told: object, categories: list[Any]) -> list[str | None] | None:
        if told is None:
            return None
        words: list[str | None] = expect(told, list)
        known = len(words) == len(categories) and all(
            word is None or (word in MOMENTS and levels is None) for word, levels in zip(words, categories, strict=True)
        )
        if not known:
            raise ModelFileError("the kinds of the columns are not valid.")
        return words

    def _names(self, told: object, n_columns: int) -> NDArray[Any] | None:
        if told is None:
            return None
        names = self.values(told)
        if names.shape != (n_columns,) or not all(isinstance(name, str) for name in names.tolist()):
            raise ModelFileError("the names of the columns are not valid.")
        return names.astype(object)

    def model(self, told: object, depth: int = 0) -> Any:
        """What `ModelWriter.model` described."""
        if not isinstance(told, dict) or depth > _MOST_MODELS_INSIDE:
            raise ModelFileError("a model is not valid, or is nested too deeply.")
        name = told.get("model")
        cls = class_named(name)
        if name in SAMPLERS:
            raise ModelFileError(f"the file lists {name} as a classifier.")
        parameters = self.parameters(told.get("parameters"))
        if name in PIPELINES:
            parameters["steps"] = [self._step(each, depth) for each in expect(told.get("steps"), list)]
        model = make_unfitted(cls, parameters)
        thread_count(getattr(model, "n_jobs", None))  # raises where it is not valid
        if isinstance(model, BaseDecomposition):
            self._fit_decomposition(model, told, depth)
        elif isinstance(model, BaseTreeModel):
            self._fit_tree_model(model, told)
        elif isinstance(model, ConstantClassifier) and model.label not in (0, 1):
            raise ModelFileError("a constant prediction is neither 0 nor 1.")
        elif name == "CalibratedClassifierCV":
            self._fit_calibrated(model, told, depth)
        if "threshold" in told:
            keep_threshold(model, self._threshold(told["threshold"], model))
        return model

    def _step(self, told: object, depth: int) -> tuple[str, Any]:
        if (
            not isinstance(told, list)
            or len(told) != 2
            or not isinstance(told[0], str)
            or not isinstance(told[1], dict)
        ):
            raise ModelFileError("a step of a pipeline is not valid.")
        name, inside = told
        return name, self._sampler(inside) if "sampler" in inside else self.model(inside, depth + 1)

    def _sampler(self, told: Told) -> Any:
        if told["sampler"] not in SAMPLERS:
            raise ModelFileError(f"the file names a sampler {str(told['sampler'])[:40]!r}, which does not exist.")
        sampler = make_unfitted(class_named(told["sampler"]), self.parameters(told.get("parameters")))
        check_parameters(sampler.get_params(deep=False), sampler._accepted)
        fitted = self.parameters(told.get("fitted"))
        if not set(fitted) <= set(SAMPLER_ATTRIBUTES):
            raise ModelFileError("a sampler has attributes that samplers do not have.")
        for name, value in fitted.items():
            setattr(sampler, name, value)
        if told.get("names") is not None:
            sampler.feature_names_in_ = self._names(told["names"], fitted.get("n_features_in_", 0))
        return sampler

    def _fit_tree_model(self, model: Any, told: Told) -> None:
        model._check_parameters()
        number = told.get("columns")
        if not is_count(number) or number >= len(self.columns):
            raise ModelFileError(f"the file refers to table of columns {number!r}, but has {len(self.columns)} tables.")
        self.columns[number].put_on(model)
        model.classes_ = self._classes(told)
        model.n_classes_ = len(model.classes_)
        model.monotonic_cst_ = self._signs(told["monotone"], model) if "monotone" in told else None
        if isinstance(model, TreeClassifier):
            model.tree_ = self._trees(Tree, told.get("trees"), model)
        elif isinstance(model, BiasedRankingClassifier):
            self._fit_ranking(model, told)
        elif isinstance(model, RuleSetClassifier):
            model._weigh(*read_rules(self, told, model._columns, model.classes_))
        else:
            read_forest(self, model, told)

    def _signs(self, told: object, model: Any) -> NDArray[np.int8]:
        signs = self.contents.take(told).copy()
        fits = signs.dtype == np.int8 and signs.shape == (len(model._columns),) and model.n_classes_ == 2
        if not fits or not np.isin(signs, (-1, 0, 1)).all() or signs[model._columns.nominal].any():
            raise ModelFileError("the monotone constraints do not fit the columns.")
        return signs

    def _trees(self, kind: Any, told: object, model: Any, n_classes: int | None = None) -> Any:
        return read_trees(
            self, kind, told, model._columns.n_categories, model.n_classes_ if n_classes is None else n_classes
        )

    def _fit_calibrated(self, model: Any, told: Told, depth: int) -> None:
        from rarewood.export._wrappers import CalibratedPair  # here and below: what it wraps takes long to import

        model.classes_ = self._classes(told)
        n_curves = 1 if len(model.classes_) == 2 else len(model.classes_)
        pairs = []
        for each in expect(told.get("pairs"), list):
            inside = self.model(expect(each, dict).get("estimator"), depth + 1)
            curves = [self._curve(expect(curve, dict)) for curve in expect(each.get("calibrators"), list)]
            if len(curves) != n_curves or not np.array_equal(inside.classes_, model.classes_):
                raise ModelFileError("a calibrated model does not fit its calibrators.")
            pairs.append(CalibratedPair(inside, curves, model.classes_))
        if not pairs:
            raise ModelFileError("a calibrated model has no model inside.")
        model.calibrated_classifiers_ = pairs
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(pairs[0].estimator, name):
                setattr(model, name, getattr(pairs[0].estimator, name))

    def _curve(self, told: Told) -> Any:
        from rarewood.export._wrappers import Sigmoid, isotonic

        ((kind, inside),) = told.items()
        pair = expect(inside, list)
        if len(pair) == 2 and kind == "sigmoid":
            return Sigmoid(*(expect(self.value(each), float) for each in pair))
        if len(pair) == 2 and kind == "isotonic":
            x, y = (self.contents.take(each).copy() for each in pair)
            if x.ndim == 1 and len(x) and x.shape == y.shape and x.dtype.kind == y.dtype.kind == "f":
                return isotonic(x, y)
        raise ModelFileError("a calibrator is not valid.")

    def _fit_ranking(self, model: BiasedRankingClassifier, told: Told) -> None:
        positive, n_removed = told.get("positive"), told.get("n_removed")
        if not is_count(positive) or positive >= len(model.classes_) or not is_count(n_removed):
            raise ModelFileError("the positive class of a ranking is not valid.")
        forests = [self._trees(Forest, each, model, n_classes=2) for each in expect(told.get("forests"), list)]
        n_others = len(model.classes_) - 1
        if not forests or (told.get("rest") is None) != (n_others < 2):
            raise ModelFileError("the forests of a ranking are missing.")
        model.positive_ = model.classes_[positive]
        model.n_removed_ = n_removed
        model.rest_forest_ = None if n_others < 2 else self._trees(Forest, told["rest"], model, n_classes=n_others)
        model._voters = as_voters(forests)
        model.forests_ = forests

    def _fit_decomposition(self, model: BaseDecomposition, told: Told, depth: int) -> None:
        check_parameters(model.get_params(deep=False), model._accepted)
        classes = self._classes(told)
        code = self.contents.take(told.get("code_book")).copy()
        if code.dtype != np.int8 or code.ndim != 2 or len(code) != len(classes) or len(classes) < 2:
            raise ModelFileError("the code book of a decomposition does not fit its classes.")
        if not np.isin(code, (0, 1, LEFT_OUT)).all():
            raise ModelFileError("the code book of a decomposition is not valid.")
        members = [self.model(each, depth + 1) for each in expect(told.get("estimators"), list)]
        model._together = expect(told.get("together"), bool)
        _check_members(members, classes, code.shape[1], together=model._together)
        model._keep_names(members[0])
        model.classes_ = classes
        model.n_classes_ = len(classes)
        model.code_book_ = code
        model.estimators_ = members

    def _classes(self, told: Told) -> NDArray[Any]:
        classes = check_distinct(self.values(told.get("classes")), "the classes")
        if len(classes) == 0:
            raise ModelFileError("a model has no classes.")
        try:
            ascending = np.array_equal(np.unique(classes), classes)
        except TypeError:  # numbers beside text
            ascending = False
        if not ascending:
            raise ModelFileError("the classes of a model are not in ascending order.")
        return classes

    def _threshold(self, told: object, model: Any) -> DecisionThreshold:
        given = self.parameters(told)
        if not _NEEDED <= set(given) <= {each.name for each in fields(DecisionThreshold)}:
            raise ModelFileError("the decision threshold is not valid.")
        for name in ("value", "precision", "recall", "f1"):
            expect(given[name], float)
        for name in ("cost", "floor", "alerts", "confidence", "lower", "most", "share", "carried_from"):
            expect(0.0 if given.get(name) is None else given[name], float)
        for name in ("n_alarms", "n_hits"):
            if expect(0 if given.get(name) is None else given[name], int) < 0:
                raise ModelFileError("the counts of the decision threshold are not valid.")
        expect(given.get("promised", False), bool)
        costs = given.get("costs")
        if costs is not None and [type(each) for each in expect(costs, tuple)] != [float, float]:
            raise ModelFileError("the costs of the decision threshold are not valid.")
        expect(given["rule"], str)
        column_of(given["positive"], np.asarray(model.classes_))
        return DecisionThreshold(**given)


def _check_members(members: list[Any], classes: NDArray[Any], n_bits: int, *, together: bool) -> None:
    """Raise unless these are the estimators of the problems of a decomposition."""
    if len(classes) == 2:
        if together or len(members) != 1 or not np.array_equal(members[0].classes_, classes):
            raise ModelFileError("a decomposition of two classes needs one estimator for them.")
        return
    if not members or len(members) != n_bits:
        raise ModelFileError(f"a decomposition in {n_bits} problems has {len(members)} estimators.")
    if not all(sorted(np.asarray(each.classes_).tolist(), key=str) == [0, 1] for each in members):
        raise ModelFileError("an estimator of a decomposition has classes other than 0 and 1.")
    if together and not all(
        isinstance(each, (TreeClassifier, BaseForest)) and each._columns is members[0]._columns for each in members
    ):
        raise ModelFileError("the estimators of a decomposition do not share a table.")
