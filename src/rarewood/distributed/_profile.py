"""One pass over all parts before anything else: classes, columns, sizes. Everything that must be decided for all of them."""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rarewood._core import TableShape
from rarewood._tables import ColumnPart, Columns, Table, describe_part, merge_parts, read_table
from rarewood._tables.groups import GroupNames, RowGroups
from rarewood._validation import Labels, Weights, check_sample_weight, encode_labels
from rarewood.distributed.parts import cells_of_series


class PartReader(BaseEstimator):
    """A stand-in for an estimator, on which reading a table leaves the names and the number of its columns."""


@dataclass(frozen=True)
class ColumnRoles:
    """The role of each column: target, weight, nominal, dropped, name of the row's group."""

    target: str
    weight: str | None
    categorical_features: Any
    drop: tuple[str, ...] = ()
    groups: str | None = None
    keeps_labels: bool = False  # of all rows, for what is learned from rows that trees did not see

    def split(self, frame: Any) -> tuple[Any, NDArray[Any], NDArray[Any] | None]:
        """The rows without label and weight, the labels, the weights."""
        table = nw.from_native(frame, eager_only=True)
        for name in (self.target, self.weight, self.groups, *self.drop):
            if name is not None and name not in table.columns:
                raise ValueError(f"the data have no column {name!r}; they have {table.columns[:20]}.")
        weights = None if self.weight is None else table[self.weight].to_numpy()
        dropped = {name: None for name in (self.target, self.weight, self.groups, *self.drop) if name is not None}
        return table.drop(list(dropped)).to_native(), cells_of_series(table[self.target].to_native()), weights

    def group_names(self, frame: Any) -> GroupNames:
        """The name of each row's group."""
        table = nw.from_native(frame, eager_only=True)
        return GroupNames.read(table[self.groups].to_native(), len(table))


@dataclass(frozen=True)
class PartProfile:
    """What one part contributes to the schema of the whole table."""

    n_rows: int
    names: list[str]
    name_array: NDArray[Any] | None = None
    columns: list[ColumnPart] = field(default_factory=list)
    labels: NDArray[Any] | None = None
    rows: NDArray[np.int64] | None = None  # of positive weight, per label
    totals: NDArray[np.float64] | None = None  # weight, per label
    codes: NDArray[np.int32] | None = None  # of the rows, by the labels of the part
    weights: NDArray[np.float64] | None = None
    groups: GroupNames | None = None


def profile_part(frame: Any, roles: ColumnRoles) -> PartProfile:
    """Read a part once."""
    X, y, weights = roles.split(frame)
    names = list(nw.from_native(X, eager_only=True).columns)
    if len(y) == 0:
        return PartProfile(0, names)
    owner = PartReader()
    table: Table = read_table(owner, X, reset=True)
    labels = encode_labels(owner, y, len(y))
    given = None if weights is None else check_whole(weights, roles.weight)
    positive = np.ones(len(y)) if given is None else given > 0
    return PartProfile(
        n_rows=len(y),
        names=names,
        name_array=getattr(owner, "feature_names_in_", None),
        columns=describe_part(table, roles.categorical_features),
        labels=labels.classes,
        rows=np.bincount(labels.codes, weights=positive, minlength=labels.n_classes).astype(np.int64),
        totals=np.bincount(labels.codes, weights=given, minlength=labels.n_classes).astype(np.float64),
        codes=labels.codes if roles.keeps_labels else None,
        weights=given if roles.keeps_labels else None,
        groups=None if roles.groups is None else roles.group_names(frame),
    )


def check_whole(weights: NDArray[Any], name: str | None) -> NDArray[np.float64]:
    """Weights as float64; raises unless they are whole numbers, whose sums do not depend on the partitions."""
    numbers = np.asarray(weights, dtype=np.float64)
    if not numbers.any():
        numbers = np.zeros(len(numbers))
    else:
        checked = check_sample_weight(numbers, len(numbers))
        numbers = np.ones(len(numbers)) if checked is None else checked
    fractional = numbers[numbers != np.floor(numbers)]
    if len(fractional):
        raise ValueError(
            f"the weights in column {name!r} must be whole numbers, got {fractional[0]}: sums of fractions, and so "
            "the trees, would depend on the order of the partitions. Multiply them all by a power of ten and round, "
            "or fit in memory."
        )
    return numbers


@dataclass(frozen=True)
class Schema:
    """Facts that hold for all parts, decided once after profiling."""

    name: str
    roles: ColumnRoles
    columns: Columns
    classes: NDArray[Any]
    wide: list[int]  # columns of numbers that float32 does not hold
    row_bytes: int  # as the core keeps columns
    n_rows: list[int]  # per part
    class_rows: NDArray[np.int64]  # part x class, of positive weight
    class_totals: NDArray[np.float64]  # weight per class
    checksums: list[int]  # per column
    groups: list[NDArray[np.uint32]] | None = None  # of the rows of each part, where rows belong to groups

    def with_groups(self, groups: RowGroups) -> Schema:
        """The same where rows belong together."""
        ends = np.cumsum(self.n_rows)[:-1]
        return replace(self, groups=[np.ascontiguousarray(each) for each in np.split(groups.numbers, ends)])

    def groups_of(self, part: int) -> NDArray[np.uint32]:
        """Of the rows of a part; none where every row stands alone."""
        return np.empty(0, dtype=np.uint32) if self.groups is None else self.groups[part]

    def by_part(self, numbers: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Numbers of rows, which ascend, as numbers inside each part."""
        begins = np.cumsum([0, *self.n_rows])
        ends = np.searchsorted(numbers, begins)
        return [numbers[begin:end] - first for begin, end, first in zip(ends, ends[1:], begins, strict=False)]

    def shape(self, n_classes: int) -> TableShape:
        """What the core knows of all parts, for a problem of so many classes."""
        return TableShape([int(n) for n in self.columns.n_categories], self.wide, n_classes)


def labels_of(profiles: Sequence[PartProfile], classes: NDArray[Any]) -> tuple[Labels, Weights]:
    """Classes and weights of all rows in order, where they were kept; weights are None if all are 1."""
    codes = [
        np.searchsorted(classes, profile.labels)[profile.codes].astype(np.int32)
        for profile in profiles
        if profile.labels is not None and profile.codes is not None
    ]
    weights = [profile.weights for profile in profiles if profile.weights is not None]
    joined = np.concatenate(weights) if weights else None
    return (
        Labels(classes, np.concatenate(codes) if codes else np.empty(0, dtype=np.int32)),
        None if joined is None or bool(np.all(joined == 1.0)) else joined,
    )


def merge_profiles(profiles: Sequence[PartProfile], roles: ColumnRoles, owner: Any) -> Schema:
    """The schema of the whole table; raises where parts do not belong together."""
    first = profiles[0].names
    for number, profile in enumerate(profiles):
        if profile.names != first:
            raise ValueError(
                f"partition {number} has the columns {profile.names[:20]}, partition 0 has {first[:20]}; all partitions need "
                "the same columns in the same order."
            )
    filled = [profile for profile in profiles if profile.n_rows > 0]
    if not filled:
        raise ValueError("the data have no rows: every partition is empty.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # scikit-learn wonders at as many classes as labels
        classes = encode_labels(owner, np.concatenate([p.labels for p in filled if p.labels is not None]), None).classes
    columns, wide = merge_parts([profile.columns for profile in filled], filled[0].name_array)
    rows = np.zeros((len(profiles), len(classes)), dtype=np.int64)
    totals = np.zeros(len(classes))
    for number, profile in enumerate(profiles):
        if profile.labels is not None and profile.rows is not None and profile.totals is not None:
            places = np.searchsorted(classes, profile.labels)
            rows[number, places] = profile.rows
            totals[places] += profile.totals
    if totals.sum() == 0:
        raise ValueError("All weights are zero: no row is left to learn from.")
    row_bytes = sum(8 if flag else 4 for flag in wide)
    checksums = [
        sum(part.checksum for part in parts) % 2**64 for parts in zip(*(p.columns for p in filled), strict=True)
    ]
    n_rows = [profile.n_rows for profile in profiles]
    return Schema(
        uuid.uuid4().hex,
        roles,
        columns,
        classes,
        [int(flag) for flag in wide],
        row_bytes,
        n_rows,
        rows,
        totals,
        checksums,
    )
