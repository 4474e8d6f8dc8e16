"""Settings of all tests: Hypothesis tries the same examples every time, Ctrl-C interrupts, and tests of threads can be picked out."""

import os
import signal

from hypothesis import HealthCheck, settings

from support.skips import NoSkips

settings.register_profile(
    "rarewood",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=100 if os.environ.get("RAREWOOD_EVERY_CASE") else 50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("rarewood")

os.environ["MPLBACKEND"] = "agg"  # pictures are drawn, and shown to nobody

# A shell starts its background jobs with Ctrl-C ignored, and so their children: tests of interruptions would never end.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser):
    parser.addoption(
        "--no-skips", action="store_true", help="skipped tests fail unless tests/support/skips.py allows the reason"
    )


def pytest_configure(config):
    if config.getoption("--no-skips"):
        config.pluginmanager.register(NoSkips(), "no-skips")
