"""Names, objects and the errors for what is neither."""

import copy
import dataclasses
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from oracle.criteria import CRITERIA as TWINS
from rarewood import _core, criteria
from rarewood.criteria import AlphaDivergence, Criterion, Gini, Hellinger

TABLE = [[90, 1], [10, 9]]

each_class = pytest.mark.parametrize("cls", criteria.REGISTRY.values(), ids=criteria.REGISTRY)


def test_registry_core_and_oracle_have_the_same_names():
    assert criteria.names() == list(criteria.REGISTRY) == _core.criterion_names() == list(TWINS)


@each_class
def test_class_describes_itself(cls):
    assert criteria.REGISTRY[cls.name] is cls
    assert all(isinstance(text, str) and text for text in (cls.formula, cls.range, cls.citation))
    assert all(f"{heading}\n" in cls.__doc__ for heading in ("Notes", "References", "Examples"))
    assert cls.__name__ in criteria.__all__


@each_class
def test_objects_are_values(cls):
    criterion = cls()
    assert criterion == cls()
    assert hash(criterion) == hash(cls())
    for copied in (pickle.loads(pickle.dumps(criterion)), copy.deepcopy(criterion), clone(criterion, safe=False)):
        assert copied == criterion
    assert len({criterion, cls(), Gini(), Hellinger()}) == (2 if cls in (Gini, Hellinger) else 3)
    assert eval(repr(criterion), vars(criteria).copy()) == criterion


@each_class
def test_objects_do_not_change(cls):
    with pytest.raises(dataclasses.FrozenInstanceError):
        cls().name = "other"


@each_class
def test_name_class_and_core_agree(cls):
    assert criteria.get(cls.name) == cls()
    assert cls()._spec().name == cls.name
    assert criteria.score(cls.name, TABLE) == criteria.score(cls(), TABLE)


def test_equal_parameters_make_equal_criteria():
    assert AlphaDivergence(1) == AlphaDivergence(np.float32(1.0)) != AlphaDivergence(1.5)
    assert repr(AlphaDivergence(reference="uniform")) == "AlphaDivergence(alpha=0.5, reference='uniform')"
    assert repr(AlphaDivergence(0.25)._spec()) == "CriterionSpec(name='alpha', alpha=0.25, reference='marginal')"


@pytest.mark.parametrize("counts", [np.array(TABLE, dtype=np.int8), np.array(TABLE, order="F"), pd.DataFrame(TABLE)])
def test_counts_may_be_any_table_of_numbers(counts):
    assert criteria.score("gini", counts) == criteria.score("gini", TABLE)


def test_counts_may_be_a_nullable_table_or_a_view():
    nullable = pd.DataFrame(TABLE, dtype="Int64")
    assert criteria.score("gini", nullable) == criteria.score("gini", TABLE)
    wide = np.repeat(np.array(TABLE, dtype=float), 2, axis=1)
    assert criteria.score("gini", wide[:, ::2]) == criteria.score("gini", TABLE)


# ------------------------------------------------------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("criterion", "error", "message"),
    [
        (
            "helinger",
            ValueError,
            r"unknown criterion 'helinger', did you mean 'hellinger'\? Choose from gini, .*ccp_gini",
        ),
        ("GINI", ValueError, "did you mean 'gini'"),
        ("", ValueError, r"unknown criterion ''\. Choose from"),
        (Hellinger, TypeError, r"got the class Hellinger; write Hellinger\(\)"),
        (None, TypeError, r"a name, a criterion object or a function score\(left, right\), got None"),
        (3, TypeError, "got 3; names are gini"),
    ],
)
def test_unknown_criterion(criterion, error, message):
    for use in (criteria.get, lambda c: criteria.check(c, 2), lambda c: criteria.score(c, TABLE)):
        with pytest.raises(error, match=message):
            use(criterion)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([1, 2], r"shape \(children, classes\), at least one of each, got shape \(2,\)"),
        ([[[1, 2]]], r"got shape \(1, 1, 2\)"),
        (3, r"got shape \(\)"),
        (np.zeros((0, 2)), r"got shape \(0, 2\)"),
        (np.zeros((2, 0)), r"got shape \(2, 0\)"),
        ([[1, 2], [3]], "one row per child and one column per class"),
        ([[1, None], [3, 4]], "finite and not negative, got nan for class 1 in child 0"),
        ([["1", "2"]], "counts must be numbers, got dtype"),
        ([[1j, 2]], "counts must be numbers, got dtype complex128"),
        ([[1, object()]], "table of numbers"),
        ([[1, 2], [3, -1]], "got -1 for class 1 in child 1"),
        ([[1, np.inf]], "got inf for class 1 in child 0"),
        ([[np.nan, 1]], "got nan for class 0 in child 0"),
    ],
)
def test_counts_that_are_no_table_of_counts(counts, message):
    with pytest.raises(ValueError, match=message):
        criteria.score("gini", counts)


@pytest.mark.parametrize("criterion", ["dkm", AlphaDivergence(reference="flipped")])
def test_criterion_of_two_classes_refuses_three(criterion):
    message = r"\(.*\) is defined for at most 2 classes, got 3; 'hellinger' and 'ihd' accept any number"
    criteria.check(criterion, 2)
    with pytest.raises(ValueError, match=message):
        criteria.check(criterion, 3)
    with pytest.raises(ValueError, match=message):
        criteria.score(criterion, [[1, 2, 3], [3, 2, 1]])


@pytest.mark.parametrize("name", criteria.names())
def test_check_and_score_agree_on_the_number_of_classes(name):
    criterion = criteria.get(name)
    assert isinstance(criterion, Criterion)
    for n_classes in (2, 3, 50):
        table = np.ones((2, n_classes))
        if criterion.max_classes is None or n_classes <= criterion.max_classes:
            criteria.check(name, n_classes)
            assert np.isfinite(criteria.score(name, table))
        else:
            with pytest.raises(ValueError, match="at most"):
                criteria.score(name, table)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"alpha": 0}, ValueError, r"alpha must be in \(0, 2\], got 0"),
        ({"alpha": 2.5}, ValueError, r"alpha must be in \(0, 2\], got 2\.5"),
        ({"alpha": np.nan}, ValueError, r"alpha must be in \(0, 2\], got nan"),
        ({"alpha": "0.5"}, TypeError, r"alpha must be a number in \(0, 2\], got '0\.5'"),
        ({"alpha": True}, TypeError, "got True"),
        ({"reference": "other"}, ValueError, "reference must be 'marginal', 'uniform' or 'flipped', got 'other'"),
        ({"reference": None}, TypeError, "got None"),
        (
            {"alpha": 1.0, "reference": "flipped"},
            ValueError,
            "alpha must be less than 1 with reference='flipped', got 1",
        ),
    ],
)
def test_parameters_of_the_alpha_divergence(parameters, error, message):
    with pytest.raises(error, match=message):
        AlphaDivergence(**parameters)


def test_core_refuses_what_the_package_would_have_refused():
    table = np.ones((2, 3))
    with pytest.raises(ValueError, match="unknown criterion 'nonsense'; accepted are gini, "):
        _core.score(_core.CriterionSpec("nonsense"), table)
    with pytest.raises(ValueError, match="criterion 'dkm' is defined for at most 2 classes, got 3"):
        _core.score(_core.CriterionSpec("dkm"), table)
    with pytest.raises(TypeError, match=r"a CriterionSpec or a function score\(left, right\), got a str"):
        _core.score("gini", table)
