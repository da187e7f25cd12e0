"""Tables of records, with the key and without: what is right passes, what cannot be does not."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fpanon_core.anonymize.glove import glove
from fpanon_core.model.errors import SchemaError
from fpanon_core.model.fingerprints import FingerprintSet
from fpanon_core.verification.anonymity import verify_k_anonymity
from fpanon_core.verification.faults import Faults
from fpanon_core.verification.promises import check_claim
from fpanon_core.verification.records import records_of
from tests.oracles import fitting
from tests.support.fingerprint_sets import of_cells
from tests.support.refusals import check_refused
from tests.support.releases import Release


def kinds(fs, release, k=2, **options):
    verdict = verify_k_anonymity(fs, release, k, **options)
    assert verdict.passed == (len(verdict.violations) == 0) == (not verdict.counts)
    assert ("NOT" in str(verdict)) == (not verdict.passed)
    return set(verdict.counts)


@pytest.fixture(scope="module")
def made(fs, result):
    return Release(fs, result)


def test_what_is_right_passes(fs, result, made):
    listed = {"suppressed": result.suppressed}
    for options in (listed, {"suppressed": made.left_out}, listed | {"key": made.key}):
        assert kinds(fs, made.rows, **options) == set()
        assert kinds(fs, made.rows.sample(frac=1, random_state=0), **options) == set()
    assert kinds(fs, result.to_frame(), **listed) == set()
    verdict = verify_k_anonymity(fs, made.rows, 2, **listed)
    assert (verdict.users, verdict.groups) == (fs.n_users, result.published.n_groups)
    assert verdict.samples == fs.n_samples


def test_people_are_given_records_by_what_these_hold(fs, result, made):
    """Without the key nothing depends on the names; with it, all does."""
    listed = {"suppressed": result.suppressed}
    names = made.key["pseudonym"].to_numpy()
    other = dict(zip(names, names[::-1], strict=True))
    renamed = made.rows.assign(pseudonym=made.rows["pseudonym"].map(other))
    assert kinds(fs, renamed, **listed) == set()
    assert "uncovered sample" in kinds(fs, renamed, key=made.key, **listed)


def test_a_table_of_another_kind(fs, made):
    for table, said in (
        (made.rows.drop(columns="start"), "lacks start"),
        (made.rows.assign(start=0.0), "times with a time zone"),
        (made.rows.assign(x_min_m="here"), "not a number"),
    ):
        with pytest.raises(SchemaError, match=said):
            verify_k_anonymity(fs, table, 2)
    with pytest.raises(SchemaError, match="not a row number"):
        verify_k_anonymity(fs, made.rows, 2, suppressed=pd.DataFrame({"sample": ["first"]}))
    check_refused(
        partial(verify_k_anonymity, fs, made.rows),
        "integer of 2 or more",
        k=[1, 0, 2.0, True, "2"],
    )


def test_nothing_published(fs):
    result = glove(fs, 20, suppress_space_m=100, suppress_time_min=1)
    assert result.published.n_groups == 0
    assert kinds(fs, result, 20) == set()
    assert kinds(fs, result.to_frame(), 20, suppressed=result.suppressed) == set()


def test_samples_cut_within_are_held_by_all_their_pieces():
    """[0, 60) and [30, 90) of two users: pieces 0–30, 30–60 and 60–90, the middle one wide."""
    t, dt = [0, 500, 30, 530, 2_000, 2_000], [60, 60, 60, 60, 1, 1]
    fs = of_cells([0, 0, 1, 1, 2, 3], [0] * 6, [0] * 6, t, dt=dt)
    assert kinds(fs, glove(fs, 2), 2) == set()
    assert kinds(fs, glove(fs, 2).to_frame(), 2) == set()


# --- whose record, against every way there is -----------------------------------------------------


@st.composite
def crowds_and_records(draw):
    """Up to six people of few places and minutes; records that hold some of some of them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, 6))
    spots = draw(st.sampled_from([2, 4]))
    user = np.repeat(np.arange(n), 3)
    x = rng.integers(0, spots, 3 * n) * 100.0
    fs = FingerprintSet.from_samples(user, x, np.zeros(3 * n), rng.integers(0, 4, 3 * n))
    records = []
    for _ in range(draw(st.integers(1, n)) // 2 + 1):
        # What some of them share: the bounding cell of each minute, one of them now and then lost.
        chosen = rng.choice(n, rng.integers(1, n + 1), replace=False)
        cells = []
        for t in range(4):
            mine = [s for u in chosen for s in range(*fs.offsets[u : u + 2]) if fs.t_min[s] == t]
            if mine and rng.random() < 0.9:
                west, east = fs.x_m[mine].min(), fs.x_m[mine].max() + 100
                cells.append((west, east, 0.0, 100.0, float(t), t + 1.0))
        if cells:
            records += [cells] * 2
    assume(records)
    return fs, records[:n]


def samples_of(fs):
    """Each person's samples, numbered, as the records hold cells."""
    x, t = fs.x_m, fs.t_min
    cells = np.column_stack([x, x + 100, 0 * x, 0 * x + 100, t, t + 1]).tolist()
    return [
        [(s, tuple(cells[s])) for s in range(*fs.offsets[u : u + 2])] for u in range(fs.n_users)
    ]


def table_of(records):
    """Two and two are alike; their pseudonyms and groups by number."""
    columns = ["x_min_m", "x_max_m", "y_min_m", "y_max_m", "start", "end"]
    frames = [
        pd.DataFrame(cells, columns=columns).assign(pseudonym=f"p{i}", group=i // 2)
        for i, cells in enumerate(records)
    ]
    return pd.concat(frames, ignore_index=True)


@settings(max_examples=150, deadline=None)
@given(crowds_and_records(), st.data())
def test_records_fit_when_some_way_does(given_, data):
    fs, records = given_
    numbered = samples_of(fs)
    samples = [[cell for _, cell in mine] for mine in numbered]
    doubt = {"uncovered sample", "no assignment", "missing user"}
    table = table_of(records)
    missed = fitting.fewest_missed(samples, records)
    # No list: nothing may be missing.
    assert bool(kinds(fs, table) & doubt) == (missed > 0)
    # A list of some: what is not on it must be held, and everybody has a record who is not on it.
    share = data.draw(st.sampled_from([0.2, 0.6]))
    gone = np.random.default_rng(data.draw(st.integers(0, 99))).random(fs.n_samples) < share
    wanted = [[cell for s, cell in mine if not gone[s]] for mine in numbered]
    listed = pd.DataFrame({"sample": np.flatnonzero(gone), "reason": "left over"})
    found = kinds(fs, table, suppressed=listed)
    # Whoever has nothing left has no record: there are no more records than others.
    more = len(records) > sum(map(bool, wanted))
    refused = bool(found & (doubt | {"unknown user"}))
    assert refused == (more or fitting.fewest_missed(wanted, records) > 0)


@settings(max_examples=100, deadline=None)
@given(crowds_and_records())
def test_as_many_may_be_missing_as_are_stated(given_):
    """The number alone, no list: refused exactly when every way misses more."""
    fs, records = given_
    samples = [[cell for _, cell in mine] for mine in samples_of(fs)]
    missed = fitting.fewest_missed(samples, records)
    for stated in {0, missed - 1, missed, missed + 1, missed + 3} - {-1}:
        faults = Faults(fs, 2)
        claim = records_of(table_of(records), faults).claim
        checked = check_claim(claim, None, stated, False, faults)
        assert (checked is not None) == (stated >= missed)
        if checked is not None:
            assert int(checked.gone.sum()) == missed


def test_too_many_fits_are_left_undecided(fs, whole, monkeypatch):
    """Beyond the pairs that are tried, nothing is claimed that depends on which way it is."""
    made = Release(fs, whole)
    for name in ("x_min_m", "y_min_m", "x_max_m", "y_max_m"):  # everything holds everybody
        made.rows[name] += -1e6 if "min" in name else 1e6
    table = made.rows.drop(columns=["lat_min", "lat_max", "lon_min", "lon_max"])
    begin, end = made.rows["start"].min(), made.rows["end"].max()
    table = table.drop_duplicates("pseudonym").assign(start=begin, end=end)
    assert kinds(fs, table) == set()
    monkeypatch.setattr("fpanon_core.verification.fitting._MOST_PAIRS", 10)
    assert kinds(fs, table) == set()
    none = pd.DataFrame({"sample": [0], "reason": ["space"]})
    # That sample is inside whichever record its user has; of cells of too few nothing is said.
    assert kinds(fs, table, suppressed=none) == {"left out though published"}
    faults = Faults(fs, 2)
    assert check_claim(records_of(table, faults).claim, None, 5, False, faults) is None
    assert set(faults.verdict().counts) == {"undecided"}
