"""Draws of studies are the seed's; draws of what is published are nobody's."""

import struct
from functools import partial

import numpy as np
from scipy import stats

from fpanon_core.model.randomness import (
    generator,
    generators,
    pseudonyms,
    secret,
    secret_order,
)
from tests.support.refusals import check_refused


def test_the_stream_is_chacha20():
    """The keystream of key 0, nonce 0 and counter 0, as RFC 7539 (A.1, vector 1) has it."""
    from randomgen import ChaCha

    raw = ChaCha(key=0, counter=0, rounds=20).random_raw(8)
    text = b"".join(struct.pack("<Q", int(word)) for word in raw).hex()
    assert text == (
        "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
        "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
    )
    assert type(secret().bit_generator).__name__ == "ChaCha"


def test_a_seed_draws_what_numpy_draws():
    assert generator(7).random() == np.random.default_rng(7).random()
    spawned = [np.random.default_rng(s).random() for s in np.random.SeedSequence(7).spawn(2)]
    assert [stream.random() for stream in generators(7, 2)] == spawned


def test_without_a_seed_no_two_streams_are_alike():
    drawn = [generator(None).random() for _ in range(50)]
    drawn += [stream.random() for stream in generators(None, 50)]
    assert len(set(drawn)) == 100
    assert not set(drawn) & {np.random.default_rng(seed).random() for seed in range(1000)}
    assert stats.kstest(secret().random(20_000), "uniform").pvalue > 1e-6
    for make in (generator, partial(generators, number=2)):
        check_refused(make, seed=[-1, 1.5, True, "a"])


def test_pseudonyms_and_orders():
    names = pseudonyms(5_000)
    assert len(set(names)) == 5_000
    assert all(len(n) == 16 and set(n) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") for n in names)
    assert not set(names) & set(pseudonyms(5_000))
    assert sorted(secret_order(100)) == list(range(100))
    assert secret_order(100).tolist() != secret_order(100).tolist()
    assert len(secret_order(0)) == len(pseudonyms(0)) == 0
