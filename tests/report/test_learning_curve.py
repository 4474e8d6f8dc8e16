"""Would more rows help? The section of a page, and the sentence in its place."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rarewood as rw
from rarewood.evaluation import CurvePoint, LearningCurve, learning_curve
from rarewood.metrics.uncertainty import Estimate
from rarewood.report import render, summarise
from rarewood.report._sections.learning_curve import _rule, _verdict
from support.tables import noisy_numbers

PLAIN = {"baseline": False, "n_rules": 0}


@pytest.fixture(scope="module")
def rows():
    X, y = noisy_numbers(1600, labels=("calm", "rare"))
    return (X[:1000], y[:1000]), (X[1000:], y[1000:])


@pytest.fixture(scope="module")
def page(rows):
    train, test = rows
    model = rw.RareClassifier(20, column_effects=False, threshold="recall=0.7", random_state=0).fit(*train)
    return model, summarise(model, *test, train=train, **PLAIN)


def test_the_section_is_the_curve_of_the_training_rows(page, rows):
    model, summary = page
    told = summary["learning_curve"]
    found = learning_curve(model, *rows[0], rule="recall=0.7")
    assert [point["n_rare"] for point in told["points"]] == [point.n_rare for point in found.points]
    assert told["points"][-1]["recall"] == vars(found.points[-1].recall)
    assert told["needed"] == found.needed("recall")
    assert told["rule"] == "recall=0.7"
    html = render(summary)
    assert html.count('class="dot third"') == len(found.points)
    assert f"about {found.needed('recall'):,} rare rows are needed" in html


@pytest.mark.parametrize(
    "rule", ["f1", "precision=0.4", "recall=0.8@90%", "cost=1:20", "alerts=5%", "precision=0.9@80%"]
)
def test_thresholds_of_parts_are_chosen_like_that_of_the_page(rule):
    y = np.arange(200) % 10 == 0
    scores = np.random.default_rng(0).random(200) + y
    with pytest.warns() if "0.9" in rule else pytest.MonkeyPatch.context():
        chosen = rw.metrics.choose_threshold(y, scores / 2, rule=rule)
    assert _rule(chosen) == rule
    assert _rule(None) == "f1"


def test_the_verdict_looks_at_what_the_rule_leaves_free():
    def curve(rule, *recalls):
        level = Estimate(0.8, 0.7, 0.9)
        points = [
            CurvePoint(1.0, 100, 10 * 2**i, level, level, Estimate(recall, recall - 0.05, recall + 0.05), 10)
            for i, recall in enumerate(recalls)
        ]
        return _verdict(LearningCurve(tuple(points), 1, rule, "out-of-bag"))

    rising = "but recall at the threshold rose from 0.600 to 0.700: there, more rare rows would probably help."
    assert curve("precision=0.8@90%", 0.6, 0.7).endswith(rising)
    for told in (curve("precision=0.8@90%", 0.6, 0.64), curve("f1", 0.6, 0.7), curve("recall=0.7", 0.6, 0.7)):
        assert told.endswith("no more than chance explains: there is no sign that more rows would help much.")


def test_why_there_is_no_curve(page, rows):
    model, _ = page
    (X, y), test = rows

    def note(model=model, **options):
        told = summarise(model, *test, **PLAIN, **options)
        assert told["learning_curve"]["note"] in render(told)
        assert told["learning_curve"]["points"] == []
        return told["learning_curve"]["note"]

    assert "needs the rows that the model was trained on" in note()
    assert note(train=(X, y), learning_curve=False) == "No learning curve was asked for."
    few = np.concatenate([np.flatnonzero(y == "calm"), np.flatnonzero(y == "rare")[:12]])
    assert "have 12 of the rare class: too few" in note(train=(X[few], y[few]))
    together = rw.RareClassifier(20, column_effects=False).fit(X, y, groups=np.arange(len(y)) // 2)
    assert "belong together in groups" in note(together, train=(X, y))

    class Weighted(LogisticRegression):
        def fit(self, X, y, costs=None):
            if costs is None:
                raise ValueError("costs are needed")
            return super().fit(X, y)

    assert "cannot be fitted again to parts of the training rows: costs are needed" in note(
        Weighted().fit(X, y, costs=1), train=(X, y)
    )


def test_models_of_other_libraries(rows):
    train, test = rows
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(*train)
    told = summarise(model, *test, train=train, **PLAIN)["learning_curve"]
    assert "cross-validation in 5 folds" in told["note"]
    assert told["points"][-1]["n_rows"] == 1000


def test_many_rows_are_sampled(rows, monkeypatch):
    monkeypatch.setattr("rarewood.report._sections.learning_curve._MOST_CROSS_VALIDATED", 500)
    train, test = rows
    told = summarise(LogisticRegression().fit(*train), *test, train=train, **PLAIN)["learning_curve"]
    assert "a sample of the 1,000 training rows" in told["note"]
    assert 498 <= told["points"][-1]["n_rows"] <= 502
