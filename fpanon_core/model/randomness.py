"""Random draws: from the operating system for releases, from a seed for studies.

With the program and the seed, an attacker could draw the same noise again and subtract it. Releases
therefore draw from the operating system: a key of 256 bits, used once and stored nowhere, and the
ChaCha20 stream under it. No draw then reveals any other (numpy's own PCG64 is no cipher: its state
can be computed from its output). With a seed the stream is numpy's, the same on every machine.

Source: Bernstein 2008, *ChaCha, a variant of Salsa20*; implemented in the library randomgen.
"""

from __future__ import annotations

import base64
import secrets
from typing import Any

import numpy as np
import numpy.typing as npt

from .arrays import IntArray
from .checks import whole

_KEY_BITS = 256
_ROUNDS = 20
_PSEUDONYM_BYTES = 10  # 80 bits are 16 characters of base32


def generator(seed: int | None) -> np.random.Generator:
    """Return a stream of random draws.

    Parameters
    ----------
    seed : int or None
        0 or more: the same seed gives the same draws, for studies. None: the operating system's
        randomness, different in every call and never reproducible.

    Raises
    ------
    ConfigError
        The seed is neither None nor a whole number of 0 or more.

    Examples
    --------
    >>> bool(generator(7).random() == generator(7).random())
    True
    >>> bool(generator(None).random() == generator(None).random())
    False
    """
    if seed is None:
        return secret()
    return np.random.default_rng(whole("seed", seed, 0))


def generators(seed: int | None, number: int) -> list[np.random.Generator]:
    """Return ``number`` independent streams of draws, from a seed or from the operating system."""
    if seed is None:
        return [secret() for _ in range(number)]
    spawned = np.random.SeedSequence(whole("seed", seed, 0)).spawn(number)
    return [np.random.default_rng(each) for each in spawned]


def secret() -> np.random.Generator:
    """Return a stream of draws that cannot be reproduced.

    Its key is fresh from the operating system.
    """
    from randomgen import ChaCha  # type: ignore[import-untyped,unused-ignore]

    stream: Any = ChaCha(key=secrets.randbits(_KEY_BITS), rounds=_ROUNDS)
    return np.random.Generator(stream)


def secret_order(number: int) -> IntArray:
    """Return the numbers 0 … number − 1 in an order drawn from the operating system."""
    return secret().permutation(number).astype(np.int64)


def pseudonyms(number: int, seed: int | None = None) -> npt.NDArray[np.object_]:
    """Draw different names of 16 capital letters and digits.

    Without a seed, the operating system draws them. Each has 80 bits, so nobody can try all
    possible names, and two releases almost surely share no name. A seed makes the names
    reproducible, for studies only.

    Examples
    --------
    >>> names = pseudonyms(3)
    >>> len(set(names)), {len(name) for name in names}
    (3, {16})
    """
    draw = secrets.token_bytes if seed is None else generator(seed).bytes
    found: dict[str, None] = {}
    while len(found) < number:
        drawn = draw(_PSEUDONYM_BYTES * (number - len(found)))
        text = base64.b32encode(drawn).decode("ascii")
        width = 8 * _PSEUDONYM_BYTES // 5
        found |= dict.fromkeys(text[i : i + width] for i in range(0, len(text), width))
    return np.array(list(found), dtype=object)
