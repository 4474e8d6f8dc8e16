"""Alpha divergence."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import ClassVar, Literal

from rarewood._core import CriterionSpec, criterion_traits
from rarewood.criteria._base import Criterion


@dataclass(frozen=True)
class AlphaDivergence(Criterion):
    r"""Alpha divergence of the children's class shares from a reference distribution.

    One parameter spans the known criteria. With the marginal reference, ``alpha=1`` is the information gain in nats and
    ``alpha=0.5`` is four times :class:`IHD`; with the uniform one, ``alpha=2`` ranks splits like :class:`Gini`; with
    the flipped one, ``alpha=0.5`` ranks them like :class:`DKM` and :class:`Hellinger`. A larger alpha favours splits
    with a pure child of the rare class (precision), a smaller one splits with a child free of it.

    Parameters
    ----------
    alpha : float, default=0.5
        The parameter of the divergence, in (0, 2]; less than 1 with the flipped reference.
    reference : {"marginal", "uniform", "flipped"}, default="marginal"
        What the children are compared with: the shares of the parent; equal shares of all classes of the problem; or, for
        two classes, the child's own shares swapped.

    See Also
    --------
    IHD : ``alpha=0.5`` up to a factor 4.
    Entropy : ``alpha=1`` up to the unit.

    Notes
    -----
    .. math:: \sum_t \rho_t D_\alpha(p_t \| q), \quad
              D_\alpha(p \| q) = \frac{1 - \sum_j p_j^\alpha q_j^{1 - \alpha}}{\alpha (1 - \alpha)} \ge 0

    in nats, with the limit :math:`\sum_j p_j \ln(p_j / q_j)` at :math:`\alpha = 1`. The symbols are explained in
    :class:`Criterion`.

    References
    ----------
    Y. Park and J. Ghosh, "Compact ensemble trees for imbalanced data", Multiple Classifier Systems 2011.

    Examples
    --------
    >>> from rarewood import criteria
    >>> table = [[90, 1], [10, 9]]
    >>> round(criteria.score(criteria.AlphaDivergence(alpha=0.8), table), 4)
    0.1337
    >>> round(criteria.score("alpha", table) / criteria.score("ihd", table), 4)
    4.0
    >>> criteria.AlphaDivergence(alpha=2.5)
    Traceback (most recent call last):
        ...
    ValueError: alpha must be in (0, 2], got 2.5
    """

    name: ClassVar[str] = "alpha"
    formula: ClassVar[str] = "Σ_t ρ_t (1 - Σ_j p_tj^α q_j^(1-α)) / (α (1-α))"
    range: ClassVar[str] = "[0, ∞)"
    citation: ClassVar[str] = "Park and Ghosh, 2011"

    alpha: float = 0.5
    reference: Literal["marginal", "uniform", "flipped"] = "marginal"

    def __post_init__(self) -> None:
        _check_kinds(self.alpha, self.reference)
        criterion_traits(self._spec())  # the core knows the ranges and words the errors

    def _spec(self) -> CriterionSpec:
        return CriterionSpec(self.name, float(self.alpha), self.reference)


def _check_kinds(alpha: object, reference: object) -> None:
    if isinstance(alpha, bool) or not isinstance(alpha, Real):
        raise TypeError(f"alpha must be a number in (0, 2], got {alpha!r}")
    if not isinstance(reference, str):
        raise TypeError(f"reference must be 'marginal', 'uniform' or 'flipped', got {reference!r}")
