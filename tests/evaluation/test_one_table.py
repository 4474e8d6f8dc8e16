"""What one data set can say."""

import numpy as np
import pytest
from scipy.stats import t as student_t
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

from rarewood.evaluation import Comparison, compare
from rarewood.evaluation._one_table import corrected_interval
from rarewood.metrics import Metric
from rarewood.statistics import corrected_paired_t

METHODS = {
    "tree": DecisionTreeClassifier(max_depth=3),
    "stump": DecisionTreeClassifier(max_depth=1),
    "none": DummyClassifier(),
}


def test_an_interval_by_hand():
    scores = np.array([0.7, 0.8, np.nan, 0.9])
    found = corrected_interval(scores, n_train=2, n_test=1)
    reach = student_t.ppf(0.975, 2) * 0.1 * np.sqrt(1 / 3 + 1 / 2)
    assert (found.mean, found.spread, found.n_folds) == (pytest.approx(0.8), pytest.approx(0.1), 3)
    assert (found.low, found.high) == (pytest.approx(0.8 - reach), pytest.approx(0.8 + reach))
    assert np.isnan(corrected_interval(np.array([0.5]), 1, 1).low)


@pytest.mark.parametrize("metric", ["auc", "log_loss", "fit_seconds"])
def test_intervals_stay_where_the_measure_does(metric, tmp_path):
    run = compare(METHODS, {"breast": load_breast_cancer()}, "1x3", ["auc", "log_loss"], progress=False)
    for record in run.records:  # two folds of three at one end of the measure
        value = [0.0, 0.0, 1.0][record["fold"]] if record["method"] == "none" else [1.0, 1.0, 0.0][record["fold"]]
        record["scores"] = {"auc": value, "log_loss": value}
        record["fit_seconds"] = value
    run.save(tmp_path / "run.jsonl")
    for result in (run, Comparison.load(tmp_path / "run.jsonl")):
        table = result.folds(metric, reference="none")
        assert table.methods["none"].low == 0.0
        for of in (table.methods["tree"], table.differences["tree"]):
            assert (of.high > 1.0) == (metric != "auc")


def test_limits_of_measures_of_ones_own(tmp_path):
    def share(given):
        return float(np.mean(given.labels == given.y_true))

    own = Metric("own", "own", "labels", True, share, limits=(-np.inf, 0.95))
    unlimited = Metric("accuracy", "mine", "labels", True, share)  # the name of one of ours
    run = compare(METHODS, {"breast": load_breast_cancer()}, "1x3", [own, unlimited], progress=False)
    run.save(tmp_path / "run.jsonl")
    for result in (run, Comparison.load(tmp_path / "run.jsonl")):
        assert result._limits("own") == (-np.inf, 0.95)
        assert result._limits("accuracy") == (-np.inf, np.inf)
        assert result.folds("own").methods["tree"].high == 0.95


def test_intervals_agree_with_the_test():
    result = compare(METHODS, {"breast": load_breast_cancer()}, "2x3", "auc", progress=False)
    table = result.folds("auc", reference="stump")
    for name in ("tree", "none"):
        scores = result.fold_scores("auc", "breast")
        first, second = (scores[result.methods.index(each)] for each in (name, "stump"))
        n_train, n_test = result.fold_sizes("breast")
        p = corrected_paired_t(first, second, n_train=n_train, n_test=n_test).p_value
        of = table.differences[name]
        assert (p < 0.05) == (of.low > 0 or of.high < 0)
    text = str(table)
    assert "AUC of the rare class of breast, 2x3" in text
    assert "minus stump, 95 %" in text
    assert "rank" not in text


def test_the_best_is_the_reference_unless_told():
    result = compare(
        METHODS, {"breast": load_breast_cancer(), "iris": load_iris()}, "1x2", ["auc", "log_loss"], progress=False
    )
    means = dict(zip(result.methods, result.means("log_loss")[0]))
    table = result.folds("log_loss", "breast")
    assert table.reference == min(means, key=means.get)
    said = "which has the best mean."
    assert f"The others are compared with {table.reference}, {said}" in str(table)
    assert said not in str(result.folds("log_loss", "breast", reference=table.reference))
    assert said not in str(result.part(methods=["tree"]).folds("log_loss", "breast"))
    with pytest.raises(ValueError, match="several data sets; name one of breast, iris"):
        result.folds("auc")


def test_two_folds_win_nothing():
    result = compare(METHODS, {"breast": load_breast_cancer()}, "1x2", "auc", progress=False)
    table = result.folds("auc")
    assert all(np.isnan(of.low) for of in [*table.methods.values(), *table.differences.values()])
    assert not np.isnan(table.methods["tree"].spread)
    assert "2 folds are too few" in str(table)
    assert set(map(repr, result.wins("auc").counts.values())) == {"0/1/0"}
    assert "v" not in str(result.table("auc", reference="none")).splitlines()[2]


def test_one_table_has_no_ranks_and_no_test_over_data_sets():
    result = compare(METHODS, {"breast": load_breast_cancer()}, "1x3", ["auc", "log_loss"], progress=False)
    assert "rank" not in str(result.table("auc", reference="tree"))
    assert "win" not in str(result.table("auc", reference="tree"))
    for ask in (result.friedman, result.plot_ranks):
        with pytest.raises(ValueError, match="for several data sets, but there is only one; use folds"):
            ask("auc")
    page, shown = result.to_html(reference="stump"), result._repr_html_()
    for text in (page, shown):
        assert "spread" in text.lower()
        assert not any(word in text for word in ("Friedman", "average rank", "win/draw/loss", "<img"))
    assert "Minus stump, 95\u00a0%" in page


def test_a_method_that_failed_has_no_mean():
    class Stumbling(DummyClassifier):
        def fit(self, X, y):
            if X[0, 0] > 15:  # of some folds the first row
                raise ValueError("no")
            return super().fit(X, y)

    data = load_breast_cancer()
    result = compare({**METHODS, "stumbling": Stumbling()}, {"breast": data}, "2x3", "auc", progress=False)
    errors = [record["error"] is not None for record in result.records if record["method"] == "stumbling"]
    assert any(errors)
    table = result.folds("auc")
    assert np.isnan(table.methods["stumbling"].mean)
    assert "Failed on a fold, see failures(): stumbling." in str(table)
    assert "| stumbling" in table.markdown()
