"""Number checks and the limits built on them: what passes, what is refused, and what is said."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpanon_core import ConfigError
from fpanon_core.model import limits
from fpanon_core.model.checks import number, one_of, positive, share, whole
from fpanon_core.model.limits import Limit
from tests.support.refusals import check_refused

NO_NUMBERS = (True, False, None, "3", [3], math.nan, math.inf, -math.inf, 1 + 0j)


@pytest.mark.parametrize("check", [number, positive, share, partial(whole, least=0)])
def test_what_is_no_number_is_refused(check):
    check_refused(lambda x: check("x", x), "x = ", x=NO_NUMBERS)
    check_refused(lambda x: whole("x", x, 0), "an integer of 0 or more", x=[2.0, np.float64(2)])


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(0, 50))
def test_whole_numbers_pass_from_the_least_to_the_most(value, least, more):
    for given_as in (int, np.int64, np.int8):
        if least <= value <= least + more:
            found = whole("n", given_as(value), least, least + more)
            assert found == value
            assert type(found) is int
        else:
            with pytest.raises(ConfigError, match=f"from {least} to {least + more}"):
                whole("n", given_as(value), least, least + more)


@given(st.floats(-9, 9), st.floats(-9, 9), st.floats(0, 9))
def test_numbers_pass_within_their_ends(value, least, more):
    inside = least <= value <= least + more
    for bounds, passes in (
        ({"least": least, "most": least + more}, inside),
        ({"least": least}, value >= least),
        ({"most": least}, value <= least),
        ({"above": least}, value > least),
        ({}, True),
    ):
        if passes:
            assert number("x", value, **bounds) == value
        else:
            with pytest.raises(ConfigError, match=r"x = .*; it must be a number"):
                number("x", value, **bounds)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: whole("k", 1, 2), "k = 1; it must be an integer of 2 or more."),
        (lambda: whole("days", 0, 1, 366), "days = 0; it must be a whole number from 1 to 366."),
        (
            lambda: whole("n", 0, 1, of="bits"),
            "n = 0; it must be a whole number of bits, at least 1.",
        ),
        (lambda: number("x", -1, least=0), "x = -1; it must be a number of 0 or more."),
        (lambda: number("x", 9, least=0, most=3), "x = 9; it must be a number from 0 to 3."),
        (lambda: positive("m", 0, of="metres"), "m = 0; it must be a positive number of metres."),
        (
            lambda: positive("m", 0, otherwise="None"),
            "m = 0; it must be a positive number, or None.",
        ),
        (lambda: share("s", 0, above_0=True), "s = 0; it must lie in (0, 1]."),
        (lambda: share("s", 1.5), "s = 1.5; it must lie in [0, 1]."),
        (lambda: one_of("It", "b", ("a", "c")), "It is 'b'; give one of a, c."),
    ],
)
def test_messages_say_what_was_given_and_what_is_possible(call, said):
    with pytest.raises(ConfigError) as fault:
        call()
    assert str(fault.value) == said


NAMED = {name: each for name, each in vars(limits).items() if isinstance(each, Limit)}


@pytest.mark.parametrize("name", NAMED)
def test_every_limit_holds_its_ends_and_nothing_beyond(name):
    limit = NAMED[name]
    step = 1 if isinstance(limit.low, int) else 1e-6
    assert limit.low < limit.high
    for inside in (limit.low, limit.high):
        assert inside in limit
        assert limit.check("x", inside) == inside == limit.read(str(inside))
        assert type(limit.check("x", inside)) is type(limit.low)
    for beyond in (limit.low - step, limit.high + step, True, "3", None, math.nan):
        assert beyond not in limit
        with pytest.raises(ConfigError, match="x = "):
            limit.check("x", beyond)
    for text in ("", "1e", "five", "0x2", str(limit.high + step)):
        with pytest.raises(ConfigError):
            limit.read(text)


def test_a_limit_narrows_to_the_data_but_is_never_empty():
    assert limits.K.at_most(7) == Limit(2, 7)
    assert limits.K.at_most(1) == Limit(2, 2)
    assert limits.K.at_most(900) == limits.K
