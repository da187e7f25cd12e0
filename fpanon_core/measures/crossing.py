"""Composition of two releases of the same people: the groups that remain when both are combined.

Two releases of the same people may each keep everybody in a k-anonymous group, while both together
do not. An attacker who knows a person's group in each release is left with the people who are in
both groups.

Source: docs/science.md, “Two releases of the same people”; Ganta, Kasiviswanathan & Smith 2008.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..model.arrays import IntArray, distinct_rows
from ..model.composition import Crossing, Crowd
from ..model.errors import InfeasibleError
from ..model.fingerprints import pseudonyms_of
from ..model.published import Membership


def crossing(first: Membership, second: Membership) -> Crossing:
    """Return the groups that remain when the groups of two releases are combined.

    Parameters
    ----------
    first, second : Membership
        Memberships that identify people in the same way: both by id, or both by digest under the
        same secret.

    Returns
    -------
    Crossing

    Raises
    ------
    InfeasibleError
        Nobody is in both releases or, with periods, nobody has two records, one in each release,
        that share a day.

    Examples
    --------
    Each release has four people in two pairs, but the pairs differ. So every record is unique once
    the releases are combined.

    >>> who = np.array(["a", "b", "c", "d"], dtype=object)
    >>> made = crossing(Membership.whole(who, [0, 0, 1, 1]), Membership.whole(who, [0, 1, 0, 1]))
    >>> made.first.smallest, made.second.smallest, made.together.smallest, made.together.alone
    (2, 2, 1, 4)
    """
    a, b = _matched(first, second)
    if not len(a):
        raise InfeasibleError(
            f"None of the {first.n_people:,} people of one release is among the "
            f"{second.n_people:,} of the other, on the days that both cover. There is nothing to "
            "compare. Give two releases of the same people."
        )
    weight = np.minimum(first.weight[a], second.weight[b])
    cell = distinct_rows(first.group[a], second.group[b])[1]
    size = np.bincount(cell, weight).astype(np.int64)[cell]
    person, ids = pd.factorize(first.who[a])
    first_row = np.unique(person, return_index=True)[1]
    people = weight[first_row]
    # Of a person's records in several periods, only the record that hides the person least counts.
    sizes = {"first": first.size[a], "second": second.size[b], "together": size}
    smallest = {name: _least(values, person) for name, values in sizes.items()}
    crowds = {name: _crowd(smallest[name], people) for name in ("together", "first", "second")}
    followed = None
    if any(len(each.who) > each.n_people for each in (first, second)):
        through = [_followed(some, ids, people) for some in ([first, second], [first], [second])]
        called = ("followed", "first_followed", "second_followed")
        smallest |= dict(zip(called, through, strict=True))
        one, two, three = (_crowd(size, people) for size in through)
        followed = (one, two, three)
    names = (
        pseudonyms_of(np.arange(1, len(ids) + 1))
        if first.pseudonym is None
        else first.pseudonym[a][first_row].tolist()
    )
    alone = (smallest["together"] == 1) & (smallest["first"] > 1) & (smallest["second"] > 1)
    return Crossing(
        **crowds,
        n_first=_people_of(first),
        n_second=_people_of(second),
        n_both=int(people.sum()),
        newly_alone=int(people[alone].sum()),
        sizes=_sizes({name: smallest[name] for name in crowds}, people),
        periods=_periods(first.begin_day[a], second.begin_day[b], size, weight),
        per_person=pd.DataFrame({"pseudonym": names, **smallest}),
        names=(first.name, second.name),
        ks=(first.k, second.k),
        digests=(first.digest, second.digest),
        followed=followed,
    )


def together(releases: Sequence[Membership]) -> Membership:
    """Combine several releases: people in the same group in all of them share a group.

    People left out of a release form one group of that release, because an attacker is assumed to
    know who is left out. So a composition with the result never leaves a larger group than a
    composition with any single release.

    Parameters
    ----------
    releases : sequence of Membership
        At least one release.

    Examples
    --------
    >>> who = np.array(["a", "b", "c", "d"], dtype=object)
    >>> made = [Membership.whole(who, [0, 0, 0, 0]), Membership.whole(who[:3], [0, 0, 1])]
    >>> together(made).size.tolist()
    [2, 2, 1, 1]
    """
    return reduce(_joined, releases)


def _joined(first: Membership, second: Membership) -> Membership:
    a, b = _matched(first, second)
    begin = np.maximum(first.begin_day[a], second.begin_day[b])
    end = np.minimum(first.end_day[a], second.end_day[b])
    # Records that no joined record covers completely stay, too: they may meet a third release.
    rest_a = _uncovered(first, a, begin, end)
    rest_b = _uncovered(second, b, begin, end)
    parts = [(first, a), (first, rest_a), (second, rest_b)]
    in_first = np.concatenate([first.group[a], first.group[rest_a], np.full(len(rest_b), -1)])
    in_second = np.concatenate([second.group[b], np.full(len(rest_a), -1), second.group[rest_b]])
    rest = [(first, rest_a), (second, rest_b)]
    return Membership(
        who=np.concatenate([each.who[rows] for each, rows in parts]),
        group=distinct_rows(in_first, in_second)[1],
        begin_day=np.concatenate([begin, *(each.begin_day[rows] for each, rows in rest)]),
        end_day=np.concatenate([end, *(each.end_day[rows] for each, rows in rest)]),
        weight=np.concatenate([each.weight[rows] for each, rows in parts]),
        name="; ".join((first.name, second.name)),
    )


def _uncovered(each: Membership, rows: IntArray, begin: IntArray, end: IntArray) -> IntArray:
    """Return the rows of a release that no joined record covers on all days of the row."""
    whole = (begin == each.begin_day[rows]) & (end == each.end_day[rows])
    return np.setdiff1d(np.arange(len(each.who)), rows[whole])


def _matched(first: Membership, second: Membership) -> tuple[IntArray, IntArray]:
    """Return the rows of all pairs of a person's records, one per release, that share a day.

    The pairs are in the order of the rows of ``first``.
    """
    code = pd.factorize(np.concatenate([first.who, second.who]))[0]
    spans, frames = [], []
    for at, each in enumerate((first, second)):
        pick, span = (
            distinct_rows(each.begin_day, each.end_day)
            if len(each.who)
            else (np.empty(0, np.int64), np.empty(0, np.int64))
        )
        spans.append((each.begin_day[pick], each.end_day[pick]))
        who = code[: len(first.who)] if at == 0 else code[len(first.who) :]
        columns = {"who": who, f"span_{at}": span, f"row_{at}": np.arange(len(who))}
        frames.append(pd.DataFrame(columns))
    (begin, end), (begin_2, end_2) = spans
    shared = np.minimum(end[:, None], end_2) > np.maximum(begin[:, None], begin_2)
    pairs = pd.DataFrame(np.argwhere(shared), columns=["span_0", "span_1"])
    found = frames[0].merge(pairs, on="span_0").merge(frames[1], on=["who", "span_1"])
    found = found.sort_values(["row_0", "row_1"])
    return found["row_0"].to_numpy(np.int64), found["row_1"].to_numpy(np.int64)


def _least(values: IntArray, person: IntArray) -> IntArray:
    """Return the smallest value of each person; people are numbered from 0."""
    order = np.lexsort((values, person))
    return values[order][np.flatnonzero(np.diff(person[order], prepend=-1))]


def _followed(releases: Sequence[Membership], ids: npt.NDArray[Any], people: IntArray) -> IntArray:
    """For each of ``ids``, count the people with the same groups in all releases and periods.

    An attacker is assumed to know who is absent from a period or from a release.
    """
    person = [pd.Index(ids).get_indexer(each.who) for each in releases]
    offset, groups = 0, []
    for each in releases:
        groups.append(each.group + offset)
        offset += each.n_groups
    who, group = np.concatenate(person), np.concatenate(groups)
    who, group = who[who >= 0], group[who >= 0]
    order = np.lexsort((group, who))
    starts = np.flatnonzero(np.diff(who[order], prepend=-1))
    listed = [part.tobytes() for part in np.split(group[order], starts[1:])]
    alike = pd.factorize(np.array(listed, dtype=object))[0]
    return np.bincount(alike, people).astype(np.int64)[alike]


def _people_of(each: Membership) -> int:
    """Return the number of people in a release; a fingerprint counts all people it stands for."""
    first = np.unique(pd.factorize(each.who)[0], return_index=True)[1]
    return int(each.weight[first].sum())


def _crowd(size: IntArray, people: IntArray) -> Crowd:
    alone, total = int(people[size == 1].sum()), int(people.sum())
    # Exactly 1/5 if everybody is one of five: no rounding lifts it above a threshold of 20%.
    naming = math.fsum(people / size) / total
    return Crowd(int(size.min()), alone, alone / total, naming)


def _sizes(smallest: dict[str, IntArray], people: IntArray) -> pd.DataFrame:
    """Return the number of people in groups of each size that occurs."""
    known = np.unique(np.concatenate(list(smallest.values())))
    rows = {name: np.searchsorted(known, size) for name, size in smallest.items()}
    counts = {name: np.bincount(row, people, len(known)) for name, row in rows.items()}
    return pd.DataFrame({"size": known, **counts}).astype(np.int64)


def _periods(
    first_day: IntArray, second_day: IntArray, size: IntArray, weight: IntArray
) -> pd.DataFrame:
    """Return the group sizes for each pair of periods that share a day."""
    number = [np.unique(day, return_inverse=True)[1] + 1 for day in (first_day, second_day)]
    first, which = distinct_rows(*number)
    rows = []
    for at, row in enumerate(first.tolist()):
        own = which == at
        crowd = _crowd(size[own], weight[own])
        both, people = (int(each[row]) for each in number), int(weight[own].sum())
        rows.append((*both, people, crowd.smallest, crowd.alone, crowd.naming))
    columns = ["first_period", "second_period", "people", "smallest", "alone", "naming"]
    return pd.DataFrame(rows, columns=columns)
