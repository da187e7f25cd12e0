"""Damaged files of every format, at every reader: it reads them, or says with our words why not.

The same cases each time, in a number that costs seconds; ``make fuzz`` tries 10,000 a reader, and
holds each to its time and memory.
"""

import contextlib
import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fpanon_core.model.configs import KnowledgeConfig, StretchConfig
from fpanon_core.model.errors import FpanonError, Unforeseen
from fpanon_core.model.profiles import GeneralizationProfile, Grid, parse_profile
from pages.shell.address import from_text
from tests.fuzz.readers import READERS, run

HOUR = GeneralizationProfile(Grid(500.0), 60)

CASES = {"events": 120, "events by antenna": 60}
USUAL = 150


@pytest.mark.parametrize("reader", READERS)
def test_no_other_exception(reader):
    faults = {}
    read = 0
    for number in range(CASES.get(reader, USUAL)):
        try:
            run(reader, number)
            read += 1
        except Unforeseen as fault:  # caught by the net that is there for officers, not for us
            faults[number] = str(fault)
        except FpanonError:
            continue
        except Exception as fault:
            faults[number] = repr(fault)
    assert not faults
    assert read, "a fuzzer whose files are all refused at the door tries nothing behind it"


WORDS = st.sampled_from(
    ["2.5 km", "miles", " · ", "30 min", "1000", "x60", "0.5", "-1", ",", "e0n0", "@zip", "a7", "٣"]
)


@given(
    st.text(max_size=30) | st.lists(WORDS, max_size=6).map("".join),
    st.sampled_from([1, 1.5, "a", (1,), (1.5,), StretchConfig(), KnowledgeConfig(), HOUR, (HOUR,)]),
)
@example("5 miles · 1 h", HOUR)
@example("0.5,-1,480", StretchConfig())
@example("2,random,9,0", KnowledgeConfig())
@example("2,at random,9,0", KnowledgeConfig())
def test_settings_of_any_address_are_understood_or_refused(text, like):
    for read in (lambda: from_text(text, like), lambda: parse_profile(text)):
        with contextlib.suppress(ValueError, FpanonError):
            try:
                read()
            except Unforeseen as fault:
                pytest.fail(str(fault))


def test_a_description_that_contradicts_itself_ends_no_process():
    """Found by 10,000: Arrow gave up the whole process where one of its columns was asked about."""
    code = (
        "from fpanon_core.model.errors import FpanonError\n"
        "from tests.fuzz.readers import run\n"
        "try:\n    run('releases', 5405)\nexcept FpanonError:\n    pass"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert done.returncode == 0, done.stderr
