"""Which release of the data is safe without a record of anybody? Tables as release options.

Their risks: whether a person is in the data, and where a person lives (:mod:`.aggregates.attack`).
There is no record to re-identify, so the measures of records are not asked.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..aggregates.areas import Proposal, proposed
from ..aggregates.attack import attack_tables
from ..aggregates.tables import count_tables
from ..aggregates.usefulness import tables_measured
from ..anonymize.chain import release as release_records
from ..engines.local import Engine
from ..engines.progress import Progress, part
from ..io.publishing import FORMATS, Format
from ..model.checks import one_of
from ..model.count_tables import CountTables
from ..model.disclosure import HOME_WITHIN_M, OF_TABLES, RISKS
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult, Verification
from ..model.membership import MembershipResult
from ..model.options import ReleaseOption, Tables, as_option
from ..model.released import ReleasedSet
from ..verification import release as of_records
from . import publishing
from .counts_release import reading_fault
from .option_result import OptionResult
from .releases import reference
from .table_package import (
    described_tables,
    frames_of,
    package,
    publish_tables,
    readme_of,
    verify_tables,
)
from .tabled import Tabled

NO_RECORD = "The release holds no record of anybody."
_MAKING_SHARE = 0.2  # of an option's progress
_TARGETS = 200  # people asked about where options are compared


def release(
    fs: FingerprintSet,
    option: Any,
    *,
    seed: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> ReleasedSet | CountTables:
    """The data as a release option would publish them.

    As :func:`fpanon_core.anonymize.chain.release`; of an option of tables, the tables. Their noise
    always comes from the operating system: no seed makes it again.
    """
    chosen = as_option(option)
    if chosen.tables is not None:
        return count_tables(fs, chosen.tables, engine=engine, progress=progress)
    return release_records(fs, chosen, seed=seed, engine=engine, progress=progress)


def publish(
    released: ReleasedSet | GloveResult | CountTables,
    path: str | os.PathLike[str],
    *,
    key: str | os.PathLike[str] | None = None,
    original: FingerprintSet | None = None,
    left_out: str | os.PathLike[str] | None = None,
    format: Format = "csv",
) -> Path:
    """Write a release as it is to leave; of records, verify the bytes written.

    As :func:`fpanon_core.studies.publishing.publish`. Tables have no pseudonyms: a key or a list of
    what was left out is refused. Their bytes are for :func:`verify_release` and the original.

    Raises
    ------
    ConfigError
        As there; or tables claim an ε that promises nothing, as the records decided how they were
        read.
    """
    if not isinstance(released, CountTables):
        return publishing.publish(
            released, path, key=key, original=original, left_out=left_out, format=format
        )
    if key is not None or left_out is not None:
        raise ConfigError("Tables have no pseudonyms; give neither key nor left_out.")
    return publish_tables(released, path, format)


def verify_release(
    path: str | os.PathLike[str] | bytes,
    original: Any,
    k: int | None,
    *,
    key: Any = None,
    left_out: Any = None,
) -> Verification:
    """Check the bytes of a release against the original data.

    As :func:`fpanon_core.verification.release.verify_release`; of tables, frame, protection and
    every byte.
    """
    if described_tables(path) is None:
        return of_records.verify_release(path, original, k, key=key, left_out=left_out)
    if k is not None:
        raise ConfigError("Tables promise no group of k; give k=None.")
    return verify_tables(path, original)


def membership(
    fs: FingerprintSet,
    option: Any,
    *,
    targets: int = 200,
    seed: int = 0,
    progress: Progress | None = None,
) -> MembershipResult:
    """Can an attacker tell whether a person is in the data behind the tables?

    Parameters
    ----------
    fs : FingerprintSet
    option : Tables, Presence, Flows, or an option of one of them
    targets : int
        People asked about; one in ten is among the most recorded.
    seed : int
        Of the halves, the targets and the noise.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Raises
    ------
    ConfigError
        The option publishes records: whoever has one is linked, not asked about.
    InfeasibleError
        There are too few people.
    """
    return attack_tables(
        fs, _tables_of(option), targets=targets, seed=seed, progress=progress
    ).membership


def proposal_for(fs: FingerprintSet, people: int, epsilon: float) -> Proposal:
    """Areas of antennas and bands that are wise for a stated number of people.

    Raises
    ------
    ConfigError
        The data have no antenna table.
    """
    if fs.antennas is None or not len(fs.antennas):
        raise ConfigError("The data have no antenna table; state the areas yourself.")
    return proposed(people, len(fs.antennas), epsilon)


def tables_result(
    fs: FingerprintSet, option: ReleaseOption, seed: int, progress: Progress | None
) -> OptionResult:
    """What an option of tables would release, and what that risks and is worth."""
    tables = _tables_of(option)
    made = count_tables(fs, tables, progress=part(progress, 0.0, _MAKING_SHARE))
    compared = reference(fs)
    components, corners = tables_measured(compared, made, fs.crs, float(fs.weight.sum()))
    found = attack_tables(
        fs, tables, targets=_TARGETS, seed=seed, progress=part(progress, _MAKING_SHARE, 1.0)
    )
    risks = dict.fromkeys(RISKS, (np.nan, np.nan, np.nan))
    guessing = {}
    unasked = {name: NO_RECORD for name in RISKS if name not in OF_TABLES}
    if not len(found.homes):
        unasked["home"] = "The tables do not tell who is where at night, or no night is recorded."
    else:
        near = found.homes[found.homes["within_m"] == HOME_WITHIN_M]
        share, low, high, guess = near[["found", "low", "high", "guessing"]].to_numpy()[0].tolist()
        risks["home"], guessing["home"] = (share, low, high), guess
    told = found.membership
    risks["membership"] = max(0.0, told.advantage), max(0.0, told.low), max(0.0, told.high)
    return OptionResult(
        option=option,
        risks=risks,
        components=components,
        corners=dict(corners),
        areas=str(compared.ground),
        n_users=int(fs.weight.sum()),
        users_share=1.0,
        alone_share=0.0,  # nobody has a record
        n_targets=told.n_targets,
        guessing=guessing,
        unasked=unasked,
        homes_asked=int(found.homes["asked"].max()) if len(found.homes) else 0,
    )


def _tables_of(option: Any) -> Tables:
    tables = as_option(option).tables
    if tables is None:
        raise ConfigError("This option publishes records; membership is asked of tables alone.")
    return tables


@dataclass(frozen=True)
class Config:
    """Which tables are to be made.

    Attributes
    ----------
    option : Tables
    format : {"csv", "parquet"}
    """

    option: Tables
    format: Format = "csv"

    def __post_init__(self) -> None:
        one_of("format", self.format, FORMATS)


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """Tables ready to leave.

    Attributes
    ----------
    config : Config
    digest : str
        Of the original data.
    verdict : str
        The verifier's, on the bytes.
    page : str
        The README, Markdown.
    archive : bytes
        The zip; empty where the verdict has not passed.
    published : dict of str to DataFrame
        The tables as they stand in the zip.
    """

    config: Config
    digest: str
    verdict: str
    page: str
    archive: bytes
    published: dict[str, pd.DataFrame]

    def tables(self) -> dict[str, pd.DataFrame]:
        """As they stand in the zip."""
        return self.published


def study(
    fs: FingerprintSet,
    config: Config,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Result:
    """The tables as a zip, and its verdict.

    Raises
    ------
    ConfigError
        Private tables would promise nothing, as the records decided how they were read.
    """
    option = config.option
    if option.epsilon is not None and (fault := reading_fault(fs, option.frame)):
        raise ConfigError(fault)
    made = count_tables(fs, option, engine=engine, progress=part(progress, 0.0, 0.8))
    archive = package(made, config.format)
    found = verify_tables(archive, fs)
    if progress is not None:
        progress(1.0)
    page = readme_of(archive)
    return Result(
        config, fs.digest, str(found), page, archive if found.passed else b"", frames_of(made)
    )
