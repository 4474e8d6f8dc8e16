"""A table is encoded once per call, whatever the call does with it."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import rarewood as rw
from rarewood._recipes import columns_for_regression
from rarewood._tables import Columns, _columns
from rarewood.datasets import make_planted_rules
from rarewood.inspection import extract_patterns, find_rules
from rarewood.report import summarise
from support.models import all_cases

DATA = make_planted_rules(600, rare_share=0.1, random_state=0)
OTHER = make_planted_rules(500, rare_share=0.1, random_state=1)
THREE = np.where(DATA.y == 1, "rare", np.where(np.arange(600) % 2 == 0, "even", "odd"))


@pytest.fixture
def encoded(monkeypatch):
    """The number of rows of each table that is encoded while a test runs."""
    sizes = []
    write = Columns._write

    def counting(self, table):
        sizes.append(table.shape[0])
        return write(self, table)

    monkeypatch.setattr(Columns, "_write", counting)
    return sizes


ENCODED = ("predict", "predict_proba", "apply", "decision_path", "score_samples")


@all_cases(
    "encoding", lambda case: case.n_classes == 2 and "float" not in case.mode.name
)  # arrays are not encoded at all
@pytest.mark.filterwarnings("ignore::rarewood.exceptions.RarewoodWarning")  # few trees leave rows without scores
def test_fit_and_predict(case, encoded):
    X, y = case.rows()
    case.mode.fit(case.make(), X, y)
    times = 2 if case.mode.name == "warm start" else 1
    assert encoded == [len(y)] * times
    model = case.fitted()
    for method in ENCODED:
        if hasattr(model, method):
            encoded.clear()
            getattr(model, method)(X[:50])
            assert encoded == [50], method


MODELS = {
    "tree": rw.TreeClassifier(),
    "forest": rw.ForestClassifier(n_estimators=5, random_state=0),
    "ranking": rw.BiasedRankingClassifier(n_estimators=5, random_state=0),
    "decomposition of two classes": rw.OneVsAllClassifier(rw.TreeClassifier()),
}


@pytest.mark.parametrize("decomposition", [rw.OneVsAllClassifier, rw.ECOCClassifier])
def test_problems_of_a_decomposition_share_their_table(decomposition, encoded):
    model = decomposition(rw.TreeClassifier()).fit(DATA.X, THREE)
    assert encoded == [600]
    encoded.clear()
    model.predict_proba(OTHER.X)
    assert encoded == [500]


@pytest.mark.parametrize(
    "sampler", [rw.PatternOversampler(n_estimators=5, random_state=0), rw.BiasedForestCleaner(n_estimators=5)]
)
def test_samplers(sampler, encoded):
    sampler.fit_resample(DATA.X, DATA.y)
    assert encoded == [600]
    encoded.clear()
    sampler.fit(DATA.X, DATA.y)
    assert encoded == [600]


def test_patterns(encoded):
    forest = rw.HeDExClassifier(n_estimators=5, max_depth=4, random_state=0).fit(DATA.X, DATA.y)
    encoded.clear()
    patterns = extract_patterns(forest, DATA.X, DATA.y, held_out=(OTHER.X, OTHER.y))
    assert encoded == [600, 500]
    encoded.clear()
    patterns.covers(OTHER.X)
    assert encoded == [500]


class TestReports:
    """With training rows and without; the baselines of a report get the rows as they were encoded."""

    @pytest.mark.parametrize("name", ["tree", "forest", "ranking", "decomposition of two classes"])
    def test_of_the_rows_alone(self, name, encoded):
        model = MODELS[name].fit(DATA.X, DATA.y)
        encoded.clear()
        summarise(model, OTHER.X, OTHER.y)
        assert encoded == [500]

    def test_with_training_rows(self, encoded):
        model = MODELS["forest"].fit(DATA.X, DATA.y)
        encoded.clear()
        summarise(model, OTHER.X, OTHER.y, train=(DATA.X, DATA.y))
        assert sorted(encoded) == [500, 600]

    def test_of_a_pipeline_that_only_resamples(self, encoded):
        model = rw.make("hedex+patterns", n_estimators=5, random_state=0).fit(DATA.X, DATA.y)
        encoded.clear()
        summarise(model, OTHER.X, OTHER.y, train=(DATA.X, DATA.y), baseline=False, learning_curve=False)
        assert sorted(encoded) == [500, 600]

    def test_rules_beside_a_model_of_another_library_use_the_coding_of_the_report(self, encoded):
        model = make_pipeline(columns_for_regression("from_dtype"), LogisticRegression()).fit(DATA.X, DATA.y)
        assert encoded == []  # columns are told apart, not read
        summarise(model, OTHER.X, OTHER.y, train=(DATA.X, DATA.y), baseline=False)
        assert sorted(encoded) == [500, 600]

    def test_say_what_they_said_of_rows_encoded_anew(self):
        model = MODELS["forest"].fit(DATA.X, DATA.y)
        summary = summarise(model, OTHER.X, OTHER.y, train=(DATA.X, DATA.y))
        rules = find_rules(DATA.X, DATA.y, positive=1, held_out=(OTHER.X, OTHER.y), random_state=0)
        assert summary["rules"]["rules"][0]["rule"] == rules[0].rule
        assert summary["rules"]["rules"][0]["test_rare"] == rules[0].held_out_rare
        scores = model.predict_proba(OTHER.X)[:, 1]
        assert summary["decisions"]["alarms"] == np.count_nonzero(scores >= 0.5)


def test_cells_are_looked_over_once(monkeypatch):
    """The pass that finds missing values is the one that refuses infinities."""
    passes = []
    look = _columns._without_finite_sum
    monkeypatch.setattr(_columns, "_without_finite_sum", lambda matrix: passes.append(1) or look(matrix))
    for X in (DATA.X, np.ones((600, 3))):
        passes.clear()
        rw.TreeClassifier().fit(X, DATA.y)
        assert len(passes) == 1


def test_the_paths_of_a_forest_are_those_of_its_trees():
    forest = MODELS["forest"].fit(DATA.X, DATA.y)
    paths, starts = forest.decision_path(OTHER.X)
    for number, tree in enumerate(forest.estimators_):
        one = paths[:, starts[number] : starts[number + 1]]
        np.testing.assert_array_equal(one.toarray(), tree.decision_path(OTHER.X).toarray())
