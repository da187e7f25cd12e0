"""Which form comes nearest, what a span is, which results are kept."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from fpanon_core.studies.judgement import Limits, best_option, beyond
from fpanon_core.studies.options_table import merged
from fpanon_core.studies.presets import crowd
from fpanon_core.studies.report_verdict import describe_nearest
from tests.studies.test_report import COARSE, FINE, HIDDEN, NOISE, exploration, result


def test_crowds_are_as_large_as_the_threshold_takes() -> None:
    # 1 in 20 is 5%; of 0.3, 1 in 3 would be 33% and too much, 1 in 4 is 25%.
    assert crowd(Limits()) == 20
    assert crowd(Limits({"outsider": 0.3})) == 4


def test_the_nearest_is_that_whose_worst_measure_is_the_fewest_times_its_limit() -> None:
    # Upper ends: 0.31 of 0.05 is 6.2 times; 0.11 of 0.05 is 2.2 times; people alone, 0.4 of 0.05,
    # are 8 times.
    far, near = result(FINE, 0.3, 0.9, least=2), result(COARSE, 0.1, 0.2, least=2)
    alone = result(NOISE, 0.02, 0.9, alone=40)
    assert beyond(far, Limits()) == pytest.approx(6.2)
    assert beyond(near, Limits()) == pytest.approx(2.2)
    assert beyond(alone, Limits()) == pytest.approx(8.0)
    found = exploration(far, near, alone)
    assert best_option(found.table, found.limits) == 1
    # Which threshold it misses, and by how much.
    told = describe_nearest(found)
    assert told.startswith(f"The nearest is “{COARSE.told}” (utility, ")
    assert "Re-identification risk: 10% (" in told
    assert ". It exceeds the threshold of 5% (up to 2.2 times the threshold)" in told
    unknown = replace(result(HIDDEN, 0.1, 0.5, least=2), risks={})
    assert math.isnan(beyond(unknown, Limits()))
    found = exploration(unknown)
    assert best_option(found.table, found.limits) is None
    assert describe_nearest(found) == ""


def test_the_best_within_the_limits_is_one_with_nobody_alone_where_there_is_one() -> None:
    alone, shared = result(FINE, 0.02, 0.8, alone=4), result(COARSE, 0.02, 0.3, least=2)
    found = exploration(alone, shared)
    assert best_option(found.table, Limits()) == 1
    assert describe_nearest(found) == ""
    assert best_option(exploration(alone).table, Limits()) == 0  # with people alone, else none
    nothing = Limits(dict.fromkeys(Limits().of))
    assert best_option(found.table, nothing) is None


def test_results_of_other_steps_and_names_are_kept_beside_the_new() -> None:
    new, old, other = result(FINE, 0.1, 0.5), result(FINE, 0.9, 0.5), result(COARSE, 0.9, 0.5)
    assert merged([new], [old, other]) == (new, other)
