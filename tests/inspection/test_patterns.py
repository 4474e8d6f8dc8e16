"""Rules of the rare class: merged rightly, counted rightly, and readable."""

import builtins
import html
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from oracle import patterns as oracle
from rarewood import (
    BalancedForestClassifier,
    BEATClassifier,
    ForestClassifier,
    HeDExClassifier,
    HeDExhClassifier,
    PatternOversampler,
    TreeClassifier,
)
from rarewood._rules import conditions_of_nodes, growth_rate, strength
from rarewood.datasets import make_planted_rules
from rarewood.inspection import extract_patterns
from support.strategies import DATA_KINDS, make_problem, problems


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    pyplot.close("all")


def shuffled_cells(X, n_rows=60, seed=0):
    """Rows whose cells all occur in training, in other company."""
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.choice(column, size=n_rows) for column in X.T])


# ---------------------------------------------------------------------------------------------------------
# measures


def test_the_example_of_the_paper():
    """Ten rare rows and three others: 10 * (10/3) / (10/3 + 1)."""
    assert strength(np.array([10]), np.array([3]))[0] == pytest.approx(7.6923, abs=1e-4)
    assert strength(10, 3) == pytest.approx(7.6923, abs=1e-4)


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), min_size=1))
def test_measures_are_those_of_the_paper(pairs):
    rare, rest = np.array(pairs).T
    np.testing.assert_allclose(strength(rare, rest), [oracle.strength(*pair) for pair in pairs])
    np.testing.assert_allclose(growth_rate(rare, rest), [oracle.growth_rate(*pair) for pair in pairs])


# ---------------------------------------------------------------------------------------------------------
# merging


MODELS = {
    "exact": TreeClassifier(),
    "one_vs_rest": TreeClassifier("entropy", nominal="one_vs_rest"),
    "multiway": TreeClassifier("entropy", nominal="multiway"),
    "random": TreeClassifier(splitter="random", n_cuts=3, random_state=0),
}


def all_leaves(tree):
    return np.flatnonzero(tree.n_children == 0)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("data", DATA_KINDS)
def test_conditions_are_those_of_the_path(data, model):
    problem = make_problem(data, n_rows=80)
    fitted = model.set_params(categorical_features=list(problem.nominal)).fit(problem.X, problem.y)
    check_conditions(fitted, problem)


@given(problems(max_classes=3), st.sampled_from(["exact", "multiway", "random"]))
def test_conditions_are_those_of_the_path_whatever_the_table(problem, name):
    model = MODELS[name].set_params(categorical_features=list(problem.nominal)).fit(problem.X, problem.y)
    check_conditions(model, problem)


def check_conditions(model, problem):
    tree, columns = model.tree_, model._columns
    leaves = all_leaves(tree)
    found = conditions_of_nodes(tree, leaves, columns.n_categories, columns.has_missing)
    X = shuffled_cells(problem.X)
    matrix, ends = model._encode(X), model.apply(X)
    nominal = np.isin(np.arange(X.shape[1]), problem.nominal)
    covers = found.covers(matrix)
    for i, leaf in enumerate(leaves):
        asked = oracle.pattern_of(tree, leaf, columns.n_categories)
        assert found.column[found.numbers_of(i)].tolist() == sorted(asked)
        for c in found.numbers_of(i):
            column = int(found.column[c])
            want = asked[column]
            assert (found.lower[c], found.upper[c]) == (want.lower, want.upper)
            assert found.missing[c] == (want.missing and columns.has_missing[column])
            assert found.codes_of(c).tolist() == (sorted(want.categories) if nominal[column] else [])
            assert found.nominal[c] == nominal[column]
        covered = np.flatnonzero(covers[:, i])
        assert covered.tolist() == oracle.rows_that_meet(asked, matrix, problem.nominal)
        assert covered.tolist() == np.flatnonzero(ends == leaf).tolist()


# ---------------------------------------------------------------------------------------------------------
# which leaves, which rows


@pytest.fixture(scope="module")
def payments():
    return make_planted_rules(1500, random_state=0)


@pytest.fixture(scope="module")
def forest(payments):
    return HeDExClassifier(10, random_state=0).fit(payments.X, payments.y)


def test_every_leaf_in_which_the_class_outnumbers_the_rest(payments, forest):
    patterns = extract_patterns(forest, payments.X, payments.y, deduplicate=False)
    found = {(pattern.tree, pattern.leaf): (pattern.rare, pattern.rest) for pattern in patterns}
    expected = {}
    ends = forest.apply(payments.X)
    for number, tree in enumerate(forest.estimators_):
        for leaf in all_leaves(tree.tree_):
            y = payments.y[ends[:, number] == leaf]
            if (y == 1).sum() > (y == 0).sum():
                expected[number, leaf] = ((y == 1).sum(), (y == 0).sum())
    assert found == expected


def test_a_tie_is_no_pattern():
    X, y = [[0.0], [0.0], [1.0], [1.0], [1.0]], ["rare", "rest", "rare", "rest", "rest"]
    assert len(extract_patterns(TreeClassifier().fit(X, y), X, y)) == 0


def test_supports_are_the_rows_for_which_the_rule_holds(payments, forest):
    patterns = extract_patterns(forest, payments.X, payments.y)
    covered = patterns.covers(payments.X)
    np.testing.assert_array_equal(covered[payments.y == 1].sum(axis=0), patterns.rare)
    np.testing.assert_array_equal(covered[payments.y == 0].sum(axis=0), patterns.rest)


@pytest.mark.parametrize(
    "forest",
    [
        ForestClassifier(5, random_state=0),
        BEATClassifier(5, random_state=0),
        BalancedForestClassifier(40, random_state=0),
        TreeClassifier(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_rows_are_counted_whatever_the_trees_drew(forest, payments):
    patterns = extract_patterns(forest.fit(payments.X, payments.y), payments.X, payments.y, positive=1)
    np.testing.assert_array_equal(patterns.covers(payments.X).sum(axis=0), patterns.rare + patterns.rest)
    assert np.all(patterns.rare > patterns.rest)
    assert len(patterns) > 0


def test_without_rows_the_leaves_speak(payments, forest):
    by_rows = extract_patterns(forest, payments.X, payments.y, deduplicate=False)
    by_leaves = extract_patterns(forest, deduplicate=False)
    assert by_leaves.text(None) == by_rows.text(None)
    weighted = TreeClassifier(class_weight={1: 2.5}).fit([[0.0], [0.0], [1.0]], [0, 1, 1])
    patterns = extract_patterns(weighted, positive=1)
    assert (
        patterns.text()
        == "x0 > 0.5  |  2.5 of 2.5 of class 1, strength 2.5\nx0 <= 0.5  |  2.5 of 3.5 of class 1, strength 1.8"
    )


def test_ranks_and_least_support(payments, forest):
    patterns = extract_patterns(forest, payments.X, payments.y)
    assert np.all(np.diff(patterns.strength) <= 0)
    some = extract_patterns(forest, payments.X, payments.y, min_support=4)
    assert 0 < len(some) < len(patterns)
    assert some.rare.min() >= 4
    assert some.text(None) == patterns[patterns.rare >= 4].text(None)


@pytest.mark.several_threads
def test_the_same_for_any_number_of_threads(payments, forest):
    one = extract_patterns(forest, payments.X, payments.y)
    two = extract_patterns(
        HeDExClassifier(10, n_jobs=2, random_state=0).fit(payments.X, payments.y), payments.X, payments.y
    )
    assert one.text(None) == two.text(None)


def test_held_out_rows(payments):
    train, test = np.arange(1500) < 1000, np.arange(1500) >= 1000
    forest = HeDExClassifier(5, random_state=0).fit(payments.X[train], payments.y[train])
    held_out = payments.X[test], payments.y[test]
    patterns = extract_patterns(forest, payments.X[train], payments.y[train], held_out=held_out)
    ends = forest.apply(payments.X[test])
    for pattern in patterns[:50]:
        there = held_out[1][ends[:, pattern.tree] == pattern.leaf]
        assert (pattern.held_out_rare, pattern.held_out_rest) == ((there == 1).sum(), (there == 0).sum())
    assert f", held out {patterns[0].held_out_rare} of " in str(patterns[0])
    table = patterns.frame()
    rare, rest = table["held_out_rare"], table["held_out_rest"]
    np.testing.assert_allclose(table["held_out_strength"], list(map(oracle.strength, rare, rest)))
    np.testing.assert_allclose(table["held_out_growth_rate"], list(map(oracle.growth_rate, rare, rest)))


def test_duplicates_are_rules_that_no_row_can_tell_apart():
    """Ages are whole: a cut at 30.2 is a cut at 30.7."""
    rng = np.random.default_rng(0)
    age = rng.integers(20, 40, size=300)
    X = pd.DataFrame({"age": age, "land": pd.Categorical(rng.choice(["DE", "FR"], 300))})
    y = (age > 36) & (X["land"] == "FR")
    forest = HeDExClassifier(30, random_state=0).fit(X, y)
    every = extract_patterns(forest, X, y, deduplicate=False)
    once = extract_patterns(forest, X, y)
    assert len(once) < len(every)
    assert sum(pattern.occurrences for pattern in once) == len(every)
    assert {pattern.occurrences for pattern in every} == {1}
    keys = [row.tobytes() for row in every.covers(X).T]
    assert len(once) >= len(set(keys))
    asked = [tuple((c.column, np.floor(c.lower), np.floor(c.upper), c.categories) for c in p.conditions) for p in once]
    assert len(asked) == len(set(asked))


def test_more_than_two_classes():
    X, y = np.arange(12.0).reshape(-1, 1), np.repeat(["a", "b", "c"], [3, 2, 7])
    tree = TreeClassifier("entropy").fit(X, y)
    patterns = extract_patterns(tree, X, y)
    assert patterns.text() == "2.5 < x0 <= 4.5  |  2 of 2 rare, strength 2"
    assert extract_patterns(tree, X, y, positive="c").text() == "x0 > 4.5  |  7 of 7 of class c, strength 7"
    assert patterns[0].label == "b"
    # No leaf is pure, but one class outnumbers all the others together.
    stump = TreeClassifier("entropy", max_depth=1).fit(X, y)
    assert [(p.rare, p.rest) for p in extract_patterns(stump, X, y, positive="a")] == [(3, 2)]


def test_the_first_of_the_rarest_classes():
    X, y = [[0.0], [1.0], [2.0], [3.0]], ["b", "a", "c", "c"]
    assert extract_patterns(TreeClassifier().fit(X, y), X, y)[0].label == "a"


# ---------------------------------------------------------------------------------------------------------
# words


def rules(columns, y, **parameters):
    frame = pd.DataFrame(columns)
    texts = {name: "category" for name in frame if not pd.api.types.is_numeric_dtype(frame[name])}
    frame = frame.astype(texts)
    return extract_patterns(TreeClassifier(**parameters).fit(frame, y), frame, y, positive=1)


def test_a_rule_as_an_analyst_reads_it():
    countries = np.resize(["NG", "RO"], 52)
    columns = {
        "amount": np.concatenate([np.full(52, 1823.0), np.full(40, 2.0), np.full(60, 1823.0)]),
        "country": np.concatenate([countries, np.resize(["NG", "RO"], 40), np.resize(["DE", "FR", "US"], 60)]),
    }
    y = np.concatenate([np.arange(52) < 41, np.zeros(100)]).astype(int)
    assert (
        rules(columns, y, max_depth=2).text()
        == "amount > 912.5 and country in {NG, RO}  |  41 of 52 rare, strength 32.3"
    )


@pytest.mark.parametrize(
    ("values", "y", "rule"),
    [
        ([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1], "x > 2.5"),
        ([1.0, 2.0, 3.0, 4.0], [1, 1, 0, 0], "x <= 2.5"),
        ([1.0, 2.0, 3.0, 4.0], [0, 1, 1, 0], "1.5 < x <= 3.5"),
        ([1.0, 1.0, 3.0, np.nan], [0, 0, 1, 1], "x > 2 or missing"),
        ([1.0, np.nan, 3.0, 3.0], [1, 1, 0, 0], "x <= 2 or missing"),
        ([1.0, 2.0, np.nan, np.nan], [0, 0, 1, 1], "x is missing"),
        ([1.0, 2.0, np.nan, np.nan], [1, 1, 0, 0], "x is present"),
        (["a", "b", "c", "d"], [1, 1, 0, 0], "x in {a, b}"),
        (["a", "b", "c", "d"], [1, 0, 0, 0], "x = a"),
        (["a", "b", "c", "d"], [1, 1, 1, 0], "x != d"),
        (["a", "b", "c", "d", "e"], [1, 1, 1, 0, 0], "x not in {d, e}"),
        (["a", "b", None, None], [1, 0, 1, 1], "x = a or missing"),
        (["a", "b", None, None], [0, 0, 1, 1], "x is missing"),
        (["a", "b", None, None], [1, 1, 0, 0], "x is present"),
    ],
)
def test_words(values, y, rule):
    assert [pattern.rule for pattern in rules({"x": values}, y)] == [rule]


def test_conditions_that_missing_values_meet_stand_in_brackets():
    columns = {"a": [1.0, 1.0, 5.0, 5.0, np.nan, 5.0], "b": [1.0, 5.0, 1.0, 5.0, 5.0, 5.0]}
    (pattern,) = rules(columns, [0, 0, 0, 1, 1, 1])
    assert pattern.rule in ("(a > 3 or missing) and b > 3", "b > 3 and (a > 3 or missing)")
    assert [condition.missing for condition in pattern.conditions] == [True, False]
    assert (pattern.conditions[0].lower, pattern.conditions[0].upper) == (3.0, np.inf)
    assert [str(condition) for condition in pattern.conditions] == ["a > 3 or missing", "b > 3"]


def test_a_tree_without_splits():
    assert rules({"x": [1.0, 1.0, 1.0]}, [1, 1, 0]).text() == "every row  |  2 of 3 of class 1, strength 1.3"


def test_no_pattern():
    patterns = rules({"x": [1.0, 1.0, 1.0]}, [1, 0, 0])
    assert patterns.text() == "no patterns: in no leaf does the class outnumber the rest"
    assert len(patterns) == 0
    assert patterns.frame().shape == (0, 10)
    assert "0 patterns" in patterns._repr_html_()
    assert patterns.covers(pd.DataFrame({"x": [1.0]})).shape == (1, 0)
    patterns.plot()


def test_decimals(payments, forest):
    text = extract_patterns(forest, payments.X, payments.y, decimals=0).text(None)
    assert "." not in text.replace("strength ", "").split("|")[0]


# ---------------------------------------------------------------------------------------------------------
# the object


def test_a_sequence(payments, forest):
    patterns = extract_patterns(forest, payments.X, payments.y)
    assert patterns[-1] == patterns[len(patterns) - 1] == list(patterns)[-1]
    assert len(patterns[:3]) == 3
    assert patterns[:3][2].rule == patterns[2].rule
    assert patterns[np.array([4, 1])][0].rule == patterns[4].rule
    with pytest.raises(IndexError, match="there is no pattern"):
        patterns[len(patterns)]


def test_text_is_cut_short(payments, forest):
    patterns = extract_patterns(forest, payments.X, payments.y)
    assert patterns.text(top=2).splitlines()[2] == f"... {len(patterns) - 2} more"
    assert len(patterns.text(None).splitlines()) == len(patterns)
    assert str(patterns) == patterns.text(10)
    assert repr(patterns).startswith(f"<{len(patterns)} patterns>\n")
    with pytest.raises(ValueError, match="top=0"):
        patterns.text(0)


def as_numbers(frame):
    return frame.assign(**{name: frame[name].cat.codes.replace(-1, np.nan) for name in frame.select_dtypes("category")})


@pytest.mark.parametrize(
    ("convert", "kind"),
    [(lambda X: X, pd.DataFrame), (pl.from_pandas, pl.DataFrame), (pa.Table.from_pandas, pa.Table)],
    ids=["pandas", "polars", "pyarrow"],
)
def test_a_table_in_the_library_of_the_caller(payments, convert, kind):
    X = convert(as_numbers(payments.X))
    forest = HeDExClassifier(3, random_state=0).fit(X, payments.y)
    patterns = extract_patterns(forest, X, payments.y)
    table = patterns.frame()
    assert isinstance(table, kind)
    columns = table.column_names if kind is pa.Table else list(table.columns)
    assert columns[:6] == ["rule", "class", "rare", "rest", "growth_rate", "strength"]
    assert (table["rule"].to_pylist() if kind is pa.Table else list(table["rule"])) == [p.rule for p in patterns]
    assert isinstance(patterns.frame("pandas"), pd.DataFrame)


def test_a_frame_for_arrays(payments):
    X = as_numbers(payments.X).to_numpy(dtype=float)
    forest = HeDExClassifier(3, random_state=0).fit(X, payments.y)
    patterns = extract_patterns(forest, X, payments.y)
    frame = patterns.frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame["rule"].str.contains("x0").any()
    assert patterns.frame("polars").shape == frame.shape


def test_html(payments, forest):
    text = extract_patterns(forest, payments.X, payments.y)._repr_html_()
    assert "<table class=" in text
    assert "&lt;=" in text
    assert "<=" not in text


def heads(page):
    return re.findall("<th[^>]*>([^<]*)</th>", page)


def test_html_leaves_room_for_the_rules(payments, forest):
    rows = (payments.X, payments.y)
    patterns = extract_patterns(forest, *rows, held_out=rows)
    page = patterns._repr_html_()
    assert heads(page) == ["rule", "rare", "rest", "strength", "held out: rare", "rest"]
    first = patterns[0]
    cells = re.findall("<td[^>]*>([^<]*)</td>", page)[:6]
    assert html.unescape(cells[0]) == first.rule
    assert cells[1:3] == cells[4:] == [str(first.rare), str(first.rest)]
    assert f"{len(patterns)} patterns, the strongest 20<" in page
    assert heads(extract_patterns(forest, *rows)._repr_html_()) == ["rule", "rare", "rest", "strength"]


def test_html_names_the_class_where_there_are_several():
    sampler = PatternOversampler(random_state=0)
    X, y = make_classification(150, n_informative=4, n_classes=3, weights=[0.7, 0.2, 0.1], random_state=0)
    sampler.fit_resample(X, y)
    assert heads(sampler.patterns_._repr_html_())[:2] == ["rule", "class"]


def test_picture(payments, forest):
    patterns = extract_patterns(forest, payments.X, payments.y)
    ax = patterns.plot(4)
    assert [label.get_text().replace("\n", " ") for label in ax.get_yticklabels()] == [p.rule for p in patterns[:4]]
    assert [bar.get_width() for bar in ax.patches] == [*patterns[:4].rare, *patterns[:4].rest]
    other = pyplot.figure().add_subplot()
    assert patterns.plot(ax=other) is other


def test_picture_without_matplotlib(payments, forest, monkeypatch):
    patterns = extract_patterns(forest, payments.X, payments.y)
    real = builtins.__import__

    def absent(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr("rarewood._validation._words.import_module", absent)
    with pytest.raises(ImportError, match=r"plotting patterns needs matplotlib.*the extra .report. of rarewood"):
        patterns.plot()


def test_progress(payments, forest, capsys):
    extract_patterns(HeDExClassifier(3, verbose=1).fit(payments.X, payments.y), payments.X, payments.y)
    assert "reading patterns" in capsys.readouterr().err


# ---------------------------------------------------------------------------------------------------------
# bad input


class TestBadInput:
    X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 5.0]])
    y = np.array([0, 1, 0, 0])
    tree = TreeClassifier().fit(X, y)

    def test_lines_through_two_columns(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(100, 3))
        forest = HeDExhClassifier(3, random_state=0).fit(X, X[:, 0] > X[:, 1])
        with pytest.raises(ValueError, match=r"splitter='hyperplane'.*HeDExClassifier"):
            extract_patterns(forest, X, X[:, 0] > X[:, 1])

    def test_only_fitted_models_of_ours(self):
        with pytest.raises(NotFittedError):
            extract_patterns(HeDExClassifier(), self.X, self.y)
        for other in (
            ExtraTreesClassifier(2).fit(self.X, self.y),
            make_pipeline(TreeClassifier()),
            TreeClassifier,
            None,
        ):
            with pytest.raises(TypeError, match=r"fitted tree or forest of rarewood.*pipeline"):
                extract_patterns(other, self.X, self.y)

    @pytest.mark.parametrize(
        ("arguments", "error", "words"),
        [
            ({"positive": 7}, ValueError, r"positive=7 is not among the classes, which are \[0, 1\]"),
            ({"min_support": -1}, ValueError, "min_support=-1"),
            ({"min_support": "all"}, TypeError, "min_support='all'"),
            ({"decimals": -1}, ValueError, "decimals=-1"),
            ({"deduplicate": "yes"}, TypeError, "deduplicate='yes'"),
            (
                {"held_out": (X, [0, 1, 0, 7])},
                ValueError,
                r"y of held_out has labels .*\[7\]; its classes are \[0, 1\]",
            ),
            ({"held_out": X}, TypeError, r"held_out must be a pair \(X, y\); got ndarray"),
            ({"held_out": (X, y[:2])}, ValueError, "inconsistent numbers of rows: 4 and 2"),
            ({"held_out": (X[:, :1], y)}, ValueError, "1 features.*expecting 2"),
        ],
    )
    def test_arguments_are_checked(self, arguments, error, words):
        with pytest.raises(error, match=words):
            extract_patterns(self.tree, self.X, self.y, **arguments)

    def test_rows_need_labels(self):
        with pytest.raises(ValueError, match="X and y must be given together"):
            extract_patterns(self.tree, self.X)
