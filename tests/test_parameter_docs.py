"""A parameter that several public estimators share is explained in the same words, unless it means something else there."""

import inspect
import re
from collections import defaultdict

import pytest

import rarewood as rw

DECOMPOSITIONS = ("ECOCClassifier", "OneVsAllClassifier")
BIASED = ("BiasedForestCleaner", "BiasedRankingClassifier")

# Estimators that explain a parameter in words of their own, and why.
OWN_WORDS = {
    "class_weight": {
        "ECOCClassifier": "weighs rows of a binary problem, not counts of a tree",
        "OneVsAllClassifier": "weighs rows of a binary problem, not counts of a tree",
        "RareClassifier": "weighs out-of-bag rows, too",
    },
    "criterion": dict.fromkeys(BIASED, "says which known tree this and the following defaults make"),
    "estimator": {"OneVsAllClassifier": "one side of each problem is a single class"},
    "max_features": {
        "BEATClassifier": "names the paper's choice",
        "HeDExhClassifier": "counts pairs of columns",
        "PatternOversampler": "is about the trees that patterns come from",
    },
    "min_samples_leaf": {"PatternOversampler": "is about the tree that judges new rows"},
    "monotonic_cst": dict.fromkeys(("BiasedRankingClassifier", "RareClassifier"), "knows which class is the rare one"),
    "n_cuts": {
        "HeDExClassifier": "has one splitter only",
        "HeDExhClassifier": "draws lines",
        "PatternOversampler": "is about the trees that patterns come from",
    },
    "n_estimators": {
        "BiasedForestCleaner": "counts the trees that judge a part",
        "BiasedRankingClassifier": "has several forests",
        "PatternOversampler": "is about the trees that patterns come from",
        "RareClassifier": "has several families",
    },
    "n_jobs": dict.fromkeys(DECOMPOSITIONS, "has an estimator with an n_jobs of its own"),
    "positive": {"BiasedForestCleaner": "merges all other classes"},
    "random_state": {
        "BiasedForestCleaner": "has no forest that a larger one could begin with",
        "BiasedRankingClassifier": "begins with the iterations of a shorter ranking",
        "ECOCClassifier": "draws a code only",
        "PatternOversampler": "has no forest that a larger one could begin with",
        "RareClassifier": "divides its trees among families",
        "RuleSetClassifier": "has no forest that a larger one could begin with",
        "TreeClassifier": "makes no random choice by default",
    },
    "ratio": {"BiasedForestCleaner": "leans to the majority", "BiasedRankingClassifier": "leans to the rare class"},
    "sampling_strategy": {"BiasedForestCleaner": "removes rows", "PatternOversampler": "adds rows"},
    "smoothing": {"BEATClassifier": "names the paper's choice"},
    "threshold": {
        "BiasedForestCleaner": "is a share of trees, above which rows go",
        "BiasedRankingClassifier": "is a share of trees, below which rows go",
        "RareClassifier": "is a rule for decisions",
    },
    "warm_start": {"RareClassifier": "learns a mixture again"},
}


def entries_of(cls):
    """The type, without its default, and the text of each parameter."""
    section = re.split(r"\n\w.*\n-{4,}\n", inspect.getdoc(cls).partition("Parameters\n----------\n")[2])[0]
    found = re.findall(r"^(\w[\w, ]*) : (.*)\n((?:(?:    .*)?\n?)*)", section, re.MULTILINE)
    return {
        name: (re.sub(r",? ?default=.*", "", kind), " ".join(text.split()))
        for names, kind, text in found
        for name in names.split(", ")
    }


def shared_parameters():
    """The entries of each parameter by estimator, where several estimators have it."""
    found = defaultdict(dict)
    for name in rw.__all__:
        if inspect.isclass(cls := getattr(rw, name)):
            for parameter, entry in entries_of(cls).items():
                found[parameter][name] = entry
    return {parameter: entries for parameter, entries in found.items() if len(entries) > 1}


SHARED = shared_parameters()


@pytest.mark.parametrize("parameter", sorted(SHARED))
def test_shared_parameters_have_the_same_text(parameter):
    own = OWN_WORDS.get(parameter, {})
    common = {name: entry for name, entry in SHARED[parameter].items() if name not in own}
    assert len(set(common.values())) <= 1, common


@pytest.mark.parametrize("parameter", sorted(OWN_WORDS))
def test_exceptions_are_needed(parameter):
    """An estimator whose words have become those of others is no exception any more."""
    own = OWN_WORDS[parameter]
    common = {entry for name, entry in SHARED[parameter].items() if name not in own}
    for name in own:
        assert SHARED[parameter][name] not in common, name


def test_entries_are_read_in_full():
    assert set(entries_of(rw.RareClassifier)) == set(inspect.signature(rw.RareClassifier).parameters)
    assert entries_of(rw.RuleSetClassifier)["random_state"] == ("int, RandomState instance or None", "Seed.")
