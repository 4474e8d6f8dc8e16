"""A slice of each campaign, from seeds that stay, so that the suite does not change from run to run; `make fuzz` draws others."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz import FORKED, IN_PROCESS, load

SECONDS = 8
CASES = {
    "api": 150,
    "files": 600,
    "metadata": 60,
    "commands": 25,
    "arrow": 40,
    "databases": 40,
    "exports": 60,
    "explanations": 60,
    "distributed": 20,
    "honesty": 5,
    "monotone": 40,
    "kills": 1,
    "interrupts": 4,
    "phases": 2,
    "faults": 2,
}
NEEDS = {
    "commands": ("typer",),
    "metadata": ("typer",),
    "arrow": ("pyarrow", "polars"),
    "databases": ("duckdb",),
    "distributed": ("pyarrow", "polars"),
    "exports": ("onnx", "onnxruntime"),
}
SEEDS = {"kills": 0, "interrupts": 0, "phases": 0, "faults": 288}  # of the jobs that take least


@pytest.mark.parametrize("campaign", IN_PROCESS)
def test_campaign(campaign):
    for needed in NEEDS.get(campaign, ()):
        pytest.importorskip(needed)
    case, start = load(campaign), time.monotonic()
    outcomes = set()
    for seed in range(CASES[campaign]):
        outcomes.add(case(seed))
        if time.monotonic() - start > SECONDS and len(outcomes) > 1:
            break
    assert len(outcomes) > 1, "the cases are all alike"


@pytest.mark.parametrize("seed", [4053933694, 4053934726])
def test_effects_turn_no_constrained_score_round(seed):
    """Where scores say nothing, what fits best beside the effects of columns may be a slope below 0."""
    assert load("monotone")(seed) == "RareClassifier"


@pytest.mark.parametrize("campaign", FORKED)
def test_processes_that_are_stopped(campaign, tmp_path):
    """In a process of its own: one with threads, such as that of the tests, should not be forked."""
    pytest.importorskip("typer")
    command = [sys.executable, "-m", "fuzz", campaign, "--cases", str(CASES[campaign]), "--seed", str(SEEDS[campaign])]
    ran = subprocess.run(
        [*command, "--seconds", "280", "--folder", str(tmp_path)],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"{CASES[campaign]} cases" in ran.stdout


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.integers(0, 2**63 - 1))
def test_what_fit_accepts_can_be_saved_loaded_and_asked(seed):
    load("api")(seed)
