"""The data sets for classification inside scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import datasets

from rarewood._tables.cells import make_table
from rarewood._validation import rarest_label
from rarewood.datasets._dataset import Dataset

_UCI = "UCI Machine Learning Repository"
_SETS = {
    "breast_cancer": (datasets.load_breast_cancer, f"Wolberg, Mangasarian, Street and Street, {_UCI}, 1995"),
    "digits": (datasets.load_digits, f"Alpaydin and Kaynak, Optical recognition of handwritten digits, {_UCI}, 1998"),
    "iris": (datasets.load_iris, "R. A. Fisher, Annals of Eugenics 7 (1936) 179-188"),
    "wine": (datasets.load_wine, f"Aeberhard and Forina, {_UCI}, 1991"),
}


class ScikitLearn:
    """What needs neither files nor a network."""

    prefix = "sklearn"

    def names(self) -> list[str]:
        return list(_SETS)

    def load(self, name: str) -> Dataset:
        read, citation = _SETS[name]
        bunch: Any = read()
        columns = {str(column): bunch.data[:, j] for j, column in enumerate(bunch.feature_names)}
        y = np.asarray(bunch.target_names)[bunch.target]
        return Dataset(
            name=f"sklearn:{name}",
            X=make_table(columns, {}, name),
            y=y,
            rare=rarest_label(y),
            target="target",
            source=f"scikit-learn, load_{name}",
            citation=citation,
        )

    def describe(self, name: str) -> str:
        return f"scikit-learn: load_{name}"
