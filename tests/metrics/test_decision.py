"""Thresholds: the best of all, as a slow search finds it, and warnings that say what can be reached."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.thresholds import best, measures
from rarewood.exceptions import RarewoodWarning
from rarewood.metrics import DecisionThreshold, choose_threshold

RULES = ("f1", "precision", "recall", "cost")


@st.composite
def scored_rows(draw):
    """Few distinct scores, so that there are ties; at least one row of each class."""
    n = draw(st.integers(2, 25))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda labels: 0 < sum(labels) < n))
    steps = draw(st.integers(1, 12))
    scores = draw(st.lists(st.integers(0, steps), min_size=n, max_size=n))
    return y, [score / steps for score in scores]


def chosen_on(y, scores, **options):
    """The threshold, and no word on what it does not reach."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RarewoodWarning)
        return choose_threshold(y, scores, positive=1, **options)


@given(scored_rows(), st.sampled_from(RULES), st.floats(0.05, 1.0), st.tuples(st.integers(0, 9), st.integers(1, 99)))
def test_the_best_of_all_thresholds(rows, rule, floor, costs):
    y, scores = rows
    options = {"floor": floor} if rule in ("precision", "recall") else {}
    chosen = chosen_on(y, scores, rule=rule, costs=costs, **options)
    expected = best(y, scores, 1, rule, floor, costs)
    assert chosen.reaches_floor == (expected is not None)
    if expected is None:
        expected = best(y, scores, 1, rule, chosen.most, costs)
    told = measures(y, scores, 1, chosen.value, costs)
    assert told == pytest.approx(expected)
    assert chosen.apply(scores).tolist() == [score >= chosen.value for score in scores]
    assert chosen.n_alarms == sum(chosen.apply(scores))
    assert chosen.n_hits == sum(label for label, called in zip(y, chosen.apply(scores)) if called)
    if min(sum(y), len(y) - sum(y)) < 5:  # too few to say what new rows will show
        assert {name: getattr(chosen, name) for name in told} == pytest.approx(told)


@given(scored_rows(), st.sampled_from(("f1", "cost")), st.integers(0, 100))
def test_weights_are_repetitions(rows, rule, seed):
    y, scores = rows
    times = np.random.default_rng(seed).integers(0, 3, size=len(y))
    times[np.argmax(y)] += 1
    weighed = chosen_on(y, scores, rule=rule, costs=(1, 5), sample_weight=times)
    repeated = chosen_on(np.repeat(y, times), np.repeat(scores, times), rule=rule, costs=(1, 5))
    assert weighed.value == repeated.value
    assert weighed.share == pytest.approx(repeated.share)


def test_the_threshold_lies_between_two_scores():
    chosen = choose_threshold([0, 0, 1], [0.1, 0.3, 0.7])
    assert chosen.value == 0.5
    neighbours = [0.3, np.nextafter(0.3, 1.0)]
    assert choose_threshold([0, 1], neighbours, positive=1).apply(neighbours).tolist() == [False, True]
    assert choose_threshold([1, 1, 0], [0.5, 0.5, 0.5], positive=1).value == 0.5


def test_calling_nothing_can_be_cheapest():
    chosen = choose_threshold([0, 0, 0, 1], [0.9, 0.8, 0.7, 0.1], rule="cost", costs=(10, 1), positive=1)
    assert not chosen.apply([0.9, 0.8, 0.7, 0.1]).any()
    assert (chosen.precision, chosen.recall, chosen.f1, chosen.cost) == (0.0, 0.0, 0.0, 0.25)


def test_the_rarest_class_is_positive_unless_told():
    y, scores = np.array(["ok", "ok", "fault"]), [0.2, 0.3, 0.9]
    assert choose_threshold(y, scores).positive == "fault"
    assert choose_threshold(y, scores, positive="ok").positive == "ok"


def test_labels_of_several_classes():
    threshold = DecisionThreshold(0.2, "f1", "b", 1.0, 1.0, 1.0)
    p = np.array([[0.5, 0.3, 0.2], [0.1, 0.19, 0.71], [0.6, 0.1, 0.3]])
    assert threshold.labels(p, np.array(["a", "b", "c"])).tolist() == ["b", "c", "a"]
    assert threshold.labels([[1.0]], ["b"]).tolist() == ["b"]
    with pytest.raises(ValueError, match=r"positive='b' is not among the classes, which are \['a', 'c'\]"):
        threshold.labels([[0.5, 0.5]], ["a", "c"])


def test_missing_scores_are_not_called():
    assert DecisionThreshold(0.2, "f1", 1, 1.0, 1.0, 1.0).apply([np.nan, 0.2]).tolist() == [False, True]


def test_what_is_printed():
    costly = choose_threshold([0, 0, 1], [0.1, 0.3, 0.7], rule="cost", costs=(1, 20))
    assert (
        str(costly)
        == "Threshold 0.5 (lowest cost): call '1' at or above it; expect precision 1 (1 of 1 alarms), recall 1, F1 1, cost 0 per row"
    )
    floored = choose_threshold([0, 0, 1], [0.1, 0.3, 0.7], rule="recall", floor=0.9)
    assert "(recall of at least 0.9)" in str(floored)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "f2"}, "rule='f2' is not understood; give 'f1', 'cost=1:20'"),
        ({"rule": "precision"}, "rule='precision' needs floor="),
        ({"rule": "recall", "floor": 1.5}, "floor=1.5"),
        ({"rule": "f1", "floor": 0.5}, "floor=0.5 does not apply to rule='f1'"),
        ({"rule": "cost"}, "rule='cost' needs costs="),
        ({"rule": "cost", "costs": (1,)}, r"costs=\(1,\) is not accepted; give two numbers"),
        ({"rule": "cost", "costs": (0, 0)}, "not both 0"),
        ({"rule": "cost", "costs": (1, -1)}, "is not accepted"),
        ({"rule": "cost", "costs": 5}, "costs=5 is not accepted"),
        ({"rule": "cost", "costs": "ab"}, "is not accepted"),
        ({"positive": 7}, "no row of the positive class 7"),
        ({"sample_weight": [1.0, 1.0]}, "sample_weight"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        choose_threshold([0, 0, 1], [0.1, 0.3, 0.7], **options)


@pytest.mark.parametrize(
    ("y", "scores", "message"),
    [
        ([], [], "y_true is empty"),
        ([0, 1], [0.1], "one score of the positive class"),
        ([0, 1], [[0.1, 0.9], [0.5, 0.5]], "one score of the positive class"),
        ([0, 1], [0.1, np.nan], "NaN"),
    ],
)
def test_wrong_rows(y, scores, message):
    with pytest.raises(ValueError, match=message):
        choose_threshold(y, scores)


def test_an_unreachable_floor_says_what_can_be_reached():
    message = r"no threshold reaches a precision of 0\.9 on these rows; .* 1 of 2 alarms\. Expect a precision of 0\.5"
    with pytest.warns(RarewoodWarning, match=message):
        chosen = choose_threshold([0, 1, 0, 0], [0.9, 0.9, 0.1, 0.2], rule="precision", floor=0.9)
    assert chosen.most == 0.5
    assert "(highest precision; 0.9 is out of reach)" in str(chosen)


@given(scored_rows(), st.floats(0.05, 1.0), st.tuples(st.integers(0, 9), st.integers(1, 99)))
def test_words_say_what_arguments_say(rows, floor, costs):
    y, scores = rows
    said = {
        f"recall={floor!r}": {"rule": "recall", "floor": floor},
        f"cost={costs[0]}:{costs[1]}": {"rule": "cost", "costs": costs},
    }
    for word, arguments in said.items():
        assert chosen_on(y, scores, rule=word) == chosen_on(y, scores, **arguments)


@given(scored_rows(), st.integers(1, 30))
def test_alerts_are_as_many_as_can_be_looked_at(rows, count):
    y, scores = rows
    chosen = choose_threshold(y, scores, positive=1, rule=f"alerts={count}")
    possible = [sum(score >= value for score in scores) for value in {*scores, 2.0}]
    assert chosen.apply(scores).sum() == max(called for called in possible if called <= count)
    assert chosen.alerts == min(1.0, count / len(y))
    share = choose_threshold(y, scores, positive=1, rule=f"alerts={100 * chosen.alerts!r}%")
    assert share.value == chosen.value


@pytest.mark.parametrize(("given_value", "called"), [(0.5, 3), ("0.55", 2), (1, 0), (0, 4), (0.8, 1)])
def test_a_number_is_the_threshold(given_value, called):
    y, scores = [0, 0, 1, 1], [0.1, 0.6, 0.5, 0.8]
    chosen = choose_threshold(y, scores, rule=given_value, costs=(1, 5), positive=1)
    assert chosen.value == float(given_value)
    assert chosen.rule == "given"
    assert chosen.apply(scores).sum() == called
    told = measures(y, scores, 1, chosen.value, (1, 5))
    assert {name: getattr(chosen, name) for name in told} == pytest.approx(told)


@pytest.mark.parametrize(
    ("rule", "error", "message"),
    [
        ("alerts", ValueError, "is not understood"),
        ("alerts=0%", ValueError, "above 0% and at most 100%"),
        ("alerts=0", ValueError, "at least one row"),
        ("alerts=2.5", ValueError, "is not understood"),
        ("cost=1", ValueError, "is not understood"),
        ("cost=0:0", ValueError, "not both 0"),
        ("precision=nan", ValueError, "is not understood"),
        ("precision=0", ValueError, "rule='precision=0': the minimum precision must be above 0 and at most 1"),
        ("recall=", ValueError, "is not understood"),
        ("recall=0.8@90", ValueError, "is not understood"),
        ("recall=0.8@", ValueError, "is not understood"),
        ("f1@90%", ValueError, "is not understood"),
        ("cost=1:20@90%", ValueError, "is not understood"),
        ("0.5@90%", ValueError, "is not understood"),
        ("recall=0.8@100%", ValueError, "the confidence of a promise must be above 50% and below 100%"),
        ("recall=0.8@50%", ValueError, "the confidence of a promise must be above 50%"),
        (1.5, ValueError, "rule=1.5 is not accepted; a number must be a score from 0 to 1"),
        (True, TypeError, "is not accepted; give 'f1'"),
        (None, TypeError, "is not accepted; give 'f1'"),
    ],
)
def test_words_that_make_no_sense(rule, error, message):
    with pytest.raises(error, match=message):
        choose_threshold([0, 0, 1], [0.1, 0.3, 0.7], rule=rule)


def test_nothing_is_said_twice():
    with pytest.raises(ValueError, match=r"floor=0\.8 is given twice"):
        choose_threshold([0, 1], [0.1, 0.3], rule="recall=0.5", floor=0.8)
    with pytest.raises(ValueError, match="are given twice"):
        choose_threshold([0, 1], [0.1, 0.3], rule="cost=1:2", costs=(1, 3))


def test_reasons_are_told():
    y, scores = [0, 0, 1], [0.1, 0.3, 0.7]
    assert "(alerts for at most 66.6667% of the rows)" in str(choose_threshold(y, scores, rule="alerts=2"))
    assert "(alerts for at most 50% of the rows)" in str(choose_threshold(y, scores, rule="alerts=50%"))
    assert "as given" in str(choose_threshold(y, scores, rule=0.4))
