"""Arrays of data and results cannot be written to, made here or come through a pickle."""

import pickle

import numpy as np
import pytest

from fpanon_core import Antennas, FingerprintSet, draw_knowledge, unicity
from fpanon_core.model.arrays import offsets_of, rows_of


def towers():
    return Antennas([130.0, -1.0], [0.0, 250.0], columns={"district": ["North", ""]})


def people():
    return FingerprintSet.from_samples([1, 1, 2, 3], [0, 900, 0, 300], [0] * 4, [0, 9, 4, 2])


@pytest.mark.parametrize(
    "made",
    [people, towers, lambda: draw_knowledge(people(), 1), lambda: unicity(people(), 1)],
    ids=["fingerprints", "antennas", "knowledge", "unicity"],
)
def test_arrays_are_closed(made):
    first = made()
    for thing in (first, pickle.loads(pickle.dumps(first))):
        held = [*vars(thing).values(), *getattr(thing, "columns", {}).values()]
        arrays = [each for each in held if isinstance(each, np.ndarray)]
        assert arrays
        for values in arrays:
            with pytest.raises(ValueError, match="read-only"):
                values[:] = values


def test_rows_of_lists():
    """Two rows from 7 on, none, three from 2 on."""
    assert rows_of(np.array([7, 4, 2]), np.array([2, 0, 3])).tolist() == [7, 8, 2, 3, 4]
    assert offsets_of([2, 0, 3]).tolist() == [0, 2, 2, 5]
    assert rows_of(np.empty(0, int), np.empty(0, int)).tolist() == []
