"""Where do people live, to every attacker of a stated battery? One guess of each for each record.

Source: docs/science.md, “An outsider who knows the truth”.
"""

from __future__ import annotations

from ..engines.local import Engine
from ..engines.progress import Progress, part
from ..model.arrays import FloatArray
from ..model.fingerprints import FingerprintSet
from ..model.mechanism import Spread
from .home_map import by_others
from .home_noise import noise_likelihood
from .homes import HomesAsked, NightPlaces, fullest_circle, most_nights
from .search import Published


def guesses(
    fs: FingerprintSet, published: Published, asked: HomesAsked, noise: Spread, *,
    engine: Engine, progress: Progress | None = None,
) -> dict[str, FloatArray]:  # fmt: skip
    """The homes that each attacker guesses of the people asked for, (n_asked, 2), metres.

    No guess depends on how near it must be: what is found within a distance is found within every
    larger one.

    Parameters
    ----------
    fs : FingerprintSet
        The original.
    published : Published
    asked : HomesAsked
    noise : Spread
        What the release adds to places.
    engine : LocalEngine
    progress : callable of one float in [0, 1], optional
    """
    record, known = asked.record, asked.known
    nights = NightPlaces.of(fs, published)
    circle = fullest_circle(fs, published, noise, engine=engine, progress=part(progress, 0.0, 0.3))
    others = by_others(
        fs, nights, asked, noise, circle, engine=engine, progress=part(progress, 0.3, 0.7)
    )
    found = {
        "most_nights": most_nights(nights).unless_vague(known)[record],
        "fullest_circle": circle.unless_vague(known)[record],
        "by_others": others.unless_vague(known),
    }
    if noise.variance > 0:
        found["noise_likelihood"] = noise_likelihood(
            fs, published, asked, noise, circle.places[record], engine=engine,
            progress=part(progress, 0.7, 1.0),
        )  # fmt: skip
    if progress is not None:
        progress(1.0)
    return found
