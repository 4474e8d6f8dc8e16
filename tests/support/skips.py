"""Which tests may be skipped where every program they compare with is installed (`--no-skips`, as `make test-peers` sets it)."""

import re

import pytest

ALLOWED = re.compile(
    "|".join(
        [
            "does not apply: ",  # a combination of parameters that means nothing
            "no data folder: ",  # the data sets of papers are no part of the project
            "devices can be made by root only",
            "no vector instructions here",
            "SCIPY_ARRAY_API is not set",  # scikit-learn's own check, of arrays that no table of ours is
        ]
    )
)


def failed_if_unexpected(report):
    """Turns the report of a skipped test, or of a file skipped as it was collected, into a failure unless the reason is allowed."""
    if report.skipped and not hasattr(report, "wasxfail"):
        path, line, reason = report.longrepr
        if not ALLOWED.search(reason):
            report.outcome = "failed"
            report.longrepr = f"{path}:{line}: skipped, though --no-skips was given: {reason}"
    return report


class NoSkips:
    """The hooks of pytest that see skipped tests, registered if `--no-skips` is given."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self):
        return failed_if_unexpected((yield))

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self):
        return failed_if_unexpected((yield))
