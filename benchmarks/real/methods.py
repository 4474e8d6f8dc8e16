"""Who is compared: by default settings, one thread, categories as each library takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quality.methods import METHODS as KNOWN

OURS, PLACEBO, BEFORE = "RareClassifier", "RareClassifier, another seed", "RareClassifier 0.2.0"
BOOSTING = ["CatBoost 300", "CatBoost 1,000", "LightGBM", "HistGradientBoosting"]
OTHERS = [*BOOSTING, "random forest (scikit-learn)", "extra-trees (scikit-learn)"]

_HERE = {"CatBoost 1,000": "CatBoost"}  # as the small tables call it
METHODS: dict[str, Callable[[int], Any]] = {
    name: KNOWN[_HERE.get(name, name)].make for name in (OURS, PLACEBO, *OTHERS)
}

CALIBRATED = ("CatBoost 300", "LightGBM", "HistGradientBoosting")
"""Those that are also given the calibration and the threshold that RareClassifier gives itself."""
