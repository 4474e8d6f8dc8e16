"""The methods of the literature by their names.

To add one, append a `Recipe` to `_REGISTRY`: the settings are those under which the cited paper ran the method, and where a
paper is silent the description or a comment says what was chosen. Everything else (`make`, `recipes`, tests) follows.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

from sklearn.base import BaseEstimator

from rarewood._validation import TableEncoder, did_you_mean, read_table
from rarewood._with_patterns import SUFFIX, WithPatterns
from rarewood.criteria import AlphaDivergence, Criterion
from rarewood.decomposition import ECOCClassifier, OneVsAllClassifier
from rarewood.ensemble import (
    BalancedForestClassifier,
    BEATClassifier,
    BiasedRankingClassifier,
    ForestClassifier,
    HeDExClassifier,
    HeDExhClassifier,
)
from rarewood.tree import TreeClassifier


def make(name: str, **params: Any) -> Any:
    """A classifier of the literature by its name.

    Parameters
    ----------
    name : str
        A name that :func:`recipes` lists, such as ``"hddt"`` or ``"bagged-c4.5"``. With ``"+patterns"`` at its end the training
        rows are first oversampled by :class:`rarewood.PatternOversampler`.
    **params
        Parameters of the estimator, in place of the settings of the recipe. A recipe whose criterion has parameters takes
        those, too: ``make("alpha-tree", alpha=1.5)``. With ``"+patterns"``, the oversampler takes parameters that start with
        ``patterns__``; `categorical_features`, `n_jobs`, `random_state` and `verbose` are for both.

    Returns
    -------
    estimator
        A new, unfitted classifier with scikit-learn's interface.

    Raises
    ------
    ValueError
        If there is no such recipe.
    TypeError
        If the estimator has no such parameter.

    See Also
    --------
    recipes : All names with a description and the source.

    Examples
    --------
    >>> import rarewood as rw
    >>> rw.make("hddt")
    TreeClassifier(nominal='multiway')
    >>> rw.make("bagged-hddt", n_estimators=30, random_state=0)
    ForestClassifier(max_features=None, n_estimators=30, nominal='multiway', random_state=0)
    >>> rw.make("alpha-tree", alpha=1.5).criterion
    AlphaDivergence(alpha=1.5, reference='marginal')
    >>> rw.make("bagged-hddt+patterns", patterns__n_estimators=50)
    Pipeline(steps=[('patterns', PatternOversampler(n_estimators=50)),
                    ('model', ForestClassifier(max_features=None, nominal='multiway'))])
    >>> rw.make("hdt")
    Traceback (most recent call last):
        ...
    ValueError: unknown recipe 'hdt', did you mean 'hddt'? Accepted are c4.4, c4.5, ...
    """
    known = recipes()
    method = name.removesuffix(SUFFIX)
    if method not in known:
        raise ValueError(
            f"unknown recipe {name!r}{did_you_mean(method, known)} Accepted are {', '.join(known)}; {SUFFIX!r} may follow."
        )
    recipe = known[method]
    return recipe.make(**params) if method == name else WithPatterns(recipe).make(**params)


def recipes() -> Recipes:
    """All methods that :func:`make` knows.

    Returns
    -------
    Mapping of str to Recipe
        Trees first, then ensembles. Printed, it is a table of the names and what they stand for.

    See Also
    --------
    make : A classifier by its name.

    Examples
    --------
    >>> import rarewood as rw
    >>> recipe = rw.recipes()["hedex"]
    >>> recipe.description
    'Hellinger extra-trees: every row, 10 random cuts per column, Laplace leaves'
    >>> recipe.reference
    'Kang and Ramamohanarao, PAKDD 2014'
    >>> recipe.make(n_estimators=10)
    HeDExClassifier(n_estimators=10)

    A comparison of several methods is a loop:

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = make_classification(n_samples=300, weights=[0.9], random_state=0)
    >>> for name in ["c4.5", "c4.4", "bagged-hddt"]:
    ...     auc = cross_val_score(rw.make(name, random_state=0), X, y, scoring="roc_auc").mean()
    ...     print(f"{name:12} {auc:.2f}")
    c4.5         ...
    c4.4         ...
    bagged-hddt  ...
    """
    return _REGISTRY


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
        unknown = [name for name in params if name not in self.parameters]
        if unknown:
            raise TypeError(
                f"recipe {self.name!r} has no parameter {', '.join(map(repr, unknown))}"
                f"{did_you_mean(unknown[0], self.parameters)} Accepted are {', '.join(self.parameters)}."
            )
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


# ---------------------------------------------------------------------------------------------------------
# bagged logistic regression


def _bagged_logistic_regression(
    n_estimators: int = 100,
    *,
    C: float = 1.0,
    max_iter: int = 1000,
    categorical_features: Any = "from_dtype",
    class_weight: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> Any:
    """scikit-learn's logistic regression, bagged, for the tables that trees take.

    Numbers are imputed by the median and scaled, nominal columns one-hot encoded with missing as a category of its own. This
    happens once, before the rows are drawn, because bagging hands its members arrays without column types. The regression
    gets a bootstrap as weights, so a bag without any row of a rare class is no error.
    """
    from sklearn.ensemble import BaggingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    regression = LogisticRegression(C=C, max_iter=max_iter, class_weight=class_weight)
    return make_pipeline(
        columns_for_regression(categorical_features),
        BaggingClassifier(regression, n_estimators, n_jobs=n_jobs, random_state=random_state),
    )


def columns_for_regression(categorical_features: Any, max_categories: int | None = None) -> Any:
    """A transformer of the tables that trees take: numbers imputed by the median and scaled, nominal columns one-hot."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler())
    categories = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=max_categories, sparse_output=False)
    return make_column_transformer(
        (numbers, Columns(categorical_features, nominal=False)),
        (categories, Columns(categorical_features, nominal=True)),
    )


@dataclass(frozen=True)
class Columns:
    """Selects the nominal or the numeric columns of a table, by the rules of the trees; for a `ColumnTransformer`."""

    categorical_features: Any
    nominal: bool

    def __call__(self, X: Any) -> list[int]:
        encoder = TableEncoder(self.categorical_features)
        encoder.fit_transform(read_table(BaseEstimator(), X, reset=True))
        return [i for i, levels in enumerate(encoder.categories) if (levels is not None) == self.nominal]


# ---------------------------------------------------------------------------------------------------------
# decompositions


class _Decomposed:
    """A decomposition over a tree, with the parameters of both side by side.

    `class_weight` is about the classes of y, so it goes to the decomposition; a seed goes to both.
    """

    def __init__(self, decomposition: type[OneVsAllClassifier] | type[ECOCClassifier]) -> None:
        self._decomposition = decomposition
        outside = inspect.signature(decomposition).parameters
        inside = inspect.signature(TreeClassifier).parameters
        self._outside = [name for name in outside if name != "estimator"]
        self._inside = [name for name in inside if name not in self._outside or name == "random_state"]
        both = {**inside, **outside}
        del both["estimator"]
        self.__signature__ = inspect.Signature([each.replace(kind=each.KEYWORD_ONLY) for each in both.values()])

    def __call__(self, **params: Any) -> Any:
        tree = TreeClassifier(**{name: value for name, value in params.items() if name in self._inside})
        return self._decomposition(tree, **{name: value for name, value in params.items() if name in self._outside})


_one_vs_all = _Decomposed(OneVsAllClassifier)
_ecoc = _Decomposed(ECOCClassifier)


# ---------------------------------------------------------------------------------------------------------
# the registry

# C4.5 makes a leaf of fewer than four cases, twice the two that a branch needs.
_C45 = {"criterion": "c45", "nominal": "multiway", "min_samples_split": 4}
# Nominal attributes of more than two categories were dummy-coded.
_ALPHA = {"nominal": "one_vs_rest", "smoothing": 0.0}

_IHD = "Akash et al., IJCAI 2019"
_BEAT = "Park and Ghosh, MCS 2011"
_HEDEX = "Kang and Ramamohanarao, PAKDD 2014"
_MC = "Hoens, Qian, Chawla and Zhou, PAKDD 2012"

# Akash et al. do not say how a leaf scores; the trees they compare get Laplace leaves, as HDDT, so that only the criterion
# differs between them.
_REGISTRY = Recipes(
    Recipe(
        "c4.4",
        "C4.5 for ranking: unpruned, Laplace leaves, one branch per category",
        "Provost and Domingos, Machine Learning 52, 2003",
        TreeClassifier,
        _C45,
    ),
    Recipe(
        "c4.5",
        "C4.5: gain ratio among attributes of average gain, pessimistic pruning, raw leaves, one branch per category",
        "Quinlan, Morgan Kaufmann 1993",
        TreeClassifier,
        {**_C45, "pruning": "pessimistic", "smoothing": 0.0},
    ),
    Recipe(
        "gini",
        "unpruned tree by the Gini index, Laplace leaves",
        "Breiman et al., Wadsworth 1984",
        TreeClassifier,
        {"criterion": "gini"},
    ),
    Recipe(
        "entropy",
        "unpruned tree by information gain, Laplace leaves",
        "Quinlan, Machine Learning 1, 1986",
        TreeClassifier,
        {"criterion": "entropy"},
    ),
    Recipe(
        "gain-ratio",
        "unpruned tree by the plain gain ratio over all splits, Laplace leaves",
        "Quinlan, Machine Learning 1, 1986",
        TreeClassifier,
        {"criterion": "gain_ratio"},
    ),
    Recipe(
        "dcsm",
        "unpruned tree by the number of distinct classes in the children, Laplace leaves",
        "Chandra, Kothari and Paul, Pattern Recognition 43, 2010",
        TreeClassifier,
        {"criterion": "dcsm"},
    ),
    Recipe(
        "hddt",
        "unpruned tree by the Hellinger distance between the classes, Laplace leaves, one branch per category",
        "Cieslak and Chawla, ECML PKDD 2008; more than two classes: Hoens et al., PAKDD 2012",
        TreeClassifier,
        {"nominal": "multiway"},
    ),
    Recipe(
        "ccpdt",
        "unpruned tree by the entropy of class confidence proportions, Laplace leaves",
        "Liu, Chawla, Cieslak and Chawla, SDM 2010",
        TreeClassifier,
        {"criterion": "ccp_entropy"},
    ),
    Recipe(
        "ihd",
        "unpruned tree by the Hellinger distance between node and children, Laplace leaves",
        _IHD,
        TreeClassifier,
        {"criterion": "ihd"},
    ),
    Recipe(
        "ihdw",
        "as ihd, with children weighted by how much of each class they miss",
        _IHD,
        TreeClassifier,
        {"criterion": "ihdw"},
    ),
    Recipe(
        "alpha-tree",
        "fully grown tree by the alpha divergence, raw leaves; takes alpha and reference",
        _BEAT,
        TreeClassifier,
        {"criterion": AlphaDivergence(), **_ALPHA},
    ),
    Recipe(
        "beat",
        "30 bagged alpha-trees with alpha/2 drawn from Beta(a, b), raw leaves",
        _BEAT,
        BEATClassifier,
        _ALPHA,
    ),
    Recipe(
        "hedex",
        "Hellinger extra-trees: every row, 10 random cuts per column, Laplace leaves",
        _HEDEX,
        HeDExClassifier,
    ),
    Recipe(
        "hedexh",
        "as hedex, with lines through two columns",
        _HEDEX,
        HeDExhClassifier,
    ),
    Recipe(
        "extra-trees",
        "every row, one random cut per column, Gini; Laplace leaves as in the comparison with HeDEx (smoothing=0.0: raw)",
        "Geurts, Ernst and Wehenkel, Machine Learning 63, 2006",
        ForestClassifier,
        {"criterion": "gini", "splitter": "random", "n_cuts": 1, "sampling": "all"},
    ),
    Recipe(
        "bagged-hddt",
        "100 bootstraps of hddt on all columns, mean of Laplace leaves",
        "Cieslak et al., Data Mining and Knowledge Discovery 24, 2012",
        ForestClassifier,
        {"max_features": None, "nominal": "multiway"},
    ),
    Recipe(
        "bagged-c4.5",
        "100 bootstraps of pruned c4.5 on all columns, mean of Laplace leaves",
        f"Breiman, Machine Learning 24, 1996; settings of {_HEDEX}",
        ForestClassifier,
        {**_C45, "pruning": "pessimistic", "max_features": None},
    ),
    Recipe(
        "bagged-lr",
        "100 bootstraps of scikit-learn's logistic regression on one-hot encoded and scaled columns",
        f"Breiman, Machine Learning 24, 1996; baseline of {_HEDEX}",
        _bagged_logistic_regression,
    ),
    Recipe(
        "brf",
        "balanced random forest: equally many rows of each class for every tree, Gini, raw leaves",
        "Chen, Liaw and Breiman, University of California 2004",
        BalancedForestClassifier,
    ),
    Recipe(
        "ova-hddt",
        "one hddt per class, that class against the rest",
        _MC,
        _one_vs_all,
        {"nominal": "multiway"},
    ),
    Recipe(
        "ova-c4.4",
        "one c4.4 per class, that class against the rest",
        _MC,
        _one_vs_all,
        _C45,
    ),
    Recipe(
        "ecoc-hddt",
        "one hddt for every division of the classes in two (up to 11 classes; beyond, code='dense')",
        _MC,
        _ecoc,
        {"nominal": "multiway"},
    ),
    Recipe(
        "ecoc-c4.4",
        "one c4.4 for every division of the classes in two (up to 11 classes; beyond, code='dense')",
        _MC,
        _ecoc,
        _C45,
    ),
    Recipe(
        "biased-ranking",
        "votes of five forests that lean towards the rare class, after cleaning by forests that lean against it; C4.5 trees",
        "Gu, Zhou and Zuo, IDEAL 2007",
        BiasedRankingClassifier,
    ),
)
