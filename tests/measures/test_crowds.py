"""People who share a record: against everyone with everyone, and as a bound of what is found."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpanon_core import FingerprintSet, disclosure, draw_knowledge, glove
from fpanon_core.measures.crowds import crowds, sharing
from tests.measures.test_unicity import STRATEGIES, dense
from tests.oracles import crowds as oracle
from tests.support.fingerprint_sets import as_lists, boxes, events
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


def test_how_often_somebody_was_in_a_bin_is_not_asked():
    one = FingerprintSet.from_samples([1, 1, 2], [0, 0, 0], [0] * 3, [5, 5, 5])
    assert one.count.tolist() == [2, 1]
    assert sharing(one).tolist() == [2, 2]


def test_of_a_k_anonymous_release_nobody_shares_with_fewer():
    rng = np.random.default_rng(1)
    user = np.repeat(np.arange(40), 4)
    x, y = np.floor(rng.uniform(0, 50, (2, 160))) * 100
    fs = FingerprintSet.from_samples(user, x, y, np.floor(rng.uniform(0, 2_000, 160)))
    assert crowds(glove(fs, 3).expanded()).least >= 3


def test_everybody_in_a_crowd_of_five_is_named_with_a_chance_of_exactly_a_fifth() -> None:
    """The mean of 2,000 fifths, added as numpy does, is more than a fifth."""
    people = np.arange(2_000)
    fs = FingerprintSet.from_samples(people, 1_000 * (people // 5), 0 * people, 0 * people)
    assert np.full(2_000, 0.2).mean() > 0.2
    assert crowds(fs).naming_most == 0.2
