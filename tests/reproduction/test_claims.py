"""Each rule says yes where a claim stands, no where it does not, and neither where it cannot tell."""

from types import SimpleNamespace

import numpy as np
import pytest

from rarewood.reproduction import _claims as claims
from rarewood.reproduction._definition import Experiment, PaperData, Verdict, recipe
from rarewood.reproduction._published import PublishedTable
from rarewood.statistics import WinDrawLoss, corrected_paired_t


class Results:
    """Scores written down by hand, asked like a comparison."""

    def __init__(self, larger=True, **scores):
        self.methods = list(scores)
        self._means = np.column_stack(list(scores.values()))
        self.datasets = [f"set {i}" for i in range(len(self._means))]
        self._larger = larger
        self.is_finished = True

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
ASKED = Experiment("e", "", (PaperData("x"),), (recipe("a", "gini"),), "5x2", ("m",), (), "2x2", {"m": TABLE})
HIGH, LOW = np.linspace(0.7, 0.9, 9), np.linspace(0.5, 0.6, 9)
EVEN = np.array([0.6, 0.9] * 4 + [0.75])


def decide(rule, **scores):
    return rule(ASKED, Results(**scores)).outcome


@pytest.mark.parametrize(
    ("rule", "stands"),
    [
        (claims.wins_more("m", [("b", "a")]), True),
        (claims.wins_more("m", [("a", "b")]), False),
        (claims.wins_more("m", [("b", "a"), ("a", "b")]), False),
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
        (claims.best_at("m", "set 3", "a", ["b"]), True),
        (claims.best_at("m", "set 3", "b", ["a"]), False),
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
    results = Results(a=HIGH, b=gap)
    assert rule(ASKED, results).outcome == "reproduces"  # on the other eight
    results.is_finished = False
    assert rule(ASKED, results).evidence == "unfinished: of 9 sets b on 8"
    assert claims.follows("m", {"a": 0.0, "b": 1.0, "c": 2.0}, rises=True)(
        ASKED, Results(a=HIGH, b=gap, c=np.full(9, np.nan))
    ) == Verdict("cannot be tested", "not here: c")
    agreement = claims.agrees("m", ["a", "b"], 1.0)(ASKED, results)
    assert agreement.outcome == "reproduces"
    assert "over 17 figures" in agreement.evidence


def test_even_methods_do_not_differ():
    assert decide(claims.no_difference("m", "a", "b"), a=EVEN, b=1.5 - EVEN) == "reproduces"
    assert decide(claims.better_ranks("m", "a", ["b"], among=["a", "b"]), a=EVEN, b=1.5 - EVEN) == "does not"


@pytest.mark.parametrize(
    "rule",
    [
        claims.better_ranks("m", "a", ["b"], among=["a", "b"]),
        claims.best_at("m", "set 0", "a", ["b"]),
        claims.best_on("m", "a", ["b"], share=0.6, near=0.02),
        claims.raises("m", [("b", "a")]),
        claims.wins_runs("m", "a", "b", 80, 100),
        claims.differs_at("m", "set 0", "a", "b"),
    ],
)
def test_smaller_is_better_for_losses(rule):
    assert decide(rule, a=LOW, b=HIGH, larger=False) == "reproduces"
    assert decide(rule, a=HIGH, b=LOW, larger=False) == "does not"


def test_a_draw_is_neither_best_nor_first():
    assert decide(claims.best_at("m", "set 0", "a", ["b"]), a=HIGH, b=HIGH) == "does not"
    assert decide(claims.most_wins("m", ["a"], ["a", "b"]), a=HIGH, b=HIGH) == "does not"
    assert decide(claims.most_wins("m", ["b"], ["a", "b"]), a=HIGH, b=HIGH) == "does not"


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
        claims.wins_more("m", [("z", "a")]),
        claims.most_wins("m", ["z"], ["a", "z"]),
        claims.better_ranks("m", "z", ["a"], among=["a", "z"]),
        claims.no_difference("m", "a", "z"),
        claims.best_on("m", "z", ["a"], 0.5, 0.0),
        claims.raises("m", [("z", "a")]),
        claims.rarely_loses("m", [("z", "a")], 0),
        claims.wins_runs("m", "z", "a", 1, 2),
        claims.best_at("m", "set 0", "z", ["a"]),
        claims.best_at("m", "set 0", "a", ["b", "z"]),
        claims.best_at("m", "nowhere", "a", ["b"]),
        claims.differs_at("m", "set 0", "a", "z"),
        claims.differs_at("m", "nowhere", "a", "b"),
        claims.agrees("m", ["z"], 0.1),
        claims.agrees("m", ["b", "z"], 0.1),
        claims.follows("m", {"a": 0.0, "b": 1.0, "z": 2.0}, rises=True),
    ],
)
def test_what_is_not_here_cannot_be_tested(rule):
    assert decide(rule, a=HIGH, b=LOW) == "cannot be tested"


@pytest.mark.parametrize(
    ("rule", "n_sets", "then"),
    [
        (claims.better_ranks("m", "a", ["b"], among=["a", "b"]), 4, "reproduces"),
        (claims.better_ranks("m", "a", ["b"], among=["a", "b"], significant=False), 3, "reproduces"),
        (claims.no_difference("m", "a", "b"), 4, "does not"),
        (claims.raises("m", [("b", "a")]), 5, "reproduces"),
        (claims.wins_runs("m", "a", "b", 1, 2), 6, "reproduces"),
        (claims.rarely_loses("m", [("a", "b")], 6), 7, "does not"),
    ],
)
def test_too_few_data_sets_for_the_answer_to_depend_on_them(rule, n_sets, then):
    assert decide(rule, a=HIGH[: n_sets - 1], b=LOW[: n_sets - 1]) == "cannot be tested"
    assert decide(rule, a=HIGH[:n_sets], b=LOW[:n_sets]) == then


MARKED = {f"set {i}": "v" if i < 3 else "" for i in range(9)}
LOST = {f"set {i}": "*" if i < 3 else "" for i in range(9)}


def test_wins_are_judged_where_the_print_has_some_on_the_sets_at_hand():
    def rule(marks):
        return claims.wins_as_marked("m", [("b", "a")], {("b", "a"): marks})

    assert decide(rule(MARKED), a=HIGH, b=LOW) == "reproduces"
    assert decide(rule(MARKED), a=LOW, b=HIGH) == "does not"
    for marks in ({}, LOST):
        assert decide(rule(marks), a=HIGH, b=LOW) == "cannot be tested"
    two = claims.wins_as_marked("m", [("b", "a"), ("a", "b")], {("b", "a"): MARKED, ("a", "b"): LOST})
    found = two(ASKED, Results(a=HIGH, b=LOW))
    assert found.outcome == "reproduces"
    assert "b 9/0/0 (3/6/0), a 0/0/9 (0/6/3); not judged, for want of printed wins on these sets: a" in found.evidence


def test_a_test_that_the_printed_figures_fail_judges_nothing():
    rule = claims.raises("m", [("a", "b")], as_printed=True)
    assert decide(rule, a=LOW, b=HIGH) == "reproduces"
    assert decide(rule, a=HIGH, b=LOW) == "does not"
    other_way = claims.raises("m", [("b", "a")], as_printed=True)
    for scores in ({"a": HIGH, "b": LOW}, {"a": LOW, "b": HIGH}):
        assert decide(other_way, **scores) == "cannot be tested"


def test_mean_gains_beside_the_printed_ones():
    rule = claims.gains_as_printed("m", [("a", "b")], 0.02)
    near = rule(ASKED, Results(a=LOW, b=LOW + 0.1 + np.linspace(-0.05, 0.05, 9)))
    assert near.outcome == "reproduces"
    assert "a +0.1000 (+0.1000); single gains are 0.0278 away" in near.evidence
    assert decide(rule, a=LOW, b=LOW + 0.13) == "does not"
    assert decide(rule, a=LOW, b=LOW + 0.07) == "does not"
    assert decide(rule, a=LOW, b=np.full(9, np.nan)) == "cannot be tested"
