"""A decision tree grown in the slowest and most obvious way: try every candidate, keep the best, recurse.

Words: a *problem* is the data with its weights; a *node* holds row numbers; a *choice* is a rule together with the
table of class counts it gives at a node and the score of that table. *Cases* are what `min_samples_*` count.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from oracle.splits import NOMINAL_RULES, UNKNOWN, Categories, Threshold, numeric_rules

TIE = 1e-10


@dataclass(frozen=True)
class Problem:
    X: np.ndarray  # float64 (rows, features); nominal columns hold codes; NaN = missing
    y: np.ndarray  # class numbers 0 .. n_classes - 1
    n_classes: int
    nominal: tuple[int, ...] = ()  # indices of the nominal columns
    sample_weight: np.ndarray | None = None
    class_weight: np.ndarray | None = None

    @cached_property
    def weights(self):
        """Whole numbers count rows; any others are shares, whose mean over the rows that weigh anything is made 1."""
        if self.sample_weight is None:
            return np.ones(len(self.y))
        weights = np.asarray(self.sample_weight, dtype=float)
        return weights if np.all(weights == np.round(weights)) else weights / weights[weights > 0].mean()

    @cached_property
    def weights_are_integers(self):
        return bool(np.all(self.weights == np.round(self.weights)))

    @property
    def rows(self):
        """Rows of weight 0 are as if absent."""
        return np.flatnonzero(self.weights > 0)

    def table(self, rows, child, n_children):
        """Class counts, children x classes. Class weights scale its columns."""
        cells = child * self.n_classes + self.y[rows]
        counts = np.bincount(cells, self.weights[rows], n_children * self.n_classes)
        counts = counts.reshape(n_children, self.n_classes)
        return counts if self.class_weight is None else counts * self.class_weight

    def counts(self, rows):
        return self.table(rows, np.zeros(len(rows), dtype=int), 1)[0]

    def cases(self, rows):
        """A row of integer weight w is w cases; when any weight of the problem is fractional every row is one case."""
        return int(self.weights[rows].sum()) if self.weights_are_integers else len(rows)


@dataclass(frozen=True)
class Settings:
    criterion: Callable  # table (children x classes) -> score, larger is better
    tie_break: Callable | None = None  # decides between equal scores before the order of candidates does
    select: Callable | None = None  # another way to choose, as oracle.quinlan; None = the highest score
    nominal: str = "subset"
    max_depth: float = np.inf
    min_samples_split: int = 2
    min_samples_leaf: int = 1


@dataclass(frozen=True)
class Choice:
    rule: Threshold | Categories
    child: np.ndarray  # child number of each row of the node
    table: np.ndarray
    cases: tuple[int, ...]  # of each child
    score: float = np.nan


@dataclass
class Node:
    rows: np.ndarray
    counts: np.ndarray
    depth: int
    rule: Threshold | Categories | None = None
    children: list["Node"] = field(default_factory=list)
    id: int | None = None  # number of the node in the compiled tree it was read from, if any

    @property
    def is_leaf(self):
        return self.rule is None


# ------------------------------------------------------------------------------------------------------------ growing


def grow(problem, settings, rows=None, depth=0):
    rows = problem.rows if rows is None else rows
    node = Node(rows, problem.counts(rows), depth)
    choice = None if must_stop(problem, settings, node) else choose(problem, settings, rows)
    if choice is not None:
        node.rule = choice.rule
        for i in range(len(choice.table)):
            node.children.append(grow(problem, settings, rows[choice.child == i], depth + 1))
    return node


def must_stop(problem, settings, node):
    one_class = len(np.unique(problem.y[node.rows])) < 2
    few_cases = problem.cases(node.rows) < settings.min_samples_split
    return one_class or few_cases or node.depth >= settings.max_depth


def choose(problem, settings, rows):
    """The best valid choice or None."""
    if settings.select is not None:
        return settings.select(problem, settings, rows)
    choices = scored_choices(problem, settings, rows)
    return first_of_best(choices, settings) if choices else None


def scored_choices(problem, settings, rows):
    """Every valid choice of every feature, features and candidates in the order that decides ties."""
    scored = []
    for feature in range(problem.X.shape[1]):
        for choice in feature_choices(problem, settings.nominal, feature, rows):
            if min(choice.cases) >= max(1, settings.min_samples_leaf):
                score = settings.criterion(choice.table)
                if score != -np.inf:
                    scored.append(Choice(choice.rule, choice.child, choice.table, choice.cases, score))
    return scored


def feature_choices(problem, nominal, feature, rows):
    """Every choice of one feature, valid or not, without scores."""
    rules = NOMINAL_RULES[nominal] if feature in problem.nominal else numeric_rules
    return [apply_rule(problem, rule, rows) for rule in rules(feature, problem.X[rows, feature])]


def apply_rule(problem, rule, rows):
    child = rule.assign(problem.X[rows])
    n_children = len(rule.groups) if isinstance(rule, Categories) else 2
    cases = tuple(problem.cases(rows[child == i]) for i in range(n_children))
    return Choice(rule, child, problem.table(rows, child, n_children), cases)


def first_of_best(choices, settings):
    tied = within_tie(choices, [choice.score for choice in choices])
    if settings.tie_break is not None:
        tied = within_tie(tied, [settings.tie_break(choice.table) for choice in tied])
    return tied[0]


def within_tie(choices, scores):
    best = max(scores)
    return [choice for choice, score in zip(choices, scores, strict=True) if score >= best - TIE]


# ------------------------------------------------------------------------------------------------------------ reading


def leaves(node):
    return [node] if node.is_leaf else [leaf for child in node.children for leaf in leaves(child)]


def all_nodes(node):
    return [node] + [n for child in node.children for n in all_nodes(child)]


def end_nodes(node, X):
    """Where each row ends: a leaf, or the inner node where an unseen category of a multiway split stays."""
    ends = np.full(len(X), node, dtype=object)
    if node.is_leaf:
        return ends
    child = node.rule.assign(X)
    stays = node.rule.unseen_category_stays & ~np.isnan(X[:, node.rule.feature])
    child[(child == UNKNOWN) & ~stays] = heavier_child(node)
    for i, child_node in enumerate(node.children):
        ends[child == i] = end_nodes(child_node, X[child == i])
    return ends


def heavier_child(node):
    """The first of the heaviest; of two groups of categories, whose order means nothing, the second."""
    weights = np.array([child.counts.sum() for child in node.children])
    heaviest = np.flatnonzero(weights >= weights.max() * (1 - 1e-12))
    is_subset = isinstance(node.rule, Categories) and not node.rule.unseen_category_stays
    return int(heaviest[-1 if is_subset else 0])


def leaf_proba(counts, smoothing):
    total = counts.sum() + smoothing * len(counts)
    return (counts + smoothing) / total if total > 0 else np.full(len(counts), 1 / len(counts))


def predict_proba(root, X, smoothing=1.0):
    return np.array([leaf_proba(end.counts, smoothing) for end in end_nodes(root, X)])
