"""A slice of each campaign, from seeds that stay, so that the suite does not change from run to run; `make fuzz` draws others."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz import CAMPAIGNS, load

SECONDS = 8
CASES = {"api": 150, "files": 600, "commands": 25}


@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_campaign(campaign):
    if campaign == "commands":
        pytest.importorskip("typer")
    case, start = load(campaign), time.monotonic()
    outcomes = set()
    for seed in range(CASES[campaign]):
        outcomes.add(case(seed))
        if time.monotonic() - start > SECONDS:
            break
    assert len(outcomes) > 1, "the cases are all alike"


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.integers(0, 2**63 - 1))
def test_what_fit_accepts_can_be_saved_loaded_and_asked(seed):
    load("api")(seed)
