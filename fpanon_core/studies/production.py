"""The chosen release, made once as a zip for publication, and its verdict.

All random draws come from the operating system, so every run makes a different release. The bytes
are verified before they are offered to anybody.
"""

from __future__ import annotations

import io
import tempfile
import zipfile
from dataclasses import dataclass, field, replace
from hashlib import file_digest
from pathlib import Path
from typing import Unpack

import pandas as pd

from ..anonymize.chain import made_by
from ..engines.progress import tell
from ..io.publishing import FORMATS, Format, data_file, secret_bytes, write_zip
from ..model import checks
from ..model.errors import ConfigError
from ..model.facts import ReleaseFacts, Verdict
from ..model.fingerprints import FingerprintSet
from ..model.glove import GloveResult
from ..model.options import ReleaseOption
from ..model.published import Membership
from ..model.release_page import README
from ..model.released import Origin
from ..tables.writing import staged
from . import hiding
from .crossing import of_origin
from .estimates import costs
from .publishing import produced
from .tabled import Tabled, Work, part_of

_MAKING_SHARE = 0.7  # of the progress; the rest is writing and verifying

_WRITING_BYTES = 220_000_000  # a release read back and checked, some 100,000 rows at a time


@dataclass(frozen=True)
class Config:
    """The release to make: by a release option, or by GLOVE or aligned with all their parameters.

    Attributes
    ----------
    option : ReleaseOption
        The release option; by default the data as they are.
    hidden : hiding.Config or None
        Settings of GLOVE or aligned in place of an option.
    format : {"csv", "parquet"}
        File format of the data.

    Raises
    ------
    ConfigError
        The format is unknown, or both an option with steps and settings in its place are given.
    """

    option: ReleaseOption = field(default_factory=ReleaseOption)
    hidden: hiding.Config | None = None
    format: Format = "csv"

    def __post_init__(self) -> None:
        checks.one_of("format", self.format, FORMATS)
        if self.hidden is not None and self.option.steps:
            raise ConfigError(
                "Give one of the two: a release option, or the settings of GLOVE or aligned."
            )


@dataclass(frozen=True, eq=False)
class Result(Tabled):
    """A release ready for download, and what is not for release.

    Attributes
    ----------
    config : Config
    digest : str
        Digest of the original data.
    facts : ReleaseFacts
    verdict : Verdict
        Verdict on the bytes of the data file in the zip.
    page : str
        The README, Markdown.
    archive : bytes
        The zip; empty if the release did not pass its verification.
    key : bytes
        CSV of ``pseudonym`` and ``user_id``, with periods also ``period``. Not for release; empty
        if the release did not pass.
    left_out : bytes or None
        CSV of ``user_id``, ``sample`` and ``reason``. Not for release; None where samples were
        moved before some were left out, and empty if the release did not pass.
    membership : Membership or None
        The owner and the group of each record, with the digest of the data file, for a comparison
        with other releases of the same people. Not for release; None if the release did not pass.
    """

    config: Config
    digest: str
    facts: ReleaseFacts
    verdict: Verdict
    page: str
    archive: bytes
    key: bytes
    left_out: bytes | None
    membership: Membership | None

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return ``release``: one row of the facts that are numbers or words, and ``verified``."""
        plain = {
            name: value
            for name, value in self.facts.to_dict().items()
            if value is None or isinstance(value, str | int | float)
        }
        row = {**plain, "verified": self.verdict.passed}
        return {"release": pd.DataFrame([row])}


@costs(430, beside=_WRITING_BYTES)
def study(
    fs: FingerprintSet, config: Config, made: GloveResult | None = None, **work: Unpack[Work]
) -> Result:
    """Make the release as a zip, with its key and its verdict.

    Parameters
    ----------
    fs : FingerprintSet
    config : Config
    made : GloveResult, optional
        An earlier result of hiding everyone with this configuration, used instead of a new one.
        Such a result contains no random draw.

    Raises
    ------
    ConfigError, InfeasibleError
        As :func:`fpanon_core.release` and :func:`fpanon_core.glove`.
    """
    making, how = part_of(work, 0.0, _MAKING_SHARE), config.hidden
    if how is None:
        origin = made_by(fs, config.option, None, **making)
    else:
        origin = Origin.of_glove(hiding.hidden(fs, how, **making) if made is None else made, fs)
    with staged(Path(tempfile.gettempdir())) as folder:
        found = produced(origin, folder, config.format)
        page = (folder / README).read_text(encoding="utf-8")
        archive = _zipped(folder, data_file(config.format), found.sha256)
    passed = found.verdict.passed
    left_out = None if found.left_out is None else secret_bytes(found.left_out)
    tell(work.get("progress"), 1.0)
    return Result(
        config,
        fs.digest,
        found.facts,
        found.verdict,
        page,
        archive=archive if passed else b"",
        key=secret_bytes(found.key) if passed else b"",
        left_out=left_out if passed else b"",
        membership=replace(of_origin(origin), digest=found.sha256) if passed else None,
    )


def _zipped(folder: Path, member: str, verified: str) -> bytes:
    """Return the zip's bytes; check that its data file is the one that was verified."""
    packed = io.BytesIO()
    write_zip(folder, packed)
    content = packed.getvalue()
    with zipfile.ZipFile(packed) as archive, archive.open(member) as data:
        found = file_digest(data, "sha256").hexdigest()  # type: ignore[arg-type]  # it can seek
    if found != verified:
        raise OSError(
            "The release in the zip is not the release that was verified; make the release again."
        )
    return content
