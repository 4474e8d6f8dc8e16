"""Drawings of methods: ticks are round and hold all values."""

import math

from hypothesis import given
from hypothesis import strategies as st

from rarewood.evaluation._drawings import draw_intervals, round_ticks

FINITE = st.floats(-1e6, 1e6).map(lambda value: round(value, 6))


@given(FINITE, FINITE)
def test_ticks_are_few_and_hold_both_ends(first, second):
    low, high = sorted((first, second))
    ticks = round_ticks(low, high)
    reach = 1e-9 * max(1.0, abs(low), abs(high))
    assert ticks[0] <= low + reach
    assert ticks[-1] >= high - reach
    assert 2 <= len(ticks) <= 7
    assert list(ticks) == sorted(ticks)


def test_nothing_known_is_not_drawn():
    assert draw_intervals("a", "b", {"x": (math.nan, math.nan, math.nan)}) == ""
    drawing = draw_intervals(
        "a", "b <c>", {"<x>": (0.5, 0.4, 0.6), "y": (0.7, math.nan, math.nan)}, best="y", zone=(0.6, 0.7)
    )
    assert "&lt;x&gt;" in drawing
    assert "<c>" not in drawing
    assert drawing.count("<circle") == 2
    assert drawing.count('class="interval') == 1
    assert 'class="zone"' in drawing
