"""Each rule says yes where a claim stands, no where it does not, and neither where it cannot tell."""

from types import SimpleNamespace

import numpy as np
import pytest

from rarewood.reproduction import _claims as claims
from rarewood.reproduction._definition import DataSet, Experiment, recipe
from rarewood.reproduction._published import PublishedTable
from rarewood.statistics import WinDrawLoss, corrected_paired_t


class Results:
    """Scores written down by hand, asked like a comparison."""

    def __init__(self, larger=True, **scores):
        self.methods = list(scores)
        self._means = np.column_stack(list(scores.values()))
        self.datasets = [f"set {i}" for i in range(len(self._means))]
        self._larger = larger
        self.records = [None] * self._means.size
        self.provenance = {"n_learner_repeats": 1, "datasets": {name: {"folds": [0]} for name in self.datasets}}

    def means(self, metric):
        return self._means

    def larger_is_better(self, metric):
        return self._larger

    def wins(self, metric):
        sign = 1 if self._larger else -1
        gap = {(a, b): sign * (self._column(a) - self._column(b)) for a in self.methods for b in self.methods if a != b}

        return SimpleNamespace(
            counts={
                pair: WinDrawLoss(int((d > 0.1).sum()), int((abs(d) <= 0.1).sum()), int((d < -0.1).sum()))
                for pair, d in gap.items()
            }
        )

    def test(self, metric, dataset, first, second):
        centre = self._means[self.datasets.index(dataset)]
        noise = np.random.default_rng(0).normal(0, 0.01, 10)
        a, b = (centre[self.methods.index(m)] + s * noise for m, s in ((first, 1), (second, -1)))
        return corrected_paired_t(a, b, n_train=1, n_test=1)

    def _column(self, method):
        return self._means[:, self.methods.index(method)]


TABLE = PublishedTable("1", "", "m", ("a", "b"), {f"set {i}": (0.5, 0.6) for i in range(9)})
ASKED = Experiment("e", "", (DataSet("x"),), (recipe("a", "gini"),), "5x2", ("m",), (), "2x2", {"m": TABLE})
HIGH, LOW = np.linspace(0.7, 0.9, 9), np.linspace(0.5, 0.6, 9)
EVEN = np.array([0.6, 0.9] * 4 + [0.75])


def decide(rule, **scores):
    return rule(ASKED, Results(**scores)).outcome


@pytest.mark.parametrize(
    ("rule", "stands"),
    [
        (claims.wins_more("m", "a", ["b"]), True),
        (claims.wins_more("m", "b", ["a"]), False),
        (claims.most_wins("m", ["a"], ["a", "b"]), True),
        (claims.most_wins("m", ["b"], ["a", "b"]), False),
        (claims.better_ranks("m", "a", ["b"], among=["a", "b"]), True),
        (claims.better_ranks("m", "a", ["b"], among=["a", "b"], posthoc="bonferroni-dunn"), True),
        (claims.better_ranks("m", "b", ["a"], among=["a", "b"], significant=False), False),
        (claims.no_difference("m", "a", "b"), False),
        (claims.best_on("m", "a", ["b"], share=0.6, near=0.02), True),
        (claims.best_on("m", "b", ["a"], share=0.6, near=0.02), False),
        (claims.raises("m", [("b", "a")]), True),
        (claims.raises("m", [("a", "b")]), False),
        (claims.rarely_loses("m", [("b", "a")], 0), True),
        (claims.rarely_loses("m", [("a", "b")], 3), False),
        (claims.wins_runs("m", "a", "b", 80, 100), True),
        (claims.wins_runs("m", "b", "a", 80, 100), False),
        (claims.best_at("m", "set 3", "a"), True),
        (claims.best_at("m", "set 3", "b"), False),
        (claims.differs_at("m", "set 3", "a", "b"), True),
        (claims.differs_at("m", "set 3", "b", "a"), False),
        (claims.agrees("m", ["b"], 0.1), True),
        (claims.agrees("m", ["a"], 0.1), False),
    ],
)
def test_high_beats_low(rule, stands):
    assert decide(rule, a=HIGH, b=LOW) == ("reproduces" if stands else "does not")


def test_a_method_that_lacks_sets_of_an_unfinished_run_cannot_be_judged():
    rule = claims.better_ranks("m", "a", ["b"], among=["a", "b"])
    gap = LOW.copy()
    gap[-1] = np.nan
    finished = Results(a=HIGH, b=gap)
    assert rule(ASKED, finished).outcome == "reproduces"  # on the other eight
    finished.records.pop()
    assert rule(ASKED, finished).evidence == "unfinished: of 9 sets b on 8"


def test_even_methods_do_not_differ():
    assert decide(claims.no_difference("m", "a", "b"), a=EVEN, b=1.5 - EVEN) == "reproduces"
    assert decide(claims.better_ranks("m", "a", ["b"], among=["a", "b"]), a=EVEN, b=1.5 - EVEN) == "does not"


def test_smaller_is_better_for_losses():
    rule = claims.better_ranks("m", "a", ["b"], among=["a", "b"])
    assert decide(rule, a=LOW, b=HIGH, larger=False) == "reproduces"
    assert decide(claims.best_at("m", "set 0", "a"), a=LOW, b=HIGH, larger=False) == "reproduces"


def test_follows_a_parameter():
    at = {"a": 0.0, "b": 1.0, "c": 2.0, "d": 3.0}
    scores = {"a": LOW, "b": LOW + 0.1, "c": LOW + 0.21, "d": LOW + 0.3}
    assert decide(claims.follows("m", at, rises=True), **scores) == "reproduces"
    assert decide(claims.follows("m", at, rises=False), **scores) == "does not"
    unclear = {"a": LOW, "b": LOW + 0.3, "c": LOW + 0.1, "d": LOW + 0.2}
    assert decide(claims.follows("m", at, rises=True), **unclear) == "does not"
    assert decide(claims.follows("m", {"a": 0.0, "b": 1.0}, rises=True), **scores) == "cannot be tested"


@pytest.mark.parametrize(
    "rule",
    [
        claims.wins_more("m", "a", ["z"]),
        claims.most_wins("m", ["z"], ["a", "z"]),
        claims.better_ranks("m", "z", ["a"], among=["a", "z"]),
        claims.no_difference("m", "a", "z"),
        claims.best_on("m", "z", ["a"], 0.5, 0.0),
        claims.raises("m", [("z", "a")]),
        claims.rarely_loses("m", [("z", "a")], 0),
        claims.wins_runs("m", "z", "a", 1, 2),
        claims.best_at("m", "set 0", "z"),
        claims.best_at("m", "nowhere", "a"),
        claims.differs_at("m", "set 0", "a", "z"),
        claims.differs_at("m", "nowhere", "a", "b"),
        claims.agrees("m", ["z"], 0.1),
    ],
)
def test_what_is_not_here_cannot_be_tested(rule):
    assert decide(rule, a=HIGH, b=LOW) == "cannot be tested"


@pytest.mark.parametrize(
    "rule",
    [
        claims.better_ranks("m", "a", ["b"], among=["a", "b"]),
        claims.no_difference("m", "a", "b"),
        claims.raises("m", [("b", "a")]),
        claims.wins_runs("m", "a", "b", 1, 2),
    ],
)
def test_two_data_sets_are_too_few(rule):
    assert decide(rule, a=HIGH[:2], b=LOW[:2]) == "cannot be tested"
