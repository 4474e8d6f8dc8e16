"""The options of a report are declared once and shown by both functions that take them."""

import inspect
import re
import typing

import pytest

from rarewood.report import build, summarise
from rarewood.report._options import Keywords, Options


def test_type_checkers_know_the_same_options():
    fields = typing.get_type_hints(Options)
    assert typing.get_type_hints(Keywords) == fields
    assert list(fields) == list(inspect.signature(Options).parameters)


@pytest.mark.parametrize(("function", "own"), [(build, ["model", "X", "y", "path"]), (summarise, ["model", "X", "y"])])
def test_signatures_list_every_option(function, own):
    shown = inspect.signature(function).parameters
    assert list(shown) == [*own, *inspect.signature(Options).parameters]
    assert shown["n_rules"].default == 10
    assert shown["n_rules"].kind is inspect.Parameter.KEYWORD_ONLY


def test_every_option_is_explained():
    explained = re.findall(r"^    (\w+) : ", build.__doc__, flags=re.MULTILINE)
    assert set(inspect.signature(Options).parameters) <= set(explained)


def test_a_misspelt_option_is_refused(payments):
    _, test, model = payments
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'treshold', did you mean 'threshold'\?"):
        build(model, test.X, test.y, treshold=0.5)
