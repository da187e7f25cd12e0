"""What is tried first, which form comes nearest, what a span is, which results are kept."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from fpanon_core import FingerprintSet
from fpanon_core.model.options import Aligned, Glove
from fpanon_core.studies.judgement import Limits, best_option, beyond
from fpanon_core.studies.option_result import utility_choice
from fpanon_core.studies.options_table import merged
from fpanon_core.studies.presets import crowd
from fpanon_core.studies.report_verdict import describe_nearest
from fpanon_core.studies.search import first_tried, hidden
from tests.studies.test_report import COARSE, FINE, HIDDEN, NOISE, exploration, result

TRAVEL = utility_choice("travel")


def people(n: int) -> FingerprintSet:
    """Each at a place of its own, on two days."""
    users = [u for u in range(n) for _ in range(2)]
    x = [1_000 * u for u in users]
    return FingerprintSet.from_samples(users, x, [0] * len(x), [0, 2_000] * n)


def test_the_crowds_that_are_tried_are_as_large_as_the_limit_of_naming_takes() -> None:
    # 1 in 20 is 5 %; of 0.3, 1 in 3 would be 33 % and too much, 1 in 4 is 25 %.
    assert crowd(Limits()) == 20
    assert crowd(Limits({"outsider": 0.3})) == 4
    steps = [option.steps for option in first_tried(people(20), Limits(), TRAVEL)]
    assert [type(last) for *_, last in steps[-2:]] == [Glove, Aligned]
    assert {last.k for *_, last in steps if isinstance(last, Glove)} == {20}
    assert len(steps[-1]) == 2  # in days first


def test_without_people_enough_no_crowd_is_tried() -> None:
    found = first_tried(people(19), Limits(), TRAVEL)
    assert not hidden(people(19), Limits())
    assert not any(isinstance(step, Glove) for option in found for step in option.steps)
    assert len(found) == len({option.steps for option in found}) == len({o.name for o in found})


def test_a_few_far_travellers_do_not_decide_what_is_tried() -> None:
    """A thousand people within 20 km; three of them were 900 km away."""
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0, 20_000, (2, 10_000)).round(-2)
    users = np.arange(10_000) // 10
    near = FingerprintSet.from_samples(users, x, y, users)
    x[:30:10] = 900_000
    far = FingerprintSet.from_samples(users, x, y, users)
    names = [[o.name for o in first_tried(each, Limits(), TRAVEL)] for each in (near, far)]
    assert names[0] == names[1]


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
    assert "Re-identification risk: 10 % (" in told
    assert "; the threshold is 5 %, which it is above (up to 2.2 times)" in told
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
