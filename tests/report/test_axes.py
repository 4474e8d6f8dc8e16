"""Where values go in a drawing."""

import pytest

from rarewood._pages.axes import Axes, round_numbers


def test_ends_of_axes():
    axes = Axes(x_limit=0.5, y_limit=4.0)
    assert (axes.x(0.0), axes.x(0.5)) == (54.0, 348.0)
    assert (axes.y(0.0), axes.y(4.0)) == (242.0, 10.0)
    assert [text for _, text in axes.x_ticks] == ["0", "0.125", "0.25", "0.375", "0.5"]


def test_logarithmic_axes():
    axes = Axes(x_from=0.01, x_limit=1.0, y_from=10.0, y_limit=100_000.0)
    assert axes.x(0.1) == pytest.approx((axes.x(0.01) + axes.x(1.0)) / 2, abs=0.01)
    assert axes.x(0.0) == axes.x(0.01)  # what is smaller is at the beginning
    assert [text for _, text in axes.x_ticks] == ["0.01", "0.1", "1"]
    assert [text for _, text in axes.y_ticks] == ["10", "100", "1k", "10k", "100k"]


def test_many_decades_have_few_ticks():
    assert len(Axes(y_from=1.0, y_limit=1e12).y_ticks) <= 6


def test_points_that_coincide_are_drawn_once():
    assert Axes().path([(0.0, 0.0), (0.00001, 0.0), (1.0, 1.0)]) == "54,242 348,10"


@pytest.mark.parametrize(
    ("low", "high", "logarithmic", "texts"),
    [
        (1.0, 68.97, False, ["20", "40", "60"]),
        (0.09303, 1.0, False, ["0.2", "0.4", "0.6", "0.8", "1"]),
        (0.111, 176.8, True, ["1", "10", "100"]),
        (10.0, 10_089.0, True, ["10", "100", "1k", "10k"]),
        (2.0, 60.0, True, ["2", "5", "10", "20", "50"]),
        (1.1, 1.9, True, ["1.2", "1.4", "1.6", "1.8"]),
        (-3000.0, 3000.0, False, ["-2k", "0", "2k"]),
        (1e-9, 1e9, True, ["1e-9", "1e-5", "0.1", "1k", "10M"]),
        (5.0, 5.0, False, []),
    ],
)
def test_round_numbers_name_an_axis(low, high, logarithmic, texts):
    found = round_numbers(low, high, logarithmic=logarithmic)
    assert [text for _, text in found] == texts
    assert all(low <= value <= high for value, _ in found)
