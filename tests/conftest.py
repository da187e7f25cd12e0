"""How many examples Hypothesis tries: "quick", or ten times as many with HYPOTHESIS_PROFILE=long.

Quick ones are the same each time where ``CI`` is set, and drawn anew at a desk; long ones are
always drawn anew.
"""

from __future__ import annotations

import os

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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In the long profile, multiply the numbers that tests give themselves, too."""
    for test in {getattr(item, "obj", None) for item in items} if LONG else ():
        if is_hypothesis_test(test) and hasattr(test, "_hypothesis_internal_settings_applied"):
            own = test._hypothesis_internal_use_settings
            more = settings(own, max_examples=own.max_examples * TIMES)
            test._hypothesis_internal_use_settings = more
