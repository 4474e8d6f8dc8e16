"""Papers are declarations: data sets, methods, protocol, measures, printed figures and claims.

To add a paper, transcribe its figures to `published/<name>.json`, write `papers/<name>.py` with a `Paper` and list that in
`papers/__init__.py`; running, comparing and writing follow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from rarewood import datasets
from rarewood._recipes import make
from rarewood.metrics import Metric
from rarewood.reproduction._published import PublishedTable, published

if TYPE_CHECKING:
    from rarewood.evaluation import Comparison

Outcome = Literal["reproduces", "does not", "cannot be tested"]


@dataclass(frozen=True)
class PaperMethod:
    """A column of a table: the name a paper gives it, and how to build it here."""

    name: str
    build: Callable[[], Any] = field(repr=False)

    def why_missing(self) -> str:
        """Why it cannot be built, or nothing."""
        try:
            self.build()
        except (ImportError, TypeError, ValueError) as error:
            return str(error)
        return ""


def recipe(name: str, recipe_name: str, **params: Any) -> PaperMethod:
    """A method that is one of `rarewood.recipes()`, with parameters of the paper."""
    return PaperMethod(name, partial(make, recipe_name, **params))


@dataclass(frozen=True)
class PaperData:
    """A row of a table: the name a paper gives it, and where to find it.

    `sources` are full names of the catalogue, the best first, or a function that makes the set; without any, `missing` says
    why. `note` says how what we have differs from what the paper had.
    """

    name: str
    sources: tuple[str, ...] | Callable[[], Any] = ()
    missing: str = ""
    note: str = ""

    def find(self) -> tuple[Any, str]:
        """The data set, or None and why there is none."""
        if callable(self.sources):
            return self.sources(), ""
        known = datasets.catalogue()
        reasons = [self.missing] * bool(self.missing)
        for source in self.sources:
            if source in known:
                try:
                    return datasets.load(source), ""
                except (OSError, ValueError) as error:  # a broken set is missing; the others can still run
                    reasons.append(f"{source} cannot be read: {error}")
        if reasons:
            return None, "; ".join(reasons)
        places = {"local": "the folder RAREWOOD_DATA", "keel": "the extra 'keel'", "sklearn": "scikit-learn"}
        where = " or ".join(dict.fromkeys(places[source.partition(":")[0]] for source in self.sources))
        return None, f"not in {where}"


@dataclass(frozen=True)
class Experiment:
    """Methods on data sets under one protocol, beside the printed figures of one or more measures.

    `quick` names the data sets of a run of minutes, and `quick_protocol` its protocol. With `is_variant` the experiment is
    ours: it asks where a difference from the paper comes from.
    """

    name: str
    title: str
    datasets: tuple[PaperData, ...]
    methods: tuple[PaperMethod, ...]
    protocol: str
    metrics: tuple[str | Metric, ...]
    quick: tuple[str, ...]
    quick_protocol: str
    published: Mapping[str, PublishedTable] = field(default_factory=dict)
    reference: str | None = None
    is_variant: bool = False
    note: str = ""

    @property
    def metric_names(self) -> list[str]:
        return [metric if isinstance(metric, str) else metric.name for metric in self.metrics]


@dataclass(frozen=True)
class Verdict:
    """Whether a claim stands here, and the figures behind that."""

    outcome: Outcome
    evidence: str


@dataclass(frozen=True)
class Claim:
    """A statement of a paper, and the test that decides whether it holds in our results, too."""

    text: str
    where: str
    experiment: str
    decide: Callable[[Experiment, Comparison], Verdict] = field(repr=False)
    why_not: str = ""
    """What is known about it, in a sentence, if our results do not say so."""


@dataclass(frozen=True)
class Paper:
    """A paper to be reproduced."""

    name: str
    title: str
    experiments: tuple[Experiment, ...]
    claims: tuple[Claim, ...]
    setting: str
    """What the paper leaves open and how it was read, in sentences."""

    @property
    def citation(self) -> str:
        return str(published(self.name.replace("-", "_"))["citation"])

    def experiment(self, name: str) -> Experiment:
        return next(experiment for experiment in self.experiments if experiment.name == name)
