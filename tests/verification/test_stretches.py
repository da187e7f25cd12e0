"""The original is looked at bit by bit; where the bits end changes nothing."""

import numpy as np
import pytest

from fpanon_core.anonymize.aligned import aligned
from fpanon_core.anonymize.glove import glove
from fpanon_core.verification import faults
from fpanon_core.verification.anonymity import verify_k_anonymity
from tests.anonymize.test_shards import people


@pytest.mark.parametrize("hide", [glove, aligned])
@pytest.mark.parametrize("samples", [1, 7, 40])
def test_bits_of_any_size_give_one_verdict(hide, samples, monkeypatch):
    fs = people(n=40)
    made = hide(fs, 3, leave_out=0.1)
    whole = verify_k_anonymity(fs, made, 3)
    other = verify_k_anonymity(people(n=40, seed=1), made, 3)
    monkeypatch.setattr(faults, "_STRETCH", samples)
    assert sum(len(rows) for *_, rows in faults.stretches(fs)) == fs.n_samples
    assert np.array_equal(
        np.concatenate([rows for *_, rows in faults.stretches(fs)]), faults.bounds_of(fs)
    )
    assert whole.passed
    assert verify_k_anonymity(fs, made, 3).counts == whole.counts
    assert not other.passed
    assert verify_k_anonymity(people(n=40, seed=1), made, 3).counts == other.counts
