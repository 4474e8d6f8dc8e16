"""What a notebook shows: everything a cell may end with has a picture or a table of its own."""

from html.parser import HTMLParser

import matplotlib as mpl
import pytest
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
    mpl.use("agg")
    from matplotlib import pyplot

    patterns = rw.inspection.extract_patterns(forest, payments.X, payments.y)
    drawn = (patterns.plot(3), comparison.plot_ranks("auc"), rw.inspection.plot_tree(forest.estimators_[0]))
    assert all(isinstance(each, Axes) for each in drawn)
    pyplot.close("all")
