"""A method of the literature, and a table of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

from rarewood._validation import did_you_mean
from rarewood.criteria import Criterion


@dataclass(frozen=True)
class Recipe:
    """A method of the literature: an estimator and the settings that make it that method.

    Parameters
    ----------
    name : str
        What :func:`make` calls it.
    description : str
        What it is, in one line.
    reference : str
        Where it comes from.
    estimator : callable
        The estimator's class, or a function with its parameters.
    settings : mapping
        Parameters that differ from the defaults of `estimator`.

    Examples
    --------
    >>> import rarewood as rw
    >>> recipe = rw.recipes()["bagged-c4.5"]
    >>> dict(recipe.settings)["pruning"]
    'pessimistic'
    >>> "n_estimators" in recipe.parameters
    True
    """

    name: str
    description: str
    reference: str
    estimator: Callable[..., Any] = field(repr=False)
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", MappingProxyType(dict(self.settings)))

    @property
    def parameters(self) -> list[str]:
        """What :meth:`make` accepts: the parameters of the estimator, or of the criterion if that has any."""
        own = [name for name in inspect.signature(self.estimator).parameters if name != "self"]
        inside = self._criterion_parameters()
        return [name for name in own if not (inside and name == "criterion")] + inside

    def make(self, **params: Any) -> Any:
        """A new, unfitted estimator.

        Parameters
        ----------
        **params
            Any of :attr:`parameters`, in place of the settings of the recipe.

        Returns
        -------
        estimator
            A classifier with scikit-learn's interface.
        """
        check_names(self.name, params, self.parameters)
        chosen = {**self.settings, **params}
        inside = {name: chosen.pop(name) for name in self._criterion_parameters() if name in chosen}
        if inside:
            chosen["criterion"] = replace(chosen["criterion"], **inside)
        return self.estimator(**chosen)

    def _criterion_parameters(self) -> list[str]:
        criterion = self.settings.get("criterion")
        return [each.name for each in fields(criterion)] if isinstance(criterion, Criterion) else []


class Recipes(Mapping[str, Recipe]):
    """Recipes by name."""

    def __init__(self, *listed: Recipe) -> None:
        self._by_name = {recipe.name: recipe for recipe in listed}

    def __getitem__(self, name: str) -> Recipe:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        width = max(map(len, self))
        return "\n".join(f"{name:{width}}  {recipe.description}" for name, recipe in self.items())


def check_names(recipe: str, params: Iterable[str], accepted: Sequence[str]) -> None:
    """Raise unless a recipe has all these parameters."""
    unknown = [name for name in params if name not in accepted]
    if unknown:
        raise TypeError(
            f"recipe {recipe!r} has no parameter {', '.join(map(repr, unknown))}{did_you_mean(unknown[0], accepted)} Choose from "
            f"{', '.join(accepted)}."
        )
