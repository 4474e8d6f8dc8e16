"""Hellinger distance, one class against the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rarewood.criteria._base import Criterion


@dataclass(frozen=True)
class HellingerOVA(Criterion):
    r"""Largest Hellinger distance between one class and all others together.

    Up to three classes it equals :class:`Hellinger`. With more classes, it looks for splits that isolate one class and
    misses those that separate two groups of classes.

    See Also
    --------
    Hellinger : All bipartitions of the classes.

    Notes
    -----
    .. math:: \max_c \sqrt{\sum_t \Bigl(\sqrt{n_{tc} / N_c} - \sqrt{(N_t - n_{tc}) / (N - N_c)}\Bigr)^2}
              \in [0, \sqrt 2]

    The symbols are explained in :class:`Criterion`.

    References
    ----------
    D. A. Cieslak and N. V. Chawla, "Learning decision trees for unbalanced data", ECML PKDD 2008.

    P. S. Akash, M. E. Kadir, A. A. Ali and M. Shoyaib, "Inter-node Hellinger distance based decision tree", IJCAI 2019.

    Examples
    --------
    Two splits of 40, 20, 10 and 10 rows of four classes. The first separates {A, D} from {B, C}; the second only
    isolates A and B, and one class against the rest cannot tell the two splits apart:

    >>> from rarewood import criteria
    >>> exclusive = [[40, 0, 0, 10], [0, 20, 10, 0]]
    >>> mixed = [[40, 0, 5, 5], [0, 20, 5, 5]]
    >>> [round(criteria.score(criteria.HellingerOVA(), table), 4) for table in (exclusive, mixed)]
    [1.0879, 1.0879]
    >>> [round(criteria.score(criteria.Hellinger(), table), 4) for table in (exclusive, mixed)]
    [1.4142, 1.0879]
    """

    name: ClassVar[str] = "hellinger_ova"
    formula: ClassVar[str] = "max_c √(Σ_t (√(n_tc/N_c) - √((N_t - n_tc)/(N - N_c)))²)"
    range: ClassVar[str] = "[0, √2]"
    citation: ClassVar[str] = "Cieslak and Chawla, 2008; Akash et al., 2019"
