"""Gain ratio."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rarewood.criteria._base import Criterion


@dataclass(frozen=True)
class GainRatio(Criterion):
    r"""Information gain divided by the entropy of the children's shares.

    Meant to keep attributes with many values from winning by their number alone. Maximised over all thresholds, it tends
    to cut off a handful of rows; :class:`C45` adds the rules that Quinlan's program uses against this.

    See Also
    --------
    C45 : Gain ratio with Quinlan's selection of thresholds and attributes.

    Notes
    -----
    .. math:: \frac{H(p) - \sum_t \rho_t H(p_t)}{-\sum_t \rho_t \log_2 \rho_t} \ge 0

    and 0 when all rows go to one child. The symbols are explained in :class:`Criterion`.

    References
    ----------
    J. R. Quinlan, *C4.5: Programs for Machine Learning*, Morgan Kaufmann, 1993.

    Examples
    --------
    >>> from rarewood import criteria
    >>> round(criteria.score(criteria.GainRatio(), [[2, 3], [4, 0], [3, 2]]), 3)
    0.156
    """

    name: ClassVar[str] = "gain_ratio"
    formula: ClassVar[str] = "(H(p) - Σ_t ρ_t H(p_t)) / (-Σ_t ρ_t log2 ρ_t)"
    range: ClassVar[str] = "[0, ∞)"
    citation: ClassVar[str] = "Quinlan, 1993"
