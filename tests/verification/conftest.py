"""A hundred and fifty people of an invented region, hidden in several ways."""

import numpy as np
import pytest

from fpanon_core.anonymize.glove import glove
from fpanon_core.io import publishing
from fpanon_core.io.cdr import read_cdr
from fpanon_core.measures import crowds
from fpanon_core.model import published
from fpanon_core.synthetic.generate import generate_cdr
from fpanon_core.verification import data_file, package

LIMITS = {"suppress_space_m": 20_000.0, "suppress_time_min": 720.0}


@pytest.fixture(scope="session")
def fs():
    """Ids are such as operators use, in the order of the file."""
    events = generate_cdr(150, days=3)
    number = np.unique(events["user_id"], return_inverse=True)[1]
    ids = [f"SUBSCRIBER{n:05d}" for n in number]
    events = events.assign(user_id=ids).sort_values("user_id", kind="stable")
    return read_cdr(events, timezone="Africa/Algiers")[0]


@pytest.fixture
def little(monkeypatch):
    """Pieces of a few rows, and members mapped however small: as what does not fit into memory."""
    for module, name, value in (
        (data_file, "_PIECE_ROWS", 40),
        (data_file, "_PIECE_BYTES", 6_000),
        (data_file, "_GROUP_ROWS", 13),
        (package, "_MAPPED", 1),
        (publishing, "_PIECE_ROWS", 11),
        (publishing, "_PIECE_BYTES", 4_500),
        (crowds, "_STRETCH", 5),
        (published, "_CHUNK_ROWS", 13),
    ):
        monkeypatch.setattr(module, name, value)


@pytest.fixture(params=["at once", "in pieces"])
def reading(request):
    """As a small release is read, and as one that does not fit into memory."""
    if request.param == "in pieces":
        request.getfixturevalue("little")


@pytest.fixture(scope="session")
def result(fs):
    """With limits: some samples are left out."""
    return glove(fs, 2, **LIMITS)


@pytest.fixture(scope="session")
def whole(fs):
    """Without limits: nothing is left out."""
    return glove(fs, 2)
