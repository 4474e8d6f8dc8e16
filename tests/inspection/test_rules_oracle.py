"""Rules found fast are those found slowly."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import rules as slow
from rarewood._rules import Conditions, Limits
from rarewood._rules.search import RuleWeights, _bits, _forests
from rarewood._rules.search._bits import count, packed, unpacked
from rarewood._rules.search._candidates import collect
from rarewood._rules.search._cover import find_cover
from rarewood._rules.search._evidence import Evidence
from rarewood._rules.search._figures import chance
from rarewood._rules.search._forests import grow
from rarewood._rules.search._weights import Groups
from support.labelled_rows import labelled_rows


def small_table(seed, n_rows=110):
    """Numbers with ties, whole numbers, categories and missing values; rare rows first, as a search has them."""
    random = np.random.default_rng(seed)
    matrix = np.column_stack(
        [
            random.normal(size=n_rows).round(1),
            random.integers(0, 2, n_rows),
            random.integers(0, 9, n_rows),
            random.integers(0, 4, n_rows),
        ]
    ).astype(np.float64)
    odds = np.where((matrix[:, 0] > 0.5) & (matrix[:, 3] != 1), 0.7, 0.08)
    is_rare = random.random(n_rows) < odds
    is_rare[:5] = True
    matrix[random.random(n_rows) < 0.15, 2] = np.nan
    order = np.argsort(~is_rare, kind="stable")
    has_missing = np.isnan(matrix).any(axis=0)
    return labelled_rows(matrix[order], is_rare[order], [0, 0, 0, 4], has_missing)


def covers(rule, matrix):
    return Conditions.of([rule]).covers(matrix)[:, 0]


@cache
def small_search(seed, n_trees):
    table = small_table(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_forests, "TREES_PER_HALF", n_trees)
        [grown] = grow(table, [np.ones(len(table.is_rare), dtype=bool)], seed, 1)
    return table, grown


@pytest.fixture(scope="module", params=range(2))
def search(request):
    return *small_search(request.param, 3), [1.0, 2.5][request.param % 2]


@pytest.mark.parametrize("max_conditions", [2, 4])
def test_candidates_are_the_nodes_worth_a_try(search, max_conditions):
    table, grown, rest_weight = search
    expected = slow.node_covers(table, grown, max_conditions, rest_weight)
    candidates = collect(table, grown, max_conditions, rest_weight)
    n_rare = int(table.is_rare.sum())
    rare, rest = unpacked(candidates.on_rare, n_rare), unpacked(candidates.on_rest, len(table.is_rare) - n_rare)
    found = {}
    for number, cover in enumerate(np.concatenate([rare, rest], axis=1)):
        rows = frozenset(np.flatnonzero(cover).tolist())
        assert rows not in found
        found[rows] = int(candidates.sizes[number])
        rule = candidates.rule(number)
        assert len(rule) == found[rows]
        assert rows == {r for r, row in enumerate(table.matrix) if slow.holds(rule, row)}
        np.testing.assert_array_equal(covers(rule, table.matrix), cover)
    assert found == expected
    assert np.all(np.diff(candidates.half) >= 0)


@pytest.mark.parametrize("limits", [Limits(), Limits(3, 2, 0.3, 2.0, 5)])
def test_the_same_rules_are_chosen(search, limits):
    table, grown, rest_weight = search
    candidates = collect(table, grown, limits.max_conditions, rest_weight)
    in_bag = [each.in_bag for each in grown]
    fast = find_cover(candidates, Evidence.of(table.is_rare, in_bag, rest_weight), table.matrix, limits)
    tried = [(candidates.rule(i), int(candidates.half[i]), int(candidates.sizes[i])) for i in range(len(candidates))]
    expected = slow.Choice(table.matrix, table.is_rare, in_bag, rest_weight, limits).run(tried)
    assert [each.rule for each in fast] == [rule for rule, _ in expected]
    assert [set(np.flatnonzero(each.cover).tolist()) for each in fast] == [rows for _, rows in expected]
    assert len(fast) > 0


@settings(max_examples=20)
@given(st.integers(0, 2**32), st.integers(0, 110), st.integers(0, 5))
def test_counts_of_candidates_are_those_of_their_rows(seed, n_taken, which):
    table, grown = small_search(which, 1)
    random = np.random.default_rng(seed)
    candidates = collect(table, grown, 4, 1.5)
    in_bag = [each.in_bag for each in grown]
    evidence = Evidence.of(table.is_rare, in_bag, 1.5)
    taken = np.zeros(len(table.is_rare), dtype=bool)
    taken[random.permutation(len(taken))[:n_taken]] = True
    rare, rest = evidence.of_candidates(candidates).without(taken)
    twin = slow.Choice(table.matrix, table.is_rare, in_bag, 1.5, Limits())
    for i in random.permutation(len(candidates))[:10]:
        cover = covers(candidates.rule(i), table.matrix) & ~taken
        expected = twin.counts(set(np.flatnonzero(cover).tolist()), int(candidates.half[i]))
        np.testing.assert_allclose((rare[i], rest[i]), expected, atol=1e-9)
        np.testing.assert_allclose(evidence.of_cover(cover, int(candidates.half[i])), expected, atol=1e-9)


@given(st.integers(0, 2**32), st.integers(0, 200))
def test_packed_flags_come_back(seed, n_rows):
    flags = np.random.default_rng(seed).random((3, n_rows)) < 0.3
    np.testing.assert_array_equal(unpacked(packed(flags), n_rows), flags)
    np.testing.assert_array_equal(count(packed(flags)), [sum(row) for row in flags.tolist()])


@pytest.mark.parametrize("counted", [_bits._counted_by_table, _bits._bits_set])  # the first is that of NumPy 1
def test_words_that_do_not_lie_side_by_side_are_counted(counted):
    words = np.random.default_rng(0).integers(0, 2**63, (4, 5), dtype=np.uint64)
    for some in (words[:, [0, 3]], words[:, ::2], words.T):
        np.testing.assert_array_equal(
            counted(some).sum(axis=-1), [sum(word.bit_count() for word in row) for row in some.tolist()]
        )


@given(st.integers(0, 2**32), st.integers(0, 40), st.sampled_from([0, 1, 3, 29, 30, 31, 64]))
def test_equal_rows_are_one_group(seed, n_rows, n_rules):
    random = np.random.default_rng(seed)
    fires = random.random((n_rows, n_rules)) < 0.1
    groups = Groups.of(fires)
    np.testing.assert_array_equal(groups.kinds[groups.number], fires)
    assert len(groups.kinds) == len({row.tobytes() for row in fires})


@settings(max_examples=20)
@given(st.integers(0, 2**32))
def test_weights_are_at_the_optimum(seed):
    """No weight can be moved by itself, within its bounds, so that the penalised likelihood grows."""
    random = np.random.default_rng(seed)
    fires = random.random((80, 3)) < [0.5, 0.2, 0.1]
    is_rare = random.random(80) < 0.1 + 0.5 * fires[:, 1]
    fitted = RuleWeights.fitted(fires, is_rare, 1.0, 0.3)
    assert np.all(fitted.weights >= 0)

    def loss(intercept, weights):
        z = intercept + fires @ weights
        return np.sum(np.logaddexp(0, z) - is_rare * z) + 0.3 * np.sum(weights**2)

    best = loss(fitted.intercept, fitted.weights)
    for step in (-1e-3, 1e-3):
        assert loss(fitted.intercept + step, fitted.weights) > best - 1e-9
        for rule in np.flatnonzero(fitted.weights > 0):
            moved = fitted.weights + step * (np.arange(3) == rule)
            assert loss(fitted.intercept, moved) > best - 1e-9


@settings(max_examples=15)
@given(st.integers(0, 2**32))
def test_chance_is_the_share_of_all_labellings(seed):
    random = np.random.default_rng(seed)
    fold = np.repeat([0, 1], 8)
    scores = random.integers(0, 4, 16).astype(float)
    is_rare = np.isin(np.arange(16) % 8, random.permutation(8)[:3])
    told = chance(scores, is_rare, fold, np.random.default_rng(0))
    expected = slow.exact_chance(scores.tolist(), is_rare.tolist(), fold.tolist())
    assert abs(told - expected) < 0.05


def test_a_half_sees_nothing_of_the_other():
    """Counts on rows left out are what the choice rests on."""
    table = small_table(0)
    [grown] = grow(table, [np.ones(len(table.is_rare), dtype=bool)], 0, 1)
    changed = table.matrix.copy()
    changed[~grown[0].in_bag, 0] = 99.0
    other = labelled_rows(changed, table.is_rare, table.columns.n_categories, table.columns.has_missing)
    [again] = grow(other, [np.ones(len(table.is_rare), dtype=bool)], 0, 1)
    for t in range(len(grown[0].forest)):
        before, after = grown[0].forest[t], again[0].forest[t]
        np.testing.assert_array_equal(before.feature, after.feature)
        np.testing.assert_array_equal(before.threshold, after.threshold)
