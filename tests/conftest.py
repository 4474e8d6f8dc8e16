"""Settings shared by all tests: Hypothesis tries the same examples every time, and Ctrl-C interrupts."""

import signal

from hypothesis import HealthCheck, settings

settings.register_profile(
    "rarewood",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("rarewood")

# A shell starts its background jobs with Ctrl-C ignored, and so their children: tests of interruptions would never end.
signal.signal(signal.SIGINT, signal.default_int_handler)
