"""The measures of likeness by hand, and the peers: bounded, in the frame, and with some sense."""

import numpy as np
import pytest

from fpanon_core.aggregates.contributions import table_frame
from fpanon_core.aggregates.smoothing import seeded
from fpanon_core.kernels.table_sums import UNIT
from fpanon_core.synthesis.statistics import Ground
from tests.benchmarks import likeness, peers
from tests.benchmarks.peers_table import PEERS, on_map
from tests.support.stated_frames import FRAME, crowd, people

JOURNEY = np.array([0, 0, 0, 1, 1, 2])
X = np.array([0.0, 3.0, 3.0, 5.0, 5.0, 9.0])
Y = np.array([0.0, 4.0, 0.0, 1.0, 2.0, 9.0])


def ground() -> Ground:
    return Ground.of(table_frame(crowd(), FRAME))


def test_histograms_by_hand() -> None:
    assert likeness.divergence([1, 1], [2, 2]) == 0
    assert likeness.divergence([1, 0], [0, 7]) == 1
    # Means are ¾ and ¼: ½·(log2(4/3)) + ½·(½·log2(2/3) + ½·log2(2)).
    assert likeness.divergence([1, 0], [1, 1]) == pytest.approx(0.3113, abs=1e-4)
    assert likeness.variation([3, 1], [1, 1]) == 0.25
    made, real = np.array([12.0, 3.0]), np.array([10.0, 1.0])
    assert likeness.relative_error(real, made, 4.0) == pytest.approx((0.2 + 0.5) / 2)
    assert likeness.f1({(1, 2), (2, 3)}, {(1, 2)}) == pytest.approx(2 / 3)


def test_journeys_by_hand() -> None:
    first, last = likeness.ends(JOURNEY, np.array([7, 8, 9, 4, 5, 6]))
    assert first.tolist() == [7, 4, 6]
    assert last.tolist() == [9, 5, 6]
    assert likeness.lengths(JOURNEY, X, Y).tolist() == [9, 1, 0]
    assert likeness.diameters(JOURNEY, X, Y) == pytest.approx([5, 1, 0], rel=0.01)
    # Twice 1→2; once each 2→1 and 1→2→1. Staying is no step, another day no continuation.
    day, cell = np.array([0, 0, 0, 0, 1, 1]), np.array([1, 1, 2, 1, 1, 2])
    assert likeness.patterns(day, cell, top=1) == {(1, 2)}
    assert likeness.patterns(day, cell) == {(1, 2), (2, 1), (1, 2, 1)}


def test_events_of_the_frame_by_person_and_day() -> None:
    fs = people([(1, 5, 5, 100), (1, 25, 5, 1500), (1, 99, 5, 50), (2, 5, 25, 70)])
    events = likeness.Events.of(fs, ground())
    assert events.user.tolist() == [0, 0, 1]
    assert events.place.tolist() == [0, 2, 6]
    assert events.journey.tolist() == [0, 1, 2]
    assert likeness._of_people(events, *(ground().x_m, ground().y_m))[0].tolist() == [1000, 0]
    assert likeness._of_people(events, *(ground().x_m, ground().y_m))[1].tolist() == [2, 1]
    assert likeness._moves(events, np.arange(9)).nonzero()[0].tolist() == [2]


def test_the_same_people_are_alike_in_all() -> None:
    events = likeness.Events.of(crowd(), ground())
    found = likeness.figures(events, events, ground())
    alike = {name: float(name in ("patterns F1", "Kendall τ")) for name in found}
    assert found == pytest.approx(alike)


def test_what_a_person_adds_is_one_at_most() -> None:
    user, cell = np.array([0, 0, 0, 1]), np.array([0, 1, 1, 2])
    assert peers.added(user, cell, 3).tolist() == [UNIT // 3, 2 * UNIT // 3, UNIT]


@pytest.mark.parametrize("make", PEERS.values())
def test_a_peer_spends_its_epsilon_and_stays_in_the_frame(make) -> None:
    """For each histogram one person has 1; all shares of ε add up; people are of the frame."""
    spent = []
    draw = seeded(0, 0)

    def noise(values, most, epsilon):
        spent.append(epsilon)
        assert most == UNIT
        return draw(values, most, epsilon)

    alone, fs = people([(1, 5, 5, 100), (1, 25, 5, 1500), (1, 5, 25, 1600)]), crowd()
    sums = []
    make(alone, ground(), 1.0, lambda v, *_: sums.append(int(v.sum())) or v, _rng())
    assert max(sums) <= UNIT
    lives = make(fs, ground(), 2.0, noise, _rng())
    assert sum(spent) == pytest.approx(2.0)
    made = on_map(lives, ground().frame, fs)
    assert 100 < made.n_users < 900
    assert (lives.place >= 0).all()
    assert (lives.place < 9).all()
    assert lives.wall_min.max() < 9 * 1440
    again = likeness.Events.of(made, ground()).place
    np.testing.assert_array_equal(np.sort(again), np.sort(lives.place))


def test_without_noise_peers_keep_what_they_learn() -> None:
    exact = likeness.Events.of(crowd(), ground())
    for make in PEERS.values():
        lives = make(crowd(), ground(), 1e6, lambda values, *_: values, _rng())
        assert len(lives.offsets) - 1 == 400
        hours = [
            np.bincount(wall % 1440 // 60, minlength=24)
            for wall in (exact.wall_min, lives.wall_min)
        ]
        assert likeness.variation(*hours) < 0.05


def test_a_walk_ends_where_it_should() -> None:
    chain = np.array([[0.5, 0.5, 0], [0.25, 0.5, 0.25], [0, 0.5, 0.5]])
    first, last, steps = np.array([0, 0, 2]), np.array([2, 1, 2]), np.array([3, 2, 6])
    paths = peers._paths(_rng(), chain, first, last, steps)
    assert paths[0, :3].tolist() == [0, 1, 2]  # the only way
    assert [path[many - 1] for path, many in zip(paths, steps, strict=True)] == [2, 1, 2]


def _rng() -> np.random.Generator:
    return np.random.default_rng(0)
