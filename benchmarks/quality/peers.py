"""Classifiers of other libraries, with what they need around them to take nominal columns and missing values."""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np
from imblearn.ensemble import BalancedRandomForestClassifier
from imblearn.over_sampling import SMOTE, SMOTEN, SMOTENC
from numpy.typing import NDArray
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder


def _one_hot(classifier: Any) -> Any:
    """Behind one-hot columns (a missing category is one) and medians for missing numbers."""
    return make_pipeline(
        make_column_transformer(
            (SimpleImputer(strategy="median", keep_empty_features=True), make_column_selector(dtype_include="number")),
            (
                OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                make_column_selector(dtype_include="category"),
            ),
        ),
        classifier,
    )


def random_forest(seed: int) -> Any:
    return _one_hot(RandomForestClassifier(random_state=seed, n_jobs=1))


def extra_trees(seed: int) -> Any:
    return _one_hot(ExtraTreesClassifier(random_state=seed, n_jobs=1))


def balanced_forest(seed: int) -> Any:
    return _one_hot(BalancedRandomForestClassifier(random_state=seed, n_jobs=1))


def hist_gradient_boosting(seed: int) -> Any:
    return HistGradientBoostingClassifier(random_state=seed)


def lightgbm(seed: int, **settings: Any) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1, **settings)


def xgboost(seed: int, **settings: Any) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(random_state=seed, n_jobs=1, enable_categorical=True, **settings)


def ebm(seed: int, **settings: Any) -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(random_state=seed, n_jobs=1, **settings)


class CatBoost:
    """CatBoostClassifier with nominal columns as text, a missing category as the text "missing"."""

    def __init__(self, seed: int, **settings: Any) -> None:
        self.settings = {
            "random_seed": seed,
            "thread_count": 1,
            "verbose": False,
            "allow_writing_files": False,
            **settings,
        }

    def fit(self, X: Any, y: NDArray[np.int64]) -> CatBoost:
        from catboost import CatBoostClassifier

        self.model_ = CatBoostClassifier(cat_features=_nominal(X), **self.settings).fit(_as_text(X), y)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        return self.model_.predict_proba(_as_text(X), thread_count=1)

    def predict(self, X: Any) -> NDArray[np.int64]:
        return np.ravel(self.model_.predict(_as_text(X), thread_count=1)).astype(int)


class TabPFN:
    """Version 1, as in the source distribution of release 0.1, which holds its weights; categories as numbers, gaps as 0.

    It was written for older releases of torch and needs names of theirs put back before it can be imported; of what it names as
    dependencies it needs gpytorch, seaborn, configspace and hyperopt.
    """

    def __init__(self, seed: int) -> None:
        import torch
        from torch.nn.modules import transformer

        transformer.Optional, transformer.Union = Optional, Union
        transformer.__all__ = [name for name in vars(transformer) if not name.startswith("_")]
        from tabpfn.scripts.transformer_prediction_interface import TabPFNClassifier

        torch.manual_seed(seed)
        torch.set_num_threads(1)
        self.model = TabPFNClassifier(device="cpu", N_ensemble_configurations=16)
        self.answered_: tuple[Any, Any] = (None, None)

    def fit(self, X: Any, y: Any) -> TabPFN:
        self.model.fit(_numbers(X), y)
        return self

    def predict_proba(self, X: Any) -> Any:
        if X is not self.answered_[0]:  # all of its work is done here, so it is not done twice for the same rows
            self.answered_ = X, np.asarray(self.model.predict_proba(_numbers(X)), dtype=np.float64)
        return self.answered_[1]

    def predict(self, X: Any) -> Any:
        return self.predict_proba(X).argmax(axis=1)


class SmoteForest:
    """SMOTE up to equal classes, then scikit-learn's random forest behind one-hot columns.

    Nominal columns take the variants of SMOTE for them, and a small class as many neighbours as it has.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fit(self, X: Any, y: NDArray[np.int64]) -> SmoteForest:
        self.nominal_ = _nominal(X)
        self.medians_ = X.drop(columns=self.nominal_).median().fillna(0)
        X = _as_text(X).fillna(self.medians_)
        neighbours = min(5, int(np.bincount(y).min()) - 1)
        if neighbours > 0:
            X, y = self._sampler(X.shape[1], neighbours).fit_resample(X, y)
        self.forest_ = random_forest(self.seed).fit(self._typed(X), y)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        return self.forest_.predict_proba(self._typed(_as_text(X).fillna(self.medians_)))

    def predict(self, X: Any) -> NDArray[np.int64]:
        return self.forest_.predict(self._typed(_as_text(X).fillna(self.medians_)))

    def _sampler(self, n_columns: int, neighbours: int) -> Any:
        if len(self.nominal_) == n_columns:
            return SMOTEN(k_neighbors=neighbours, random_state=self.seed)
        if self.nominal_:
            return SMOTENC(self.nominal_, k_neighbors=neighbours, random_state=self.seed)
        return SMOTE(k_neighbors=neighbours, random_state=self.seed)

    def _typed(self, X: Any) -> Any:
        return X.astype(dict.fromkeys(self.nominal_, "category"))


def _nominal(X: Any) -> list[str]:
    return [name for name in X.columns if X[name].dtype == "category"]


def _as_text(X: Any) -> Any:
    names = _nominal(X)
    return X.assign(**{name: X[name].astype(object).where(X[name].notna(), "missing").astype(str) for name in names})


def _numbers(X: Any) -> Any:
    codes = X.assign(**{name: X[name].cat.codes for name in X.columns if X[name].dtype == "category"})
    return codes.fillna(0).to_numpy(dtype=float)
