"""Rows that belong together are seen or left out together, by every tree and whatever is learned from what trees left out."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rarewood as rw
from oracle.groups import groups_left_out
from rarewood import _core, criteria
from rarewood._tables.groups import RowGroups, stratified_folds
from rarewood._validation import Labels
from rarewood.exceptions import RarewoodWarning
from support.parted import check_same, make_frame, parted

SPEC = [criteria.get("hellinger")._spec()]
SAMPLING = ["all", "bootstrap", "stratified", "balanced", "subsample"]


def labels_of(y):
    classes, codes = np.unique(y, return_inverse=True)
    return Labels(classes, codes.astype(np.int32))


def grouped_table(n_groups=60, effect=3.0, seed=0):
    """Groups of ten rows with an effect that no column holds but each column of the group tells."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(n_groups), 10)
    X = np.column_stack([rng.normal(size=(n_groups, 3))[group], rng.normal(size=(len(group), 2))])
    score = X[:, 0] + X[:, 3] + effect * rng.normal(size=n_groups)[group]
    return X, (score > np.quantile(score, 0.9)).astype(int), group


@st.composite
def grouped_rows(draw):
    n_rows = draw(st.integers(2, 40))
    y = np.array(draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows)))
    group = np.array(draw(st.lists(st.integers(0, 9), min_size=n_rows, max_size=n_rows)))
    weights = np.array(draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, 0.5]), min_size=n_rows, max_size=n_rows)))
    weights[0] = 1.0
    return y, group, weights


@pytest.mark.parametrize("sampling", SAMPLING)
@given(rows=grouped_rows(), seed=st.integers(0, 2**63 - 1), first=st.integers(0, 5))
@settings(max_examples=40)
def test_no_group_is_on_both_sides_of_a_tree(sampling, rows, seed, first):
    y, group, weights = rows
    labels = labels_of(y)
    together = RowGroups.of(group, labels, weights)
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    dataset = _core.Dataset(X, np.zeros(2, dtype=np.int32), labels.codes, labels.n_classes)
    options = {"n_trees": 2, "first_tree": first, "seed": seed, "sampling": sampling, "weights": weights}
    if sampling == "subsample":
        options["class_sizes"] = np.bincount(labels.codes[weights > 0], minlength=labels.n_classes).tolist()
    plan = _core.ForestPlan(SPEC, **options, **together.options)
    alone = _core.ForestPlan(SPEC, **options)
    forest = _core.grow_forests(dataset, [plan])[0]
    expected = np.zeros(len(y))
    for tree in range(2):
        left_out = groups_left_out(seed, first + tree, together.strata)
        is_out = np.isin(together.numbers, list(left_out))
        drawn = _core.testing.times_drawn(dataset, alone, tree)
        np.testing.assert_array_equal(_core.testing.times_drawn(dataset, plan, tree), np.where(is_out, 0, drawn))
        expected += is_out
        for stratum in np.split(np.arange(sum(together.strata)), np.cumsum(together.strata)[:-1]):
            assert len(stratum) < 2 or 0 < len(left_out & set(stratum.tolist())) < len(stratum)
    np.testing.assert_array_equal(forest.out_of_bag(dataset, plan, 1.0)[1], expected)


@given(grouped_rows())
def test_groups_are_numbered_by_stratum_and_first_row(rows):
    y, group, weights = rows
    together = RowGroups.of(group, labels_of(y), weights)
    weighs = weights > 0
    counts = {label: (y[weighs] == label).sum() for label in np.unique(y[weighs])}
    rarest = min(counts, key=lambda label: (counts[label], label))
    found = []
    for name in dict.fromkeys(group.tolist()):
        own = group == name
        found.append((0 if (own & weighs & (y == rarest)).any() else 1 if (own & weighs).any() else 2, name))
    order = [name for stratum in range(3) for each, name in found if each == stratum]
    assert together.numbers.tolist() == [order.index(name) for name in group.tolist()]
    assert list(together.strata) == [sum(each == stratum for each, _ in found) for stratum in range(3)]


def test_out_of_bag_scores_are_those_of_new_groups():
    X, y, group = grouped_table()
    new_X, new_y, _ = grouped_table(400, seed=1)
    model = rw.RareClassifier(60, random_state=0)
    alone = model.fit(X, y).oob_score_
    truth = roc_auc_score(new_y, model.predict_proba(new_X)[:, 1])
    together = model.fit(X, y, groups=group)
    assert abs(together.oob_score_ - truth) < 0.12 < alone - truth
    assert together.n_groups_ == 60
    assert repr(together).endswith("judged by groups that trees had not seen, out of 60")


@pytest.mark.parametrize("kind", [rw.ForestClassifier, rw.BalancedForestClassifier, rw.BEATClassifier])
def test_every_forest_with_out_of_bag_scores_takes_groups(kind):
    X, y, group = grouped_table()
    alone, together = kind(60, oob_score=True, random_state=0), kind(60, oob_score=True, random_state=0)
    assert alone.fit(X, y).oob_score_ > together.fit(X, y, groups=group).oob_score_ + 0.1


def test_groups_of_one_row_are_like_none():
    X, y, _ = grouped_table()
    scores = [
        rw.RareClassifier(60, random_state=0).fit(X, y, groups=groups).oob_decision_function_[:, 1]
        for groups in (None, np.arange(len(y)))
    ]
    assert np.corrcoef(*scores)[0, 1] > 0.9
    assert abs(roc_auc_score(y, scores[0]) - roc_auc_score(y, scores[1])) < 0.03


def test_strata_are_about_the_class_that_a_model_is_told():
    X, y, group = grouped_table()
    y = np.where(group < 7, 2, y)  # a class of few groups
    model = rw.RareClassifier(30, threshold=None, random_state=0, positive=2)
    assert model._read_training_data(X, y, None, group).groups.strata == (7, 53, 0)
    assert rw.RareClassifier()._read_training_data(X, y, None, group).groups.strata[0] > 7


def test_groups_are_routed_as_metadata():
    X, y, group = grouped_table()
    with sklearn.config_context(enable_metadata_routing=True):
        model = rw.RareClassifier(45, random_state=0).set_fit_request(groups=True)
        pipeline = make_pipeline(StandardScaler(), model).fit(X, y, groups=group)
    assert pipeline[-1].n_groups_ == 60


def test_names_of_groups_may_be_anything_and_missing_ones_stand_alone():
    X, y, group = grouped_table()
    model = rw.RareClassifier(45, random_state=0)
    expected = model.fit(X, y, groups=group).oob_decision_function_
    for names in (group * 7 - 3, [f"customer {each}" for each in group], pd.Categorical(group), pd.Series(group) + 0.5):
        np.testing.assert_array_equal(model.fit(X, y, groups=names).oob_decision_function_, expected)
    names = np.where(np.arange(len(y)) < 4, np.nan, group)
    assert model.fit(X, y, groups=names).n_groups_ == 64
    assert len(set(model.oob_groups_[:5])) == 5


def test_a_threshold_of_a_model_with_groups_counts_groups():
    X, y, group = grouped_table(effect=1.0)
    rules = {"rule": "recall=0.5@90%"}
    model = rw.RareClassifier(60, random_state=0).fit(X, y, groups=group)
    promised = rw.ensemble.fit_threshold(model, X, y, **rules)
    del model.oob_groups_
    assert rw.ensemble.fit_threshold(model, X, y, **rules).value > promised.value


def test_cross_validated_thresholds_take_groups():
    X, y, group = grouped_table()
    model = rw.HeDExClassifier(20, random_state=0).fit(X, y)
    alone = rw.ensemble.fit_threshold(model, X, y, rule="recall=0.8")
    assert rw.ensemble.fit_threshold(model, X, y, rule="recall=0.8", groups=group).precision < alone.precision - 0.05
    with pytest.raises(ValueError, match="a class has rows in a single group"):
        rw.ensemble.fit_threshold(model, X, y, groups=np.where(y == 1, 0, group + 1))


@given(grouped_rows(), st.integers(2, 4))
def test_folds_hold_whole_groups_and_single_rows_change_nothing(rows, n_folds):
    y, group, _ = rows
    y = np.concatenate([y, np.repeat([0, 1, 2], n_folds)])
    group = np.concatenate([group, 100 + np.arange(3 * n_folds)])
    tested = np.concatenate([test for _, test in stratified_folds(y, n_folds, group)])
    assert sorted(tested) == list(range(len(y)))
    for train, test in stratified_folds(y, n_folds, group):
        assert not set(group[train]) & set(group[test])
        assert len(train) + len(test) == len(y)
    for one, other in zip(stratified_folds(y, n_folds, np.arange(len(y)) * 3), stratified_folds(y, n_folds)):
        np.testing.assert_array_equal(one[1], other[1])


def test_what_groups_cannot_do_is_said():
    X, y, group = grouped_table()
    with pytest.raises(ValueError, match="this HeDExClassifier does not have: fit a RareClassifier"):
        rw.HeDExClassifier(3).fit(X, y, groups=group)
    with pytest.raises(ValueError, match="set oob_score=True"):
        rw.ForestClassifier(3).fit(X, y, groups=group)
    with pytest.raises(ValueError, match="groups has 3 values, but X has 600 rows"):
        rw.RareClassifier(3).fit(X, y, groups=[1, 2, 3])
    model = rw.RareClassifier(60, threshold="recall=0.5@90%", random_state=0)
    with pytest.raises(ValueError, match="give groups to fit instead"):
        rw.ensemble.fit_threshold(model.fit(X, y, groups=group), X, y, groups=group)
    few = np.where(y == 1, group % 3, group + 3)
    with pytest.warns(RarewoodWarning) as caught:
        model.fit(X, y, groups=few)
    words = " ".join(str(each.message) for each in caught)
    assert "3 of" in words
    assert "hold a row of the rare class" in words
    assert not model.decision_threshold_.promised


def test_a_forest_is_continued_with_the_same_groups_only():
    X, y, group = grouped_table()
    model = rw.ForestClassifier(70, oob_score=True, warm_start=True, random_state=0).fit(X, y, groups=group)
    whole = rw.ForestClassifier(80, oob_score=True, random_state=0).fit(X, y, groups=group)
    check_same(model.set_params(n_estimators=80).fit(X, y, groups=group), whole, saved=False)
    np.testing.assert_array_equal(model.oob_decision_function_, whole.oob_decision_function_)
    for other in (None, group // 2):
        with pytest.raises(ValueError, match="give the same groups as before"):
            model.set_params(n_estimators=90).fit(X, y, groups=other)


@pytest.mark.parametrize("effect", [0.0, 3.0])
def test_effects_of_columns_are_judged_by_whole_groups(effect, monkeypatch):
    from rarewood._decisions import _effect_learning

    X, y, group = grouped_table(effect=effect)
    folds = []
    draw = _effect_learning._Sample.draw.__func__

    def drawn(cls, *given):
        sample = draw(cls, *given)
        folds.extend(set(group[sample.chosen[slice(*fold)]]) for fold in sample.folds)
        return sample

    monkeypatch.setattr(_effect_learning._Sample, "draw", classmethod(drawn))
    rw.RareClassifier(90, random_state=0).fit(X, y, groups=group)
    for first in range(0, len(folds), 5):  # a search for each leaf weight
        assert sum(map(len, folds[first : first + 5])) == len(set.union(*folds[first : first + 5])) == 60
    assert folds


@pytest.mark.parametrize("model", [rw.RareClassifier(9), rw.ForestClassifier(4, oob_score=True, splitter="random")])
@given(st.integers(0, 1000), st.lists(st.integers(0, 120), max_size=3))
@settings(max_examples=8)
def test_rows_in_parts_give_the_same_model(model, seed, cuts):
    frame = make_frame(120, seed, categories=True, missing=True, weights=True)
    frame["customer"] = pd.Series(np.random.default_rng(seed).integers(0, 25, 120)).where(frame["w"] != 3)
    model.set_params(random_state=seed, **({"column_effects": False} if hasattr(model, "column_effects") else {}))
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RarewoodWarning)
        in_parts = rw.distributed.fit(
            model, parted(frame, cuts), "y", sample_weight="w", groups="customer", finish_rows=20
        )
        expected = model.fit(
            frame.drop(columns=["y", "w", "customer"]), frame["y"], frame["w"], groups=frame["customer"]
        )
    check_same(in_parts, expected)
    np.testing.assert_array_equal(in_parts.oob_decision_function_, expected.oob_decision_function_)
    np.testing.assert_array_equal(in_parts.oob_groups_, expected.oob_groups_)
