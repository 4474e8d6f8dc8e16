"""What a notebook shows: everything a cell may end with has a picture or a table of its own."""

from html import escape
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import sklearn
from matplotlib.axes import Axes

import rarewood as rw
from rarewood.datasets import make_planted_rules


@pytest.fixture(scope="module")
def payments():
    return make_planted_rules(1000, random_state=0)


@pytest.fixture(scope="module")
def forest(payments):
    return rw.HeDExClassifier(5, max_depth=3, random_state=0).fit(payments.X, payments.y)


@pytest.fixture(scope="module")
def comparison(payments):
    methods = {"tree": rw.TreeClassifier(max_depth=2), "forest": rw.HeDExClassifier(3, max_depth=2)}
    rows = (make_planted_rules(600, random_state=seed) for seed in (1, 2))
    return rw.evaluation.compare(methods, {f"{i}": (each.X, each.y) for i, each in enumerate(rows)}, "5x2", ["auc"])


def tags(page):
    found = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: found.append(tag)
    parser.feed(page)
    return found


ESTIMATORS = [name for name in rw.__all__ if name.endswith(("Classifier", "Oversampler", "Cleaner"))]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators(name):
    estimator = getattr(rw, name)()
    bundle = estimator._repr_mimebundle_()
    assert name in bundle["text/html"]
    assert bundle["text/plain"].startswith(name)


def test_fitted_estimators_and_pipelines(forest):
    assert "Fitted" in forest._repr_mimebundle_()["text/html"]
    assert "PatternOversampler" in rw.make("hedex+patterns")._repr_mimebundle_()["text/html"]


def test_comparisons_patterns_and_reports(payments, forest, comparison):
    patterns = rw.inspection.extract_patterns(forest, payments.X, payments.y)
    for shown in (patterns, comparison, comparison.table("auc"), comparison.wins("auc")):
        assert "table" in tags(shown._repr_html_())
    assert tags(rw.report.build(forest, payments.X, payments.y)._repr_html_()) == ["iframe"]


def test_pictures_are_axes(payments, forest, comparison):
    from matplotlib import pyplot

    patterns = rw.inspection.extract_patterns(forest, payments.X, payments.y)
    drawn = (patterns.plot(3), comparison.plot_ranks("auc"), rw.inspection.plot_tree(forest.estimators_[0]))
    assert all(isinstance(each, Axes) for each in drawn)
    pyplot.close("all")


def test_fitted_models_tell_what_the_fit_found_out(payments):
    model = rw.RareClassifier(20, random_state=0).fit(payments.X, payments.y)
    shown = model._repr_mimebundle_()["text/html"]
    assert model._repr_html_().endswith(shown[-1000:])  # each diagram has a number of its own
    for text in ("sk-estimator", "1,000 rows", "had not seen", escape(str(model.decision_threshold_))):
        assert text in shown
    assert "What the fit found out" not in rw.RareClassifier()._repr_html_()
    with sklearn.config_context(display="text"):
        assert "text/html" not in model._repr_mimebundle_()
        assert not hasattr(model, "_repr_html_")


def test_thresholds_and_explanations(payments, forest):
    threshold = rw.metrics.choose_threshold(payments.y, forest.predict_proba(payments.X)[:, 1])
    assert "call &#x27;1&#x27; at or above it" in threshold._repr_html_()
    assert tags(threshold._repr_html_()).count("tr") == len(threshold._facts())
    told = rw.inspection.explain(forest, payments.X[:5])
    shown = told._repr_html_()
    assert tags(shown).count("table") == 3
    assert "2 more rows" in shown
    assert f"{told.reasons(0)[0].value:+.4f}" in shown


def test_names_from_the_data_are_escaped():
    names = ["<b>", "$x$"]
    X = np.random.default_rng(0).normal(size=(200, 2))
    model = rw.HeDExClassifier(5, random_state=0).fit(
        pd.DataFrame(X, columns=names), np.where(X[:, 0] > 1, "<i>", "no")
    )
    shown = rw.inspection.explain(model, pd.DataFrame(X[:2], columns=names))._repr_html_()
    assert not {"b", "i"} & set(tags(shown))
    assert "&lt;b&gt;" in shown
