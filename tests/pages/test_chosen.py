"""What speaks against a choice is answered with a reason, before it is kept."""

import pytest

from fpanon_core.studies.judgement import Limits
from fpanon_core.studies.option_result import OptionResult
from pages.shell.workspace import refused
from tests.pages.test_options_story import FINE, option

NO_LIMITS = Limits(dict.fromkeys(Limits().of))


def test_whoever_is_alone_needs_a_reason() -> None:
    one = option("coarse", 0.5, alone=2)
    assert "2 of the 100 people have a unique record" in refused(one, " ", "", NO_LIMITS)
    assert refused(one, "The ministry asked.", "", NO_LIMITS) == ""


@pytest.mark.parametrize("one", [option("none", 0.5), option("crowds", 0.5, crowd=20)])
def test_a_form_within_the_limits_with_nobody_alone_needs_none(one: OptionResult) -> None:
    assert refused(one, "", "", Limits()) == ""


def test_a_limit_that_it_may_be_above_needs_a_reason_and_a_name_and_is_named() -> None:
    strict = Limits({"unicity": 0.05})
    for why, by in (("", "A. Officer"), ("All the same.", " ")):
        assert "is not within your thresholds" in refused(FINE, why, by, strict)
    assert refused(FINE, "All the same.", "A. Officer", strict) == ""
