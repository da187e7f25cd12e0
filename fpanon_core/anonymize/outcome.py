"""What comes of groups and their cells: the result, with the accuracy of every sample."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd

from ..kernels.glove_merge import spans_of_holders
from ..model.arrays import CELL, Codes, IntArray
from ..model.checks import number, positive
from ..model.configs import StretchConfig
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.glove import REASONS, GloveResult, Method
from ..model.options import MOST_LEFT_OUT
from ..model.published import GeneralizedFingerprintSet, remember
from .grouping import Group

_SLACK_MIN = 1e-6
HARDEST = 1 + REASONS.index("hardest to hide")  # codes count the reasons from 1


def check_limit(name: str, value: float | None, finest: float, unit: str) -> None:
    """ConfigError where a limit is no positive number, or finer than the data."""
    if value is None:
        return
    positive(name, value, otherwise="None")
    if value < finest:
        raise ConfigError(
            f"{name} = {value:g} {unit} is finer than the data ({finest:g} {unit}): nothing could "
            f"be published; give {finest:g} or more."
        )


def check_leave_out(leave_out: float) -> float:
    """The share of the people that may be left out, as a float; ConfigError outside 0 … 0.1."""
    return number("leave_out", leave_out, least=0.0, most=MOST_LEFT_OUT)


def room_for(leave_out: float, fs: FingerprintSet, k: int) -> int:
    """How many users may be left out, so that k are left: the share of all, rounded down."""
    users = int(fs.weight.sum())
    # 5 % of 60 is 3, not 2.999…
    return min(math.floor(leave_out * users + 1e-9), users - k)


def published_of(groups: list[Group], fs: FingerprintSet | None) -> GeneralizedFingerprintSet:
    """One fingerprint per group; granularity, clock and projection as of ``fs``."""
    cells = np.concatenate([np.empty((0, 6)), *(g.cells for g in groups)])
    frame = (
        {}
        if fs is None
        else {
            name: getattr(fs, name) for name in ("granularity_m", "granularity_min", "clock", "crs")
        }
    )
    return GeneralizedFingerprintSet(
        offsets=np.cumsum([0, *(len(g.cells) for g in groups)]),
        n_users=np.array([g.weight for g in groups], np.int64),
        **dict(zip(CELL, cells.T, strict=True)),
        **frame,
    )


def outcome(
    fs: FingerprintSet,
    groups: list[Group],
    code: Codes,
    left: IntArray,
    *,
    method: Method,
    k: int,
    leftover: str,
    config: StretchConfig,
    suppress_space_m: float | None,
    suppress_time_min: float | None,
    leave_out: float,
    hardest: IntArray,
) -> GloveResult:
    """The result: ``code`` says of each sample why it is left out, 0 = it is not.

    ``left`` are the last users, ``hardest`` those who are left out, ascending; the codes of the
    latter's samples are set here.
    """
    for u in hardest.tolist():
        code[fs.rows_of(u)] = HARDEST
    group = np.full(fs.n_users, -1, np.int64)
    for row, g in enumerate(groups):
        group[g.members] = row
    published = published_of(groups, fs)
    space, time = np.empty(fs.n_samples), np.empty(fs.n_samples)
    held = spans_of_holders(
        fs.offsets,
        fs.t_min,
        fs.dt_min,
        code > 0,
        group,
        published.offsets,
        published.t_min,
        published.dt_min,
        (published.dx_m + published.dy_m) / 2,
        space,
        time,
    )
    copies = int(published.lengths[group[group >= 0]].sum())
    rows = np.flatnonzero(code)
    user = fs.sample_user
    remember(fs)
    return GloveResult(
        group=group,
        published=published,
        suppressed=pd.DataFrame(
            {
                "user": user[rows],
                "sample": rows,
                "reason": np.array(REASONS, dtype=object)[code[rows] - 1],
            }
        ),
        accuracy=pd.DataFrame(
            {
                "user": user,
                "sample": np.arange(fs.n_samples),
                "group": group[user],
                "space_m": space,
                "time_min": time,
            }
        ),
        phantom_share=1.0 - held / copies if copies else 0.0,
        left_over=left,
        method=method,
        k=k,
        leftover=leftover,
        suppress_space_m=suppress_space_m,
        suppress_time_min=suppress_time_min,
        leave_out=leave_out,
        left_out=hardest,
        config=config,
        digest=fs.digest,
        number=np.array(fs.number),
        weight=np.array(fs.weight),
    )


def begun_by(end: float, fs: FingerprintSet, made: GloveResult) -> GloveResult:
    """The same result where each published sample begins before ``end``; what does not is joined.

    Where samples that reach beyond a period's end overlap, they are cut there by one another's
    ends, and some piece would begin in the next period as if it were of that.

    Parameters
    ----------
    end : float
        Of the period in which all samples begin, elapsed minutes.
    fs : FingerprintSet
        Who was hidden, by GLOVE.
    made : GloveResult
    """
    published = made.published
    late = published.t_min >= end - _SLACK_MIN
    if not late.any():
        return made
    cells = np.column_stack([getattr(published, name) for name in CELL])
    groups, code = [], np.zeros(fs.n_samples, np.int8)
    gone = made.suppressed
    code[gone["sample"].to_numpy(np.int64)] = 1 + gone["reason"].map(REASONS.index)
    for g in range(published.n_groups):
        mine = cells[published.rows_of(g)]
        upto = int(np.searchsorted(mine[:, 2], end - _SLACK_MIN))
        if upto < len(mine):  # the first begins where a sample does, before the end
            low = mine[upto - 1 :, :3].min(axis=0)
            high = (mine[upto - 1 :, :3] + mine[upto - 1 :, 3:]).max(axis=0)
            mine = np.vstack([mine[: upto - 1], np.append(low, high - low)])
        members = np.flatnonzero(made.group == g).tolist()
        groups.append(Group(members, mine, int(published.n_users[g])))
    return replace(
        outcome(
            fs,
            groups,
            code,
            made.left_over,
            method=made.method,
            k=made.k,
            leftover=made.leftover,
            config=made.config,
            suppress_space_m=made.suppress_space_m,
            suppress_time_min=made.suppress_time_min,
            leave_out=made.leave_out,
            hardest=made.left_out,
        ),
        shards=made.shards,
    )
