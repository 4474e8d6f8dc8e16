"""What a result prints: names, labels and categories that a terminal would obey are shown as \\x1b and the like."""

import importlib
import inspect
import pkgutil

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from rarewood import datasets, evaluation, export, inspection, metrics, monitoring, report, statistics
from rarewood._terminal import printable

NUMBER, WORD, RARE, OTHER = "\x1b[31mnumber", "word\u202e", "\x1b[5mrare", "\x7fother"


def rows(n, seed):
    rng = np.random.default_rng(seed)
    number, word = rng.normal(size=n), rng.choice(["\x9b2Jone", "\x07two"], n)
    rare = number + (word == "\x07two") + 0.3 * rng.normal(size=n) > 1.6
    X = pd.DataFrame({NUMBER: number, WORD: pd.Categorical(word), "plain": rng.normal(size=n)})
    return X, np.where(rare, RARE, OTHER)


def named_tests(scores):
    names = ["\x1b[1mtree", "b\x07"]
    return statistics.wilcoxon_holm(scores, names=names), statistics.average_ranks(scores, names=names)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """One of everything that a call of the library may give back, made of hostile names."""
    X, y = rows(400, 0)
    later, labels = rows(300, 1)
    forest = rw.HeDExClassifier(8, max_depth=4, random_state=0).fit(X, y)
    model = rw.RareClassifier(10, threshold="f1", random_state=0).fit(X, y)
    file = tmp_path_factory.mktemp("models") / "m.rarewood"
    export.save(model, file, metadata={"target": "\x1b[0mlabel"})
    methods = {"\x1b[1mtree": rw.TreeClassifier(max_depth=2), "b\x07": rw.TreeClassifier(max_depth=1)}
    tables = {f"\x1b]{i}": rows(120, i) for i in range(3)}
    comparison = evaluation.compare(methods, tables, "2x2", ["auc"], n_jobs=1)
    watched = monitoring.monitor(model, later.assign(**{NUMBER: later[NUMBER] + 3}), labels)
    chosen = monitoring.review(model, later, 20, random_state=0)
    columns = chosen.columns()
    classifier = rw.RuleSetClassifier(random_state=0).fit(X, y)
    return [
        forest,
        model,
        classifier,
        comparison,
        comparison.table("auc"),
        comparison.wins("auc"),
        comparison.folds("auc", dataset="\x1b]0"),
        comparison.friedman("auc"),
        comparison.ranks("auc"),
        comparison.test("auc", "\x1b]0", "\x1b[1mtree", "b\x07"),
        inspection.explain(forest, later[:5], positive=RARE),
        inspection.explain(forest, later[:5], positive=RARE).reasons(0),
        inspection.extract_patterns(forest, X, y),
        list(inspection.extract_patterns(forest, X, y)[:3]),
        inspection.find_rules(X, y, random_state=0),
        list(inspection.find_rules(X, y, random_state=0)),
        export.describe(file),
        inspection.export_text(forest.estimators_[0]),
        report.build(model, later, labels, n_rules=2),
        report.check(X, y),
        watched,
        list(watched.findings),
        chosen,
        monitoring.estimate({**columns, "label": labels[columns["row"]]}, positive=RARE),
        monitoring.recalibrate(model, later, labels).recalibration_,
        metrics.choose_threshold(y, forest.predict_proba(X)[:, 1], rule="f1", positive=RARE),
        datasets.Dataset("\x1b[2J", X, y, RARE),
        evaluation.learning_curve(methods["b\x07"], X, y, random_state=0),
        *named_tests(comparison.means("auc")),
    ]


def found_in(value, seen):
    """Everything of ours that hangs on a result."""
    if id(value) in seen:
        return
    seen[id(value)] = value
    if isinstance(value, dict):
        below = value.values()
    elif isinstance(value, (list, tuple)):
        below = value
    elif type(value).__module__.startswith("rarewood"):
        below = [
            getattr(value, name, None) for name in (*getattr(value, "__dict__", ()), *getattr(value, "__slots__", ()))
        ]
    else:
        return
    for each in below:
        found_in(each, seen)


def public_results():
    """The classes of the public packages that say how they are printed."""
    found = set()
    for module in pkgutil.iter_modules(rw.__path__):
        if not module.name.startswith("_") and module.name != "cli":
            package = importlib.import_module(f"rarewood.{module.name}")
            found |= {
                each for name in getattr(package, "__all__", ()) if inspect.isclass(each := getattr(package, name))
            }
    ways = ("__str__", "__repr__", "text")
    return {each for each in found if any(way in vars(each) for way in ways) and not hasattr(each, "fit")}


def is_ours_alone(kind):
    """Criteria, metrics, generators of data and published experiments have names of our own; effects are printed through a model."""
    ours = ("rarewood.criteria", "rarewood.metrics._registry", "rarewood.metrics._scorers", "rarewood.reproduction")
    others = {
        "Catalogue",
        "Entry",
        "PaymentYear",
        "Workload",
        "Predictions",
        "ShareEstimate",
        "TimeSplit",
        "ColumnEffects",
    }
    return kind.__module__.startswith(ours) or kind.__name__.startswith("Planted") or kind.__name__ in others


def test_nothing_that_a_terminal_obeys_is_printed(results):
    seen = {}
    found_in(results, seen)
    ours = [each for each in seen.values() if type(each).__module__.startswith("rarewood")]
    for each in [*results, *ours]:
        texts = [str(each), repr(each)]
        if hasattr(each, "text") and callable(each.text):
            texts.append(each.text(0) if isinstance(each, inspection.Explanation) else each.text())
        for text in texts:
            assert text == printable(text), type(each)
    kinds = {each for each in public_results() if not is_ours_alone(each)}
    unseen = {each.__name__ for each in kinds} - {type(each).__name__ for each in seen.values()}
    assert not unseen
