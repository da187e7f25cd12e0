"""What the page's own slides say."""

from __future__ import annotations

import numpy as np

from fpanon_core.model.glove import GloveResult
from fpanon_core.studies.people_by_hexagon import Result
from pages.charts import words
from pages.charts.plain import plain
from pages.charts.played import Played

NOTHING = (
    "No data set is open yet. Open a sample, or your own data: where people are is shown at once, "
    "and each page's main figure becomes a slide here when it is measured."
)
NO_SLIDE = (
    "No slide is chosen, or none can be drawn of these data. Choose slides above, or measure "
    "something first: each page's main figure becomes a slide here."
)
MISSING = "Each of these pages becomes a slide here once it has measured its figure:"
ONE_PERSON_REAL = (
    "These are not marked as synthetic: the slide would show the path of one real person to "
    "everybody in the room. A path names a person to whoever knows some of it, even under a "
    "pseudonym."
)
ONE_PERSON_SYNTHETIC = "The person is synthetic; there is nobody like that."
NO_RELEASE = (
    "One person’s record, before and after hiding: hide everyone first, then it is a slide here."
)


def people_told(found: Result, days: int) -> str:
    """Where people are: what a column is, and whom the map leaves out."""
    least = found.config.least
    told = [
        f"A column counts the people recorded in a hexagon at least once in "
        f"{words.count(days, 'day')}: up to {int(found.people.max()):,} of "
        f"{found.n_people:,}, in hexagons with edges of about {words.distance(found.edge_m)}."
    ]
    if found.few:
        told.append(
            f"{words.count(found.few, 'hexagon')} with fewer than {least} people "
            f"{words.were(found.few)} left out, so that nobody can be picked out on this map."
        )
    if found.beyond:
        told.append(f"{words.count(found.beyond, 'hexagon')} with the fewest people are not drawn.")
    if found.unseen:
        told.append(
            f"{words.count(found.unseen, 'person').replace('persons', 'people')} "
            f"{words.were(found.unseen)} recorded in none of those drawn."
        )
    return " ".join(told)


def person_told(name: str, release: str, made: GloveResult, user: int, seen: Played) -> str:
    """One person's record, and what is published of it."""
    days = len(np.unique(seen.minute // 1440))
    places = len(np.unique(np.round(np.column_stack([seen.lon, seen.lat]), 5), axis=0))
    rows = np.flatnonzero(made.people == user)
    groups = made.group[rows]
    groups = groups[groups >= 0]
    told = (
        f"Left, {name} as recorded: {words.count(len(seen.minute), 'sample')} at "
        f"{words.count(places, 'place')} on {words.count(days, 'day')}; straight lines join one "
        "record to the next, the way between is not known."
    )
    if not len(groups):
        return f"{told} Right, in the release “{plain(release)}”: nothing is published of {name}."
    crowd = made.published.n_users[groups]
    at = np.concatenate(
        [np.arange(made.published.offsets[g], made.published.offsets[g + 1]) for g in groups]
    )
    side = float(np.median((made.published.dx_m[at] + made.published.dy_m[at]) / 2))
    span = float(np.median(made.published.dt_min[at]))
    alike = (
        f"{int(crowd.min()):,}"
        if crowd.min() == crowd.max()
        else (f"{int(crowd.min()):,} to {int(crowd.max()):,}")
    )
    return (
        f"{told} Right, in the release “{plain(release)}”: the very same "
        f"{words.count(len(at), 'area')}, published for {alike} people alike; half of them are at "
        f"most {words.distance(side)} wide and hold for at most {words.duration(span)}."
    )
