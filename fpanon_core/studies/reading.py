"""Reading of fingerprints from a file, an upload or a sample data set.

The memory that reading a table needs is estimated from the table's beginning. The memory was
measured on 0.3 to 24 million generated events, with 4 to 16 columns (23 November 2026,
tests/benchmarks/reading_estimates.py). Each figure is the peak memory of a separate process. This
peak is modelled as a fixed part, plus a number of bytes for each row and for each byte of the
decoded table. When parts are read, only some rows are in memory at a time; for text, those of one
whole part.

Map backgrounds are read here too, in a process where a malicious file cannot stop the server.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import IO, Any, NamedTuple

from ..engines.limits import MEMORY_VARIABLE, Limits
from ..engines.progress import Progress, tell
from ..io.cdr import read_cdr, read_parts
from ..io.doubts import ASK, DoubtfulPositions
from ..io.geojson import read_background
from ..io.report import IngestReport, PositionDoubt, keep_account, kept_account
from ..io.samples import sample
from ..measures.crowds import visited_places
from ..model.arrays import FloatArray, IntArray
from ..model.budgets import MAX_BYTES, gigabytes
from ..model.configs import Screening
from ..model.errors import ConfigError, InfeasibleError
from ..model.files import sealed
from ..model.fingerprints import FingerprintSet
from ..model.geography import Background
from ..model.mapped import is_folder_of_fingerprints, kept_opened, load_opened, remove
from ..model.projection import lon_lat
from ..tables.folder import FolderFile, KeptFolder, data_files
from ..tables.heads import Head, Kind, head_of, heads_of
from ..tables.parts import BATCH
from ..tables.sources import read_source
from .estimates import START_BYTES, Estimate

Body = bytes | Path | FolderFile | KeptFolder


@dataclass(frozen=True)
class Source:
    """A source to read: a sample data set by its key, a file's content, or a file by its path.

    Attributes
    ----------
    label : str
        Name on the screen.
    sample : str
        Key of a sample data set, or "".
    file, antennas : tuple of (name, content), or None
        The tables of events and of antennas, each as bytes, a Path or a FolderFile. Antennas given
        with a sample data set replace its own. In place of events, a folder can be given: a folder
        of parts, as a Path, or one in which a reading was kept, as a Path or a KeptFolder.
    regions : tuple of (name, content), or None
        GeoJSON of the regions that contain the antennas, as bytes, a Path or a FolderFile.
    region_name : str or None
        The property with the regions' names; detected if not given.
    synthetic : bool
        Whether the people in the data were generated; this is stated wherever the source is shown.
    note : str
        Note to be stated wherever the source is shown.
    """

    label: str
    sample: str = ""
    file: tuple[str, Body] | None = field(default=None, repr=False)
    antennas: tuple[str, Body] | None = field(default=None, repr=False)
    regions: tuple[str, Body] | None = field(default=None, repr=False)
    region_name: str | None = None
    synthetic: bool = False
    note: str = ""

    @property
    def tables(self) -> list[tuple[str, Body]]:
        """The files given: events, antennas, regions."""
        return [each for each in (self.file, self.antennas, self.regions) if each is not None]

    @property
    def was_read(self) -> bool:
        """Whether the source is a :class:`KeptFolder`, whose settings can no longer change."""
        return self.file is not None and isinstance(self.file[1], KeptFolder)

    @cached_property
    def seal(self) -> str:
        """Name of this source; only the user's key can link it to the source's content or path."""
        body: Any = self.sample if self.file is None else self.file[1]
        content = body if isinstance(body, bytes) else str(body).encode()
        return sealed(b"fpanon source", content).hex()[:32]

    @classmethod
    def of_sample(cls, key: str, **more: Any) -> Source:
        """Return the source for a sample data set; raise ConfigError for an unknown key."""
        known = sample(key)
        more |= {"synthetic": known.synthetic, "note": known.description}
        return cls(known.title, key, **more)


@dataclass(frozen=True)
class Reading:
    """Settings of a reading; settings that are None or empty are detected from the data.

    ``columns`` assigns columns to roles such as ``"user"``; a role with the column None is unused.
    The settings mean the same as the parameters of :func:`fpanon_core.read_cdr` with these names.
    """

    columns: tuple[tuple[str, str | int | None], ...] = ()
    timezone: str | None = None
    naive_timezone: str | None = None
    granularity_m: float = 100.0
    granularity_min: float = 1.0
    screen: Screening = field(default_factory=Screening)
    positions: str | None = None
    centre: tuple[float, float] | None = None


def read(
    source: Source, reading: Reading, *, keep: Path | None = None, progress: Progress | None = None
) -> tuple[FingerprintSet, IngestReport]:
    """Read the fingerprints and the ingest report of a source.

    The source may be a folder of parts, which needs ``keep``, or a folder with a kept reading.

    Parameters
    ----------
    keep : Path, optional
        A new folder in which to keep the reading; this folder can later replace the file as a
        source.

    Raises
    ------
    ConfigError, SchemaError
        As :func:`fpanon_core.read_cdr`; also where the positions are strongly doubtful and
        ``reading.positions`` is not set, where the settings of a kept reading would have to change,
        or where a folder of parts comes without ``keep``.
    InfeasibleError
        The reading would not fit in memory.
    """
    path = source.file[1] if source.file is not None else None
    if isinstance(path, Path) and path.is_dir():
        if is_folder_of_fingerprints(path):
            path = path.resolve()
            with kept_opened(path) as folder:
                return _kept(path, folder, source, reading, keep)
        return _parts(path, source, reading, keep, progress)
    fs, report = _read(source, reading, progress)
    _refuse_doubtful(report)
    if keep is not None:
        fs.save(keep)
        keep_account(report, keep)
    _ = fs.digest  # computed here, where nobody waits
    return fs, report


def read_or_ask(
    source: Source, reading: Reading, *, progress: Progress | None = None
) -> tuple[FingerprintSet, IngestReport] | PositionDoubt:
    """Read a source that is not a folder of parts, or return the doubt about its positions.

    Any doubt is returned, instead of data, unless ``reading.positions`` is set.

    Raises
    ------
    ConfigError, SchemaError, InfeasibleError
        As :func:`read`, but not for doubtful positions.
    """
    if source.file is not None and isinstance(chosen := source.file[1], KeptFolder):
        with chosen.opened() as folder:  # the very folder that was chosen
            return _kept(chosen.path, folder, source, reading, None)
    try:
        fs, report = _read(source, replace(reading, positions=reading.positions or ASK), progress)
    except DoubtfulPositions as asked:
        return asked.doubt
    _ = fs.digest
    return fs, report


def _refuse_doubtful(report: IngestReport, kept: Path | None = None) -> None:
    """Refuse data whose positions are in strong doubt; remove what was kept of them."""
    for doubt in report.doubts:
        if doubt.strong:
            if kept is not None:
                remove(kept)
            raise DoubtfulPositions(doubt)


def _kept(
    path: Path, folder: int, source: Source, reading: Reading, keep: Path | None
) -> tuple[FingerprintSet, IngestReport]:
    changed = replace(reading, centre=None) != Reading() or keep is not None
    if changed or source.antennas or source.regions:
        raise ConfigError(
            "This folder holds data that were already read. How the data were read can no longer "
            "be changed, and the data cannot be kept in another folder. Leave out the options for "
            "reading and keeping, or read the original data again."
        )
    if reading.centre is not None:
        raise ConfigError(
            "The projection of data that were already read can no longer be changed; give the "
            "original data, not the folder in which they were kept."
        )
    fs = load_opened(FingerprintSet, path, folder)
    return fs, kept_account(folder, fs)


def _parts(
    path: Path, source: Source, reading: Reading, keep: Path | None, progress: Progress | None
) -> tuple[FingerprintSet, IngestReport]:
    if keep is None:
        raise ConfigError(
            "The source is a folder of parts. Say where to keep what is read: fpanon ingest FOLDER "
            "--keep NEW_FOLDER; then give NEW_FOLDER in place of FOLDER."
        )
    refuse_parts(path)
    fs, report = read_parts(path, keep, progress=progress, **_options(source, reading))
    _refuse_doubtful(report, keep)
    keep_account(report, keep)
    return fs, report


def _options(source: Source, reading: Reading) -> dict[str, Any]:
    """Return the settings, and what is read in addition to the events."""
    return vars(reading) | {
        "columns": dict(reading.columns) or None,
        "screen": reading.screen if reading.screen.active else None,
        "antennas": source.antennas and _opened(source.antennas),
        "regions": source.regions and _opened(source.regions),
        "region_name": source.region_name,
    }


def _read(
    source: Source, reading: Reading, progress: Progress | None
) -> tuple[FingerprintSet, IngestReport]:
    options = _options(source, reading)
    if source.sample:
        known = sample(source.sample)
        table: Path | io.BytesIO = known.path
        options["antennas"] = options["antennas"] or known.antennas_path  # which have regions
        options["timezone"] = reading.timezone or known.timezone
    else:
        assert source.file is not None
        with beginning(source) as file:
            refuse_table(file)
        table = _opened(source.file)
    return read_cdr(table, progress=progress, **options)


def peek(source: Source, *, progress: Progress) -> list[str | int]:
    """Return a source's column names or positions, even if the source cannot be read as events.

    A name that occurs several times is replaced by the positions of its columns.
    """
    tell(progress, 0.0)
    file = source.file or ("", sample(source.sample).path)
    tables = read_source(_opened(file))
    found: dict[str | int, None] = {}
    for table in tables:
        often = Counter(table.labels)
        found |= {i if often[label] > 1 else label: None for i, label in enumerate(table.labels)}
    return list(found)


class Places(NamedTuple):
    """The places in the data.

    Attributes
    ----------
    lon, lat : float64 ndarray (n_places,)
        Degrees; empty without a map projection.
    samples : int64 ndarray (n_places,)
    """

    lon: FloatArray
    lat: FloatArray
    samples: IntArray


def places_of(fs: FingerprintSet) -> Places:
    """Return the places in the data, and the number of samples at each."""
    found = visited_places(fs)
    at = lon_lat(fs.crs, found["x_m"].to_numpy(), found["y_m"].to_numpy())
    return Places(*at, found["samples"].to_numpy())


@contextlib.contextmanager
def beginning(source: Source) -> Iterator[IO[bytes]]:
    """Open the table of events for inspection; yield an empty file if it cannot be opened.

    Raises
    ------
    SchemaError
        The file in the server's folder is no longer the one that was chosen.
    """
    body = None if source.file is None else source.file[1]
    if isinstance(body, bytes):
        yield io.BytesIO(body)
    elif isinstance(body, FolderFile):
        with body.opened() as file:
            yield file
    elif isinstance(body, Path) and body.is_file() and os.access(body, os.R_OK):
        with body.open("rb") as file:
            yield file
    else:
        yield io.BytesIO()


def _opened(file: tuple[str, Body]) -> Path | io.BytesIO:
    name, body = file
    if isinstance(body, Path):
        return body
    assert not isinstance(body, KeptFolder)
    stream = io.BytesIO(body.read(MAX_BYTES) if isinstance(body, FolderFile) else body)
    stream.name = name  # read_cdr tells the kind of file by its content or, if in doubt, its name
    return stream


READING_BYTES = START_BYTES + 30_000_000
"""Memory besides the table, bytes: for any computation, time zones and map projections."""
BYTES_A_ROW = 180
"""Memory for each row, bytes: the columns of an event, sorted and compared, and its sample."""
BYTES_A_BYTE: dict[Kind, float] = {"text": 1.9, "Parquet": 1.4, "JSON": 12.5, "XLSX": 2.0}
"""Bytes of memory for each byte of the decoded table; JSON and sheets are parsed field by field."""
PARTS_START_BYTES = 480_000_000
PARTS_BYTES_A_ROW = 22
PARTS_TIMES = 5  # copies of a batch's rows in memory at a time


_MORE = (
    f"A machine with more memory may suffice; its administrator sets the limit ({MEMORY_VARIABLE})."
)


def needed_for(head: Head) -> int:
    """Estimate the memory, in bytes, that reading a table as a whole takes."""
    packed = 0 if head.kind in ("Parquet", "XLSX") else head.packed_bytes - head.decoded_bytes
    decoded = BYTES_A_BYTE[head.kind] * head.decoded_bytes
    if head.kind in ("JSON", "XLSX"):
        return START_BYTES + int(decoded + max(packed, 0))
    return READING_BYTES + int(BYTES_A_ROW * head.rows + decoded + max(packed, 0))


def needed_for_parts(heads: Sequence[Head]) -> int:
    """Estimate the memory, in bytes, that reading parts one after another takes."""
    rows = sum(head.rows for head in heads)
    if not rows:
        return PARTS_START_BYTES
    wide = sum(head.decoded_bytes for head in heads) / rows
    at_once = int(PARTS_TIMES * min(rows, BATCH) * wide)
    whole = [needed_for(head) for head in heads if head.kind != "Parquet"]
    return max(PARTS_START_BYTES + PARTS_BYTES_A_ROW * rows + at_once, *whole, 0)


def refuse_table(file: IO[bytes]) -> None:
    """Refuse to read a table as a whole if that would need more memory than the limit.

    Raises
    ------
    InfeasibleError
        Reading would need too much memory; the message says how to read the table with less memory.
    """
    limit = Limits.of_server().memory_bytes
    head = head_of(file)
    if limit is None or head is None or (needs := needed_for(head)) <= limit:
        return
    in_parts = needed_for_parts([head])
    way = (
        "Put the file into an empty folder to read it piece by piece, with about "
        f"{gigabytes(in_parts)}"
        if head.kind == "Parquet" and in_parts <= limit
        else "Put the file into an empty folder, as Parquet or several smaller files, to read it "
        "piece by piece with less memory"
    )
    raise InfeasibleError(
        f"{_too_much(needs, limit)} {way}: fpanon ingest FOLDER --keep NEW_FOLDER on the command "
        f"line; the dashboard opens what is kept there. {_MORE}"
    )


def refuse_parts(folder: Path) -> None:
    """Refuse to read the parts in a folder if that would need more memory than the limit.

    Raises
    ------
    InfeasibleError
        Reading would need too much memory.
    """
    limit = Limits.of_server().memory_bytes
    heads = heads_of(parts_in(folder))
    if limit is None or not heads or (needs := needed_for_parts(heads)) <= limit:
        return
    whole = any(needed_for(head) > limit for head in heads if head.kind != "Parquet")
    way = " Text is read part by part: make the parts smaller, or write them as Parquet."
    raise InfeasibleError(f"{_too_much(needs, limit)}{way if whole else ''} {_MORE}")


def parts_in(folder: Path) -> list[Path]:
    """Return the files of a folder of parts."""
    return [folder / name for name in data_files(folder)]


def _too_much(needs: int, limit: int) -> str:
    return (
        f"Reading this would need about {gigabytes(needs)} of memory, by an estimate; a "
        f"computation may take {gigabytes(limit)} here. The reading was not begun."
    )


# --- what reading will take ---

LARGE_BYTES = 20_000_000
"""Size of a file, or of all parts together, below which no estimate is needed."""


@dataclass(frozen=True)
class ReadingEstimate(Estimate):
    """What reading a table is likely to take on this machine, now.

    Attributes
    ----------
    rows : int or None
        Approximate number of rows; None where the table's beginning does not show it.
    """

    rows: int | None = None

    def __str__(self) -> str:
        told = super().__str__()
        return told if self.rows is None else f"about {self.rows_rounded:,} rows: {told}"

    @property
    def rows_rounded(self) -> int:
        """Number of rows, rounded to two digits, as it is an estimate; 0 where it is not known."""
        rows = self.rows or 0
        unit: int = 10 ** max(len(str(rows)) - 2, 0)
        return round(rows / unit) * unit


def estimate_reading(source: Source, *, progress: Progress | None = None) -> ReadingEstimate:
    """Estimate the rows of a source, and the memory that reading the source takes.

    The estimate of memory is good to within a factor of about 1.5.

    Parameters
    ----------
    source : Source
        A file, an upload or a folder of parts; for a sample data set, or data already read, nothing
        is estimated.

    Raises
    ------
    SchemaError
        The file in the server's folder is no longer the one that was chosen.
    """
    tell(progress, 0.0)
    limit = Limits.of_server().memory_bytes
    path = source.file[1] if source.file is not None else None
    if path is None or source.was_read:
        return ReadingEstimate(limit_bytes=limit)
    if isinstance(path, Path) and path.is_dir():
        heads = heads_of(parts_in(path))
        needs = needed_for_parts(heads)
    else:
        with beginning(source) as file:
            heads = [head for head in [head_of(file)] if head is not None]
        needs = sum(map(needed_for, heads))
    if not heads:
        return ReadingEstimate(limit_bytes=limit)
    return ReadingEstimate(None, needs, limit, sum(head.rows for head in heads) or None)


def is_large(source: Source, *, in_parts: bool = True) -> bool:
    """Return whether a source is so large that it is worth estimating what reading it takes.

    A folder of parts counts as large only with ``in_parts``.

    Raises
    ------
    SchemaError
        The file in the server's folder is no longer the one that was chosen.
    """
    body = source.file[1] if source.file is not None else None
    if source.sample or source.was_read or body is None:
        return False
    if isinstance(body, Path) and body.is_dir():
        wanted = in_parts and not is_folder_of_fingerprints(body)
        return wanted and _size(parts_in(body)) >= LARGE_BYTES
    with beginning(source) as file:
        return file.seek(0, io.SEEK_END) >= LARGE_BYTES


def _size(paths: Sequence[Path]) -> int:
    return sum(path.stat().st_size for path in paths if path.is_file())


def background(body: bytes, *, progress: Progress | None = None) -> Background:
    """Read a map background, as :func:`.read_background` does."""
    found = read_background(body)
    tell(progress, 1.0)
    return found
