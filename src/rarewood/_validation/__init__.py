"""Parameters, labels and weights: from what a user passed to what the core wants, and the words when that fails."""

from rarewood._validation._arrays import is_missing, read_labels, read_numbers
from rarewood._validation._labels import (
    Labels,
    Weights,
    check_sample_weight,
    class_weights_of,
    column_of,
    encode_labels,
    rarest_class,
    rarest_label,
    resolve_class_weight,
    training_weights,
)
from rarewood._validation._masks import unmasked
from rarewood._validation._parameters import (
    NONE,
    SEED,
    Choice,
    Constraint,
    Fraction,
    Instance,
    Integer,
    Number,
    check_parameter,
    check_parameters,
)
from rarewood._validation._refits import keeps_model_unless_done, sees_one_model
from rarewood._validation._words import did_you_mean, import_optional

__all__ = [
    "NONE",
    "SEED",
    "Choice",
    "Constraint",
    "Fraction",
    "Instance",
    "Integer",
    "Labels",
    "Number",
    "Weights",
    "check_parameter",
    "check_parameters",
    "check_sample_weight",
    "class_weights_of",
    "column_of",
    "did_you_mean",
    "encode_labels",
    "import_optional",
    "is_missing",
    "keeps_model_unless_done",
    "rarest_class",
    "rarest_label",
    "read_labels",
    "read_numbers",
    "resolve_class_weight",
    "sees_one_model",
    "training_weights",
    "unmasked",
]
