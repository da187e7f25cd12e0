"""The cheapest transport where most sinks are too far to matter: as cheap as over all of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from fpanon_core.attacks import assignment
from fpanon_core.attacks.assignment import transport_near


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    sources=st.integers(1, 25),
    sinks=st.integers(1, 90),
    step=st.sampled_from([1.0, 100.0, 3_000.0]),
    crowded=st.booleans(),
)
def test_as_cheap_as_matching_everyone_with_every_record(seed, sources, sinks, step, crowded):
    """By scipy, on the full matrix of people and records; on grids, so that distances tie."""
    rng = np.random.default_rng(seed)
    begin = np.unique(rng.integers(0, 4 if crowded else 40, (sources, 2)) * step, axis=0)
    end = np.unique(rng.integers(0, 40, (sinks, 2)) * step, axis=0)
    supply, demand = rng.integers(1, 4, len(begin)), rng.integers(1, 4, len(end))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assignment, "_FEW_PAIRS", 0)
        patch.setattr(assignment, "_NEAR", 2)
        i, j, many = transport_near(begin, end, supply, demand)
    assert (many > 0).all()
    sent, got = (np.bincount(k, many, n) for k, n in ((i, len(begin)), (j, len(end))))
    assert (sent <= supply).all()
    assert (got <= demand).all()
    assert many.sum() == min(supply.sum(), demand.sum())
    cost = cdist(np.repeat(begin, supply, axis=0), np.repeat(end, demand, axis=0))
    expected = cost[linear_sum_assignment(cost)].sum()
    spent = float(cdist(begin, end)[i, j] @ many)
    assert spent == pytest.approx(expected, rel=1e-9, abs=1e-9)
