"""Rules in words."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from rarewood import TreeClassifier
from rarewood._wording import category_in_words
from rarewood.inspection import export_text
from rarewood.inspection._node_words import NodeWords


def fitted(columns, y, **parameters):
    frame = pd.DataFrame(columns)
    texts = {name: "category" for name in frame if not pd.api.types.is_numeric_dtype(frame[name])}
    return TreeClassifier(**parameters).fit(frame.astype(texts), y)


def test_a_threshold():
    tree = fitted({"amount": [1.0, 2.0, 1823.0, 4000.0]}, ["ok", "ok", "fraud", "fraud"])
    assert export_text(tree) == (
        "|--- amount <= 912.5\n"
        "|   |--- class: ok\n"
        "|--- amount > 912.5\n"
        "|   |--- class: fraud"
    )  # fmt: skip


def test_missing_values_are_mentioned_where_training_saw_some():
    tree = fitted({"amount": [1.0, np.nan, 3.0, 4.0]}, [0, 0, 1, 1])
    assert "amount <= 2 or missing" in export_text(tree)
    tree = fitted({"amount": [1.0, 1.0, 3.0, np.nan]}, [0, 0, 1, 1])
    assert "amount > 2 or missing" in export_text(tree)


@pytest.mark.parametrize("values", [[1.0, 2.0, np.nan, np.nan], ["a", "b", None, None]])
@pytest.mark.parametrize("y", [[0, 0, 1, 1], [1, 1, 0, 0]])
def test_a_split_between_present_and_missing_values_says_so(values, y):
    tree = fitted({"x": values}, y)
    present, missing = "x is present\n|   |--- class: {}", "x is missing\n|   |--- class: {}"
    text = export_text(tree)
    assert present.format(y[0]) in text
    assert missing.format(y[2]) in text
    assert len(text.splitlines()) == 4
    book = NodeWords.of(tree, None, None, 3)
    assert book.question(0) in ("x is present", "x is missing")
    assert book.answers(0) == ["yes", "no"]


def test_category_sets():
    columns = {"country": ["NG", "RO", "DE", "FR", "US", "DE"]}
    text = export_text(fitted(columns, [1, 1, 0, 0, 0, 0]))
    assert "country in {NG, RO}" in text
    assert "country not in {NG, RO}" in text
    text = export_text(fitted(columns, [1, 0, 0, 0, 0, 0]))
    assert "country = NG" in text
    assert "country != NG" in text


def test_categories_that_read_as_several_stand_in_quotes():
    columns = {"c": ["Weg 4, 2", "Weg 7", "salt and pepper", "x", "salt", "-"]}
    assert 'c in {"Weg 4, 2", Weg 7, "salt and pepper"}' in export_text(fitted(columns, [1, 1, 1, 0, 0, 0]))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("sand", "sand"),
        ("Österreich", "Österreich"),
        ('6" or more', r'"6\" or more"'),
        ("é, b", '"é, b"'),
        (" a", '" a"'),
        ("", '""'),
        ("is missing", '"is missing"'),
    ],
)
def test_names_of_categories(name, words):
    assert category_in_words(name, 3) == words


def test_long_category_sets_are_counted():
    names = [f"c{i:02}" for i in range(40)]
    text = export_text(fitted({"c": names}, [int(i < 15) for i in range(40)]))
    assert "c in {c00, c01, c02, c03, c04, c05, c06, c07, ... 7 more}" in text


def test_numeric_categories_are_written_as_numbers():
    X = np.array([[1.0], [2.0], [2.5], [3.0]])
    tree = TreeClassifier(categorical_features=[0]).fit(X, [1, 0, 1, 0])
    assert "x0 in {1, 2.5}" in export_text(tree) or "x0 in {2, 3}" in export_text(tree)


def test_multiway_nodes():
    columns = {"c": ["a", "a", "b", "b", None, None]}
    text = export_text(fitted(columns, [0, 0, 1, 1, 2, 2], criterion="entropy", nominal="multiway"))
    for line in ("|--- c = a\n", "|--- c = b\n", "class: 0", "class: 1", "class: 2"):
        assert line in text
    assert "missing" in text


def test_hyperplanes():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(100, 2)), columns=["a", "b"])
    tree = TreeClassifier(splitter="hyperplane", max_depth=1, random_state=0).fit(X, X["a"] > X["b"])
    first, _, second, _ = export_text(tree).splitlines()
    number = r"-?\d+(\.\d+)?"
    assert re.fullmatch(rf"\|--- {number}\*a [+-] {number}\*b <= {number}", first)
    assert second == first.replace("<=", ">")


def test_hyperplanes_place_categories_in_an_order_of_their_own():
    rng = np.random.default_rng(0)
    X = {"a": rng.normal(size=100), "c": rng.choice(["u", "v", "w"], size=100)}
    tree = fitted(X, (X["a"] > 0) ^ (X["c"] == "v"), splitter="hyperplane", random_state=0)
    assert re.search(r"\*a [+-] .*\*place\(c\)|\*place\(c\) [+-] .*\*a", export_text(tree))


def test_names_can_be_given():
    tree = TreeClassifier().fit([[0.0], [1.0]], [0, 1])
    assert export_text(tree).startswith("|--- x0 <= 0.5\n")
    text = export_text(tree, feature_names=["age"], class_names=["young", "old"])
    assert text.startswith("|--- age <= 0.5\n|   |--- class: young\n")


def test_counts_are_weighted():
    tree = TreeClassifier(class_weight={1: 2.5}).fit([[0.0], [0.0], [1.0]], [0, 1, 1])
    assert "class: 1 [0 1, 1 2.5]" in export_text(tree, show_weights=True)


def test_a_single_leaf():
    assert export_text(TreeClassifier().fit([[0.0]], ["a"])) == "|--- class: a"


def test_deep_branches_are_cut_short():
    rng = np.random.default_rng(0)
    tree = TreeClassifier().fit(rng.normal(size=(200, 2)), rng.integers(2, size=200))
    text = export_text(tree, max_depth=1)
    assert text.count("nodes below") == 2
    below = sum(int(line.split()[-3]) for line in text.splitlines() if "nodes below" in line)
    assert below == tree.tree_.node_count - 3
    assert len(export_text(tree, max_depth=10_000).splitlines()) == tree.tree_.node_count - 1 + tree.get_n_leaves()


@pytest.mark.parametrize(
    ("value", "decimals", "words"),
    [
        (912.5, 3, "912.5"),
        (1.0, 3, "1"),
        (-0.0001, 3, "-0.0001"),
        (0.00001234, 3, "1.23e-05"),
        (1 / 3, 3, "0.333"),
        (2.5, 0, "2"),
        (1e20, 3, "1e+20"),
        (-0.0, 3, "0"),
        (100.0, 0, "100"),
    ],
)
def test_numbers(value, decimals, words):
    rules = NodeWords(None, [], [], None, decimals)
    assert rules.number(value) == words


class TestBadInput:
    tree = TreeClassifier().fit([[0.0], [1.0]], [0, 1])

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ({"feature_names": ["a", "b"]}, "feature_names must list 1 names"),
            ({"class_names": ["a"]}, "class_names must list 2 names"),
            ({"class_names": "ab"}, "class_names must list 2 names"),
            ({"max_depth": 0}, "max_depth=0"),
            ({"decimals": -1}, "decimals=-1"),
        ],
    )
    def test_arguments_are_checked(self, arguments, words):
        with pytest.raises(ValueError, match=words):
            export_text(self.tree, **arguments)

    def test_only_fitted_trees_of_ours(self):
        with pytest.raises(NotFittedError):
            export_text(TreeClassifier())
        for other in (DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1]), TreeClassifier, None):
            with pytest.raises(TypeError, match="TreeClassifier"):
                export_text(other)
