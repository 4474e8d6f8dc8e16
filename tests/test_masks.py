"""Masked is missing: what takes an array gives for a masked cell what it gives for a missing one, or refuses it in the same words.

Callables and their parameters are discovered. How one is called, and which of its arguments are arrays, is declared in `CALLS`.
"""

import inspect
from functools import cache

import numpy as np
import pytest
from sklearn.base import is_classifier

import rarewood as rw
from rarewood import evaluation, inspection, metrics, monitoring, report, sampling, statistics
from rarewood.ensemble import fit_threshold

N = 90
RNG = np.random.default_rng(0)
Y = (np.arange(N) % 3 == 0).astype(int)
X = RNG.normal(size=(N, 3)) + Y[:, np.newaxis]
WORDS = np.where(Y == 1, "rare", "rest")
WEIGHTS = RNG.integers(1, 4, N).astype(float)
GROUPS = np.arange(N) // 3
CHANCES = np.clip(0.5 * Y + RNG.random(N) / 2, 0.01, 0.99)
PROBABILITIES = np.column_stack([1 - CHANCES, CHANCES])
DAYS = np.datetime64("2024-01-01") + np.arange(N)
TABLE = RNG.random((8, 3))  # of scores: data sets by methods
HIDDEN = {"f": 999.0, "i": 1, "U": "rare", "M": np.datetime64("1999-12-31"), "b": True}

FIXED = {"n_estimators": 4, "random_state": 0, "oob_score": True}


def made(cls):
    model = cls()
    return model.set_params(**{name: value for name, value in FIXED.items() if name in model.get_params()})


@cache
def fitted(cls):
    return made(cls).fit(X, Y)


@cache
def rare_model():
    return rw.RareClassifier(20, threshold="f1", random_state=0).fit(X, Y)


def threshold():
    return metrics.choose_threshold(Y, CHANCES)


def learned(model):
    return model.predict_proba(X)


FUNCTIONS = {
    "evaluation.compare": (
        lambda X, y, groups, time: evaluation.compare(
            {"tree": rw.TreeClassifier(random_state=0)},
            {"d": (X, y)},
            "1x2",
            "auc",
            groups=groups,
            time=time,
            progress=False,
        ).table("auc"),
        {"X": X, "y": Y, "groups": GROUPS, "time": DAYS},
    ),
    "evaluation.learning_curve": (
        lambda **given: str(
            evaluation.learning_curve(rw.TreeClassifier(random_state=0), shares=(0.5, 1.0), **given).points
        ),
        {"X": X, "y": Y, "groups": GROUPS},
    ),
    "evaluation.time_split": (lambda **given: vars(evaluation.time_split(**given)), {"times": DAYS, "groups": GROUPS}),
    "ensemble.fit_threshold": (
        lambda **given: fit_threshold(rw.TreeClassifier(max_depth=2).fit(X, Y), cv=2, **given),
        {"X": X, "y": Y, "groups": GROUPS},
    ),
    "inspection.explain": (lambda X: inspection.explain(fitted(rw.HeDExClassifier), X).values, {"X": X}),
    "inspection.extract_patterns": (
        lambda X, y, held_X, held_y: inspection.extract_patterns(
            fitted(rw.HeDExClassifier), X, y, held_out=(held_X, held_y)
        ).text(),
        {"X": X, "y": Y, "held_X": X, "held_y": Y},
    ),
    "inspection.find_rules": (
        lambda X, y, held_X, held_y: inspection.find_rules(
            X, y, n_rules=1, random_state=0, held_out=(held_X, held_y)
        ).text(),
        {"X": X, "y": Y, "held_X": X, "held_y": Y},
    ),
    "metrics.balanced_accuracy": (metrics.balanced_accuracy, {"y_true": Y, "y_pred": 1 - Y}),
    "metrics.brier_score": (metrics.brier_score, {"y_true": WORDS, "y_proba": CHANCES}),
    "metrics.choose_threshold": (
        metrics.choose_threshold,
        {"y_true": Y, "scores": CHANCES, "sample_weight": WEIGHTS, "groups": GROUPS},
    ),
    "metrics.coefficient_of_variation": (metrics.coefficient_of_variation, {"y": Y}),
    "metrics.g_mean": (metrics.g_mean, {"y_true": WORDS, "y_pred": WORDS[::-1].copy()}),
    "metrics.hand_till_auc": (metrics.hand_till_auc, {"y_true": Y, "y_score": PROBABILITIES}),
    "metrics.imbalance_ratio": (metrics.imbalance_ratio, {"y": WORDS}),
    "metrics.minority_f1": (metrics.minority_f1, {"y_true": WORDS, "y_pred": WORDS[::-1].copy()}),
    "metrics.rare_auc": (metrics.rare_auc, {"y_true": Y, "y_score": CHANCES}),
    "metrics.rare_average_precision": (metrics.rare_average_precision, {"y_true": Y, "y_score": CHANCES}),
    "metrics.rarest_label": (metrics.rarest_label, {"y": Y}),
    "metrics.weighted_auroc": (metrics.weighted_auroc, {"y_true": Y, "y_score": PROBABILITIES}),
    "monitoring.estimate": (
        lambda **labelled: monitoring.estimate(labelled),
        {"chosen": np.repeat(["highest", "drawn"], N // 2), "weight": WEIGHTS, "alarm": Y == 1, "label": Y},
    ),
    "monitoring.estimate_prior": (lambda X_new: monitoring.estimate_prior(rare_model(), X_new), {"X_new": X}),
    "monitoring.monitor": (
        lambda **given: monitoring.monitor(rare_model(), **given).to_dict(),
        {"X_new": X, "y_new": Y, "times": DAYS},
    ),
    "monitoring.recalibrate": (
        lambda **given: learned(monitoring.recalibrate(rare_model(), **given)),
        {"X": X, "y": Y, "sample_weight": WEIGHTS},
    ),
    "monitoring.review": (lambda X: monitoring.review(rare_model(), X, 20, random_state=0).columns(), {"X": X}),
    "report.check": (lambda **given: str(report.check(**given)), {"X": X, "y": Y}),
    "report.summarise": (
        lambda X, y, train_X, train_y, times, segment, other: report.summarise(
            fitted(rw.HeDExClassifier),
            X,
            y,
            train=(train_X, train_y),
            times=times,
            segments={"segment": segment},
            others={"other": other},
            n_rules=0,
            baseline=False,
            learning_curve=False,
        ),
        {"X": X, "y": Y, "train_X": X, "train_y": Y, "times": DAYS, "segment": WORDS, "other": CHANCES},
    ),
    "statistics.average_ranks": (statistics.average_ranks, {"scores": TABLE}),
    "statistics.corrected_paired_t": (
        lambda a, b: statistics.corrected_paired_t(a, b, n_train=80, n_test=10),
        {"a": TABLE[:, 0], "b": TABLE[:, 1]},
    ),
    "statistics.friedman": (statistics.friedman, {"scores": TABLE}),
    "statistics.friedman_of_ranks": (
        lambda ranks: statistics.friedman_of_ranks(ranks, 14),
        {"ranks": np.array([3.0, 2.0, 3.0, 2.0])},
    ),
    "statistics.holm": (statistics.holm, {"p_values": TABLE[:, 0]}),
    "statistics.rank_scores": (statistics.rank_scores, {"scores": TABLE}),
    "statistics.tied_groups": (
        lambda ranks: statistics.tied_groups(ranks, 1.0),
        {"ranks": np.array([3.0, 2.0, 3.0, 2.0, 1.5])},
    ),
    "statistics.wilcoxon_holm": (statistics.wilcoxon_holm, {"scores": TABLE}),
    "statistics.win_draw_loss": (
        statistics.win_draw_loss,
        {"a": TABLE[:, 0], "b": TABLE[:, 1], "p_values": TABLE[:, 2]},
    ),
    "criteria.score": (
        lambda counts: rw.criteria.score("gini", counts),
        {"counts": np.array([[3, 1], [0, 4], [5, 1], [2, 2]])},
    ),
    "ensemble.Calibration.apply": (
        lambda probabilities: rare_model().calibration_.apply(probabilities),
        {"probabilities": PROBABILITIES},
    ),
    "ensemble.RareClassifier.decide": (
        lambda X, alarm, miss, matrices: (
            fitted(rw.RareClassifier).decide(X, costs=(alarm, miss)),
            fitted(rw.RareClassifier).decide(X, costs=matrices),
        ),
        {"X": X, "alarm": WEIGHTS, "miss": 20 * WEIGHTS, "matrices": np.array([[0.0, 1.0], [20.0, 0.0]])},
    ),
    "ensemble.Triage.apply": (lambda scores: rare_model().triage_.apply(scores), {"scores": CHANCES}),
    "export.ShapModel.encode": (
        lambda X: rw.export.to_shap(fitted(rw.HeDExClassifier)).encode(X),
        {"X": X},
    ),
    "inspection.Patterns.covers": (
        lambda X: inspection.extract_patterns(fitted(rw.HeDExClassifier)).covers(X),
        {"X": X},
    ),
    "inspection.RuleSet.covers": (lambda X: rule_set().covers(X), {"X": X}),
    "metrics.DecisionThreshold.apply": (lambda scores: threshold().apply(scores), {"scores": CHANCES}),
    "metrics.DecisionThreshold.labels": (
        lambda probabilities: threshold().labels(probabilities, np.array([0, 1])),
        {"probabilities": PROBABILITIES},
    ),
    "metrics.Scorer": (
        lambda X, y: metrics.scorers()["minority_f1"](fitted(rw.HeDExClassifier), X, y),
        {"X": X, "y": Y},
    ),
    "monitoring.TrainingMemory.dated": (lambda times: rare_model().memory_.dated(times).period, {"times": DAYS}),
}

ELSEWHERE = {
    "evaluation.Comparison.part": "takes names of data sets",
    "report.build": "hands everything to summarise",
    "metrics.Scorer": "is called itself",
    "ensemble.Calibration.log_odds": "is called with probabilities of ours",
    "ensemble.Triage.choose": "is called by fit, with arrays of ours",
    "monitoring.Review.of_scores": "is called by review, with arrays of ours",
}
ARRAYS = {
    *("X", "y", "X_new", "y_new", "sample_weight", "groups", "time", "times", "scores", "probabilities", "costs"),
    *("y_true", "y_pred", "y_proba", "y_score", "a", "b", "p_values", "ranks", "counts", "labelled", "datasets"),
}
WITHOUT_ROWS = ("datasets", "distributed", "exceptions", "reproduction")  # rows come from files, or as frames


@cache
def rule_set():
    return inspection.find_rules(X, Y, n_rules=1, random_state=0)


def takes_arrays(function):
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    return any(name in ARRAYS or "ArrayLike" in str(each.annotation) for name, each in parameters.items())


def public_callables():
    """The full name of each public function and method that takes arrays."""
    modules = [getattr(rw, name) for name in rw.__all__ if name not in WITHOUT_ROWS]
    for module in filter(inspect.ismodule, modules):
        home = module.__name__.removeprefix("rarewood.")
        for name in module.__all__:
            item = getattr(module, name)
            if inspect.isclass(item):
                for method, function in inspect.getmembers(item, callable):
                    if not method.startswith(("_", "set_")) and takes_arrays(function):
                        yield f"{home}.{name}.{method}", item
            elif callable(item) and takes_arrays(item):
                yield f"{home}.{name}", item


def method_call(cls, method):
    """A method of an estimator, and its arguments."""
    known = {"X": X, "y": Y, "sample_weight": WEIGHTS}
    if cls is rw.RareClassifier or "oob_score" in cls().get_params():  # groups are for out-of-bag scores
        known["groups"] = GROUPS
    given = {name: known[name] for name in inspect.signature(getattr(cls, method)).parameters if name in known}

    def call(**given):
        if method == "fit":
            model = made(cls).fit(**given)
            return model.predict_proba(X) if is_classifier(model) else model.sampling_strategy_
        model = made(cls) if method == "fit_resample" else fitted(cls)
        return getattr(model, method)(**given)

    return call, given


def calls():
    for name, cls in public_callables():
        if name in FUNCTIONS or name in ELSEWHERE:
            continue
        home, *rest = name.split(".")
        if home in ("decomposition", "ensemble", "sampling", "tree") and len(rest) == 2 and hasattr(cls, "get_params"):
            call, given = method_call(cls, rest[1])
            yield name, call, given
        else:
            yield name, None, {"?": None}
    for name, (call, given) in FUNCTIONS.items():
        yield name, call, given


def missing_and_masked(values):
    """An array with some cells missing, and one that masks them and hides something else there."""
    mask = np.zeros(values.shape, dtype=bool)
    mask[1], mask[4 % len(values)] = True, True
    if values.ndim == 2:
        mask[:, 0] = False
    hidden = values.copy()
    hidden[mask] = HIDDEN[values.dtype.kind]
    kind = values.dtype.kind
    missing = values.astype(float if kind in "fi" else values.dtype if kind == "M" else object)
    missing[mask] = np.nan if kind in "fi" else np.datetime64("NaT") if kind == "M" else None
    return missing, np.ma.MaskedArray(hidden, mask)


def told(found):
    """What a result says, in plain values."""
    if isinstance(found, dict):
        return {str(key): told(value) for key, value in found.items()}
    if isinstance(found, (list, tuple)):
        return [told(each) for each in found]
    if hasattr(found, "toarray"):
        return told(found.toarray())
    return np.asarray(found).astype(object).tolist().__repr__() if isinstance(found, np.ndarray) else repr(found)


def outcome(call, given):
    try:
        return told(call(**given))
    except (ValueError, TypeError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.filterwarnings("ignore::rarewood.exceptions.RarewoodWarning")
@pytest.mark.parametrize(
    ("call", "given", "name"),
    [pytest.param(call, given, name, id=f"{of}-{name}") for of, call, given in calls() for name in given],
)
def test_masked_is_missing(call, given, name):
    assert call is not None, "takes arrays: say in FUNCTIONS how it is called, or in ELSEWHERE why it is not"
    missing, masked = missing_and_masked(given[name])
    call(**given)  # without missing cells it is accepted
    assert outcome(call, {**given, name: masked}) == outcome(call, {**given, name: missing})


def test_a_sampler_gives_no_hidden_cell_back():
    masked = missing_and_masked(X)[1]
    for cls in (sampling.PatternOversampler, sampling.BiasedForestCleaner):
        rows, _ = made(cls).fit_resample(masked, Y)
        assert not (rows == HIDDEN["f"]).any()
        assert np.isnan(rows).any()
