"""Presence and flows: equal to plain loops; what a person can add; what leaves; attacks."""

from __future__ import annotations

import datetime as dt
import io
import math
import re
import zipfile
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fpanon_core as fp
from fpanon_core.aggregates import contributions
from fpanon_core.aggregates.attack import _joined, attack_tables
from fpanon_core.aggregates.contributions import each_summed, table_frame
from fpanon_core.aggregates.smoothing import drawn_once, seeded, strata
from fpanon_core.aggregates.tables import (
    Exact,
    counting_flows,
    counting_presence,
    exact_sums,
    protected_flows,
    protected_presence,
)
from fpanon_core.aggregates.usefulness import cell_error, tables_measured
from fpanon_core.kernels.table_smoothing import fit_gravity, shrink_by_tree
from fpanon_core.kernels.table_sums import UNIT
from fpanon_core.studies.table_package import package, readme_of
from tests.oracles import tables as oracle
from tests.oracles import utility as of_records
from tests.support.fingerprint_sets import as_lists
from tests.support.releases import members_of
from tests.support.stated_frames import AREA, FRAME, KINDS, SAMPLES, area_of, crowd, people, plain


def dense(cells: dict[tuple[int, ...], float], *shape: int) -> np.ndarray:
    due = np.zeros(shape)
    for cell, value in cells.items():
        due[cell] = value
    return due


@settings(max_examples=40)
@given(SAMPLES, st.sampled_from([1, 4, 24]))
def test_presence_equals_the_plain_loop_to_the_bit(rows, bands) -> None:
    fs = people(rows)
    due = dense(oracle.presence(plain(fs), area_of, KINDS, bands), 9, 2, bands)
    np.testing.assert_array_equal(fp.presence(fs, FRAME, bands=bands).values, due)


@settings(max_examples=40)
@given(SAMPLES)
def test_flows_equal_the_plain_loop_to_the_bit(rows) -> None:
    fs = people(rows)
    due = dense(oracle.flows(plain(fs), area_of, KINDS), 9, 9, 2) / (7, 2)
    np.testing.assert_array_equal(fp.flows(fs, FRAME).values.toarray(), due)


@settings(max_examples=30)
@given(SAMPLES, st.sampled_from([1, 8]), st.integers(1, 100))
def test_bounded_contributions_equal_the_plain_loop(rows, bands, trips) -> None:
    fs, where = people(rows), table_frame(people(rows), FRAME)
    due = [oracle.bounded_presence(each, area_of, KINDS, bands) for each in plain(fs)]
    cells = sum(dense(mine, 9, 2, bands) for mine, _ in due)
    exact = exact_sums(counting_presence, fs, where, fp.Presence(FRAME, bands, epsilon=1))
    np.testing.assert_array_equal(exact.cells, cells.ravel())
    assert exact.total == sum(total for _, total in due)
    most = 9 * trips
    moved = exact_sums(
        counting_flows, fs, where, fp.Flows(FRAME, 8, epsilon=1, trips_per_day=trips)
    ).cells
    every = [oracle.trips_of(each, area_of, KINDS) for each in plain(fs)]
    assert moved.sum() == sum(min(most, len(own)) for own in every) * (UNIT // most)
    all_of_them = dense(Counter(cell for own in every for cell in own), 9, 9, 2)
    assert (moved.reshape(9, 9, 2) <= all_of_them * (UNIT // most)).all()


def test_every_choice_of_trips_is_as_likely() -> None:
    """Of three trips one: each in a third of 3,000 people, give or take four deviations."""
    at = [0, 1_000, 2_000, 2_000], [0, 0, 0, 1_000]
    fs = fp.FingerprintSet.from_samples(
        np.repeat(np.arange(3_000), 4), *(np.tile(v, 3_000) for v in at), np.tile(range(4), 3_000)
    )
    one_day = fp.FrameConfig(fp.StatedPeriod(None, 1), "grid", AREA, 1_000)
    option = fp.Flows(one_day, 8, epsilon=1, trips_per_day=1)
    drawn = exact_sums(counting_flows, fs, table_frame(fs, one_day), option).cells / UNIT
    assert drawn.sum() == 3_000
    assert (np.abs(drawn[drawn > 0] - 1_000) < 4 * math.sqrt(3_000 * 2 / 9)).all()
    assert (drawn > 0).sum() == 3


@pytest.mark.parametrize("epsilon", [None, 1])
def test_sums_are_equal_however_many_work_at_them(monkeypatch, epsilon) -> None:
    """In blocks of a few people; fractions are added up in the order of the blocks."""
    monkeypatch.setattr(contributions, "_SAMPLES_AT_ONCE", 100)
    fs = crowd(60)
    where = table_frame(fs, FRAME)
    for make, option in (
        (counting_presence, fp.Presence(FRAME, 8, epsilon=epsilon)),
        (counting_flows, fp.Flows(FRAME, 8, epsilon=epsilon, trips_per_day=100)),
    ):
        one, three = (exact_sums(make, fs, where, option, fp.LocalEngine(n)) for n in (1, 3))
        np.testing.assert_array_equal(one.cells, three.cells)
        assert one.total == three.total


def queries(fs: fp.FingerprintSet, option: fp.Tables) -> list[tuple[np.ndarray, int, float]]:
    """All sums that get noise, each with the most that one person may add to it, and its ε."""
    where, asked = table_frame(fs, FRAME), []

    def noise(values, most, epsilon):
        asked.append((np.ravel(values), most, epsilon))
        return values

    if "presence" in option.CONTENTS:
        protected_presence(exact_sums(counting_presence, fs, where, option), where, option, noise)
    else:
        protected_flows(exact_sums(counting_flows, fs, where, option), where, option, noise)
    return asked


HEAVY = [(9, i % 40 - 5, i % 37 - 3, i % 13_000) for i in range(100_000)]  # nearly everywhere
EDGES = [(9, x, y, t) for x in (0, 10, 29, 30) for y in (0, 20, 30) for t in (0, 1439, 12_959)]
OUTSIDE = [(9, -5 + 40 * (i % 2), 33, i * 400) for i in range(40)]  # in no area, or on no day
BESIDE = [(1, 3, 3, 5), (1, 13, 3, 700), (2, 28, 28, 9_000)]


@pytest.mark.parametrize("person", [HEAVY, EDGES, OUTSIDE], ids=["heavy", "edges", "outside"])
def test_one_person_moves_each_query_by_at_most_one(person) -> None:
    """L1, in whole numbers, with and without the person: what the noise of each is made for."""
    with_, without = people([*BESIDE, *person]), people(BESIDE)
    for option in (fp.Presence(FRAME, 8, epsilon=1), fp.Flows(FRAME, 8, epsilon=1)):
        asked = list(zip(queries(with_, option), queries(without, option), strict=True))
        assert sum(epsilon for (_, _, epsilon), _ in asked) == pytest.approx(1)
        for (more, most, epsilon), (less, _, _) in asked:
            assert (more == np.rint(more)).all()
            assert np.abs(more - less).sum() <= most
            assert most in (UNIT, 2 * UNIT)  # a trip has two ends
            assert epsilon > 0
        if person is OUTSIDE:
            assert all((more == less).all() for (more, *_), (less, *_) in asked)


@settings(max_examples=30)
@given(SAMPLES, st.integers(1, 3))
def test_one_person_adds_at_most_one(rows, trips) -> None:
    """L1 of every sum, of each person of random data; the sums are those of each."""
    fs = people(rows)
    for option in (
        fp.Presence(FRAME, 8, epsilon=1),
        fp.Flows(FRAME, 8, epsilon=1, trips_per_day=trips),
    ):
        for user in range(fs.n_users):
            for sums, most, _ in queries(fs.subset([user]), option):
                assert sums.min() >= 0
                assert sums.sum() <= most


def test_frame_page_and_size_do_not_depend_on_the_people() -> None:
    """But for the error and what noise hides, which follow from the noisy numbers."""
    far = people([(u, 99, 99, 5) for u in range(40)])
    for option in (fp.Presence(FRAME, 8, epsilon=1), fp.Tables(FRAME, 8, epsilon=1)):
        texts, sizes = [], []
        for fs in (crowd(30), crowd(300, 5), people(BESIDE), far):
            read = members_of(package(fp.release(fs, option)))
            table = pd.read_csv(io.BytesIO(read["presence.csv"]))
            assert (table.people >= 0).all()
            numbers = r"[0-9a-f]{64}|[\d.]+(e[+-]\d+)?%?|more than|about"
            hours = r"Noise (also )?exceeds the [^.]+\.|Where an area's daily [^.]+\."
            hours += r"|No trip is listed [^.]+\.|Read it as a mean [^.]+\."
            page = re.sub(hours, "", read["README.md"].decode())
            page = re.sub(r"\W+", " ", re.sub(numbers, "", page))
            texts.append((tuple(read), read["areas.geojson"], len(table), tuple(table.area), page))
            sizes.append(len(read["presence.csv"]))
        assert len(set(texts)) == 1
        assert max(sizes) < 2 * min(sizes)


@pytest.mark.parametrize(("epsilon", "hidden"), [(0.01, True), (20.0, False)])
def test_hours_whose_differences_noise_exceeds_are_said_not_to_show(epsilon, hidden) -> None:
    """All of 600 people are recorded from 8 to 10 only; ε = 0.01 leaves nothing of that."""
    rows = [(u, d * 1440 + 480 + u % 120, u % 3, u % 2) for u in range(600) for d in range(5)]
    user, t, x, y = np.array(rows, float).T
    fs = fp.FingerprintSet.from_samples(user.astype(int), 1000 * x, 1000 * y, t)
    option, where = fp.Presence(FRAME, 4, epsilon=epsilon), table_frame(fs, FRAME)
    exact = exact_sums(counting_presence, fs, where, option, None, None)
    made = protected_presence(exact, where, option, seeded(3, 1))
    shown = made.values[:, where.days > 0]
    assert made.hours_hidden == hidden == bool((np.ptp(shown, axis=2) < 5e-4).all())
    page = readme_of(package(fp.CountTables(option, presence=made, flows=None, digest=fs.digest)))
    assert ("Noise exceeds the differences between hours" in page) == hidden
    assert not replace(made, values=made.values[:, :, :1]).hours_hidden, "one band has no hours"
    assert not replace(made, protection=fp.Presence(FRAME, 4)).hours_hidden, "there is no noise"


def test_a_threshold_leaves_small_counts_blank() -> None:
    exact, blank = (fp.presence(crowd(), FRAME, bands=1, threshold=t).values for t in (None, 30))
    assert np.isnan(blank[exact < 30]).all()
    np.testing.assert_array_equal(blank[exact >= 30], exact[exact >= 30])
    assert (fp.flows(crowd(), FRAME, threshold=15).values.data >= 15).all()


def test_private_tables_come_near_the_exact_ones() -> None:
    fs = crowd(3_000)
    exact, private = (fp.presence(fs, FRAME, bands=2, epsilon=e).values for e in (None, 2))
    assert np.abs(private - exact).mean() < 0.2 * exact.mean()
    trips = fp.flows(fs, FRAME, epsilon=2).values.sum() / fp.flows(fs, FRAME).values.sum()
    assert 0.7 < trips < 1.3


def test_density_exceeds_that_of_plain_noise() -> None:
    """Laplace noise on each cell, shrunk to areas × bands by the noise's share of the variance."""
    cdr = fp.generate_cdr(1_000, seed=11)
    antennas = pd.DataFrame(cdr.attrs["antennas"])
    centre = (float(antennas["lat"].mean()), float(antennas["lon"].mean()))
    fs, _ = fp.read_cdr(cdr, antennas=antennas, centre=centre)
    frame = fp.FrameConfig(fp.StatedPeriod(dt.date(2024, 3, 4), 14), antennas_an_area=4)
    option = fp.Presence(frame, 8, epsilon=1)
    where, reference = table_frame(fs, frame), fp.Reference.of(fs)
    exact = exact_sums(counting_presence, fs, where, option)
    ours = protected_presence(exact, where, option, seeded(0, 0))
    counted = exact.cells / UNIT
    noisy = counted + np.random.default_rng(0).laplace(0, 1, counted.shape)
    noisy = noisy.reshape(where.n_areas, -1)
    areas, bands = (np.maximum(noisy.sum(axis=axis), 0) for axis in (1, 0))
    product = np.outer(areas, bands) / bands.sum()
    share = max(0.0, 1 - 2 / np.mean((noisy - product) ** 2))
    shrunk = np.maximum(product + share * (noisy - product), 0).reshape(ours.values.shape)
    kept = []
    for values in (ours.values, shrunk / where.days[None, :, None]):
        made = fp.CountTables(option, replace(ours, values=values), None)
        kept.append(tables_measured(reference, made, fs.crs, fs.n_users)[0]["density"])
    assert kept[0] > kept[1] + 0.02 > 0.5


def test_errors_from_public_numbers() -> None:
    """2,000 people, 50 areas: 48 bands are off by 48 people of 40, 8 bands by 8."""
    area = fp.StatedArea(0, 0, 5_000, 10_000, "metres")
    frame = fp.FrameConfig(fp.StatedPeriod(None, 14), "grid", area, 1_000)
    table = fp.table_error(2_000, frame).set_index("bands")
    assert table.loc[48, "noise"].iloc[0] == 48
    assert table.loc[8, "noise"] == 8
    assert (table["error"] <= table["noise"] + 25).all()
    for n in (200, 2_000, 20_000):
        assert fp.proposed(n, 400).share <= 0.2
    with pytest.raises(fp.ConfigError, match="antenna table"):
        fp.table_error(10, fp.FrameConfig(fp.StatedPeriod(None, 1)))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(
    "option",
    [fp.Tables(FRAME, 8, epsilon=1), fp.Presence(FRAME, 3, threshold=15), fp.Flows(FRAME)],
    ids=str,
)
def test_published_tables_verify_and_altered_ones_do_not(tmp_path, option, ending) -> None:
    fs = crowd()
    path = fp.publish(fp.release(fs, option), tmp_path / "t.zip", format=ending)
    assert fp.verify_release(path, fs, None).passed
    if ending == "csv" and option.epsilon is None:
        names, found = [str(n) for n in range(1, 10)], path.read_bytes()
        assert not oracle.recounted(found, names, plain(fs), area_of, KINDS)
        assert oracle.recounted(found, names, plain(fs)[1:], area_of, KINDS)
    members = members_of(path)
    for name, content in members.items():
        changed = tmp_path / "changed.zip"
        with zipfile.ZipFile(changed, "w") as into:
            for each, body in members.items():
                into.writestr(each, content + b" " if each == name else body)
        if name == "datapackage.json":
            continue  # white space there is found by the bytes of the zip, below
        assert not fp.verify_release(changed, fs, None).passed, name
    with zipfile.ZipFile(path, "a") as into:
        into.writestr("raw.csv", "user\n1\n")
    assert not fp.verify_release(path, fs, None).passed


def test_what_promises_nothing_does_not_leave() -> None:
    """Positions snapped on a projection that the records decided: one person moves the others."""
    cdr = fp.generate_cdr(60, days=3, seed=1)
    fs, _ = fp.read_cdr(cdr, antennas=pd.DataFrame(cdr.attrs["antennas"]))
    frame = fp.FrameConfig(fp.StatedPeriod(dt.date(2024, 3, 4), 3))
    made = fp.release(fs, fp.Presence(frame, 8, epsilon=1))
    with pytest.raises(fp.ConfigError, match="projection"):
        package(made)


@pytest.mark.parametrize("epsilon", [0.5, 10.0])
def test_no_attacker_passes_the_bound(epsilon) -> None:
    found = attack_tables(crowd(200), fp.Tables(FRAME, 4, epsilon=epsilon), targets=40)
    assert found.membership.bound == pytest.approx(math.tanh(epsilon / 2))
    assert found.membership.low <= found.membership.bound
    assert (found.homes["low"] <= found.homes["bound"]).all()
    assert found.homes["found"].is_monotonic_increasing


def test_the_attack_is_the_same_however_many_work_at_it() -> None:
    """Nobody has more trips than count, so the operating system draws none."""
    option = fp.Tables(FRAME, 4, epsilon=1, trips_per_day=100)
    one, three = (
        attack_tables(crowd(60), option, targets=12, engine=fp.LocalEngine(n)) for n in (1, 3)
    )
    assert one.membership.by_attacker.equals(three.membership.by_attacker)
    assert one.homes.equals(three.homes)


@pytest.mark.parametrize("trips", [1, 100])
def test_without_a_person_is_what_the_others_have(trips) -> None:
    """Of two trips one counts, and which is drawn: the one taken away is the one counted."""
    fs, each = crowd(30), fp.Tables(FRAME, 4, epsilon=1, trips_per_day=trips)
    where = table_frame(fs, FRAME)
    for counting in (counting_presence, counting_flows):
        own = each_summed(*counting(where, each), fs, where)
        every = _joined(Exact(np.zeros(counting(where, each)[1])), own, 1.0)
        assert every.cells.sum() > 0
        if trips == 100 or counting is counting_presence:
            np.testing.assert_array_equal(every.cells, exact_sums(counting, fs, where, each).cells)
        for user, mine in enumerate(own):
            left = _joined(every, [mine], -1.0)
            rest = _joined(Exact(np.zeros_like(every.cells)), own[:user] + own[user + 1 :], 1.0)
            np.testing.assert_array_equal(left.cells, rest.cells)
            assert left.total == rest.total


def test_noise_is_drawn_once() -> None:
    ones, seen = np.ones(50, np.int64), []
    noises = drawn_once(seeded(1, 2))
    for level in (0, 7, 7):
        noise = next(noises)
        sums = (noise(level * ones, UNIT, 0.1), noise(ones[:3], UNIT, 0.5))
        seen.append((sums[0] - level, sums[1]))
    again = seeded(1, 2)
    np.testing.assert_array_equal(seen[0][0], again(0 * ones, UNIT, 0.1))
    for each in seen[1:]:
        np.testing.assert_array_equal(each[0], seen[0][0])
        np.testing.assert_array_equal(each[1], seen[0][1])


@given(st.lists(st.integers(0, 5), max_size=60), st.sampled_from([1, 3, 12]))
def test_parts_of_equal_size_are_those_of_the_stable_order(values, many) -> None:
    order = np.argsort(np.array(values), kind="stable")
    due = np.zeros(len(values), int)
    for part, rows in enumerate(np.array_split(order, many)):
        due[rows] = part
    np.testing.assert_array_equal(strata(np.array(values, float), many), due)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 40), st.integers(1, 5), st.sampled_from([0.1, 20.0]), st.integers(0, 2**31))
def test_the_tree_shrinks_as_the_plain_loop(n, m, variance, seed) -> None:
    rng = np.random.default_rng(seed)
    values, prior = rng.laplace(2.0, 3.0, (n, m)), rng.random((n, m))
    order = rng.permutation(n)
    due = oracle.tree_shrunk(values.tolist(), prior.tolist(), variance, order.tolist())
    np.testing.assert_allclose(shrink_by_tree(values, prior, variance, order), due, atol=1e-9)


def test_the_gravity_model_is_fitted_as_the_plain_loop() -> None:
    rng = np.random.default_rng(1)
    model, ends, rings = rng.random((9, 9)), rng.random(9), rng.random(4)
    ring = rng.integers(0, 4, (9, 9))
    due = oracle.gravity(model.tolist(), ends.tolist(), rings.tolist(), ring.tolist(), 3)
    fit_gravity(model, ends, rings, ring, 3)
    np.testing.assert_allclose(model, due, rtol=1e-9)


def test_exact_tables_give_people_away() -> None:
    exact = fp.membership(crowd(200), fp.Presence(FRAME, 24), targets=50)
    private = fp.membership(crowd(200), fp.Presence(FRAME, 24, epsilon=0.5), targets=50)
    assert exact.low > 0.1
    assert private.advantage < exact.advantage


def test_hexagons_and_named_areas() -> None:
    cdr = fp.generate_cdr(60, days=3, seed=1)
    fs, _ = fp.read_cdr(cdr, antennas=pd.DataFrame(cdr.attrs["antennas"]))
    period = fp.StatedPeriod(dt.date(2024, 3, 4), 3)
    lat, lon = fs.antennas.lat, fs.antennas.lon
    area = fp.StatedArea(lat.min() - 0.1, lon.min() - 0.1, lat.max() + 0.1, lon.max() + 0.1)
    hexagons = fp.presence(fs, fp.FrameConfig(period, "hexagons", area, resolution=6))
    named = fp.presence(fs, fp.FrameConfig(period, column="district"))
    assert hexagons.values.sum() == pytest.approx(named.values.sum())
    assert set(named.to_frame()["area"]) == set(fs.antennas.column("district"))
    option = fp.Tables(hexagons.frame.config, 8, threshold=15)
    assert fp.ReleaseOption.from_dict(fp.ReleaseOption(steps=[option]).to_dict()).steps == (option,)


def test_tables_stand_alone_in_an_option() -> None:
    with pytest.raises(fp.ConfigError, match="no other step"):
        fp.ReleaseOption(steps=[fp.SampleUsers(0.5), fp.Presence(FRAME)])
    for wrong, said in (((8, 15, 1.0), "not both"), ((7,), "divide a day")):
        with pytest.raises(fp.ConfigError, match=said):
            fp.Presence(FRAME, *wrong)


CONTRABAND = {
    "unknown error": ("datapackage.json", b'"error": {', b'"error": {\n "raw": "user 7",'),
    "text as error": ("datapackage.json", b'"scale": ', b'"scale": "user 7", "x": '),
    "digits of an error": ("datapackage.json", b'"scale": ', b'"scale": 0.123456789, "trips": '),
    "unknown fact": ("datapackage.json", b'"kind": "tables"', b'"kind": "tables", "raw": "user 7"'),
    "digits of a cell": ("presence.csv", b"weekday,0,", b"weekday,0,1234567.123456"),
    "a column": ("presence.csv", b"area,day,from_hour,people", b"area,day,from_hour,people,user"),
    "a name": ("presence.csv", b"\n1,", b"\n1 user 7,"),
    "a blank cell": ("presence.csv", b"\n1,weekday,0,", b"\n1,weekday,0,\n1,weekday,0,"),
    "another epsilon": ("datapackage.json", b'"epsilon": 1.0', b'"epsilon": 0.1'),
}


@pytest.mark.parametrize("what", CONTRABAND)
def test_contraband_in_a_package_is_refused(tmp_path, what) -> None:
    name, was, now = CONTRABAND[what]
    fs = crowd(60)
    folder = fp.publish(fp.release(fs, fp.Tables(FRAME, 4, epsilon=1)), tmp_path / "t")
    content = (folder / name).read_bytes()
    assert was in content
    (folder / name).write_bytes(content.replace(was, now, 1))
    assert not fp.verify_release(folder, fs, None).passed


def test_the_order_of_flows_says_nothing(tmp_path) -> None:
    fs = crowd(60)
    folder = fp.publish(fp.release(fs, fp.Flows(FRAME)), tmp_path / "t")
    head, *rows = (folder / "flows.csv").read_bytes().splitlines(keepends=True)
    (folder / "flows.csv").write_bytes(head + b"".join(rows[::-1]))
    found = fp.verify_release(folder, fs, None)
    assert found.violations["text"].str.contains("order").any()


@pytest.mark.parametrize("length", [0, 10, 500, 2_000])
def test_a_damaged_zip_is_no_other_exception(tmp_path, length) -> None:
    fs, path = crowd(40), tmp_path / "t.zip"
    whole = fp.publish(fp.release(fs, fp.Presence(FRAME, 4)), path).read_bytes()
    for damaged in (whole[:length], whole[:300] + bytes(40) + whole[340:], whole[length:]):
        try:
            verdict = fp.verify_release(damaged, fs, None)
        except fp.FpanonError:
            continue
        assert not verdict.passed or damaged == whole


def test_sparse_people_are_not_made_more() -> None:
    """Everybody is seen once in nine days: presence stays near, and its factor's error is told."""
    n = 2_000
    rng = np.random.default_rng(0)
    at = rng.integers(0, 30, (n, 2)) * 100.0
    t = rng.integers(0, 9 * 1440, n).astype(float)
    fs = fp.FingerprintSet.from_samples(np.arange(n), at[:, 0], at[:, 1], t)
    exact, private = (fp.presence(fs, FRAME, bands=4, epsilon=e) for e in (None, 2))
    # The factor's error is a share of what is published.
    off = abs(1 - exact.values.sum() / private.values.sum())
    assert off < 12 * private.scale_error
    assert private.scale_error < 0.5


@pytest.mark.parametrize("bands", [1, 4, 24])
@pytest.mark.parametrize("side", [1_000.0, 3_000.0])
def test_cells_are_off_by_no_more_than_is_told(bands, side) -> None:
    """Over cells and eight draws: half as much again is left for what smoothing gets wrong."""
    frame = fp.FrameConfig(fp.StatedPeriod(None, 9), "grid", AREA, side)
    fs = crowd(2_000)
    exact = fp.presence(fs, frame, bands=bands).values
    off, told = 0.0, 0.0
    for _ in range(8):
        private = fp.presence(fs, frame, bands=bands, epsilon=1)
        off += np.abs(private.values - exact).mean()
        told += private.error + private.scale_error * exact.mean()
    assert off < 1.5 * told


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 99), st.sampled_from([1, 8]), st.sampled_from([None, 3]))
def test_utility_equals_the_plain_loop_at_nine_corners(seed, bands, threshold) -> None:
    """Frame of squares of 1 km, analysis areas of 700 m: mass spread evenly in area and band."""
    fs = crowd(12, seed)
    made = fp.release(fs, fp.Tables(FRAME, bands, threshold=threshold))
    reference = fp.Reference.of(fs, areas=700.0)
    components, corners = tables_measured(reference, made, None, fs.n_users)
    ground = reference.ground
    grids = of_records.nine(ground.x_m, ground.y_m, ground.side_m)
    counts = [fs.count[fs.rows_of(u)].tolist() for u in range(fs.n_users)]
    everybody = as_lists(fs), counts, [1] * fs.n_users
    presence = {cell: value for cell, value in np.ndenumerate(made.presence.values) if value > 0}
    flows = made.flows.values
    trips = dict(zip(zip(*flows.coords, strict=True), flows.data, strict=True))
    boxes = [[(1_000.0 * (i % 3), 1_000.0 * (i // 3), 1_000.0, 1_000.0)] for i in range(9)]
    places = [of_records.occupancy(*everybody, grid) for grid in grids]
    moves = [of_records.trips(*everybody, grid) for grid in grids]
    shown = presence, trips, boxes, KINDS
    due = oracle.corners(places, moves, *shown, fs.n_users, bands, grids)
    for name, values in due.items():
        assert corners[name] == pytest.approx(values, abs=1e-7)
        assert components[name] == pytest.approx(sum(values) / 9, abs=1e-7)


SIX = fp.FrameConfig(
    fp.StatedPeriod(None, 7), "grid", fp.StatedArea(0, 0, 6_000, 6_000, "metres"), 1_000
)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_the_expected_error_of_cells_is_as_large_as_the_true_one(epsilon: float) -> None:
    """People of one habit in 36 areas, awake from 6 h: noise and chance are all that is off."""
    rng = np.random.default_rng(5)
    user = np.repeat(np.arange(1_500), 20)
    at = rng.integers(0, 6, (1_500, 2)).repeat(20, axis=0) * 1_000.0 + 100
    minute = rng.integers(0, 7, len(user)) * 1_440 + rng.integers(360, 1_440, len(user))
    fs = fp.FingerprintSet.from_samples(user, at[:, 0], at[:, 1], minute)
    exact = fp.presence(fs, SIX, bands=4).values
    expected, true = [], []
    for _ in range(6):
        made = fp.presence(fs, SIX, bands=4, epsilon=epsilon)
        expected.append(cell_error(made).mean())
        true.append(np.abs(made.values - exact).mean())
    assert 0.5 < np.mean(expected) / np.mean(true) < 2
    assert not cell_error(fp.presence(fs, SIX, threshold=5)).any(), "there is no noise"
