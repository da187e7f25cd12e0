"""``measure``, ``unicity``, ``disclosure``: risks of the data as read, or made coarser."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Annotated

import pandas as pd

from ..model.configs import Strategy, UnicityConfig
from ..model.errors import ConfigError
from ..model.files import keyed
from ..model.profiles import GeneralizationProfile
from ..studies import anonymizability, antenna_merging, under_profiles
from ..studies import disclosure as disclosures
from ..studies import unicity as outsider
from ..studies.under_profiles import as_read, check_profiles, corners
from .from_config import PROFILES, STRATEGY, Fields, asked, command
from .run import Run, rows_text

# --- measure -------------------------------------------------------------------------------------

_K_GAP: Fields = {"profiles": PROFILES, "ks": asked("--k", "-k")}


@command
def measure(config: Annotated[anonymizability.Config, _K_GAP], run: Run) -> None:
    """Measure everyone's k-gap: the effort to hide each person in a group of k.

    Parameters
    ----------
    ks : tuple of int
        Sizes of groups to hide in, such as 2,5,10.
    out : Path or None
        Write one row per person, profile and k (.csv, .parquet). Not for release.
    """
    run.read()
    check_profiles(run.fs, config.profiles)
    run.estimate(anonymizability.study, config)
    result = run.ask("k-gap", anonymizability.study, config)
    run.write(result.to_frame(), run.out, "k-gaps of every person", guarded=True)
    run.write_tables(result)
    summary = result.to_frame("k_gap_summary")
    run.end(
        {"users": run.fs.n_users, "digest": keyed(result.digest), "gaps": summary},
        _k_gaps(summary, config),
        corners(summary),
    )


def _k_gaps(summary: pd.DataFrame, config: anonymizability.Config) -> str:
    far, late = f"{config.stretch.max_space_m / 1000:g} km", f"{config.stretch.max_time_min:g} min"
    shown = [
        ("profile", "{profile}"),
        ("k", "{k}"),
        ("k-gap 0", "{share_at_0:.1%}"),
        ("k-gap p25", "{p25:.3f}"),
        ("median", "{median:.3f}"),
        ("p75", "{p75:.3f}"),
        ("distance*", "{distance_km:.2f} km"),
        ("time*", "{mean_capped_time_min:.0f} min"),
        (f"{far} or more", "{share_beyond_distance:.1%}"),
        (f"{late} or more", "{share_beyond_time:.1%}"),
    ]
    rows = summary.assign(distance_km=summary["mean_capped_distance_m"] / 1000)
    return (
        f"{rows_text(rows, shown)}\n"
        f"* means over the matched samples, each counted up to {far} and {late}; the last two "
        "columns give the share of samples at least that far apart."
    )


# --- unicity -------------------------------------------------------------------------------------

_UNICITY: Fields = {"strategy": STRATEGY, "profiles": PROFILES}


@dataclass(frozen=True)
class _Unicity:
    """Settings of a unicity estimate, checked for every pair of ``p`` and ``out_of``.

    Attributes
    ----------
    p : tuple of int
        Numbers of known points, such as 2,4,6.
    out_of : tuple of int
        Largest numbers of matching people that count as singled out, such as 1,2; 1 = unique.
    users : int
        Number of people drawn for the estimate; all if there are fewer.
    seed : int
        Seed of the random draws; the same seed gives the same result.
    merge_antennas : int or None
        With --tables: also estimate unicity when about this many antennas are merged into one
        region.
    """

    p: tuple[int, ...] = (4,)
    out_of: tuple[int, ...] = (1,)
    strategy: Strategy = "random"
    users: int = 2500
    seed: int = 0
    profiles: tuple[GeneralizationProfile, ...] = ()
    merge_antennas: int | None = None

    def __post_init__(self) -> None:
        for many, crowd in product(self.p, self.out_of):
            UnicityConfig(many, self.strategy, self.users, self.seed, crowd)


@command
def unicity(wish: Annotated[_Unicity, _UNICITY], run: Run) -> None:
    """Estimate unicity: the share of people that a few known points single out.

    --tables adds unicity for every strategy and up to 8 points, and the number of points needed to
    single people out. It also adds unicity over several resolutions (those of --profile, or the
    usual ones) with its scaling law.

    Parameters
    ----------
    out : Path or None
        Write one row per profile, p and number of matching people (.csv, .parquet).
    """
    many, full, usual = wish.merge_antennas, run.tables is not None, (wish.users, wish.seed)
    merging = None if many is None else antenna_merging.Config(many, *usual)
    if merging is not None and not full:
        raise ConfigError("--merge-antennas makes tables; give their folder with --tables, too.")
    study = outsider.Config(*usual)
    if full and wish.profiles:
        study = replace(study, profiles=wish.profiles)
    run.read()
    run.estimate(outsider.study, study)
    table = run.ask(
        "unicity",
        under_profiles.unicity_grid,
        wish.profiles or [as_read(run.fs)],
        wish.p,
        out_of=wish.out_of,
        strategy=wish.strategy,
        users=wish.users,
        seed=wish.seed,
    )
    run.write(table, run.out, "Unicity by profile and points")
    if full:
        run.write_tables(run.ask("what an attacker can tell", outsider.study, study))
    if merging is not None:
        run.write_tables(run.ask("merging antennas", antenna_merging.study, merging))
    people = int(run.fs.weight.sum())
    run.end(
        {
            "users": people,
            "config": table.attrs["config"],
            "digest": table.attrs["digest"],
            "unicity": table,
        },
        rows_text(table, _UNICITIES),
        corners(table),
        f"Guessing finds one in {people:,}.",
    )


_UNICITIES = (
    ("profile", "{profile}"),
    ("points", "{p}"),
    ("out of", "{out_of}"),
    ("unicity", "{value:.1%}"),
    ("95% interval", "{low:.1%} … {high:.1%}"),
    ("people", "{targets:,}"),
    ("too few points", "{too_few:,}"),
)


# --- disclosure ----------------------------------------------------------------------------------

_DISCLOSURE: Fields = {**_UNICITY, "unicity_p": asked(default=(3, 4, 5))}


@command
def disclosure(config: Annotated[disclosures.Config, _DISCLOSURE], run: Run) -> None:
    """Measure disclosure: what a few known points reveal beyond themselves.

    Parameters
    ----------
    unicity_p : tuple of int
        Numbers of known points for the unicities stated next to the disclosure.
    out : Path or None
        Write one row per profile (.csv, .parquet).
    """
    run.read()
    config = replace(config, profiles=config.profiles or (as_read(run.fs),))
    run.estimate(disclosures.study, config)
    result = run.ask("disclosure", disclosures.study, config)
    run.write(result.to_frame(), run.out, "Disclosure by profile")
    run.write_tables(result)
    lines = [_disclosed(result), corners(result.grid)]
    lines.append(
        f"Someone who knows nothing finds one in {result.n_users:,}, and learns nothing: EM and "
        "KL are 0."
    )
    if len(result.agreement):
        lines += [rows_text(result.agreement, _AGREEMENT), _MEANS]
    run.end(
        {
            "users": result.n_users,
            "config": asdict(config.knowledge),
            "digest": keyed(result.digest),
            "disclosure": result.grid,
            "agreement": result.agreement,
        },
        *lines,
    )


_MEANS = (
    "As in the paper, EM and KL are means over each profile's own bins, so they do not say which "
    "of two profiles is the safer. The sums over all bins do (em_sum and kl_sum, in --out, "
    "--tables or --json; `fpanon options` compares by these sums)."
)


def _disclosed(result: disclosures.Result) -> str:
    shown = [("profile", "{profile}")]
    shown += [(f"unicity, {q} points", f"{{unicity_p{q}:.1%}}") for q in result.config.points]
    for head, name in (("k", "k"), ("EM", "em"), ("KL, nats", "kl")):
        shown.append((head, f"{{{name}:.3g}} ({{{name}_low:.3g}} … {{{name}_high:.3g}})"))
    shown += [("bins", "{bins:,}"), ("people", "{targets:,}"), ("too few points", "{too_few:,}")]
    return rows_text(result.grid, shown)


_AGREEMENT = (
    ("ranked alike?", "{a} and {b}"),
    ("Kendall's tau", "{tau:.2f}"),
    ("pairs ranked differently", "{discordant} of {pairs}"),
)
