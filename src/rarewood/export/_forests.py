"""Forests in model files: their trees, and what they have learned besides, such as calibration, families and alphas."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarewood._core import Forest
from rarewood._decisions import Calibration, Triage
from rarewood._validation import column_of
from rarewood.ensemble import BEATClassifier, RareClassifier
from rarewood.ensemble.base import BaseForest
from rarewood.ensemble.families import MIXTURES, Family, dealt
from rarewood.exceptions import ModelFileError
from rarewood.export._container import is_count
from rarewood.export._effects import EFFECTS, read_effects, write_effects
from rarewood.export._memory import read_memory, write_memory
from rarewood.export._trees import read_trees, write_trees
from rarewood.export._values import Reader, Told, Writer, expect

_LEAF_WEIGHT = "leaf weight"  # stands among the families, where a release that does not know it refuses the file
_COUNTS = ("n_groups", "n_repeated_rows")  # of what out-of-bag scores were made by


def write_forest(writer: Writer, model: Any) -> Told:
    """What `fit` has learned, except for the columns and the classes."""
    told: Told = {"seed": model._seed, "trees": write_trees(writer, model.forest_)}
    write, _ = _OWN.get(type(model), (None, None))
    if write is not None:
        told |= write(writer, model)
    if getattr(model, "calibration_", None) is not None:
        told["calibration"] = _write_calibration(writer, model.calibration_)
    if hasattr(model, "prior_"):
        told["prior"] = {"own": writer.add(model.own_prior_), "told": writer.add(model.prior_)}
    rated = model._label_rate()
    if rated is not None:
        told["prior"] = {"positive": rated[0], "label_rate": writer.value(rated[1], "label_rate_")}
    if hasattr(model, "oob_score_"):
        told["oob_score"] = writer.value(model.oob_score_, "oob_score_")
    memory = getattr(model, "memory_", None)
    if memory is not None and writer.memory:
        told["memory"] = write_memory(writer, memory)
    for name in _COUNTS:
        if hasattr(model, f"{name}_"):
            told[name] = getattr(model, f"{name}_")
    return told


def read_forest(reader: Reader, model: BaseForest, told: Told) -> None:
    """Give a model, which has its columns and classes, what `write_forest` described."""
    classes = model.classes_
    forest = read_trees(reader, Forest, told.get("trees"), model._columns.n_categories, len(classes))
    seed = told.get("seed")
    if not is_count(seed):
        raise ModelFileError("the seed of a forest is not valid.")
    model._seed = seed
    _, read = _OWN.get(type(model), (None, None))
    if read is not None:
        read(reader, model, told, len(forest))
    if "calibration" in told:
        model.calibration_ = _read_calibration(reader, expect(told["calibration"], dict), classes)
    if "prior" in told:
        prior = expect(told["prior"], dict)
        if "label_rate" in prior:
            model.label_rate_ = _read_label_rate(reader, prior, classes, is_calibrated="calibration" in told)
        else:
            model.own_prior_ = _shares(reader, prior.get("own"), len(classes))
            model.prior_ = _shares(reader, prior.get("told"), len(classes))
    if "oob_score" in told:
        model.oob_score_ = expect(reader.value(told["oob_score"]), float)
    if "memory" in told or hasattr(model, "oob_score_"):
        read_one = "memory" in told
        model.memory_ = (
            read_memory(reader, told["memory"], model._columns.n_categories, len(classes)) if read_one else None
        )
    for name in _COUNTS:
        if name in told:
            if not is_count(told[name]):
                raise ModelFileError("a number of groups or rows is not valid.")
            setattr(model, f"{name}_", told[name])
    model.forest_ = forest


def _write_beat(writer: Writer, model: BEATClassifier) -> Told:
    return {"alphas": writer.add(model.alphas_)}


def _read_beat(reader: Reader, model: BEATClassifier, told: Told, n_trees: int) -> None:
    alphas = reader.contents.take(told.get("alphas")).copy()
    if alphas.dtype != np.float64 or alphas.shape != (n_trees,) or not np.all((alphas > 0) & (alphas < 2)):
        raise ModelFileError("the alphas of the trees are not valid.")
    model.alphas_ = alphas


def _write_rare(writer: Writer, model: RareClassifier) -> Told:
    told: Told = {
        "positive": column_of(model.positive_, model.classes_),
        "families": [[name, writer.value(share, "a weight")] for name, share in model.family_weights_.items()],
        "n_cuts": model._n_cuts,
        "class_prior": writer.add(model.class_prior_),
    }
    if model.leaf_weight_ != 1.0:
        told["families"].append([_LEAF_WEIGHT, model.leaf_weight_])
    if model.column_effects_ is not None:
        told["families"].append([EFFECTS, None])
        told["effects"] = write_effects(writer, model.column_effects_)
    if model.triage_ is not None:
        told["triage"] = {name: writer.value(value, "triage_") for name, value in asdict(model.triage_).items()}
    return told


def _read_rare(reader: Reader, model: RareClassifier, told: Told, n_trees: int) -> None:
    positive, n_cuts = told.get("positive"), expect(told.get("n_cuts"), list)
    if not is_count(positive) or positive >= len(model.classes_):
        raise ModelFileError("the positive class of a forest is not valid.")
    families = [expect(each, list) for each in expect(told.get("families"), list)]
    model.column_effects_ = None
    if families[-1:] == [[EFFECTS, None]]:
        if len(model.classes_) != 2 or "calibration" not in told:
            raise ModelFileError("effects of columns need two classes and a calibration.")
        model.column_effects_ = read_effects(reader, told.get("effects"), model._columns.n_categories)
        families = families[:-1]
    shares = {expect(name, str): expect(share, float) for name, share in families}
    model.leaf_weight_ = shares.pop(_LEAF_WEIGHT, 1.0)
    if not 0.0 < model.leaf_weight_ < math.inf:
        raise ModelFileError("the weight of the class shares in leaves is not valid.")
    mixture = next(
        (each for each in MIXTURES if len(each) == len(n_cuts) and _names(each, n_trees) == list(shares)), None
    )
    if mixture is None or not all(map(is_count, n_cuts)):
        raise ModelFileError("the families of a forest are not valid.")
    model._families = mixture
    if min(shares.values()) < 0 or not math.isclose(sum(shares.values()), 1.0, abs_tol=1e-6):
        raise ModelFileError("the weights of the families are not valid.")
    model.positive_ = model.classes_.tolist()[positive]
    model.family_weights_ = shares
    model._n_cuts = n_cuts
    model.class_prior_ = _shares(reader, told.get("class_prior"), len(model.classes_))
    model.calibration_ = model.decision_threshold_ = None  # unless the file has them
    model.triage_ = _read_triage(reader, told["triage"]) if "triage" in told else None


def _names(mixture: tuple[Family, ...], n_trees: int) -> list[str]:
    return [family.name for family, size in zip(mixture, dealt(n_trees, len(mixture)), strict=True) if size]


def _read_triage(reader: Reader, told: object) -> Triage:
    given = reader.parameters(told)
    if set(given) != {each.name for each in fields(Triage)}:
        raise ModelFileError("the cuts of the triage are not valid.")
    numbers = [0.0 if given[name] is None else given[name] for name in ("alarm", "look")]
    numbers += [given["precision"], given["recall"], *expect(given["confidence"], tuple)]
    if len(numbers) != 6 or not all(isinstance(number, float) and 0.0 <= number <= 1.0 for number in numbers):
        raise ModelFileError("the cuts of the triage are not valid.")
    return Triage(**given)


# What a forest of a class has learned besides: how it is written and read.
_OWN: dict[type, tuple[Callable[..., Told], Callable[..., None]]] = {
    BEATClassifier: (_write_beat, _read_beat),
    RareClassifier: (_write_rare, _read_rare),
}


def _write_calibration(writer: Writer, calibration: Calibration) -> Told:
    return {
        "slopes": writer.add(calibration.slopes),
        "offsets": writer.add(calibration.offsets),
        "prior": writer.add(calibration.prior),
        "n_rows": calibration.n_rows,
    }


def _read_calibration(reader: Reader, told: Told, classes: NDArray[Any]) -> Calibration:
    slopes, offsets = (_floats(reader, told.get(name), len(classes)) for name in ("slopes", "offsets"))
    prior, n_rows = _shares(reader, told.get("prior"), len(classes)), told.get("n_rows")
    if slopes.min() <= 0 or not is_count(n_rows):
        raise ModelFileError("a calibration is not valid.")
    return Calibration(classes, slopes, offsets, prior, n_rows)


def _read_label_rate(reader: Reader, told: Told, classes: NDArray[Any], *, is_calibrated: bool) -> dict[Any, float]:
    """It stands in the place of a prior, which it excludes: a release that does not know it misses the shares and refuses the file."""
    positive, rate = told.get("positive"), expect(reader.value(told["label_rate"]), float)
    if len(classes) != 2 or not is_calibrated or told.keys() != {"positive", "label_rate"}:
        raise ModelFileError("a label rate needs two classes and a calibration, and no prior.")
    if not is_count(positive) or positive >= 2 or not 0.0 < rate <= 1.0:
        raise ModelFileError("the label rate is not valid.")
    return {classes.tolist()[positive]: rate}


def _floats(reader: Reader, number: object, size: int) -> NDArray[np.float64]:
    """Finite numbers."""
    values = reader.contents.take(number).copy()
    if values.dtype != np.float64 or values.shape != (size,) or not np.isfinite(values).all():
        raise ModelFileError("a list of numbers is not valid.")
    return values


def _shares(reader: Reader, number: object, size: int) -> NDArray[np.float64]:
    """Numbers of at least 0 that sum to 1."""
    values = _floats(reader, number, size)
    if values.min() < 0 or not math.isclose(values.sum(), 1.0, abs_tol=1e-6):
        raise ModelFileError("the shares of the classes are not valid.")
    return values
