"""``hide``, ``glove``: make and verify a release with everyone in a group of k; state its cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from ..io.checkpoint import Checkpoint
from ..model.errors import ConfigError
from ..model.files import keyed
from ..model.periods import days_text
from ..studies import comparison, hiding
from ..studies.under_profiles import corners
from .from_config import Fields, asked, command
from .releases import Leaving
from .run import Run, table_text

_HIDE: Fields = {
    "k": asked("--k", "-k"),
    "suppress_space_m": asked("--max-side-m", "--suppress-space-m"),
    "suppress_time_min": asked("--max-span-min", "--suppress-time-min"),
    "method": asked(default="aligned", metavar="aligned|glove"),
    "period_days": asked("--period"),
    "out": None,
}
_GLOVE: Fields = {
    "k": asked("--k", "-k"),
    **dict.fromkeys(("method", "period_days", "leave_out", "shards", "checkpoint", "out")),
}
_KEPT = (
    "Finished shards are kept in {}: the same command, run again, does only what is missing. The "
    "folder holds personal data; remove it if you will not continue."
)


@dataclass(frozen=True)
class Beside:
    """Further options of the commands that hide people.

    Attributes
    ----------
    checkpoint : Path or None
        With --shards: a separate folder for finished parts. The same command, run again, does only
        the missing parts. The folder contains personal data: keep it to yourself. The run's files
        in it are removed once the run is complete.
    compare : bool
        Also state, for k = 2, 5 and 10, the cost of making all records equally coarse, and of
        GLOVE. GLOVE runs without and with suppression (beyond 15 km or 6 hours).
    """

    checkpoint: Path | None = None
    compare: bool = False


@command
def hide(
    config: Annotated[hiding.Config, _HIDE],
    beside: Annotated[Beside, _HIDE],
    leaving: Leaving,
    run: Annotated[Run, _HIDE],
) -> None:
    """Hide each person in a group of k, by aligned groups or by GLOVE, and verify the result.

    Parameters
    ----------
    k : int
        Minimum number of people with the same published record.
    suppress_space_m : float or None
        Suppress samples that would make a published sample wider than this, metres.
    suppress_time_min : float or None
        Suppress samples that would make a published sample longer than this, minutes.
    leftover : str
        Treatment of the last people, fewer than k: merged into the nearest group, or left out.
    method : str
        aligned: the samples of a group are cut into blocks of time that each hold a sample of every
        member, without false presence; glove: the published method GLOVE.
    period_days : int or None
        Days in a period: everyone has a new pseudonym in each period, and hides among the people of
        that period. Use 1 for days, 7 for weeks. Whole records if not given.
    shards : int or None
        First cut the data into this many parts, by where people are, and hide each part separately.
        Everyone is still in a group of at least k; time and memory fall, and the loss rises a
        little. About 5,000 people per part is a good size.
    """
    _carry_out(config, beside, leaving, run)


@command
def glove(
    config: Annotated[hiding.Config, _GLOVE],
    beside: Annotated[Beside, _GLOVE],
    leaving: Leaving,
    run: Annotated[Run, _GLOVE],
) -> None:
    """Hide each person in a group of k with one fingerprint (GLOVE), and verify the result.

    Parameters
    ----------
    k : int
        Minimum number of people with the same published record.
    suppress_space_m : float or None
        Suppress samples that would make a published sample wider than this, metres.
    suppress_time_min : float or None
        Suppress samples that would make a published sample longer than this, minutes.
    leftover : str
        Treatment of the last people, fewer than k: merged into the nearest group, or left out.
    """
    _carry_out(config, beside, leaving, run)


def _carry_out(config: hiding.Config, beside: Beside, leaving: Leaving, run: Run) -> None:
    """Hide everyone as ``config`` states; verify, write and report the result."""
    leaving.check()
    if beside.checkpoint is not None and config.shards is None:
        raise ConfigError("Checkpoints need shards; give --shards, too, or leave --checkpoint out.")
    kept = None if beside.checkpoint is None else Checkpoint(beside.checkpoint)
    run.read()
    run.estimate(hiding.study, config)
    what = "GLOVE" if config.method == "glove" else config.method
    try:
        result: hiding.Result = run.ask(what, hiding.study, config, checkpoint=kept)
    except KeyboardInterrupt:
        if kept is not None:
            typer.echo(f"\nInterrupted. {_KEPT.format(kept.folder)}", err=True)
        raise
    compared, passed = None, result.verdict.passed
    if beside.compare and passed:
        wishes = comparison.Config(stretch=config.stretch)
        compared = run.ask("comparison", comparison.study, wishes)
    if passed:  # what fails is not released
        if leaving.out is not None:
            run.written.append(leaving.publish(result.release, original=run.fs))
        run.write_tables(result, compared)
    if kept is not None:
        kept.clear()
    run.end(
        _figures(result, compared),
        _costs(result),
        str(result.verdict),
        "" if compared is None else _compared(compared),
    )
    if not passed:
        typer.echo("Error: the release failed its verification; nothing is written.", err=True)
        raise typer.Exit(1)


def _figures(result: hiding.Result, compared: comparison.Result | None) -> dict[str, Any]:
    release = result.release
    figures = {
        "method": release.method,
        **release.summary(),
        "mean_loss": result.mean_loss,
        "suppress_space_m": release.suppress_space_m,
        "suppress_time_min": release.suppress_time_min,
        "leftover": release.leftover,
        "leave_out": release.leave_out,
        "digest": keyed(release.whole_digest or release.digest),
        "verified": result.verdict.passed,
        "violations": result.verdict.counts,
        "versions": release.versions,
    }
    return figures if compared is None else figures | {"comparison": compared.comparison}


def _costs(result: hiding.Result) -> str:
    s = result.release.summary()
    each, rows = "", []
    if s["period_days"] is not None:
        each = " in all periods"
        rows = [
            ["periods", f"{s['periods']:,} of {days_text(s['period_days'])}"],
            ["pieces of records not published", f"{s['pieces_suppressed']:,} of {s['pieces']:,}"],
        ]
    loss = result.mean_loss
    rows += [
        ["groups", f"{s['groups']:,} of {s['smallest_group']} to {s['largest_group']}"],
        ["left over", f"{s['users_left_over']} people{each} ({result.release.leftover})"],
        ["left out, hardest to hide", f"{s['users_left_out']} people{each}"],
        ["people not published", f"{s['users_suppressed']:,}"],
        ["samples suppressed", f"{s['suppressed_share']:.1%}"],
        ["false presence", f"{s['phantom_share']:.1%}"],
        *map(list, zip(("spatial span", "temporal span"), _spans(s), strict=True)),
        ["mean loss", "nothing published" if math.isnan(loss) else f"{loss:.3f}"],
    ]
    return table_text(["figure", "value"], rows)


def _compared(found: comparison.Result) -> str:
    rows = [
        [
            f"{row['method']} ({row['profile']})" if row["profile"] else row["method"],
            str(row["k"]),
            f"{row['share_hidden']:.1%}",
            *_spans(row),
            f"{row['suppressed_share']:.1%}",
            "yes" if row["verified"] else "no",
        ]
        for row in found.comparison.to_dict("records")
    ]
    head = ["way", "k", "hidden", "spatial span", "temporal span", "suppressed", "verified"]
    tried = found.searched
    return (
        f"{table_text(head, rows)}\nUniform: the first of {len(tried)} grids, from {tried[0]} to "
        f"{tried[-1]}, that hides the most people. The last grid puts everything in one "
        f"cell.\n{corners(found.comparison)}"
    )


def _spans(row: Mapping[Any, Any]) -> tuple[str, str]:
    """Return the mean and median spans in space and in time, as text."""
    mean, median, long, usual = (
        row[f"{of}_{what}"] for what in ("space_m", "time_min") for of in ("mean", "median")
    )
    if math.isnan(mean):
        return "nothing published", "nothing published"
    return (
        f"mean {mean / 1000:,.2f} km, median {median / 1000:,.2f} km",
        f"mean {long:,.0f} min, median {usual:,.0f} min",
    )
