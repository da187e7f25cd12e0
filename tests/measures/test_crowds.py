"""People who share a record: against everyone with everyone, and as a bound of what is found."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpanon_core import FingerprintSet, Permute, disclosure, draw_knowledge, glove, release
from fpanon_core.measures.crowds import crowds, presence, sharing, visited_places
from fpanon_core.model.projection import lon_lat
from fpanon_core.model.published import Records
from tests.measures.test_unicity import STRATEGIES, dense
from tests.oracles import crowds as oracle
from tests.oracles import presence as presence_oracle
from tests.support.fingerprint_sets import as_lists, boxes, events, of_cells
from tests.support.fingerprint_sets import crowds as crowded


@settings(max_examples=60, deadline=None)
@given(st.one_of(dense(), events(), boxes(), crowded(40)))
def test_equals_everyone_with_everyone(fs):
    weight = fs.weight.tolist()
    expected = oracle.sharing(as_lists(fs), weight)
    assert sharing(fs).tolist() == expected
    found = crowds(fs)
    assert found.least == min(expected)
    alone = sum(w for w, size in zip(weight, expected, strict=True) if size == 1)
    assert found.alone_share == pytest.approx(alone / sum(weight))
    naming = sum(w / size for w, size in zip(weight, expected, strict=True))
    assert found.naming_most == pytest.approx(naming / sum(weight))


@settings(max_examples=60, deadline=None)
@given(st.one_of(dense(), crowded(40)), st.sampled_from(STRATEGIES), st.integers(1, 3))
def test_no_points_of_everyone_find_more(fs, strategy, p):
    p = min(p, int(fs.lengths.max())) if strategy != "top" else 1
    found = disclosure(fs, draw_knowledge(fs, p, strategy=strategy, users=10**6))
    assert (found.sizes >= sharing(fs)[found.targets]).all()
    assert found.unicity <= crowds(fs).alone_share + 1e-12
    assert found.k_disclosure <= crowds(fs).naming_most + 1e-12


def test_everybody_in_a_crowd_of_five_is_named_with_a_chance_of_exactly_a_fifth() -> None:
    """The mean of 2,000 fifths, added as numpy does, is more than a fifth."""
    people = np.arange(2_000)
    fs = FingerprintSet.from_samples(people, 1_000 * (people // 5), 0 * people, 0 * people)
    assert np.full(2_000, 0.2).mean() > 0.2
    assert crowds(fs).naming_most == 0.2


# --- rows in whose cell the person was never recorded, and samples that lie in no row ------------


def test_a_row_counts_where_the_person_has_a_sample_in_it():
    """One person, raw at (0, 0, 5) and (900, 0, 9); published (0, 0, 5) as it is; (800, 0, 9),
    beside the second; and a cell of 1 km and 10 min at minute 0, which holds both.
    """
    fs = FingerprintSet.from_samples([1, 1], [0, 900], [0, 0], [5, 9])
    wide = np.array([1000.0, 100, 100])
    out = of_cells([0] * 3, [0, 0, 800], 0, [0, 5, 9], wide, wide, [10, 1, 1])
    found = presence(fs, Records.of_fingerprints(out), np.array([0]))
    assert (found.rows, found.phantoms) == (3, 1)
    assert found.covered.tolist() == [True, True]


@given(boxes(), st.integers(0, 2**32 - 1))
def test_as_the_plain_loops_have_it(fs, seed):
    """Cells of any extent, published of somebody else, or twice of the same person."""
    rng = np.random.default_rng(seed)
    other = rng.permutation(fs.n_users)
    person = rng.integers(0, fs.n_users, fs.n_users)
    out = fs.subset(other)
    found = presence(fs, Records.of_fingerprints(out), person)
    own, published = as_lists(fs), as_lists(out)
    rows, lost, covered = presence_oracle.phantoms(
        [(own[u], published[r]) for r, u in enumerate(person.tolist())]
    )
    assert (found.rows, found.phantoms) == (rows, lost)
    expected = np.zeros(fs.n_samples, bool)
    for u, some in zip(person.tolist(), covered, strict=True):
        expected[fs.rows_of(u)] |= some
    assert found.covered.tolist() == expected.tolist()


@given(events(), st.integers(2, 3))
def test_of_glove_it_is_what_glove_says(fs, k):
    """Unsuppressed, and counted otherwise: by the spans that hold each sample."""
    if k > fs.n_users:
        return
    result = glove(fs, k)
    found = presence(fs, result.records, np.flatnonzero(result.group >= 0))
    assert found.phantom_share == pytest.approx(result.phantom_share)
    assert found.covered.all()


def test_an_exchange_makes_phantoms():
    """Two people at two places in one hour: the exchange gives both, or neither, the other's."""
    fs = FingerprintSet.from_samples([1, 2], [0, 900], [0, 0], [5, 9])
    shares = set()
    for seed in range(20):
        out = release(fs, Permute("positions"), seed=seed)
        shares.add(presence(fs, out.origin.records, out.origin.person).phantom_share)
    assert shares == {0.0, 1.0}


# --- places and their degrees --------------------------------------------------------------------


def test_places_count_samples_and_users() -> None:
    # User 1: cells (0,0) and (200,0); user 2: cell (0,0). Cell centres are 50 m further.
    fs = FingerprintSet.from_samples([1, 1, 2], [0, 250, 40], [0, 0, 0], [0, 5, 9])
    places = visited_places(fs)
    assert places.to_dict("list") == {
        "x_m": [50.0, 250.0],
        "y_m": [50.0, 50.0],
        "samples": [2, 1],
        "users": [2, 1],
    }


def test_without_a_projection_there_are_no_degrees() -> None:
    fs = FingerprintSet.from_samples([1], [0], [0], [0])
    lon, lat = lon_lat(fs.crs, fs.x_m, fs.y_m)
    assert len(lon) == len(lat) == 0


def test_degrees_run_on_across_the_antimeridian() -> None:
    fs = dataclasses.replace(
        FingerprintSet.from_samples(
            np.array([0, 0]), np.array([-50_000.0, 50_000.0]), np.zeros(2), np.array([0.0, 1.0])
        ),
        crs="+proj=laea +lat_0=-18 +lon_0=179.9 +datum=WGS84 +units=m",
    )
    lon, lat = lon_lat(fs.crs, fs.x_m, fs.y_m)
    # 50 km at 18° south are 50 / (111.3 · cos 18°) = 0.472°.
    assert lon == pytest.approx([179.428, 180.372], abs=0.003)
    assert lat == pytest.approx([-18, -18], abs=0.01)
