"""The study of quality beside other libraries: what it makes of fits. Its fits are run by `benchmarks/quality --quick`."""

import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, f1_score, log_loss, roc_auc_score

FOLDER = Path(__file__).parents[2] / "benchmarks"
if not FOLDER.exists():
    pytest.skip("the benchmarks are not part of a source distribution", allow_module_level=True)
sys.path.append(str(FOLDER))

from quality.large import Difference  # noqa: E402
from quality.marks import renew  # noqa: E402
from quality.measures import (  # noqa: E402
    MEASURES,
    RELIABILITY,
    RareMeasures,
    calibrated,
    measure,
    reliability,
    two_columns,
)
from quality.methods import METHODS, PLACEBO, REFERENCE  # noqa: E402
from quality.noise import spread  # noqa: E402
from quality.page import renewed, sections  # noqa: E402
from quality.results import Results  # noqa: E402
from quality.store import Store, pack, unpack  # noqa: E402
from quality.tables import contestants, differences, duels, ladder, outcome, ranks, summary  # noqa: E402
from quality.text import in_short, listed, verdicts  # noqa: E402


@pytest.fixture
def answers():
    """Test rows of two classes and the scores that two methods give them, with ties."""
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.15).astype(int)
    scores = [np.round(np.clip(0.15 + 0.25 * y + 0.2 * rng.normal(size=400), 0.01, 0.99), 2) for _ in range(2)]
    return y, *scores


def by_scikit_learn(y, p):
    return {
        "AUC": roc_auc_score(y, p),
        "average precision": average_precision_score(y, p),
        "F1": f1_score(y, p >= 0.3),
        "log-loss": log_loss(y, p),
    }


def results_of(gain, methods=("LightGBM", REFERENCE, "forest"), n=12):
    """`gain` is how much better the reference is than LightGBM; forest goes up and down around the reference."""
    rng = np.random.default_rng(1)
    values = {}
    for name, sign in MEASURES.items():
        base = 0.5 + 0.1 * rng.random(n)
        wave = 0.01 * np.where(np.arange(n) % 2, 1, -1) * (1 + np.arange(n) // 2)
        columns = {"LightGBM": base - sign * gain * (1 + np.arange(n) / n), REFERENCE: base, "forest": base + wave}
        values[name] = np.column_stack([columns[method] for method in methods])
    values |= {name: np.ones((n, len(methods))) for name in ("fit", "predict", *RELIABILITY)}
    return Results([f"table {i}" for i in range(n)], list(methods), values)


def test_measures_of_two_classes_are_those_of_the_rare_one(answers):
    y, p, _ = answers
    assert measure(y, two_columns(p), p >= 0.3) == pytest.approx(by_scikit_learn(y, p))


@pytest.mark.parametrize("decided", [0, 1])
def test_measures_of_scores_and_decisions_that_say_nothing(answers, decided):
    y, _, _ = answers
    p = np.zeros(len(y))
    found = measure(y, two_columns(p), np.full(len(y), decided))
    assert found == pytest.approx(
        {
            "AUC": 0.5,
            "average precision": y.mean(),
            "F1": 2 * decided * y.mean() / (1 + y.mean()),
            "log-loss": 36.04 * y.mean(),
        },
        rel=1e-3,
    )


def test_measures_of_more_classes_take_single_precision_without_complaint():
    p = np.float32([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4], [0.6, 0.3, 0.1]]) * np.float32(1.00001)
    found = measure(np.array([0, 1, 2, 0]), p, np.array([0, 1, 2, 1]))
    assert found["AUC"] == found["average precision"] == 1.0
    assert found["F1"] == pytest.approx((2 / 3 + 2 / 3 + 1) / 3)
    assert found["log-loss"] == pytest.approx(-np.log([0.7, 0.8, 0.4, 0.6]).mean(), rel=1e-6)


def test_reliability_is_no_error_and_a_slope_of_one_where_probabilities_are_right():
    rng = np.random.default_rng(4)
    p = rng.beta(1, 6, 40_000)
    y = (rng.random(len(p)) < p).astype(int)
    right = reliability(y, p)
    assert right["calibration error"] < 0.01
    assert right["slope"] == pytest.approx(1.0, abs=0.03)
    extreme = reliability(y, p**2 / (p**2 + (1 - p) ** 2))
    assert extreme["calibration error"] > 0.05
    assert extreme["slope"] == pytest.approx(0.5, abs=0.03)


def test_calibration_given_from_outside_keeps_the_order_and_mends_the_loss(answers):
    y, p, _ = answers
    sure = two_columns(p**3 / (p**3 + (1 - p) ** 3))
    mended, decided = calibrated(sure, y, sure)
    assert (np.diff(mended[np.argsort(sure[:, 1], kind="stable"), 1]) >= 0).all()
    assert log_loss(y, mended[:, 1]) < log_loss(y, sure[:, 1])
    assert mended[decided == 1, 1].min() > mended[decided == 0, 1].max()


def test_weighted_measures_of_the_bootstrap_are_those_of_repeated_rows(answers):
    y, p, _ = answers
    weights = np.random.default_rng(2).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    assert RareMeasures(y, p, p >= 0.3)(weights) == pytest.approx(by_scikit_learn(y[rows], p[rows]))


def test_spread_is_nothing_between_equals_and_that_of_the_bootstrap_otherwise(answers):
    y, ours, theirs = answers
    measured = [RareMeasures(y, p, p >= 0.3) for p in (ours, theirs)]
    assert spread(y, measured[0], measured[0]) == dict.fromkeys(MEASURES, 0.0)
    rng = np.random.default_rng(3)
    changes = []
    for _ in range(300):
        rows = np.concatenate([rng.choice(np.flatnonzero(y == c), (y == c).sum()) for c in (0, 1)])
        changes.append(roc_auc_score(y[rows], ours[rows]) - roc_auc_score(y[rows], theirs[rows]))
    assert spread(y, *measured)["AUC"] == pytest.approx(np.std(changes), rel=0.25)


def test_store_remembers_cells_and_takes_the_last_of_several(tmp_path):
    path = tmp_path / "cells.jsonl"
    key = ("ecoli2", "0", "test", REFERENCE, "settings")
    values = np.array([[0.25, 0.75], [1.0, 0.0]])
    Store(path).add((*key, "old code"), fit=1.0)
    Store(path).add((*key, "new code"), fit=2.0, p=pack(values))
    again = Store(path)
    assert (*key, "old code") in again
    assert again.latest("ecoli2", 0, "test", REFERENCE)["fit"] == 2.0
    np.testing.assert_array_equal(unpack(again[(*key, "new code")]["p"]), values)
    assert again.latest("ecoli2", 1, "test", REFERENCE) is None
    assert again.outdated() == [REFERENCE]


def test_results_keep_who_was_run_everywhere():
    results = results_of(0.1)
    results.values["AUC"][3, 0] = np.nan
    assert results.complete().methods == [REFERENCE, "forest"]
    assert results.measured_by("LightGBM") == [name for name in results.problems if name != "table 3"]
    assert results.only(results.measured_by("LightGBM")).complete().methods == results.methods
    results.values["AUC"][0] = np.nan
    assert results.complete().methods == []


def test_ranks_and_differences_know_that_less_loss_is_better():
    results = results_of(0.2)
    for name in MEASURES:
        assert (ranks(results, name)[:, 0] == 3).all()
        assert (differences(results, name, ["LightGBM"]) > 0).all()


@pytest.mark.parametrize(("gain", "said"), [(0.2, "better"), (-0.2, "worse"), (0.0, "even")])
def test_outcome_of_paired_tests(gain, said):
    results = results_of(gain)
    for name in MEASURES:
        found = outcome(results, name)
        assert "LightGBM" in getattr(found, said)
        assert "forest" in found.even
        assert sorted([*found.better, *found.worse, *found.even]) == ["LightGBM", "forest"]


def test_page_says_when_the_reference_is_beaten():
    beaten = results_of(-0.2)
    assert verdicts(beaten).count("RareClassifier is worse than LightGBM; not significantly different from forest") == 4
    assert "significantly worse than LightGBM in AUC" in in_short({"Tuned": beaten})
    assert "significantly worse than none" in in_short({"Tuned": results_of(0.2)})
    assert in_short({"Tuned": beaten.only(methods=[REFERENCE])}) == ""


def test_tables_have_a_line_for_each_method():
    results = results_of(0.2)
    assert [row[0] for row in summary(results, "With default settings", "").rows][-1] == "LightGBM"
    rows = duels(results, "Pairs", "").rows
    assert [row[0] for row in rows] == ["LightGBM", "forest"]
    assert all(", 12-0, p " in cell for cell in rows[0][1:])
    assert ladder(results, "Steps", "").rows[1][3] == "12"


def test_a_guest_stands_beside_the_reference_on_the_same_tables():
    results = results_of(0.2)
    part = results.only(results.problems[:3])
    row = summary(results.only(methods=[REFERENCE, "forest"]), "Lead", "", guests={"LightGBM": part}).rows[-1]
    theirs, ours = part.values["AUC"][:, 0].mean(), part.values["AUC"][:, 1].mean()
    assert row[:2] == ["LightGBM", f"{theirs:.4f} [{ours:.4f}]"]


def test_who_is_nearly_another_stands_aside_without_a_rank():
    results = results_of(0.2)
    twice = results.only(methods=[*results.methods, REFERENCE])
    twice.methods[-1] = PLACEBO
    assert contestants(twice) == results.methods
    rows = summary(twice, "Seeds", "").rows
    assert rows[:-1] == summary(results, "Without", "").rows
    assert rows[-1][0] == PLACEBO
    assert not any("(" in cell for cell in rows[-1])
    assert contestants(twice.only(methods=["LightGBM", PLACEBO])) == ["LightGBM", PLACEBO]  # beside nobody it is like
    assert [row[0] for row in duels(twice, "Pairs", "").rows] == ["LightGBM", "forest", PLACEBO]


def test_a_seed_apart_is_all_that_tells_the_placebo_from_the_reference():
    ours, again = (METHODS[name].make(3).get_params() for name in (REFERENCE, PLACEBO))
    assert ours.pop("random_state") != again.pop("random_state")
    assert ours == again


def test_a_page_keeps_the_parts_that_were_not_made_again():
    old = "# Title\n\nopening\n\n## first\n\n1\n\n## second\n\n2\n\n## third\n\n3\n"
    kept = sections(old)
    assert list(kept) == ["first", "second", "third"]
    assert "\n".join(["# Title\n\nopening\n", *kept.values()]) == old
    body = renewed(kept, {"third": "## third\n\nnew\n", "fourth": "## fourth\n"})
    assert list(body) == ["first", "second", "third", "fourth"]
    assert body["third"] == "## third\n\nnew\n"
    assert list(renewed(kept, {"first": "", "between": "", "third": ""})) == ["first", "second", "between", "third"]


def test_marked_parts_of_a_page_are_renewed_and_must_be_there(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- ranks: begin -->\nold\n<!-- ranks: end -->\nafter\n")
    renew(page, "ranks", ["new", "lines"])
    assert page.read_text() == "before\n<!-- ranks: begin -->\nnew\nlines\n<!-- ranks: end -->\nafter\n"
    with pytest.raises(ValueError, match=r"page\.md must have one <!-- leads: begin -->"):
        renew(page, "leads", [])


@pytest.mark.parametrize(
    ("gain", "noise", "verdict"), [(0.02, 0.01, 1), (-0.02, 0.01, -1), (0.01, 0.02, 0), (1e-9, 0.0, 0)]
)
def test_a_difference_on_a_larger_table_is_told_beyond_noise(gain, noise, verdict):
    assert Difference(gain, noise).verdict == verdict


@pytest.mark.parametrize(
    ("names", "words"), [(["one"], "one"), (["one", "two"], "one and two"), (["a", "b", "c"], "a, b and c")]
)
def test_listed(names, words):
    assert listed(names) == words
