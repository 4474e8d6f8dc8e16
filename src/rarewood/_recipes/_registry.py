"""The settings under which papers ran their methods.

To add a method, append a `Recipe`: where its paper is silent, the description or a comment says what was chosen. Everything else
(`make`, `recipes`, the command, tests) follows.
"""

from __future__ import annotations

from rarewood._recipes._decomposed import ecoc, one_vs_all
from rarewood._recipes._recipe import Recipe, Recipes
from rarewood._recipes._regression import bagged_logistic_regression
from rarewood.criteria import AlphaDivergence
from rarewood.ensemble import (
    BalancedForestClassifier,
    BEATClassifier,
    BiasedRankingClassifier,
    ForestClassifier,
    HeDExClassifier,
    HeDExhClassifier,
    RareClassifier,
    RuleSetClassifier,
)
from rarewood.tree import TreeClassifier

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
REGISTRY = Recipes(
    Recipe(
        "c4.4",
        "C4.5 for ranking: unpruned, Laplace leaves, one branch per category",
        "Provost and Domingos, Machine Learning 52, 2003",
        TreeClassifier,
        _C45,
    ),
    Recipe(
        "c4.5",
        "C4.5: gain ratio among attributes of at least average gain, pessimistic pruning, raw leaves, one branch per "
        "category",
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
        "like ihd, but with children weighted by how much of each class they miss",
        _IHD,
        TreeClassifier,
        {"criterion": "ihdw"},
    ),
    Recipe(
        "alpha-tree",
        "fully grown tree by the alpha divergence, raw leaves; parameters alpha and reference",
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
        "like hedex, but with lines through two columns",
        _HEDEX,
        HeDExhClassifier,
    ),
    Recipe(
        "extra-trees",
        "extra-trees: every row, one random cut per column, Gini; Laplace leaves as in the HeDEx paper "
        "(smoothing=0.0: raw)",
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
        bagged_logistic_regression,
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
        one_vs_all,
        {"nominal": "multiway"},
    ),
    Recipe(
        "ova-c4.4",
        "one c4.4 per class, that class against the rest",
        _MC,
        one_vs_all,
        _C45,
    ),
    Recipe(
        "ecoc-hddt",
        "one hddt for every division of the classes into two groups (for more than 11 classes, set code='dense')",
        _MC,
        ecoc,
        {"nominal": "multiway"},
    ),
    Recipe(
        "ecoc-c4.4",
        "one c4.4 for every division of the classes into two groups (for more than 11 classes, set code='dense')",
        _MC,
        ecoc,
        _C45,
    ),
    Recipe(
        "biased-ranking",
        "votes of five forests biased towards the rare class, after cleaning by forests biased against it; C4.5 trees",
        "Gu, Zhou and Zuo, IDEAL 2007",
        BiasedRankingClassifier,
    ),
    Recipe(
        "rare",
        "the default: families of trees; mixture, calibration and threshold come from out-of-bag rows",
        "rarewood; calibration: Kull et al., AISTATS 2017; threshold: Lipton et al., ECML PKDD 2014",
        RareClassifier,
    ),
    Recipe(
        "rule-set",
        "at most ten rules of at most four conditions, weighted by a logistic regression; two classes",
        "docs/rules.md",
        RuleSetClassifier,
    ),
)
