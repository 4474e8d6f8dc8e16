"""Trees of the core as arrays of a file, and what a file's trees must be to stand behind a table.

How trees are stored the core alone knows. It checks that every index stays inside its arrays and that walks end, and, told which
columns are nominal and how many categories each has, that splits and columns are of one kind.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Forest, Tree
from rarewood.exceptions import ModelFileError
from rarewood.export._values import Reader, Writer

Grown = TypeVar("Grown", Tree, Forest)


def write_trees(writer: Writer, trees: Tree | Forest) -> dict[str, int]:
    """The arrays of a tree or forest by name."""
    return {name: writer.add(array) for name, array in trees.__getstate__().items()}


def read_trees(
    reader: Reader, kind: type[Grown], told: object, n_categories: NDArray[np.int32], n_classes: int
) -> Grown:
    """A tree or forest for a table with these columns (0 categories: a column of numbers) and so many classes."""
    if not isinstance(told, dict):
        raise ModelFileError("the file lacks trees.")
    arrays = {name: reader.contents.take(number) for name, number in told.items()}
    shape = arrays.get("shape")
    if shape is None or shape.tolist() != [len(n_categories), n_classes]:
        raise ModelFileError("the trees and the model have different numbers of columns or classes.")
    grown = kind.__new__(kind)
    try:
        grown.__setstate__(arrays)
        grown.check_columns(n_categories)
    except ValueError as error:
        raise ModelFileError(f"the trees are damaged: {error}.") from error
    return grown
