"""Does a release that lies there keep its promise? Asked of its bytes and the original data.

See docs/science.md, “A release, as it leaves”.
"""

from __future__ import annotations

import os

from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.glove import Verification
from ..verification.faults import Faults
from ..verification.package import read_package
from ..verification.release import verify_release


def held_against(
    release: str | os.PathLike[str],
    original: FingerprintSet,
    k: int | None,
    *,
    key: str | os.PathLike[str] | None = None,
    left_out: str | os.PathLike[str] | None = None,
) -> Verification:
    """The verifier's verdict on a release, as :func:`fpanon_core.verify_release` gives it.

    Without a ``k`` the promise is checked that the release states of itself: a verdict that no
    crowd is promised, on one that says it promises five, would contradict its own page.

    Raises
    ------
    ConfigError
        The key or the list is named although it is not there.
    SchemaError
        There is no release at that place, or key or list cannot be read.
    """
    for what, file in (("key", key), ("list of what was left out", left_out)):
        if file is not None and not os.path.isfile(file):
            raise ConfigError(f"There is no {what} at the place given; check its name.")
    if k is None:
        k = promised(release, original)
    return verify_release(release, original, k, key=key, left_out=left_out)


def promised(release: str | os.PathLike[str], original: FingerprintSet) -> int | None:
    """The crowd that a release says it promises; None where it promises none, or says nonsense.

    Raises
    ------
    SchemaError
        There is no release at that place.
    """
    facts = read_package(release, Faults(original, 0)).facts
    return None if facts is None else facts.k
