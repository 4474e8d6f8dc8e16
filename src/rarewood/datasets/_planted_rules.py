"""Payments among which a few rules hide the frauds: a table whose answer is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from rarewood._tables import read_table
from rarewood._validation import SEED, Integer, Number, check_parameter, import_optional

__all__ = ["PlantedCondition", "PlantedRule", "PlantedRules", "make_planted_rules"]

Draw = Callable[[np.random.RandomState, int], NDArray[np.float64]]


@dataclass(frozen=True)
class PlantedCondition:
    """A condition on one column: a number above `low` and at most `high`, or one of several categories.

    A missing value meets no condition.

    Parameters
    ----------
    feature : str
        Name of the column.
    column : int
        Its position.
    low, high : float
        Bounds of a number; the lower one is excluded, the upper one included.
    categories : tuple of str
        The accepted categories; empty for a number.
    codes : tuple of int
        The same as positions among the categories of the column, for arrays.

    Examples
    --------
    >>> from rarewood.datasets import PlantedCondition
    >>> print(PlantedCondition("amount", 0, low=900.0))
    amount > 900
    """

    feature: str
    column: int
    low: float = -np.inf
    high: float = np.inf
    categories: tuple[str, ...] = ()
    codes: tuple[int, ...] = ()

    def accepts(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether each of `values`, numbers or category codes, meets the condition."""
        if self.categories:
            return np.isin(values, self.codes)
        return (values > self.low) & (values <= self.high)

    def holds(self, X: Any) -> NDArray[np.bool_]:
        """Whether each row of a data frame, or of an array with category codes, meets the condition."""
        column = read_table(BaseEstimator(), X, reset=True).columns[self.column]
        if self.categories and column.type != "number":
            factor = column.factor
            return np.isin(factor.codes, [code for code, level in enumerate(factor.levels) if level in self.categories])
        return self.accepts(column.numbers())

    def __str__(self) -> str:
        if self.categories:
            return f"{self.feature} in {{{', '.join(self.categories)}}}"
        above = f"{self.feature} > {self.low:g}" if self.low > -np.inf else ""
        below = f"{self.feature} <= {self.high:g}" if self.high < np.inf else ""
        return " and ".join(bound for bound in (above, below) if bound)


@dataclass(frozen=True)
class PlantedRule:
    """A rule that makes rows rare: all its conditions must hold.

    Parameters
    ----------
    conditions : tuple of PlantedCondition
        All must be met.

    Examples
    --------
    >>> from rarewood.datasets import make_planted_rules
    >>> data = make_planted_rules(2000, random_state=0)
    >>> print(data.rules[0])
    amount > 900 and country in {NG, RO}
    >>> bool(data.rules[0].holds(data.X)[data.rule_of_row == 0].all())
    True
    """

    conditions: tuple[PlantedCondition, ...]

    @property
    def features(self) -> tuple[str, ...]:
        """The columns that the rule uses."""
        return tuple(condition.feature for condition in self.conditions)

    def holds(self, X: Any) -> NDArray[np.bool_]:
        """Whether each row meets all conditions.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_features)
            Rows with the columns of the generated table.

        Returns
        -------
        ndarray of bool of shape (n_rows,)
            True where the rule holds.
        """
        met = [condition.holds(X) for condition in self.conditions]
        return np.asarray(np.all(met, axis=0))

    def __str__(self) -> str:
        return " and ".join(map(str, self.conditions))


@dataclass(frozen=True, eq=False)
class PlantedRules:
    """A generated table with the rules behind it.

    Parameters
    ----------
    X : pandas.DataFrame or ndarray of shape (n_samples, n_features)
        The payments. In an array, nominal columns hold positions among `categories`; missing values are NaN.
    y : ndarray of int of shape (n_samples,)
        1 for the rare class, else 0.
    rules : tuple of PlantedRule
        The rules that made the rare rows.
    rule_of_row : ndarray of int of shape (n_samples,)
        The rule that made the row, for rare and for dangerous rows; -1 for the others, where no rule holds.
    dangerous : ndarray of bool of shape (n_samples,)
        Rows of the frequent class where a rule holds all the same.
    feature_names : tuple of str
        Names of the columns.
    categories : tuple
        For each column, the names of its categories; None for a column of numbers.

    Examples
    --------
    >>> from rarewood.datasets import make_planted_rules
    >>> data = make_planted_rules(2000, random_state=0)
    >>> data
    PlantedRules(2000 rows, 40 rare, 20 dangerous, 3 rules)
    """

    X: Any
    y: NDArray[np.int64]
    rules: tuple[PlantedRule, ...]
    rule_of_row: NDArray[np.int64]
    dangerous: NDArray[np.bool_]
    feature_names: tuple[str, ...]
    categories: tuple[tuple[str, ...] | None, ...]

    @property
    def categorical_features(self) -> list[int]:
        """Positions of the nominal columns, as estimators expect them with an array."""
        return [column for column, levels in enumerate(self.categories) if levels is not None]

    def __repr__(self) -> str:
        return (
            f"PlantedRules({len(self.y)} rows, {int(self.y.sum())} rare, {int(self.dangerous.sum())} dangerous, "
            f"{len(self.rules)} rules)"
        )


def make_planted_rules(
    n_samples: int = 10_000,
    *,
    n_rules: int = 3,
    rare_share: float = 0.02,
    dangerous_share: float = 0.01,
    missing_share: float = 0.03,
    as_frame: Any = "auto",
    random_state: Any = None,
) -> PlantedRules:
    """Generate a table of card payments whose rare class follows known rules.

    Rare rows are ordinary payments that meet one of the rules, each rule about equally often. No rule holds for the
    other rows, except for the *dangerous* ones, which meet a rule but belong to the frequent class. So what a method
    finds, or removes, can be compared with the truth.

    Parameters
    ----------
    n_samples : int, default=10_000
        Rows.
    n_rules : int, default=3
        Rules, from 1 to 5.
    rare_share : float, default=0.02
        Share of the rare class, at most 0.5.
    dangerous_share : float, default=0.01
        Share of the frequent class that meets a rule, at most 0.5.
    missing_share : float, default=0.03
        Share of missing values, at most 0.9. A value that the rule of its row asks about is never missing.
    as_frame : bool or "auto", default="auto"
        True makes `X` a pandas data frame with categorical columns, False an array with category codes; "auto" makes a
        data frame if pandas is installed.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    PlantedRules
        The table, its rules, and which rule made each row.

    See Also
    --------
    rarewood.inspection.extract_patterns : Rules found by a forest, to compare with the planted ones.
    rarewood.BiasedForestCleaner : Removes dangerous rows.

    Examples
    --------
    >>> from rarewood.datasets import make_planted_rules
    >>> data = make_planted_rules(5000, random_state=0)
    >>> for rule in data.rules:
    ...     print(rule)
    amount > 900 and country in {NG, RO}
    payments_today > 5 and card_age_days <= 90
    channel in {online} and hour <= 5 and merchant in {electronics, jewellery}
    >>> int(data.y.sum()), int(data.dangerous.sum())
    (100, 49)
    """
    check_parameter("n_samples", n_samples, Integer(1))
    check_parameter("n_rules", n_rules, Integer(1, len(_RULES)))
    check_parameter("rare_share", rare_share, Number(0.0, 0.5, open_low=True))
    check_parameter("dangerous_share", dangerous_share, Number(0.0, 0.5))
    check_parameter("missing_share", missing_share, Number(0.0, 0.9))
    check_parameter("random_state", random_state, *SEED)
    frame = _wants_frame(as_frame)
    n_rare = round(rare_share * n_samples)
    if n_rare < n_rules:
        raise ValueError(
            f"n_samples={n_samples} with rare_share={rare_share} makes {n_rare} rare rows, too few for n_rules={n_rules}; "
            "ask for more rows or a larger share, or for fewer rules."
        )
    n_dangerous = round(dangerous_share * (n_samples - n_rare))

    rng = check_random_state(random_state)
    rules = _RULES[:n_rules]
    n_ruled = n_rare + n_dangerous
    rule_of_row = np.full(n_samples, -1)
    rule_of_row[:n_rare] = np.arange(n_rare) % n_rules
    rule_of_row[n_rare:n_ruled] = np.arange(n_dangerous) % n_rules
    matrix = _ordinary(rng, n_samples, rules)
    needed = np.zeros(matrix.shape, dtype=bool)
    for number, rule in enumerate(rules):
        rows = np.flatnonzero(rule_of_row == number)
        for condition in rule.conditions:
            matrix[rows, condition.column] = _draw_accepted(rng, len(rows), condition)
            needed[rows, condition.column] = True
    matrix[(rng.random_sample(matrix.shape) < missing_share) & ~needed] = np.nan

    order = rng.permutation(n_samples)
    return PlantedRules(
        X=_as_frame(matrix[order]) if frame else matrix[order],
        y=(order < n_rare).astype(np.int64),
        rules=rules,
        rule_of_row=rule_of_row[order],
        dangerous=(order >= n_rare) & (order < n_ruled),
        feature_names=tuple(column.name for column in _COLUMNS),
        categories=tuple(column.categories for column in _COLUMNS),
    )


# ---------------------------------------------------------------------------------------------------------
# columns of an ordinary payment


@dataclass(frozen=True)
class _Column:
    """How the values of one column come about: numbers, or codes of categories."""

    name: str
    draw: Draw
    categories: tuple[str, ...] | None = None


def _nominal(name: str, **frequencies: int) -> _Column:
    shares = np.array(list(frequencies.values()), dtype=np.float64)

    def draw(rng: np.random.RandomState, n: int) -> NDArray[np.float64]:
        return rng.choice(len(shares), size=n, p=shares / shares.sum()).astype(np.float64)

    return _Column(name, draw, tuple(frequencies))


def _rounded(draw: Draw, decimals: int) -> Draw:
    return lambda rng, n: np.round(draw(rng, n), decimals)


_COLUMNS = (
    _Column("amount", _rounded(lambda rng, n: rng.lognormal(4.2, 1.3, n), 2)),
    _nominal("country", DE=30, FR=20, GB=15, ES=10, IT=8, PL=6, NL=5, US=3, RO=2, NG=1),
    _Column("hour", _rounded(lambda rng, n: 24.0 * rng.beta(2.5, 1.8, n), 2)),
    _nominal("channel", chip=40, contactless=30, online=25, stripe=5),
    _nominal(
        "merchant", groceries=35, fuel=15, clothing=12, restaurant=12, travel=8, electronics=8, gaming=6, jewellery=4
    ),
    _Column("card_age_days", lambda rng, n: np.floor(rng.exponential(500.0, n))),
    _Column("payments_today", lambda rng, n: rng.poisson(2.0, n).astype(np.float64)),
    _Column("distance_km", _rounded(lambda rng, n: rng.lognormal(1.5, 1.5, n), 1)),
    _Column("balance", _rounded(lambda rng, n: rng.normal(2000.0, 900.0, n), 2)),
    _Column("customer_age", lambda rng, n: rng.randint(18, 90, n).astype(np.float64)),
)


def _condition(
    feature: str, *, low: float = -np.inf, high: float = np.inf, among: Sequence[str] = ()
) -> PlantedCondition:
    position = [column.name for column in _COLUMNS].index(feature)
    levels = _COLUMNS[position].categories or ()
    return PlantedCondition(feature, position, low, high, tuple(among), tuple(levels.index(name) for name in among))


_RULES = (
    PlantedRule((_condition("amount", low=900.0), _condition("country", among=["NG", "RO"]))),
    PlantedRule((_condition("payments_today", low=5.0), _condition("card_age_days", high=90.0))),
    PlantedRule(
        (
            _condition("channel", among=["online"]),
            _condition("hour", high=5.0),
            _condition("merchant", among=["electronics", "jewellery"]),
        )
    ),
    PlantedRule((_condition("distance_km", low=60.0), _condition("channel", among=["stripe"]))),
    PlantedRule(
        (
            _condition("balance", high=500.0),
            _condition("merchant", among=["gaming"]),
            _condition("amount", low=100.0, high=400.0),
        )
    ),
)


def _ordinary(rng: np.random.RandomState, n: int, rules: tuple[PlantedRule, ...]) -> NDArray[np.float64]:
    """Payments among which no rule holds."""
    matrix = np.column_stack([column.draw(rng, n) for column in _COLUMNS])
    while len(meeting := np.flatnonzero(np.any([rule.holds(matrix) for rule in rules], axis=0))):
        matrix[meeting] = np.column_stack([column.draw(rng, len(meeting)) for column in _COLUMNS])
    return matrix


def _draw_accepted(rng: np.random.RandomState, n: int, condition: PlantedCondition) -> NDArray[np.float64]:
    """Values of an ordinary payment that meet the condition."""
    draw = partial(_COLUMNS[condition.column].draw, rng)
    found = np.empty(0)
    while len(found) < n:
        values = draw(10 * n)
        found = np.concatenate([found, values[condition.accepts(values)]])
    return found[:n]


def _wants_frame(as_frame: Any) -> bool:
    if isinstance(as_frame, bool):
        return as_frame
    if as_frame == "auto":
        return find_spec("pandas") is not None
    error = ValueError if isinstance(as_frame, str) else TypeError
    raise error(f"as_frame={as_frame!r} ({type(as_frame).__name__}) is not accepted; give True, False or 'auto'.")


def _as_frame(matrix: NDArray[np.float64]) -> Any:
    pd = import_optional("pandas", "data", "as_frame=True")
    return pd.DataFrame(
        {
            column.name: values
            if column.categories is None
            else pd.Categorical.from_codes(
                np.nan_to_num(values, nan=-1).astype(np.intp), categories=list(column.categories)
            )
            for column, values in zip(_COLUMNS, matrix.T)
        }
    )
