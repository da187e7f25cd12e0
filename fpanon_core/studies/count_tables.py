"""Releases without records: tables of counts and synthetic people as release options.

Their risks are that an attacker learns whether a person is in the data, and where a person lives
(:mod:`.aggregates.attack`). There is no record to re-identify, so the measures for records do not
apply.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pandas as pd

from ..aggregates.areas import Proposal, geojson_of, proposed, table_error
from ..aggregates.attack import TablesAttacked, attack_tables, engine_for
from ..aggregates.contributions import check_size, table_frame
from ..aggregates.recovery import bands_are_slots, table_recovery
from ..aggregates.tables import count_tables
from ..aggregates.usefulness import cell_error, tables_measured
from ..anonymize.chain import release as release_records
from ..engines.local import Engine, LocalEngine, beside
from ..engines.progress import Progress, part, tell
from ..io.ledger import SUFFIX, Ledger, ledgers_folder
from ..io.positions import zone_at
from ..io.publishing import FORMATS, Format
from ..measures.areas import Squares
from ..measures.utility import Reference, measured
from ..model.arrays import FloatArray
from ..model.count_tables import CountTables
from ..model.counts_frame import FrameConfig
from ..model.disclosure import HOME_WITHIN_M, OF_TABLES, RISKS
from ..model.errors import ConfigError, FpanonError, InfeasibleError
from ..model.files import Place
from ..model.fingerprints import FingerprintSet
from ..model.glove import Verification
from ..model.linkage import MembershipResult, TableRecovery
from ..model.options import ReleaseOption, Synthesize, Tables, as_option
from ..model.profiles import Areas
from ..model.released import AnyRelease, ReleasedSet
from ..model.synthetic_people import SyntheticPeople
from ..model.utility import COMPONENTS, Corners
from ..synthesis.attack import attack_synthetic, located
from ..synthesis.generation import synthetic_people
from ..verification import release as of_records
from . import publishing, synthetic_package
from .framing import reading_fault, stated_middle
from .option_result import OptionResult
from .reading import Reading, Source, read
from .releases import reference
from .synthetic_package import verify_people
from .table_package import (
    KIND,
    described,
    frames_of,
    package,
    readme_of,
    verify_tables,
    write_package,
)
from .tabled import Tabled, Work, part_of, working

NO_RECORD = "The release holds no record of anybody."
_MAKING_SHARE = 0.4  # of an option's progress
_DRAWS = 5  # of noise, over which utility is averaged
_NUMBERS_A_CELL = 8  # kept in memory for each cell and sample while a release is made
_MOST_AREAS = 1_000  # proposed where there is no antenna table
_TARGETS = 200  # people attacked where options are compared
MOST_LINKED = 5_000
"""Largest number of people whose counts :func:`recovery_of` links; linking them takes some 15 s.

The time grows with the square of the number of people.
"""


def release(
    fs: FingerprintSet,
    option: Any,
    *,
    seed: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> ReleasedSet | CountTables | SyntheticPeople:
    """Return the data as a release option would publish them.

    Records are made as in :func:`fpanon_core.anonymize.chain.release`. Options without records give
    :class:`CountTables` or :class:`SyntheticPeople`. Random numbers for both always come from the
    operating system: no seed reproduces them.
    """
    chosen = as_option(option)
    step = chosen.recordless
    if isinstance(step, Synthesize):
        return synthetic_people(fs, step, **working(engine, progress))
    if step is not None:
        return count_tables(fs, step, **working(engine, progress))
    return release_records(fs, chosen, seed=seed, engine=engine, progress=progress)


def publish(
    released: AnyRelease | CountTables | SyntheticPeople,
    path: Place,
    *,
    key: Place | None = None,
    original: FingerprintSet | None = None,
    left_out: Place | None = None,
    format: Format = "csv",
) -> Path:
    """Write a release for publication; if it has records, verify the bytes written.

    This works like :func:`fpanon_core.studies.publishing.publish`. Tables and synthetic people have
    no pseudonyms, so a key or a list of left-out samples is refused. Their bytes can be checked
    against the original with :func:`verify_release`.

    Raises
    ------
    ConfigError
        As :func:`fpanon_core.studies.publishing.publish`; or ``key`` or ``left_out`` is given for a
        release without records; or the release's ε promises nothing, as the records decided how the
        data were read.
    InfeasibleError
        As :func:`fpanon_core.studies.publishing.publish`.
    """
    if not isinstance(released, CountTables | SyntheticPeople):
        return publishing.publish(
            released, path, key=key, original=original, left_out=left_out, format=format
        )
    if key is not None or left_out is not None:
        raise ConfigError("No record belongs to a person; give neither key nor left_out.")
    if isinstance(released, SyntheticPeople):
        return write_package(synthetic_package.package(released, format), path)
    return write_package(package(released, format), path)


def verify_release(
    path: Place | bytes, original: Any, k: int | None, *, key: Any = None, left_out: Any = None
) -> Verification:
    """Check the bytes of a release against the original data.

    Records are checked as in :func:`fpanon_core.verification.release.verify_release`. For tables
    and synthetic people, the frame, the protection and every byte are checked.

    Raises
    ------
    ConfigError
        k is given for a release without records.
    """
    kind = described(path).get("kind")
    if kind is None:
        return of_records.verify_release(path, original, k, key=key, left_out=left_out)
    if k is not None:
        raise ConfigError("This release has no groups of k people; leave k out.")
    return (verify_tables if kind == KIND else verify_people)(path, original)


def membership(
    fs: FingerprintSet,
    option: Any,
    *,
    targets: int = 200,
    seed: int = 0,
    progress: Progress | None = None,
) -> MembershipResult:
    """Measure how well an attacker can tell who is in the data behind a release without records.

    Parameters
    ----------
    fs : FingerprintSet
    option : Tables, Presence, Flows, Synthesize, or ReleaseOption with one of them
    targets : int
        Number of people attacked, at most half of all people; one in ten is among those with the
        most samples.
    seed : int
        Seed of the division of the people into halves, of the draw of targets, and of the noise
        that the attack simulates.
    progress : callable of one float in [0, 1], optional
        May raise :class:`Cancelled`.

    Raises
    ------
    ConfigError
        The option publishes records, for which re-identification is measured instead; a number is
        out of its range; or the frame does not fit the data.
    InfeasibleError
        There are too few people, or too many cells.
    """
    return _attacked(fs, option, targets, seed, True, progress=progress).membership


def recovery_of(
    fs: FingerprintSet, made: CountTables, **work: Unpack[Work]
) -> TableRecovery | None:
    """Return what linking the tables' counts recovers; None where this attack is not run.

    The attack is not run on tables that lack presence, have noise, or are means over several days,
    nor on more than :data:`MOST_LINKED` people. Nor is it run where the clocks change, or where
    nobody has a sample within the areas and days.
    """
    if made.presence is None or made.option.epsilon is not None:
        return None
    if not bands_are_slots(made.frame) or fs.weight.sum() > MOST_LINKED:
        return None
    engine = work.get("engine")
    here = engine if isinstance(engine, LocalEngine) else None  # as the attack requires
    try:
        return table_recovery(fs, made.option, engine=here, progress=work.get("progress"))
    except InfeasibleError:
        return None


def describe_recovery(found: TableRecovery, option: Tables) -> str:
    """Say in two sentences what linking the counts of single days gives away."""
    known = {24: "hours", 1: "days"}
    parts = known.get(option.bands, f"{24 / option.bands:g}-hour parts of a day")
    without = "" if option.threshold is None else f"without blanks {found.exact:.0%}, "
    linking = (
        "Linking finds where people were in"
        if found.recovered > found.guessing
        else "Linking does no better than guessing: it is right about where people were in"
    )
    return (
        "These are counts of single days, so an attacker can link them into trajectories. "
        f"{linking} {found.recovered:.0%} of their recorded {parts} (95% interval "
        f"{found.low:.0%}–{found.high:.0%}; {without}guessing {found.guessing:.0%})."
    )


def proposal_for(fs: FingerprintSet, people: int, epsilon: float) -> Proposal:
    """Propose how many areas and daily bands suit a stated number of people and one table's ε."""
    most = _MOST_AREAS if fs.antennas is None else len(fs.antennas)
    return proposed(people, max(1, most), epsilon)


def expected_error(fs: FingerprintSet, option: Tables, people: int) -> pd.DataFrame:
    """Return the expected error of an option's tables, for a stated number of ``people``.

    The frame is built for these data.

    Raises
    ------
    ConfigError, InfeasibleError
        The frame does not fit the data, or the tables have too many cells.
    """
    frame = table_frame(fs, option.frame)
    for name in option.CONTENTS:
        check_size(frame.n_areas * (option.bands if name == "presence" else frame.n_areas))
    return table_error(people, frame, bands=option.bands, epsilon=option.epsilon_each or 1.0)


def tables_result(
    fs: FingerprintSet,
    option: ReleaseOption,
    seed: int,
    areas: Areas = None,
    **work: Unpack[Work],
) -> OptionResult:
    """Measure the risks and the utility of an option without records.

    Utility is the mean over several draws of noise: the release will be yet another draw.
    """
    compared = reference(fs, areas)
    kept, (hours_hidden, one_profile) = _drawn(
        fs, option, compared, part_of(work, 0.0, _MAKING_SHARE)
    )
    found = _attacked(fs, option, _TARGETS, seed, False, **part_of(work, _MAKING_SHARE, 1.0))
    risks = dict.fromkeys(RISKS, (np.nan, np.nan, np.nan))
    guessing = dict(compared.even)
    unasked = {name: NO_RECORD for name in RISKS if name not in OF_TABLES}
    if not len(found.homes):
        unasked["home"] = (
            "Nothing published shows where people are at night, or no night is recorded."
        )
    else:
        near = found.homes[found.homes["within_m"] == HOME_WITHIN_M]
        share, low, high, guess = near[["found", "low", "high", "guessing"]].to_numpy()[0].tolist()
        risks["home"], guessing["home"] = (share, low, high), guess
    told = found.membership
    risks["membership"] = max(0.0, told.advantage), max(0.0, told.low), max(0.0, told.high)
    return OptionResult(
        option=option,
        risks=risks,
        components={n: float(np.mean([each[n] for each in kept])) for n in COMPONENTS},
        corners={n: tuple(chain(*(each[n] for each in kept))) for n in COMPONENTS},
        least={n: float(min(np.mean(each[n]) for each in kept)) for n in COMPONENTS}
        if len(kept) > 1
        else {},
        areas=str(compared.ground),
        n_users=int(fs.weight.sum()),
        users_share=1.0,
        alone_share=0.0,  # nobody has a record
        n_targets=told.n_targets,
        guessing=guessing,
        unasked=unasked,
        homes_asked=int(found.homes["asked"].max()) if len(found.homes) else 0,
        hours_hidden=hours_hidden,
        one_profile=one_profile,
    )


def _drawn(
    fs: FingerprintSet, option: ReleaseOption, compared: Reference, work: Work
) -> tuple[list[Corners], list[bool]]:
    """Return the components of utility by draw and grid, and whether two facts hold.

    The facts are that a private table of people shows no difference between hours (in any draw),
    and that all its areas have the same profile over the week (in most draws).
    """
    step, engine = option.recordless, work.get("engine")
    assert step is not None
    draws = 1 if step.epsilon is None else _DRAWS
    kept: list[Corners] = [{}] * draws
    lost = [(False, False)] * draws
    workers = 1
    if draws > 1 and not (engine is not None and engine.apart):
        cells = table_frame(fs, step.frame).n_areas ** 2 + fs.n_samples
        workers = engine_for(_NUMBERS_A_CELL * cells, engine).workers

    def drawn(draw: int, told: Progress) -> None:
        alone = engine if workers == 1 else LocalEngine(1)
        made = release(fs, option, engine=alone, progress=told)
        assert isinstance(made, CountTables | SyntheticPeople)
        components, corners = _measured(compared, made, fs)
        if isinstance(made, CountTables) and made.presence is not None:
            lost[draw] = made.presence.hours_hidden, made.presence.one_profile
        many = max(map(len, corners.values()), default=1)
        kept[draw] = {name: (value,) * many for name, value in components.items()} | dict(corners)

    beside(LocalEngine(workers), drawn, [1.0] * draws, work.get("progress"))
    hidden, alike = zip(*lost, strict=True)
    return kept, [any(hidden), sum(alike) > draws / 2]


def kept_of(
    fs: FingerprintSet, made: CountTables | SyntheticPeople, areas: Areas
) -> tuple[dict[str, float], str]:
    """Return what a release keeps of the samples in its frame, and the areas of the comparison.

    The figures are the components of utility. If they cannot be measured, all are NaN, and the
    areas are ``""``. Where no sample is in the frame, the release is compared with all samples.
    """
    try:
        compared, inside = reference(fs, areas), located(fs, made.frame)[0] >= 0
        if inside.any() and not inside.all():
            fs, ground = fs.with_samples(inside), compared.ground
            compared = reference(fs, ground.side_m if isinstance(ground, Squares) else areas)
        return _measured(compared, made, fs)[0], str(compared.ground)
    except FpanonError:  # such as areas too fine; a release whose ε is spent is not lost for this
        return dict.fromkeys(COMPONENTS, np.nan), ""


def _measured(
    compared: Reference, made: CountTables | SyntheticPeople, fs: FingerprintSet
) -> tuple[dict[str, float], Corners]:
    if isinstance(made, CountTables):
        return tables_measured(compared, made, fs.crs, float(fs.weight.sum()))
    components, corners = measured(compared, made.people)
    return components | dict.fromkeys(("space", "time"), np.nan), corners  # the points are nobody's


def _attacked(
    fs: FingerprintSet,
    option: Any,
    targets: int,
    seed: int,
    people_too: bool,
    **work: Unpack[Work],
) -> TablesAttacked:
    """Attack an option without records.

    Where options are compared (``people_too`` is false), synthetic people are attacked only by the
    strongest attacker, who sees the noisy statistics.
    """
    step = as_option(option).recordless
    if step is None:
        raise ConfigError("This option publishes records; measure re-identification instead.")
    if isinstance(step, Synthesize):
        return attack_synthetic(fs, step, targets=targets, seed=seed, people_too=people_too, **work)
    return attack_tables(fs, step, targets=targets, seed=seed, **work)


@dataclass(frozen=True, eq=False)
class Packaged(Tabled):
    """A release without records, ready to leave, and the exact figures to compare it with.

    Attributes
    ----------
    made, before : CountTables
        Presence and flows as published, and the exact ones, which are not for release.
    verdict : str
        Verdict of the verifier on the bytes of the zips.
    archives : dict of str to bytes
        The bytes of the zip by the format of its tables; empty if a zip failed verification.
    areas : dict
        GeoJSON of the areas or places; without features if the frame has no projection.
    kept, compared_in : dict of str to float, and str
        What the release keeps of the data, and the areas of the comparison (:func:`kept_of`).
    """

    made: CountTables
    before: CountTables
    verdict: str
    archives: dict[str, bytes]
    areas: dict[str, Any]
    kept: dict[str, float]
    compared_in: str

    @property
    def page(self) -> str:
        """The README, in Markdown."""
        return readme_of(self.archives[FORMATS[0]])


def packaged(
    pack: Callable[[Format], bytes], verify: Callable[[bytes], Verification]
) -> tuple[str, dict[str, bytes]]:
    """Return the worst verdict on the zips in all formats, and the zips if all of them pass."""
    archives: dict[str, bytes] = {form: pack(form) for form in FORMATS}
    verdicts = [verify(archive) for archive in archives.values()]
    worst = next((each for each in verdicts if not each.passed), verdicts[0])
    return str(worst), archives if worst.passed else {}


@dataclass(frozen=True, eq=False)
class Result(Packaged):
    """Tables ready for release, and the same tables before protection.

    The other attributes are those of :class:`Packaged`.

    Attributes
    ----------
    config : Tables
    error : float64 ndarray, shape of the values of presence, or None
        Expected error, in people, that the noise causes in each cell of presence; None without
        presence.
    recovery : TableRecovery or None
        What an attack recovers by linking counts of single days; None if it is not run.
    """

    config: Tables
    error: FloatArray | None
    recovery: TableRecovery | None = None

    @property
    def digest(self) -> str:
        """Digest of the data, as they were read for the tables."""
        return self.made.digest

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the tables as they are in the zip."""
        return frames_of(self.made)


def study(
    fs: FingerprintSet,
    config: Tables,
    areas: Areas = None,
    source: Source | None = None,
    stated: Reading | None = None,
    **work: Unpack[Work],
) -> Result:
    """Make the tables before and after protection, the zip, and the verdict on its bytes.

    Parameters
    ----------
    areas : float, Hexagons, Regions or None
        The purpose's areas, in which utility is measured.
    source, stated : Source and Reading, optional
        Source and settings with which to read the data again, where private tables need that
        (:func:`stated_reading`).

    Raises
    ------
    ConfigError
        Private tables would promise nothing, as the records decided how the data were read.
    """
    progress = work.get("progress")
    if source is not None and stated is not None:
        fs, _ = read(source, stated, progress=part(progress, 0.0, 0.4))
    if config.epsilon is not None and (fault := reading_fault(fs, config.frame)):
        raise ConfigError(fault)
    exact = replace(config, epsilon=None, threshold=None)
    before = count_tables(fs, exact, **part_of(work, 0.4, 0.6))
    made = count_tables(fs, config, before.frame, **part_of(work, 0.6, 0.7))
    zips = packaged(lambda form: package(made, form), lambda archive: verify_tables(archive, fs))
    linked, kept = recovery_of(fs, made, **part_of(work, 0.8, 0.95)), kept_of(fs, made, areas)
    tell(progress, 1.0)
    error = None if made.presence is None else cell_error(made.presence)
    return Result(made, before, *zips, geojson_of(made.frame), *kept, config, error, linked)


def stated_reading(
    fs: FingerprintSet, reading: Reading, frame: FrameConfig, *, guessed: bool
) -> Reading | None:
    """Return how to read data again for private tables, so that no record decides the reading.

    If the records decided the first reading, the centre of the projection becomes that of the area
    or of the antenna table. If the time zone was ``guessed``, it becomes that of the centre. Return
    None where the data can stay as they were read.

    Raises
    ------
    ConfigError
        The area is in metres, and the records decided how the data were read.
    """
    fault = reading_fault(fs, frame)
    if fault and frame.area is not None and frame.area.unit == "metres":
        raise ConfigError(fault)
    zone = None if fs.clock is None else fs.clock.timezone
    guessed = guessed and zone is not None
    if not (fault or guessed) and zone in (None, reading.timezone):
        return None
    centre = stated_middle(fs, frame) if fault else reading.centre
    if guessed:
        lat, lon = centre or stated_middle(fs, frame)
        zone = zone_at((0.0, lon, lat))
    return replace(reading, centre=centre, timezone=zone)


def ledger_at(source: Source) -> Path:
    """Return the path of the ledger that records the ε spent on one data set.

    The ledger is beside the data's file if it exists there, or if the file's folder can be written
    to; else it is among the user's own files. There its name can be linked to the data only with
    the user's key.
    """
    body = source.file[1] if source.file is not None else b""
    if not isinstance(body, bytes):
        file = body if isinstance(body, Path) else body.folder / body.name
        beside = file.with_name(f"{file.name}{SUFFIX}")
        if beside.exists() or os.access(beside.parent, os.W_OK):
            return beside
    return ledgers_folder() / f"{source.seal}{SUFFIX}"


def charge(
    source: Source, option: Tables | Synthesize, budget: float | None, reason: str | None
) -> None:
    """Enter the ε of a private release in the data set's ledger, before the noise is drawn.

    Raises
    ------
    ConfigError, InfeasibleError, SchemaError
        As :class:`fpanon_core.Ledger` and its method ``spend``; ConfigError also where no folder
        for the ledger can be made.
    """
    path = ledger_at(source)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        raise ConfigError(
            "No ledger can be kept, so no private release is made. Make the data's folder, or "
            "~/.local/state ($XDG_STATE_HOME), writable."
        ) from None
    Ledger(path, budget=budget).spend(option, reason=reason)
