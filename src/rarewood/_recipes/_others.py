"""Methods of other libraries on the tables that trees take, for comparisons.

To add a library, write a function `(matrix, columns, y, settings, n_jobs, seed) -> model` with a `predict_proba` for such
matrices, and list it in `OTHERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rarewood._recipes._recipe import Recipe, Recipes
from rarewood._tables import Columns, read_table
from rarewood._validation import encode_labels, import_optional

Matrix = NDArray[Any]


class OtherClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of another library on the tables that trees take.

    Columns are read as the trees of this package read them: dates and times are numbers, a category never seen is missing. Each
    library gets categories and missing values in the form it knows; `make` with its name says which.

    Parameters
    ----------
    library : str
        What :func:`rarewood.make` calls it, such as "lightgbm".
    settings : dict, default=None
        Parameters of the library's own classifier, in place of its defaults.
    categorical_features : as in `TreeClassifier`, default="from_dtype"
        Which columns are nominal.
    n_jobs : int or None, default=None
        Threads; None is one.
    random_state : int or None, default=None
        Seed.
    release : str, default=""
        Of the library: results of another one are not the same.
    """

    def __init__(
        self,
        library: str = "lightgbm",
        settings: Mapping[str, Any] | None = None,
        *,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: int | None = None,
        release: str = "",
    ) -> None:
        self.library = library
        self.settings = settings
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.release = release

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit the classifier of the library.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The table.
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        self
        """
        table = read_table(self, X, reset=True)
        labels = encode_labels(self, y, table.shape[0])
        columns, matrix = Columns.learn(table, self.categorical_features, getattr(self, "feature_names_in_", None))
        self._columns = columns
        self.classes_ = labels.classes
        fit = _LIBRARIES[self.library].fit
        n_jobs, seed = self.n_jobs or 1, self.random_state or 0
        self.model_ = fit(matrix, columns, labels.codes, dict(self.settings or {}), n_jobs, seed)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The table.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        matrix = self._columns.read(self, X)
        return np.asarray(self.model_.predict_proba(matrix), dtype=np.float64)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable classes.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The table.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        chosen: NDArray[Any] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return chosen

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
        return tags


@dataclass(frozen=True)
class _InForm:
    """A fitted model, and the form it wants a matrix in."""

    model: Any
    form: Callable[[Matrix, Columns], Any]
    columns: Columns

    def predict_proba(self, matrix: Matrix) -> Any:
        return self.model.predict_proba(self.form(matrix, self.columns))


def as_frame(matrix: Matrix, columns: Columns) -> Any:
    """A pandas frame with nominal columns as categories by number; a category never seen is missing, as an empty cell is."""
    pandas = import_optional("pandas", "cli", "a table for another library")
    cells = {}
    for index, n_categories in enumerate(columns.n_categories.tolist()):
        column = matrix[:, index]
        if n_categories:
            known = np.where(column < n_categories, column, np.nan)
            codes = np.nan_to_num(known, nan=-1).astype(np.intp)
            cells[f"x{index}"] = pandas.Categorical.from_codes(codes, categories=range(n_categories))
        else:
            cells[f"x{index}"] = np.asarray(column, dtype=np.float64)
    return pandas.DataFrame(cells)


def as_words(matrix: Matrix, columns: Columns) -> Any:
    """The same with categories as whole numbers, -1 for missing and never seen: CatBoost takes no missing category."""
    frame = as_frame(matrix, columns)
    nominal = [name for name, is_nominal in zip(frame.columns, columns.nominal.tolist()) if is_nominal]
    return frame.assign(**{name: frame[name].cat.codes.astype(np.int64) for name in nominal})


def _lightgbm(matrix: Matrix, columns: Columns, y: Any, settings: dict[str, Any], n_jobs: int, seed: int) -> _InForm:
    model = import_module("lightgbm").LGBMClassifier(
        **{"n_jobs": n_jobs, "random_state": seed, "verbose": -1, **settings}
    )
    return _InForm(model.fit(as_frame(matrix, columns), y), as_frame, columns)


def _xgboost(matrix: Matrix, columns: Columns, y: Any, settings: dict[str, Any], n_jobs: int, seed: int) -> _InForm:
    model = import_module("xgboost").XGBClassifier(
        **{"n_jobs": n_jobs, "random_state": seed, "enable_categorical": True, **settings}
    )
    return _InForm(model.fit(as_frame(matrix, columns), y), as_frame, columns)


def _catboost(matrix: Matrix, columns: Columns, y: Any, settings: dict[str, Any], n_jobs: int, seed: int) -> _InForm:
    quiet = {"random_seed": seed, "thread_count": n_jobs, "verbose": False, "allow_writing_files": False}
    model = import_module("catboost").CatBoostClassifier(
        **{**quiet, "cat_features": np.flatnonzero(columns.nominal).tolist(), **settings}
    )
    return _InForm(model.fit(as_words(matrix, columns), y), as_words, columns)


def _random_forest(
    matrix: Matrix, columns: Columns, y: Any, settings: dict[str, Any], n_jobs: int, seed: int
) -> _InForm:
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(**{"n_jobs": n_jobs, "random_state": seed, **settings})
    return _one_hot(forest, matrix, columns, y, scaled=False)


def _logistic_regression(
    matrix: Matrix, columns: Columns, y: Any, settings: dict[str, Any], n_jobs: int, seed: int
) -> _InForm:
    from sklearn.linear_model import LogisticRegression

    del n_jobs  # one problem, solved by one thread
    regression = LogisticRegression(**{"max_iter": 1000, "random_state": seed, **settings})
    return _one_hot(regression, matrix, columns, y, scaled=True)


def _one_hot(classifier: Any, matrix: Matrix, columns: Columns, y: Any, scaled: bool) -> _InForm:
    """Behind one-hot columns, a missing category being one, and numbers with medians for what is missing."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers: Any = SimpleImputer(strategy="median", keep_empty_features=True)
    if scaled:
        numbers = make_pipeline(numbers, StandardScaler())
    categories = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=_MOST_CATEGORIES)
    before = make_column_transformer(
        (numbers, np.flatnonzero(~columns.nominal)),
        (categories, np.flatnonzero(columns.nominal)),
        sparse_threshold=0.1,
    )
    return _InForm(make_pipeline(before, classifier).fit(matrix, y), _as_it_is, columns)


_MOST_CATEGORIES = 1000  # the rarer ones count as one: a column of identifiers must not fill the memory


def _as_it_is(matrix: Matrix, _: Columns) -> Matrix:
    return matrix


@dataclass(frozen=True)
class _Library:
    package: str
    module: str
    fit: Callable[..., _InForm]


_LIBRARIES = {
    "lightgbm": _Library("lightgbm", "lightgbm", _lightgbm),
    "xgboost": _Library("xgboost", "xgboost", _xgboost),
    "catboost": _Library("catboost", "catboost", _catboost),
    "random-forest": _Library("scikit-learn", "sklearn", _random_forest),
    "logistic-regression": _Library("scikit-learn", "sklearn", _logistic_regression),
}


def other_library(
    library: str,
    settings: Mapping[str, Any] | None = None,
    *,
    categorical_features: Any = "from_dtype",
    n_jobs: int | None = None,
    random_state: int | None = None,
) -> OtherClassifier:
    """A classifier of another library; an ImportError names the package if it is not installed."""
    about = _LIBRARIES[library]
    try:
        import_module(about.module)
    except ImportError as error:
        raise ImportError(
            f"the method {library!r} needs the package {about.package}; install it with: pip install {about.package}"
        ) from error
    return OtherClassifier(
        library,
        settings,
        categorical_features=categorical_features,
        n_jobs=n_jobs,
        random_state=random_state,
        release=version(about.package),
    )


def _recipe(library: str, description: str, reference: str) -> Recipe:
    return Recipe(library, description, reference, other_library, {"library": library})


OTHERS = Recipes(
    _recipe(
        "lightgbm",
        "LightGBM with its defaults: boosted trees; handles categories and missing values itself",
        "Ke et al., NIPS 2017",
    ),
    _recipe(
        "xgboost",
        "XGBoost with its defaults: boosted trees; handles categories and missing values itself",
        "Chen and Guestrin, KDD 2016",
    ),
    _recipe(
        "catboost",
        "CatBoost with its defaults: boosted symmetric trees; a missing category is a category of its own",
        "Prokhorenkova et al., NeurIPS 2018",
    ),
    _recipe(
        "random-forest",
        "scikit-learn's random forest with its defaults, on one-hot columns; medians for missing numbers",
        "Breiman, Machine Learning 45, 2001",
    ),
    _recipe(
        "logistic-regression",
        "scikit-learn's logistic regression on scaled and one-hot columns; medians for missing numbers",
        "Cox, Journal of the Royal Statistical Society B 20, 1958",
    ),
)
