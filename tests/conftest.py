"""Settings of all tests: Hypothesis tries the same examples every time, Ctrl-C interrupts, and tests of threads can be picked out."""

import inspect
import re
import signal

from hypothesis import HealthCheck, settings

from support.skips import NoSkips

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

SEVERAL_THREADS = re.compile(r"n_jobs=(?:-1|[2-9]|n_jobs)|\"n_jobs\", \[|\bThread\(|\bat_once\(")


def pytest_addoption(parser):
    parser.addoption("--several-threads", action="store_true", help="only tests whose code asks for several threads")
    parser.addoption(
        "--no-skips", action="store_true", help="skipped tests fail unless tests/support/skips.py allows the reason"
    )


def pytest_configure(config):
    if config.getoption("--no-skips"):
        config.pluginmanager.register(NoSkips(), "no-skips")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--several-threads"):
        return
    kept = [item for item in items if asks_for_threads(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


def asks_for_threads(item):
    """Whether a test, or a function or program of its file that it uses, asks for more than one thread."""
    test = getattr(item, "function", None)
    if test is None:  # an example in a docstring
        return False
    inner = test.hypothesis.inner_test if hasattr(test, "hypothesis") else test
    used = [vars(item.module).get(name) for name in inner.__code__.co_names]
    helpers = [code for code in used if inspect.isfunction(code) and code.__module__ == item.module.__name__]
    texts = [*map(inspect.getsource, [test, *helpers]), *(text for text in used if isinstance(text, str))]
    return any(map(SEVERAL_THREADS.search, texts))
