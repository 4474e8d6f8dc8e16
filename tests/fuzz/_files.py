"""Model files that were changed and sealed again: refused with a ModelFileError, or a model that can be asked."""

import functools
import json
import struct
import warnings
import zlib

import numpy as np
import pandas as pd

import rarewood
from rarewood.exceptions import ModelFileError
from rarewood.export import from_bytes, to_bytes

PREAMBLE = struct.Struct("<8sIIIIQ")
VALUES = (None, True, -1, 0, 1, 2**31, 2**63, 1e308, "", "x", [], {}, [[]], "TreeClassifier")


@functools.cache
def table(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    cells = {"a": rng.normal(size=n_rows), "b": rng.integers(0, 3, n_rows).astype(float)}
    return pd.DataFrame({**cells, "c": pd.Categorical(rng.choice(list("pqr"), n_rows), categories=list("pqr"))})


@functools.cache
def originals():
    X = table(60)
    y = np.where(X.a + X.b > 2, "rare", "other")
    models = (
        rarewood.TreeClassifier(),
        rarewood.ForestClassifier(3, splitter="hyperplane", random_state=0),
        rarewood.HeDExClassifier(3, random_state=0),
        rarewood.OneVsAllClassifier(),
        rarewood.RareClassifier(6, random_state=0),
        rarewood.BiasedRankingClassifier(random_state=0),
        rarewood.RuleSetClassifier(random_state=0),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [to_bytes(model.fit(X, y)) for model in models]


def changed_value(rng, value):
    """The same JSON with one value, somewhere, another."""
    if isinstance(value, dict) and value and rng.random() < 0.95:
        key = sorted(value)[rng.integers(len(value))]
        if rng.random() < 0.05:
            return {name: kept for name, kept in value.items() if name != key}
        return {**value, key: changed_value(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.95:
        place = int(rng.integers(len(value)))
        if rng.random() < 0.05:
            return value[:place] + value[place + 1 :]
        return [*value[:place], changed_value(rng, value[place]), *value[place + 1 :]]
    return VALUES[rng.integers(len(VALUES))]


def changed_bytes(rng, data):
    changed = bytearray(data)
    for place in rng.integers(len(data), size=rng.integers(1, 5)).tolist():
        changed[place] = int(rng.choice([0, 1, 127, 128, 255, int(rng.integers(256))]))
    return bytes(changed)


def sealed(text, data):
    return (
        PREAMBLE.pack(b"\x89RWD\r\n\x1a\n", 1, zlib.crc32(text), zlib.crc32(data), len(text), len(data)) + text + data
    )


def run(seed):
    """The case of this seed; returns what became of it, raises where a promise is broken."""
    rng = np.random.default_rng(seed)
    files = originals()
    file = files[rng.integers(len(files))]
    size = PREAMBLE.unpack_from(file)[4]
    text, data = file[PREAMBLE.size : PREAMBLE.size + size], file[PREAMBLE.size + size :]
    for _ in range(rng.integers(1, 3)):
        if rng.random() < 0.5:
            text = json.dumps(changed_value(rng, json.loads(text))).encode()
        else:
            data = changed_bytes(rng, data)
    return use(sealed(text, data), table(int(rng.choice([3, 300])), 1))


def use(file, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = from_bytes(file)
        except ModelFileError:
            return "refused"
        try:
            assert len(model.predict_proba(X)) == len(X)
        except (ValueError, TypeError):  # other columns than the table has
            return "asked in vain"
    return "loaded"
