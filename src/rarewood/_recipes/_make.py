"""A method by its name."""

from __future__ import annotations

from typing import Any

from rarewood._recipes._others import OTHERS
from rarewood._recipes._recipe import Recipes
from rarewood._recipes._registry import REGISTRY
from rarewood._recipes._with_patterns import SUFFIX, WithPatterns
from rarewood._validation import did_you_mean


def make(name: str, **params: Any) -> Any:
    """Make a classifier by the name of its method.

    Parameters
    ----------
    name : str
        A name that :func:`recipes` lists, such as ``"hddt"`` or ``"bagged-c4.5"``. If it ends in ``"+patterns"``, the
        smallest class is first oversampled by :class:`rarewood.PatternOversampler`. ``"lightgbm"``, ``"xgboost"``, ``"catboost"``,
        ``"random-forest"`` and ``"logistic-regression"`` are methods of other libraries, for comparisons on the same tables;
        they take ``settings``, a dictionary of parameters of the library's own classifier.
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
    ImportError
        If it is a method of a library that is not installed.

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
    Pipeline(steps=[('patterns',
                     PatternOversampler(n_estimators=50,
                                        sampling_strategy='minority')),
                    ('model',
                     ForestClassifier(max_features=None, nominal='multiway'))])
    >>> rw.make("hdt")
    Traceback (most recent call last):
        ...
    ValueError: unknown recipe 'hdt', did you mean 'hddt'? Choose from c4.4, c4.5, ...
    """
    known = {**recipes(), **OTHERS}
    method = name.removesuffix(SUFFIX)
    if method not in known:
        raise ValueError(
            f"unknown recipe {name!r}{did_you_mean(method, known)} Choose from {', '.join(known)}; each may end in "
            f"{SUFFIX!r}."
        )
    recipe = known[method]
    return recipe.make(**params) if method == name else WithPatterns(recipe).make(**params)


def recipes() -> Recipes:
    """List all methods of this package that :func:`make` knows.

    Returns
    -------
    Mapping of str to Recipe
        Trees first, then ensembles. Prints as a table of names and descriptions.

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
    c4.5         0.85
    c4.4         0.90
    bagged-hddt  0.94
    """
    return REGISTRY
