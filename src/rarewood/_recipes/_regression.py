"""Logistic regression on the tables that trees take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.base import BaseEstimator

from rarewood._tables import Columns, nominal_columns, read_table


def bagged_logistic_regression(
    n_estimators: int = 100,
    *,
    C: float = 1.0,
    max_iter: int = 1000,
    categorical_features: Any = "from_dtype",
    class_weight: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> Any:
    """scikit-learn's logistic regression, bagged, for the tables that trees take.

    Numbers are imputed by the median and scaled, nominal columns one-hot encoded with missing as a category of its own. This
    happens once, before the rows are drawn, because bagging hands its members arrays without column types. The regression
    gets a bootstrap as weights, so a bag without any row of a rare class is no error.
    """
    from sklearn.ensemble import BaggingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    regression = LogisticRegression(C=C, max_iter=max_iter, class_weight=class_weight)
    return make_pipeline(
        columns_for_regression(categorical_features),
        BaggingClassifier(regression, n_estimators, n_jobs=n_jobs, random_state=random_state),
    )


def columns_for_regression(categorical_features: Any, max_categories: int | None = None) -> Any:
    """A transformer of the tables that trees take: numbers imputed by the median and scaled, nominal columns one-hot.

    Dates and times are numbers.
    """
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

    numbers = make_pipeline(
        FunctionTransformer(_as_numbers), SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
    )
    categories = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=max_categories, sparse_output=False)
    return make_column_transformer(
        (numbers, Selected(categorical_features, nominal=False)),
        (categories, Selected(categorical_features, nominal=True)),
    )


def _as_numbers(X: Any) -> Any:
    """Columns of numbers, dates and times as a matrix; numbers alone stay as they are."""
    table = read_table(BaseEstimator(), X, reset=True) if 0 not in X.shape else None
    if table is None or all(column.type != "moment" for column in table.columns):
        return X
    return Columns.learn(table, None)[1]


@dataclass(frozen=True)
class Selected:
    """Selects the nominal or the numeric columns of a table, by the rules of the trees; for a `ColumnTransformer`."""

    categorical_features: Any
    nominal: bool

    def __call__(self, X: Any) -> list[int]:
        nominal = nominal_columns(read_table(BaseEstimator(), X, reset=True), self.categorical_features)
        return [i for i, is_nominal in enumerate(nominal.tolist()) if is_nominal == self.nominal]
