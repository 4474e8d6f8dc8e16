"""What every criterion object is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rarewood._core import CriterionSpec, criterion_traits


@dataclass(frozen=True)
class Criterion:
    r"""A split criterion: turns a table of class counts into a score; larger is better.

    Objects hold parameters and nothing else. They compare by value and can be hashed, pickled and passed as ``criterion=``
    to every tree and forest.

    Attributes
    ----------
    name : str
        Name in the registry, see :func:`rarewood.criteria.names`.
    formula : str
        The score in one line of plain text, in the notation below.
    range : str
        The values it can take.
    citation : str
        Authors and year.
    max_classes : int or None
        Largest number of classes it is defined for, None for any.

    Notes
    -----
    A split has children :math:`t` and the problem has :math:`K` classes :math:`j`. The table holds the weighted counts
    :math:`n_{tj}`; :math:`N_t`, :math:`N_j` and :math:`N` are its row sums, column sums and total;
    :math:`\rho_t = N_t / N`, :math:`p_j = N_j / N` and :math:`p_{tj} = n_{tj} / N_t`. Throughout
    :math:`0 \log 0 = 0`, and empty children and absent classes contribute nothing.
    """

    name: ClassVar[str]
    formula: ClassVar[str]
    range: ClassVar[str]
    citation: ClassVar[str]

    @property
    def max_classes(self) -> int | None:
        """Largest number of classes it is defined for, None for any."""
        return criterion_traits(self._spec())["max_classes"] or None

    def _spec(self) -> CriterionSpec:
        """The criterion as the core takes it."""
        return CriterionSpec(self.name)
