"""A hundred and fifty people of an invented region, hidden in several ways."""

import numpy as np
import pytest

from fpanon_core.anonymize.glove import glove
from fpanon_core.io.cdr import read_cdr
from fpanon_core.synthetic.generate import generate_cdr

LIMITS = {"suppress_space_m": 20_000.0, "suppress_time_min": 720.0}


@pytest.fixture(scope="session")
def fs():
    """Ids are such as operators use, in the order of the file."""
    events = generate_cdr(150, days=3)
    number = np.unique(events["user_id"], return_inverse=True)[1]
    ids = [f"SUBSCRIBER{n:05d}" for n in number]
    events = events.assign(user_id=ids).sort_values("user_id", kind="stable")
    return read_cdr(events, timezone="Africa/Algiers")[0]


@pytest.fixture(scope="session")
def result(fs):
    """With limits: some samples are left out."""
    return glove(fs, 2, **LIMITS)


@pytest.fixture(scope="session")
def whole(fs):
    """Without limits: nothing is left out."""
    return glove(fs, 2)
