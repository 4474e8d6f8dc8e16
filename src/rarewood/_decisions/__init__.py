"""From the scores of trees to decisions: mixtures of forests, calibration, thresholds, costs of rows, other priors."""

from rarewood._decisions._calibration import LEAST_PROBABILITY, Calibration, fit_calibration
from rarewood._decisions._choice import (
    choose_for_model,
    choose_for_probabilities,
    choose_for_scores,
)
from rarewood._decisions._costs import check_pair, labels_by_costs, pays
from rarewood._decisions._deciding import AnswersForPriors, PredictsByProbability
from rarewood._decisions._effects import ColumnEffects, PairEffect
from rarewood._decisions._f1 import best_f1_cut, half_best_f1
from rarewood._decisions._gain import is_sure_gain
from rarewood._decisions._label_rate import AnswersForLabelRates
from rarewood._decisions._learning import (
    Learned,
    learn_mixture,
    log_likelihoods,
    mixed_scores,
    sharpened,
    with_effects,
)
from rarewood._decisions._mixture import mixture_weights
from rarewood._decisions._prior import carry_threshold, odds_factor, prior_factors, read_prior, shift_prior
from rarewood._decisions._score import Score
from rarewood._decisions._sharpening import UNCHANGED, Sharpening
from rarewood._decisions._triage import Triage

__all__ = [
    "LEAST_PROBABILITY",
    "UNCHANGED",
    "AnswersForLabelRates",
    "AnswersForPriors",
    "Calibration",
    "ColumnEffects",
    "Learned",
    "PairEffect",
    "PredictsByProbability",
    "Score",
    "Sharpening",
    "Triage",
    "best_f1_cut",
    "carry_threshold",
    "check_pair",
    "choose_for_model",
    "choose_for_probabilities",
    "choose_for_scores",
    "fit_calibration",
    "half_best_f1",
    "is_sure_gain",
    "labels_by_costs",
    "learn_mixture",
    "log_likelihoods",
    "mixed_scores",
    "mixture_weights",
    "odds_factor",
    "pays",
    "prior_factors",
    "read_prior",
    "sharpened",
    "shift_prior",
    "with_effects",
]
