"""Synthetic people: of the model alone, in the frame, and as useful as they should be."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest

import fpanon_core as fp
from fpanon_core.aggregates.contributions import table_frame
from fpanon_core.aggregates.smoothing import seeded
from fpanon_core.kernels import made_up_lives as lives
from fpanon_core.studies.synthetic_package import package
from fpanon_core.synthesis import attack
from fpanon_core.synthesis import generation as made_of
from fpanon_core.synthesis.attack import attack_synthetic
from fpanon_core.synthesis.fitted import fitted, simplex
from fpanon_core.synthesis.generation import chosen, made_up
from fpanon_core.synthesis.statistics import Ground, exact_statistics, noisy_statistics
from tests.support.refusals import check_refused
from tests.support.stated_frames import FRAME, crowd, people


@pytest.fixture(scope="module")
def invented() -> fp.FingerprintSet:
    """1,000 people of the generator at 400 antennas, read with a stated centre."""
    cdr = fp.generate_cdr(1_000, seed=5)
    antennas = pd.DataFrame(cdr.attrs["antennas"])
    centre = float(antennas["lat"].mean()), float(antennas["lon"].mean())
    return fp.read_cdr(cdr, antennas=antennas, centre=centre)[0]


GROUND = Ground.of(table_frame(crowd(), FRAME))


def learnt(epsilon=1.0):
    """Noisy statistics of a crowd in the frame, with noise from a seed."""
    return noisy_statistics(exact_statistics(crowd(), GROUND), GROUND, epsilon, seeded(0, 0))


AT_ANTENNAS = fp.FrameConfig(fp.StatedPeriod(dt.date(2024, 3, 4), 14))


def test_package_depends_on_the_data_through_the_noisy_statistics_alone(monkeypatch) -> None:
    """Other people, the same noisy statistics, the same seed: the same bytes."""
    exact = learnt()
    monkeypatch.setattr(made_of, "noisy_statistics", lambda *_: exact)
    monkeypatch.setattr(made_of.secrets, "randbits", lambda _: 7)
    several = crowd(seed=1), crowd(50, seed=2), people([(1, 99, 99, 5)])
    archives = {package(fp.synthesize(fs, FRAME, epsilon=1)) for fs in several}
    assert len(archives) == 1


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 100.0])
def test_everybody_is_in_the_frame(epsilon: float) -> None:
    made = fp.synthesize(crowd(), FRAME, epsilon=epsilon, people=500)
    own = made.people
    assert own.n_users == 500
    assert made.scale == pytest.approx(500 / made.n_noisy)
    assert (made.place >= 0).all()
    assert (made.place < 9).all()
    assert (made.wall_min >= 0).all()
    assert (made.wall_min < 9 * 1440).all()
    assert set(own.x_m.tolist()) <= {0.0, 1000.0, 2000.0}


def test_as_many_as_the_noisy_number() -> None:
    made = fp.synthesize(crowd(), FRAME, epsilon=1)
    assert made.people.n_users == made.n_noisy
    assert 100 < made.n_noisy < 900  # 400 with noise of scale 100


def test_two_makings_differ() -> None:
    first, second = (fp.synthesize(crowd(), FRAME, epsilon=1) for _ in range(2))
    assert first.people.digest != second.people.digest


def test_little_noise_keeps_what_the_model_knows(invented) -> None:
    """Far better than people at random; EPS so large that noise is none."""
    made = fp.synthesize(invented, AT_ANTENNAS, epsilon=100)
    kept = fp.utility(invented, made.people).components
    assert kept["density"] > 0.55
    assert kept["flows"] > 0.25
    assert kept["mobility"] > 0.9
    assert kept["visits"] > 0.9
    assert made.people.n_samples == pytest.approx(invented.n_samples, rel=0.25)


def test_frame_of_degrees_lands_on_the_datas_projection(invented) -> None:
    antennas = invented.antennas
    south, west = float(antennas.lat.min()), float(antennas.lon.min())
    north, east = float(antennas.lat.max()), float(antennas.lon.max())
    area = fp.StatedArea(south, west, north, east)
    frame = fp.FrameConfig(fp.StatedPeriod(dt.date(2024, 3, 4), 14), "grid", area, 2_000)
    made = fp.synthesize(invented, frame, epsilon=100).people
    for name in ("x_m", "y_m"):
        real, other = np.median(getattr(invented, name)), np.median(getattr(made, name))
        assert abs(real - other) < 5_000
    assert made.crs == invented.crs
    assert made.clock == invented.clock


def test_days_without_people_stay_empty() -> None:
    """A frame of nine days, records of two: with little noise the others have hardly any."""
    rng = np.random.default_rng(0)
    rows = [(u, *rng.integers(0, 30, 2), rng.integers(2 * 1440, 4 * 1440)) for u in range(2_000)]
    made = fp.synthesize(people(rows), FRAME, epsilon=100)
    day = made.wall_min // 1440
    assert np.isin(day, (2, 3)).mean() > 0.95


def test_merged_fingerprints_are_refused() -> None:
    fs = crowd()
    with pytest.raises(fp.ConfigError, match="stand for several people"):
        fp.synthesize(replace(fs, weight=np.full(fs.n_users, 2)), FRAME, epsilon=1)


def test_option_refuses_what_cannot_be() -> None:
    option = partial(fp.Synthesize, frame=AT_ANTENNAS, epsilon=1.0)
    check_refused(option, "NAME", epsilon=[0], people=[0])
    check_refused(option, "FrameConfig", frame=["antennas"])
    several = replace(AT_ANTENNAS, antennas_an_area=4)
    check_refused(option, "areas of several antennas", frame=[several])


def test_option_reads_itself_back_and_stands_alone() -> None:
    option = fp.ReleaseOption(steps=[fp.Synthesize(FRAME, 2, 500)])
    assert fp.ReleaseOption.from_dict(option.to_dict()) == option
    assert option.name == "500 synthetic people by square of 1 km, ε = 2"
    assert option.tables is None
    assert option.recordless == option.steps[0]
    with pytest.raises(fp.ConfigError, match="no other step"):
        fp.ReleaseOption(steps=[fp.SampleUsers(0.5), fp.Synthesize(FRAME, 2)])


def test_simplex_is_the_nearest_point() -> None:
    """By trying: no small move within the shares comes nearer."""
    rng = np.random.default_rng(0)
    noisy = rng.normal(1, 3, 8)
    noisy *= 1 / noisy.sum()
    found = simplex(noisy)
    assert found.sum() == pytest.approx(1)
    assert found.min() >= 0
    for _ in range(200):
        other = np.abs(found + rng.normal(0, 0.05, 8))
        other /= other.sum()
        assert np.linalg.norm(found - noisy) <= np.linalg.norm(other - noisy) + 1e-12
    assert simplex(np.array([-1.0, -2.0])).tolist() == [0.5, 0.5]


def test_a_walk_keeps_to_what_is_near_and_to_the_weights() -> None:
    """Three places of equal weight, two of them beside each other: thirds, and more between two."""
    model = fitted(learnt(100.0), GROUND)
    model = model._replace(roles=np.ones((3, 2, 24)), gaps=np.ones((2, 6)))
    x = model.x_m.copy()
    x[:3] = 0.0, 0.0, 9_000.0  # y is the same
    own, state, place = np.arange(3), np.ones(1, np.uint64), np.empty(60_000, np.int64)
    lives.start(state, 7, 7, 1)
    t_min = np.arange(len(place)) % 1440
    lives._walk(state, model._replace(x_m=x), own, np.ones(3), 50.0, place, t_min)
    assert np.bincount(place) / len(place) == pytest.approx(1 / 3, abs=0.02)
    between = np.bincount(place[:-1] * 3 + place[1:], minlength=9)
    # a·(2a + b/10) = b·(a/5 + b) = 1 for the places' readiness a, a, b: a = .684, b = .936.
    assert between[1] / between[2] == pytest.approx(10 * 0.684 / 0.936, rel=0.1)


def test_radii_choose_the_candidates() -> None:
    """Six candidates, two wanted near and one far: rings of .75 and 1.5 km in a model of three."""
    model = fitted(learnt(), GROUND)
    radii = np.zeros(12)
    radii[0], radii[1] = 2 / 3, 1 / 3
    model = model._replace(radii=radii)
    kept = chosen(model, np.array([9_000.0, 100.0, 800.0, 200.0, 300.0, 900.0]), 3)
    assert kept.tolist() == [1, 2, 3]


def test_more_people_than_candidates_of_a_ring_are_filled_up() -> None:
    offsets = made_up(fitted(learnt(), GROUND), 25, seed=3).offsets
    assert len(offsets) == 26
    assert (np.diff(offsets) > 0).all()


# --- attacks ------------------------------------------------------------------------------------


def test_attacks_stay_within_the_bound() -> None:
    found = attack_synthetic(crowd(120), fp.Synthesize(FRAME, 1.0), targets=30)
    told = found.membership
    assert told.bound == pytest.approx(0.4621, abs=1e-4)
    assert told.low <= told.bound
    attackers = ["statistics", "correlation", "likelihood_ratio", "nearest_record"]
    assert told.by_attacker["attacker"].tolist() == attackers
    assert set(found.homes["within_m"]) <= {500.0, 1_000.0, 2_000.0}
    again = fp.membership(crowd(120), fp.Synthesize(FRAME, 1.0), targets=30)
    assert again.advantage == told.advantage


def test_synthetic_people_are_no_nearer_to_those_in_the_data() -> None:
    """By the chance that somebody in the data has a nearer record than somebody outside.

    Of copies it is nearly 1; of synthetic people one half, within three standard errors: .0530
    each for 60 and 60 people (Hanley & McNeil 1982).
    """
    fs, rng = crowd(120), np.random.default_rng(0)
    seen = attack._Records.of(fs, GROUND)
    inside, outside = np.split(rng.permutation(120), 2)
    some = fs.subset(inside)
    noisy = noisy_statistics(exact_statistics(some, GROUND), GROUND, 1.0, seeded(0, 0))
    made = made_of.lives_of(noisy, GROUND, fp.Synthesize(FRAME, 1.0), seed=1)

    def nearer(records: attack._Records) -> float:
        one, other = (
            np.array([records.likeness(*seen.places(user)).max() for user in users.tolist()])
            for users in (inside, outside)
        )
        return float((one[:, None] > other).mean() + (one[:, None] == other).mean() / 2)

    assert nearer(attack._Records.of(some, GROUND)) > 0.9
    assert nearer(attack._Records.made(made, GROUND)) == pytest.approx(0.5, abs=3 * 0.053)


def test_explored_as_an_option(invented) -> None:
    table = fp.explore_options(
        invented, [fp.Synthesize(AT_ANTENNAS, 1.0)], risk="outsider", utility="transport"
    )
    (result,) = table.results
    assert result.fault is None
    assert "outsider" in result.unasked
    assert not np.isnan(result.risk("membership")[0])
    assert np.isnan(result.components["space"])
    assert np.isnan(result.components["time"])


# --- as they leave ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(invented):
    return fp.synthesize(invented, AT_ANTENNAS, epsilon=1)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_package_is_verified_and_read_with_pandas_alone(made, invented, ending, tmp_path) -> None:
    path = fp.publish(made, tmp_path / "people.zip", format=ending)
    assert fp.verify_release(path, invented, None).passed
    folder = fp.publish(made, tmp_path / "folder", format=ending)
    assert fp.verify_release(folder, invented, None).passed
    read = pd.read_csv if ending == "csv" else pd.read_parquet
    records = read(folder / f"records.{ending}").astype({"place": str})
    places = pd.read_csv(folder / "places.csv", dtype={"place": str})
    assert records["person"].nunique() == made.n_noisy
    assert len(records) == made.people.count.sum()
    joined = records.merge(places, on="place", how="left")
    assert joined["lat"].notna().all()
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert page.splitlines()[0] == "# Synthetic people: nobody in these files exists"
    assert "ε = 1" in page


def test_package_refuses_a_key_and_a_k(made, invented, tmp_path) -> None:
    with pytest.raises(fp.ConfigError, match="belongs to a person"):
        fp.publish(made, tmp_path / "a.zip", key=tmp_path / "key.csv")
    path = fp.publish(made, tmp_path / "a.zip")
    with pytest.raises(fp.ConfigError, match="groups of k"):
        fp.verify_release(path, invented, 2)


def test_unstated_reading_cannot_leave() -> None:
    cdr = fp.generate_cdr(50, seed=5)
    fs, _ = fp.read_cdr(cdr, antennas=pd.DataFrame(cdr.attrs["antennas"]))
    made = fp.synthesize(fs, AT_ANTENNAS, epsilon=1)
    assert made.fault
    with pytest.raises(fp.ConfigError, match="cannot be released"):
        package(made)
