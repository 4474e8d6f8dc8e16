"""The data sets with many classes of the folder RAREWOOD_DATA, end to end.

Whether decompositions do better than one tree is no matter of a single split: benchmarks/quality_many_classes.py asks that.
"""

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

import rarewood as rw
from peers import folder
from rarewood.metrics import weighted_auroc

SETS = [
    "anneal",
    "car",
    "cleveland",
    "dna",
    "ecoli",
    "flare",
    "glass",
    "nursery-4",
    "page-5",
    "sat",
    "splice",
    "yeast",
    "zoo",
]


@pytest.mark.parametrize("name", SETS)
def test_decompositions_rank_better_than_chance(name):
    reason = folder.missing(name)
    if reason:
        pytest.skip(reason)
    table = folder.read_table(name)
    rows = train_test_split(np.arange(len(table.y)), train_size=min(1000, len(table.y) // 2), random_state=0)
    train, test = (rows[0], rows[1][:2000])
    score = {}
    for recipe in ("ova-hddt", "ecoc-hddt", "ova-c4.4", "ecoc-c4.4"):
        model = rw.make(recipe, categorical_features=table.nominal).fit(table.X[train], table.y[train])
        p = np.zeros((len(test), len(table.classes)))
        p[:, model.classes_] = model.predict_proba(table.X[test])
        np.testing.assert_allclose(p.sum(axis=1), 1.0)
        score[recipe] = weighted_auroc(table.y[test], p, labels=np.arange(len(table.classes)))
    assert min(score.values()) > 0.65
