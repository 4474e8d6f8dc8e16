"""Every form of a model on columns and labels of every kind: it answers as the model does, or refuses in one sentence."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

import rarewood as rw
from support.forms import FORMS, REFUSALS, check_answer, check_refusal
from support.versions import EARLY_PANDAS

N = 90
TEXTS = ["it's", '"', "\\", "*/", "??/", "%s", "$x", "a\nb", "\x1b[0m", "\u202e", "{}", "ä", "0"]


def categories(levels):
    codes = np.random.default_rng(2).integers(-1, len(levels), N)
    return pd.Series(pd.Categorical.from_codes(codes, pd.Index(levels, dtype=object)))


def columns():
    random = np.random.default_rng(1)
    ticks = random.integers(0, 10**6, N)
    start = pd.Timestamp("2024-01-31 23:59:59.999999")
    return {
        "days": pd.Series(pd.Timestamp("2024-01-31") + pd.to_timedelta(ticks % 60, unit="D")),
        "points": pd.Series(start + pd.to_timedelta(ticks, unit="us")),
        "zoned": pd.Series(start + pd.to_timedelta(ticks, unit="s")).dt.tz_localize("Asia/Kathmandu"),
        "lengths": pd.Series(pd.to_timedelta(ticks - 500_000, unit="us")),
        "clock": pd.Series([dt.time(each % 24, each % 60) for each in ticks.tolist()]),
        "truths": pd.Series(ticks % 2 == 0).astype("boolean").mask(ticks % 7 == 0),
        "whole": pd.Series(2**53 + np.arange(N)),
        "subnormal": pd.Series(np.float32(1e-45) * (ticks % 9).astype(np.float32)),
        "zeros": pd.Series(np.where(ticks % 2, -0.0, 0.0)),
        "texts": categories(TEXTS),
        "NUL": categories(["\0", "a\0b", "b"]),
        "halves of characters": categories(["\ud800", "b"]),
        "whole categories": categories([2**53, 2**53 + 1, 2**63]),
        "float categories": categories([0.1, 0.2, 0.3]),
        "infinite categories": categories([np.inf, -np.inf, 0.5]),
        "true and false": categories([True, False]),
        "date categories": categories([dt.date(2024, 1, 1), dt.date(2024, 1, 2)]),
        "point categories": categories(list(pd.date_range("2024-01-01 12:30", periods=3))),
        "length categories": categories([dt.timedelta(1), dt.timedelta(2)]),
        "interval categories": pd.Series(pd.cut(ticks, 4)),
        "bytes": categories([b"a", b"\xff'"]),
    }


LABELS = {
    "texts": np.array(["*/", "??/\n\"'%"], dtype=object),
    "NUL": np.array(["a\0b", "a\0c"], dtype=object),
    "halves of characters": np.array(["\ud800", "b"], dtype=object),
    "whole": np.array([2**53, 2**53 + 1]),
    "huge": np.array([2**63, 2**64 - 1], dtype=np.uint64),
    "floats": np.array([1.0, 3.0]),
    "truths": np.array([False, True]),
}


# What a form cannot hold. Everything else has to be answered.
REFUSED = {
    "C": {"NUL", "halves of characters"},
    "ONNX": {
        "halves of characters",
        "huge",
        "bytes",
        "whole categories",
        "float categories",
        *(f"{kind} categories" for kind in ("date", "point", "length", "interval")),
    },
}


def check(form, kind, model, X):
    if kind not in REFUSED.get(form.name, ()):
        check_answer(form, model, X)
        return
    with pytest.raises(REFUSALS) as refused:
        form.answer(model, X)
    check_refusal(refused.value)


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("kind", list(columns()))
def test_columns(kind, form):
    if form.name == "ONNX" and kind == "whole":
        pytest.skip("does not apply: numbers of ONNX are float32, as the documentation says")
    if form.name == "skops" and kind.split()[0] in ("date", "point", "length", "interval"):
        pytest.skip("does not apply: skops asks its user whether to trust such types")
    if kind == "halves of characters" and EARLY_PANDAS:
        pytest.skip("does not apply: this pandas cannot read such categories")
    X = pd.DataFrame({f'{kind}\'s */ ??/ "%s"\n': columns()[kind]})
    model = rw.TreeClassifier(random_state=0).fit(X, np.random.default_rng(0).integers(0, 2, N))
    check(form, kind, model, X)


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("kind", list(LABELS))
def test_labels(kind, form):
    X = pd.DataFrame({"x": np.arange(N, dtype=np.float32)})
    model = rw.TreeClassifier(random_state=0).fit(X, LABELS[kind][np.arange(N) // 7 % 2])
    check(form, kind, model, X)
