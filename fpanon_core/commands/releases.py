"""``publish``, ``verify``, ``cross``: make a release, check it, combine it with another."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from ..io.publishing import FORMATS, Format, check_beside, check_target
from ..model.checks import one_of, whole
from ..model.composition import Crossing
from ..model.errors import ConfigError
from ..model.fingerprints import FingerprintSet
from ..model.options import ReleaseOption, Synthesize, Tables, as_option, name_key, step_from_dict
from ..model.profiles import parse_profile
from ..studies import crossing, publishing
from ..studies.count_tables import publish as publish_any
from ..studies.count_tables import release as drawn
from ..studies.count_tables import verify_release
from ..studies.presets import PRESETS
from ..studies.table_package import described
from ..tables.writing import read_json
from .from_config import asked, command
from .run import Request, Run, check_folder, table_text
from .tables import stated_centre

_MOST_TOLD = 20


@dataclass(frozen=True)
class Leaving:
    """Output of a release: its place, its format, and the files written beside it.

    Attributes
    ----------
    out : Path or None
        Write the release to a .zip, or to a new folder. The release holds data, a one-page README
        and a description of every column, and is verified as written.
    key : Path or None
        Write the id behind each pseudonym to this file, outside the release (.csv). Not for
        release: call it KEY_not_for_release.csv.
    left_out : Path or None
        Write which samples are left out (.csv): id, number and reason. The number counts all
        samples from 0, by person and time; it is no line number. Not for release: call it
        LEFT_OUT_not_for_release.csv.
    data_format : str
        Format of the release's data.
    """

    out: Path | None = None
    key: Path | None = None
    left_out: Path | None = None
    data_format: Annotated[str, asked("--format", metavar="csv|parquet")] = "csv"

    def check(self) -> None:
        """Raise ConfigError, before a long reading, if an output cannot be written as requested."""
        one_of("--format", self.data_format, FORMATS)
        if self.out is None and (self.key is not None or self.left_out is not None):
            raise ConfigError(
                "A pseudonym key or a list of left-out samples needs a release; give --out, too."
            )
        release = Path("release.zip") if self.out is None else check_target(self.out)
        for path, what in self._beside:
            check_beside(path, release, what)

    def publish(self, released: Any, *, original: FingerprintSet | None = None) -> str:
        """Write the release and the files beside it; return lines that state what was written."""
        out = publish_any(
            released,
            cast(Path, self.out),
            key=self.key,
            original=original,
            left_out=self.left_out,
            format=cast(Format, self.data_format),
        )
        lines = [
            f"{what.removeprefix('The ').capitalize()}, NOT FOR RELEASE, written to {path}."
            for path, what in self._beside
        ]
        return "\n".join([f"Release written to {out}.", *lines])

    @property
    def _beside(self) -> list[tuple[Path, str]]:
        """Files that are not for release, and their descriptions."""
        named = ((self.key, "The pseudonym key"), (self.left_out, "The list of what was left out"))
        return [(path, what) for path, what in named if path is not None]


# --- publish -------------------------------------------------------------------------------------

OPTION = asked(
    help="Release option: its name in --options or in the table that fpanon options prints, "
    "or a profile such as '2.5 km · 1 h'."
)
OPTIONS = asked("--options", help="JSON file with a list of release options of your own.")


@command
def publish(
    option: Annotated[str, OPTION],
    leaving: Leaving,
    run: Annotated[Run, dict.fromkeys(("out", "tables", "as_json"))],
    options_file: Annotated[Path | None, OPTIONS] = None,
) -> None:
    """Make a release with a release option, and write it for publication.

    Noise, exchanges and draws of people come from the operating system's randomness. There is no
    seed, and every run gives a different release, except for tables without noise.
    """
    if leaving.out is None:
        raise ConfigError("Say with --out where the release goes: a .zip, or a new folder.")
    leaving.check()
    own = options_in(options_file)
    run.read()
    chosen = named(option, own, run.fs)
    if chosen.recordless is not None and chosen not in own:
        raise ConfigError(
            "The areas and days of this option come from the records. State them with `fpanon "
            "tables` or `fpanon synthesize`, or in a file of options."
        )
    if getattr(chosen.recordless, "epsilon", None) is not None:
        raise ConfigError(
            "A private release needs stated areas and days, and is charged to a ledger: make it "
            "with `fpanon tables` or `fpanon synthesize`."
        )
    released = run.ask("release", drawn, chosen)
    run.written.append(leaving.publish(released))
    size = ""
    if chosen.recordless is None:
        size = f": {released.n_users:,} people, {released.n_samples:,} samples"
    run.end({}, f"{chosen.text}{size}.")


def options_in(path: Path | None) -> list[ReleaseOption]:
    """Return the release options in a file; an empty list without a file.

    Raises
    ------
    SchemaError
        The file is missing or is not JSON.
    ConfigError
        The file does not hold a list of release options, or the list is empty.
    """
    if path is None:
        return []
    plain = read_json(path)
    if not isinstance(plain, list) or not plain:
        raise ConfigError(
            'The file of options is not a list; write [{"name": …, "steps": [{"technique": …}]}].'
        )
    return [as_option(each) for each in plain]


def named(name: str, own: list[ReleaseOption], fs: FingerprintSet) -> ReleaseOption:
    """Return the option of this name from ``own`` or a preset, or the option of a profile.

    Raises
    ------
    ConfigError
        There is no such option.
    """
    for each in (*own, *(each for preset in PRESETS.values() for each in preset(fs))):
        if name_key(each.name) == name_key(name):
            return each
    try:
        return as_option(parse_profile(name))
    except ConfigError:
        raise ConfigError(
            f"There is no option {name!r}; give a name that `fpanon options` lists, or a "
            "profile such as '2.5 km · 1 h'."
        ) from None


# --- verify --------------------------------------------------------------------------------------


@command
def verify(
    release: Annotated[Path, asked(argument=True)],
    wanted: Request,
    k: Annotated[int | None, asked("--k", "-k")] = None,
    key: Path | None = None,
    left_out: Path | None = None,
) -> None:
    """Check the bytes of a release against the original data, read with the same options.

    Parameters
    ----------
    release : Path
        Release to check: a folder or a .zip.
    k : int or None
        Smallest group size allowed. If not given, the size that the release itself promises.
    key : Path or None
        Key file with the id behind each pseudonym (.csv). Without it, at least one assignment of
        records to people must keep the promise.
    left_out : Path or None
        List of left-out samples that was written with the release (.csv).
    """
    if k is not None:
        whole("--k", k, 2)
    facts = described(release)
    fs, report = wanted.read(_centre_of(facts, wanted) if facts else None)
    if facts:
        found = verify_release(release, fs, k)
    else:
        crowd = publishing.promised(release, fs) if k is None else k
        found = publishing.held_against(release, fs, crowd, key=key, left_out=left_out)
    typer.echo(wanted.account(fs, report))
    if k is None and not facts:
        typer.echo(
            "The release promises no group of k: files, figures and names are checked, but no "
            "groups."
            if crowd is None
            else f"The release promises groups of {crowd}, and this promise is checked."
        )
    texts = found.violations["text"].unique().tolist()
    more = [f"and {len(texts) - _MOST_TOLD:,} more"] if len(texts) > _MOST_TOLD else []
    typer.echo("\n  ".join([str(found), *texts[:_MOST_TOLD], *more]))
    if not found.passed:
        raise typer.Exit(1)


def _centre_of(facts: dict[str, Any], wanted: Request) -> tuple[float, float] | None:
    """Return the projection centre of a private release; None for any other release."""
    step = step_from_dict(facts.get("option"))
    if not isinstance(step, Tables | Synthesize) or step.epsilon is None:
        return None
    return stated_centre(wanted, step.frame)


# --- cross ---------------------------------------------------------------------------------------


@command
def cross(
    first: Annotated[Path, asked(argument=True)],
    second: Annotated[Path, asked(argument=True)],
    run: Annotated[Run, dict.fromkeys(("workers", "scheduler", "out", "wanted"))],
    key: list[Path] | None = None,
) -> None:
    """Report the groups that remain when two releases of the same people are combined.

    Two releases that each keep everyone in a group of k may together single people out. Run this
    before both are published.

    Parameters
    ----------
    first : Path
        A release: a folder or a .zip.
    second : Path
        Another release of the same people.
    key : list of Path or None
        Key files written with the releases (.csv), which give the id behind each pseudonym. Give
        this option twice, the first release's key first.
    """
    keys = key or []
    if len(keys) != 2:
        given = f"{len(keys)} {'key is' if len(keys) == 1 else 'keys are'} given for two releases. "
        raise ConfigError(given + crossing.NO_KEY)
    if run.tables is not None:
        check_folder(run.tables)
    found = crossing.cross_releases(first, second, first_key=keys[0], second_key=keys[1])
    run.write_tables(crossing.Result(found))
    more = found.smaller or not found.falls  # else it has been said
    periods, where = len(found.periods), ("in the first release", "in the second release")
    run.end(
        {
            "names": found.names,
            "k": found.ks,
            "both": found.n_both,
            "only_first": found.only_first,
            "only_second": found.only_second,
            "newly_alone": found.newly_alone,
            "crowds": found.to_frame(),
            "sizes": found.sizes,
            "periods": found.periods,
        },
        f"First:  {found.names[0]}",
        f"Second: {found.names[1]}",
        crossing.describe_counted(found),
        _crowds(found),
        crossing.describe_crossing(found, "the first release", where),
        crossing.MEANING,
        crossing.describe_naming(found),
        crossing.describe_followed(found, where) if more else "",
        f"For each person, the smallest group counts, over {periods:,} pairs of periods that share "
        "a day; the tables list each pair."
        if periods > 1
        else "",
    )


def _crowds(found: Crossing) -> str:
    forms = {
        "smallest group": "{0.smallest:,}",
        "unique records": "{0.alone:,} ({0.alone_share:.1%})",
        "re-identification risk, mean": "{0.naming:.1%}",
    }
    crowds = (found.first, found.second, found.together)
    rows = [[of, *map(form.format, crowds)] for of, form in forms.items()]
    return table_text(["of the people in both", "first", "second", "together"], rows)
