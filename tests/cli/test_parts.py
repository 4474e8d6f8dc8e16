"""Small pieces of the command line by themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rarewood._rules import different
from rarewood.cli._errors import CommandError
from rarewood.cli._files import whole_file
from rarewood.cli._options import listed
from rarewood.cli._settings import given_threshold, parse_prior, parse_threshold, parse_value


@pytest.mark.parametrize(
    ("text", "value"),
    [("500", 500), ("0.5", 0.5), ("True", True), ("none", None), ("sqrt", "sqrt"), ('{"yes": 10}', {"yes": 10}), ("1e-3", 0.001)],
)  # fmt: skip
def test_values_of_settings(text, value):
    found = parse_value(text)
    assert found == value
    assert type(found) is type(value)


def test_thresholds():
    for words in ("f1", "cost=1:20", "recall=0.8", "alerts=0.5%", "alerts=200", "0.3"):
        assert parse_threshold(words) == words
    assert parse_threshold("none") is None
    assert given_threshold("0.3") == 0.3
    for wrong in ("", "f1=2", "precision", "recall=most", "cost=5", "cost=1:2:3", "alerts=0", "7"):
        with pytest.raises(CommandError, match="is not understood"):
            parse_threshold(wrong)


def test_priors():
    assert parse_prior("0.01", "yes", ["no", "yes"]) == {"yes": 0.01}
    assert parse_prior("1=0.2, 2=0.3", 3, [1, 2, 3]) == {1: 0.2, 2: 0.3}
    for wrong in ("", "much", "maybe=0.1", "yes=", "yes=much"):
        with pytest.raises(CommandError, match="the labels are no, yes"):
            parse_prior(wrong, "yes", ["no", "yes"])


def test_lists_of_names():
    assert listed(["a,b", " c ", ""]) == ("a", "b", "c")
    assert listed(None) == ()
    assert listed(['a, "street, number",b', '"x,y"']) == ("a", "street, number", "b", "x,y")


def test_files_appear_whole_or_not_at_all(tmp_path):
    path = tmp_path / "x"

    def break_off():
        with whole_file(str(path)) as file:
            file.write(b"half")
            assert not path.exists()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_off()
    assert list(tmp_path.iterdir()) == []
    with whole_file(str(path)) as file:
        file.write(b"whole")
    assert path.read_bytes() == b"whole"
    assert list(tmp_path.iterdir()) == [path]


@given(arrays(bool, st.tuples(st.integers(0, 12), st.integers(0, 10))), st.integers(1, 5))
def test_different_patterns_find_different_rows(finds, most):
    kept = different(finds, most)
    assert len(kept) <= most
    assert sorted(kept.tolist()) == kept.tolist()
    found = set()
    for number in range(finds.shape[1]):
        rows = set(np.flatnonzero(finds[:, number]).tolist())
        is_new = bool(rows) and 2 * len(rows - found) >= len(rows)
        if number in kept:
            assert is_new
            found |= rows
        elif is_new:
            assert len(kept) == most
            assert number > kept[-1]
