"""Aligned publishing against every segmentation, by hand, and what must always hold."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpanon_core as fp
from fpanon_core.anonymize import crowding
from fpanon_core.anonymize.chain import release
from fpanon_core.anonymize.crowding import boxes_of
from fpanon_core.anonymize.hiding import CANDIDATES
from fpanon_core.io.samples import sample
from fpanon_core.studies.publishing import publish
from fpanon_core.verification.release import verify_release
from tests.oracles import aligned as oracle
from tests.support.fingerprint_sets import as_lists, boxes, crowds, of_cells
from tests.support.refusals import check_refused

LIMITS = [
    {"max_side_m": 1_500.0, "max_span_min": 60.0},
    {"max_side_m": 400.0},
    {"max_span_min": 3.0},
    {"max_side_m": 10_000.0, "max_span_min": 400.0},
]


@st.composite
def tiny(draw):
    """One group, of few enough samples that all segmentations can be tried: ties and all."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    members = draw(st.integers(1, 4))
    lengths = rng.integers(1, draw(st.sampled_from([1, 2, 3])) + 1, members)
    size = int(lengths.sum())
    user = np.repeat(np.arange(members), lengths)
    minutes = draw(st.sampled_from([3, 12, 2_000]))  # of few minutes, many are the same
    longest = draw(st.sampled_from([1, 5, 300]))
    widest = draw(st.sampled_from([1, 40]))
    x, y = rng.integers(0, draw(st.sampled_from([1, 3, 200])), (2, size)) * 100.0
    t = rng.integers(0, minutes, size).astype(float)
    dx, dy = rng.integers(1, widest + 1, (2, size)) * 100.0
    dt = rng.integers(1, longest + 1, size).astype(float)
    order = np.lexsort((y, x, t, user))
    return of_cells(user, *(values[order] for values in (x, y, t, dx, dy, dt)))


@settings(max_examples=150, deadline=None)
@given(tiny(), st.sampled_from([0.5, 0.0, 0.2, 1.0]))
def test_blocks_are_the_best_of_all_segmentations(fs, w_space):
    config = fp.StretchConfig(w_space, 1 - w_space, 5_000.0, 60.0)
    made = fp.align(fs, np.arange(fs.n_users), config=config)
    least, found = oracle.best(
        as_lists(fs), ws=config.w_space, wt=config.w_time, smax=5_000.0, tmax=60.0
    )
    assert fp.mean_loss(made, config=config) * fs.n_samples == pytest.approx(least, abs=1e-9)
    ends = [0, *np.cumsum(made["n_samples"]).tolist()]
    assert ends in found
    samples, _ = oracle.in_order(as_lists(fs))
    for row, (i, j) in zip(made.itertuples(), pairwise(ends), strict=True):
        (x, y, t), (x1, y1, t1) = oracle.box([s for _, _, s in samples[i:j]])
        cell = (row.x_m, row.y_m, row.t_min, row.dx_m, row.dy_m, row.dt_min)
        np.testing.assert_allclose(cell, (x, y, t, x1 - x, y1 - y, t1 - t), atol=1e-6)


def loss_and_least(fs, side, span):
    """One group's loss, with the price of what is left out, and the least without any trimming."""
    limits = {"max_side_m": side, "max_span_min": span}
    made = fp.aligned(fs, fs.n_users, groups=np.zeros(fs.n_users, int), **limits)
    side, span, costs = side or np.inf, span or np.inf, boxes_of(fs, fp.StretchConfig())
    x, y = fs.x_m + fs.dx_m, fs.y_m + fs.dy_m
    widest = (x.max() - fs.x_m.min() + y.max() - fs.y_m.min()) / 2
    longest = (fs.t_min + fs.dt_min).max() - fs.t_min.min()
    price = costs.by_space * min(side, widest) + costs.by_time * min(span, longest)
    gone = len(made.suppressed)
    kept = fs.n_samples - gone
    loss = gone * price + (kept * fp.mean_loss(made) if kept else 0.0)
    return made, loss, oracle.least_within(as_lists(fs), side, span, price)


@settings(max_examples=100, deadline=None)
@given(tiny().filter(lambda fs: fs.n_users > 1), st.sampled_from([5.0, 60.0, 400.0]))
def test_blocks_within_a_span_are_the_best_too(fs, span):
    """With no limit on the side nothing is trimmed: published whole, or left out."""
    _, loss, least = loss_and_least(fs, None, span)
    assert loss == pytest.approx(least, abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(
    tiny().filter(lambda fs: fs.n_users > 1),
    st.sampled_from([100.0, 900.0, 4_000.0]),
    st.sampled_from([None, 60.0]),
)
def test_trimming_loses_no_more_than_leaving_out(fs, side, span):
    made, loss, least = loss_and_least(fs, side, span)
    assert loss <= least + 1e-9
    check(fs, made, fs.n_users)


def check(fs, result, k):
    """The verifier's verdict: covered, apart in time, within limits, k people; no phantom."""
    assert result.phantom_share == 0.0
    assert result.method == "aligned"
    verdict = fp.verify_k_anonymity(fs, result, k)
    assert verdict.passed, verdict.violations


@settings(max_examples=60, deadline=None)
@given(
    st.one_of(crowds(max_users=40), boxes(max_users=20, max_samples=8)),
    st.sampled_from([2, 3, 5]),
    st.sampled_from([{}, {}, *LIMITS]),
    st.sampled_from(["merge", "suppress"]),
    st.sampled_from(["quick", "default", "thorough"]),
)
def test_what_must_hold(fs, k, limits, leftover, effort):
    """Also of cells of any extent and weight."""
    k = min(k, int(fs.weight.sum()))
    result = fp.aligned(fs, k, leftover=leftover, effort=effort, **limits)
    check(fs, result, k)
    if leftover == "merge" and not limits:
        assert (result.group >= 0).all()
    sizes = np.bincount(result.group[result.group >= 0])
    assert (sizes <= 2 * k - 1).all()
    if result.published.n_groups and (fs.weight == 1).all():
        assert not fp.k_gap(result.expanded(), k).values.any()


@settings(max_examples=15, deadline=None)
@given(crowds(max_users=30), st.sampled_from([2, 4]), st.sampled_from([{}, LIMITS[0]]))
def test_groups_of_an_earlier_result_are_published_aligned(fs, k, limits):
    k = min(k, fs.n_users)
    earlier = fp.glove(fs, k)
    result = fp.aligned(fs, k, groups=earlier.group, **limits)
    check(fs, result, k)
    if not limits:
        assert result.group.tolist() == earlier.group.tolist()
        # Cells of GLOVE that are not of every member may be smaller than any block.
        assert earlier.phantom_share > 0 or fp.mean_loss(result) <= fp.mean_loss(earlier) + 1e-9


def taxis(n=None):
    fs, _ = fp.read_cdr(sample("sf_cabs").path, antennas=sample("sf_cabs").antennas_path)
    return fs if n is None else fs.subset(np.arange(n))


def test_loses_less_than_half_of_what_glove_loses_on_taxis():
    fs = taxis(150)
    for k in (5, 20):  # of 20, no cost of a step is exact
        result = fp.aligned(fs, k)
        check(fs, result, k)
        assert fp.mean_loss(result) < fp.mean_loss(fp.glove(fs, k)) / 2


@pytest.mark.parametrize("effort", ["quick", "default", "thorough"])
def test_the_last_group_is_found_even_among_people_far_from_each_other(effort):
    """Two towns of 13 people each: with 12 candidates, nobody would know of the other town."""
    person = np.repeat(np.arange(26), 2)
    town = person % 2 * 1e6
    fs = fp.FingerprintSet.from_samples(person, town, person * 100.0, np.tile([0.0, 600.0], 26))
    result = fp.aligned(fs, 20, effort=effort)
    check(fs, result, 20)
    assert result.published.n_groups == 1


def test_exchanges_lower_the_loss_and_a_longer_search_is_no_worse():
    """On the mean of some sets: every effort ends in a local optimum, and one set is luck."""
    sums = np.zeros(4)
    for n in (60, 80, 100, 120):
        fs = taxis(n)
        grown = fp.aligned(fs, 4, groups=np.arange(n) // 4)
        made = [fp.aligned(fs, 4, effort=effort) for effort in ("thorough", "default", "quick")]
        losses = [fp.mean_loss(each) for each in (*made, grown)]
        assert max(losses[:3]) < losses[3]
        sums += losses
    assert sums[0] < sums[1] < sums[2]


def test_searches_that_share_candidates_find_what_fresh_ones_find():
    """Of another k, effort or weight, or of other people; a worker of a cluster keeps none."""
    fs, place_only = taxis(60), fp.StretchConfig(1, 0)
    runs = [
        (fs, {"k": 2}),
        (fs, {"k": 5}),
        (fs, {"k": 5, "config": place_only}),
        (fs, {"k": 12, "effort": "quick"}),
        (fs, {"k": 12}),
        (fs.subset(np.arange(40)), {"k": 5}),
    ]
    CANDIDATES.clear()
    shared = [fp.aligned(some, **how).group.tolist() for some, how in runs]
    assert 0 < len(CANDIDATES) < len(runs)
    for (some, how), found in zip(runs, shared, strict=True):
        CANDIDATES.clear()
        assert fp.aligned(some, **how).group.tolist() == found
    fp.aligned(fs, 2, shards=2)
    assert len(CANDIDATES) == 0


def test_weights_of_one_and_one_are_of_the_loss_alone():
    fs, config = taxis(40), fp.StretchConfig(1, 1)
    plain, halves = fp.aligned(fs, 3, config=config), fp.aligned(fs, 3)
    assert plain.group.tolist() == halves.group.tolist()
    assert fp.mean_loss(plain, config=config) == pytest.approx(2 * fp.mean_loss(halves))
    blocks = fp.align(fs, [0, 1, 2], config=config)
    assert fp.mean_loss(blocks, config=config) == pytest.approx(2 * fp.mean_loss(blocks))
    for effort in (
        lambda: fp.k_gap(fs, 2, config=config),
        lambda: fp.fingerprint_stretch(fs, 0, 1, config=config),
        lambda: fp.glove(fs, 2, config=config),
        lambda: fp.glove(fs, 2, config=config, leave_out=0.1),
        lambda: fp.matched_samples(fs, 0, 1, config=config),
    ):
        with pytest.raises(fp.ConfigError, match="for a loss"):
            effort()
    for weights in ((0.7, 0.7), (1, 0.9), (2, -1), (2, 2)):
        with pytest.raises(fp.ConfigError, match="add up to 1"):
            fp.StretchConfig(*weights)


def test_by_hand():
    """Two people, two meetings, 10 h apart. As two blocks: 2 samples of side (1000 + 100)/2 m and

    3 min, 2 of 100 m and 4 min: with halves of 20 km and 480 min, (550/20000 + 3/480 + 100/20000 +
    4/480)/2 in all, over 4 samples twice that. As one block every sample would lose 604 min.
    """
    fs = fp.FingerprintSet.from_samples([1, 1, 2, 2], [0, 0, 900, 0], [0] * 4, [0, 600, 2, 603])
    result = fp.aligned(fs, 2)
    expected = (550 / 20_000 + 3 / 480 + 100 / 20_000 + 4 / 480) / 4
    assert fp.mean_loss(result) == pytest.approx(expected)
    assert fp.mean_loss(fp.align(fs, [0, 1])) == pytest.approx(expected)


def test_an_odd_one_out_is_merged_or_left_out():
    x = [0, 0, 5_000, 5_000, 9_000]
    fs = fp.FingerprintSet.from_samples(range(5), x, [0] * 5, [0] * 5)
    merged = fp.aligned(fs, 2)
    assert merged.group.tolist() == [0, 0, 1, 1, 1]
    left = fp.aligned(fs, 2, leftover="suppress")
    assert left.left_over.tolist() == [4]
    assert left.group.tolist() == [0, 0, 1, 1, -1]
    assert set(left.suppressed["reason"]) == {"left over"}
    for result in (merged, left):
        check(fs, result, 2)


def test_a_journey_out_of_the_cell_is_trimmed():
    """Both are at home at noon, one of them 50 km off in the minute between."""
    x, t = [0, 50_000, 0, 100], [720, 721, 722, 722]
    fs = fp.FingerprintSet.from_samples([1, 1, 1, 2], x, [0] * 4, t)
    result = fp.aligned(fs, 2, max_side_m=1_000.0)
    check(fs, result, 2)
    assert result.suppressed["sample"].tolist() == [0, 1] or result.suppressed[
        "sample"
    ].tolist() == [1]
    assert (result.published.dx_m <= 1_000).all()


ALIGNED = ["aligned, k = 3", "Aligned: people were put into groups", '"technique": "aligned"']
LEFT_OUT = [
    "k = 3, up to 10% left out",
    "Up to 10% of the people, those hardest to hide, are left out.",
]


@pytest.mark.parametrize(
    ("made", "said", "forged"),
    [
        (lambda fs: fp.aligned(fs, 3), ALIGNED, [("aligned, k = 3", "GLOVE, k = 3")]),
        (lambda fs: fp.glove(fs, 3, leave_out=0.1), LEFT_OUT, [(", up to 10% left out", "")]),
        (
            lambda fs: release(fs, fp.Aligned(3, leave_out=0.1)),
            ALIGNED + LEFT_OUT,
            [('"leave_out": 0.1', '"leave_out": 0.01'), ("10% left", "1% left")],
        ),
    ],
)
def test_a_release_of_it_says_so_and_is_verified(tmp_path, made, said, forged):
    fs = taxis(60)
    path = publish(made(fs), tmp_path / "release", original=fs)
    verdict = verify_release(path, fs, 3)
    assert verdict.passed, verdict.violations
    page = " ".join((path / "README.md").read_text(encoding="utf-8").split())
    described = (path / "datapackage.json").read_text(encoding="utf-8")
    assert all(text in page + described for text in said)
    assert ("GLOVE" in page) == (ALIGNED[0] not in said)
    for old, new in forged:
        described = described.replace(old, new)
    (path / "datapackage.json").write_text(described, encoding="utf-8")
    assert not verify_release(path, fs, 3).passed


@settings(max_examples=25, deadline=None)
@given(
    crowds(max_users=40),
    st.sampled_from([2, 3, 5]),
    st.sampled_from([0.05, 0.1]),
    st.sampled_from(["merge", "suppress"]),
    st.sampled_from([fp.aligned, fp.glove]),
)
def test_at_most_the_share_is_left_out(fs, k, share, leftover, method):
    k = min(k, fs.n_users)
    result = method(fs, k, leave_out=share, leftover=leftover)
    verdict = fp.verify_k_anonymity(fs, result, k)
    assert verdict.passed, verdict.violations
    assert len(result.left_out) <= share * fs.n_users + 1e-9
    assert result.summary()["users_left_out"] == len(result.left_out)
    over = [] if leftover == "merge" else result.left_over.tolist()
    assert np.flatnonzero(result.group < 0).tolist() == sorted([*result.left_out, *over])
    reason = result.suppressed.set_index("user")["reason"]
    assert (reason[result.left_out.tolist()] == "hardest to hide").all()
    assert fp.mean_loss(result) >= 0


def test_leaving_out_those_hardest_to_hide_lowers_the_loss_of_the_others():
    fs = taxis(120)
    for method in (fp.aligned, fp.glove):
        whole, without = method(fs, 3), method(fs, 3, leave_out=0.1)
        assert 0 < len(without.left_out) <= 12
        assert fp.mean_loss(without) < fp.mean_loss(whole)
    assert without.left_out.tolist() == np.sort(np.argsort(-fp.k_gap(fs, 3).values)[:12]).tolist()


def test_nobody_is_left_out_where_that_gains_nothing():
    fs = fp.FingerprintSet.from_samples(
        np.repeat(range(30), 2), [0, 300] * 30, [0] * 60, [0, 60] * 30
    )
    for method in (fp.aligned, fp.glove):
        assert not len(method(fs, 2, leave_out=0.1).left_out)


def test_says_what_is_wrong():
    fs = fp.FingerprintSet.from_samples([1, 2, 3], [0, 300, 0], [0, 0, 0], [0, 3, 483])
    hide, given_ = partial(fp.aligned, fs), partial(fp.aligned, groups=[0, 0, 0])
    check_refused(hide, "NAME", max_span_min=[-1.0], leftover=["lose"], effort=["none"])
    check_refused(hide, "NAME", leave_out=[0.11, -0.1])
    check_refused(hide, "finer than the data", max_side_m=[50.0])
    check_refused(
        hide, "shape|without a group|fewer than k", groups=[[0, 0], [0, 0, -1], [0, 0, 1]]
    )
    check_refused(partial(given_, fs), "NAME", leave_out=[0.1], shards=[2])
    with pytest.raises(fp.ConfigError, match="each period has its own groups"):
        given_(fp.into_periods(fs, 1))
    with pytest.raises(fp.InfeasibleError, match="k = 4"):
        hide(4)
    with pytest.raises(fp.SchemaError, match="space_m"):
        fp.mean_loss(fs.to_frame())


def test_who_is_left_out_has_no_group_to_be_looked_up(monkeypatch):
    """In plain Python, where a place beyond a table is an error, and no memory of somebody else."""
    for loop in ("price", "list_pairs", "offer", "sharpen", "find_rings"):
        monkeypatch.setattr(crowding, loop, getattr(crowding, loop).py_func)
    rng = np.random.default_rng(3)
    user = np.repeat(np.arange(8), 3)
    x, y = rng.integers(0, 20_000, (2, len(user)))
    fs = fp.FingerprintSet.from_samples(user, x, y, rng.integers(0, 1_440, len(user)))
    result = fp.aligned(fs, 3, leftover="suppress", engine=fp.LocalEngine(1))
    assert (result.group == -1).sum() == 2
