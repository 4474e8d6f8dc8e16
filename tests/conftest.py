"""Settings shared by all tests: Hypothesis tries the same examples every time."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "rarewood",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("rarewood")
