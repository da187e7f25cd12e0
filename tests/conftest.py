"""How many examples Hypothesis tries: "quick", or ten times as many with HYPOTHESIS_PROFILE=long.

Quick ones are the same each time where ``CI`` is set, and drawn anew at a desk; long ones are
always drawn anew.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

TIMES = 10
LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"

settings.register_profile("quick", settings(), deadline=None)
settings.register_profile(
    "long",
    settings.get_profile("default"),
    deadline=None,
    max_examples=100 * TIMES,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.fixture(scope="session", autouse=True)
def _home_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What a user keeps, the key of digests, is not made among the files of who runs the tests."""
    before = os.environ.get("XDG_STATE_HOME")
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))
    yield
    if before is None:
        del os.environ["XDG_STATE_HOME"]
    else:
        os.environ["XDG_STATE_HOME"] = before


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In the long profile, multiply the numbers that tests give themselves, too."""
    for test in {getattr(item, "obj", None) for item in items} if LONG else ():
        if is_hypothesis_test(test) and hasattr(test, "_hypothesis_internal_settings_applied"):
            own = test._hypothesis_internal_use_settings
            more = settings(own, max_examples=own.max_examples * TIMES)
            test._hypothesis_internal_use_settings = more


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Show a failure at once: a run that is stopped from outside prints no summary."""
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        print(f"\n{report.nodeid} ({report.when})\n{report.longreprtext}", flush=True)
