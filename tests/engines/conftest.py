"""Runners that are closed at the end of a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fpanon_core.engines.process import ProcessRunner


@pytest.fixture
def started() -> Iterator[Callable[..., ProcessRunner]]:
    made: list[ProcessRunner] = []

    def start(*spare: Any, **how: Any) -> ProcessRunner:
        made.append(ProcessRunner(*spare, **how))
        return made[-1]

    yield start
    for runner in made:
        runner.close()


@pytest.fixture
def runner(started: Callable[..., ProcessRunner]) -> ProcessRunner:
    return started()
