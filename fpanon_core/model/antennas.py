"""Positions of a data set's antennas, and the regions they stand in."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .arrays import Closed, FloatArray, TextArray
from .checks import positive
from .errors import ConfigError, SchemaError

REGION = "region"
"""Column that names the region of each antenna, where regions were given as polygons."""


@dataclass(frozen=True, eq=False, repr=False)
class Antennas(Closed):
    """Antennas of a data set, snapped to cells as large as its raw samples. Arrays are read-only.

    Attributes
    ----------
    x_m, y_m : float64 ndarray (n_antennas,)
        Lower corner of the raw cell that holds the antenna, metres on the data's projection.
        Several antennas may share a cell; the data cannot distinguish them.
    granularity_m : float
        Side of a raw cell, metres.
    columns : mapping of str to object ndarray (n_antennas,)
        Texts of the antenna table's other columns, "" where missing.
    lon, lat : float64 ndarray (n_antennas,), or empty
        The antennas' own positions, degrees; empty if they were given in metres.
    outlines : mapping of str to str
        Polygons of each region in the column :data:`REGION`, in degrees, as hexadecimal WKB; empty
        where none were given.

    Raises
    ------
    SchemaError
        Lengths differ, a position is not finite, or an outline cannot be read.
    ConfigError
        The granularity is not a positive number.

    Examples
    --------
    >>> towers = Antennas([130, 40], [0, 250], columns={"district": ["North", "South"]})
    >>> towers.x_m.tolist(), towers.y_m.tolist(), towers.column("district").tolist()
    ([100.0, 0.0], [0.0, 200.0], ['North', 'South'])
    """

    x_m: FloatArray
    y_m: FloatArray
    granularity_m: float = 100.0
    columns: Mapping[str, TextArray] = field(default_factory=dict)
    lon: FloatArray = field(default_factory=lambda: np.empty(0))
    lat: FloatArray = field(default_factory=lambda: np.empty(0))
    outlines: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        put, side = object.__setattr__, self.granularity_m
        positive("granularity_m", side)
        x, y = np.asarray(self.x_m, np.float64), np.asarray(self.y_m, np.float64)
        if x.ndim != 1 or x.shape != y.shape:
            raise SchemaError("x_m and y_m must have one entry for each antenna.")
        if not (np.isfinite(x).all() and np.isfinite(y).all()):
            raise SchemaError("An antenna's position is not a number; leave such antennas out.")
        # Convert through integers, as for samples, so that equal cells have equal floats.
        put(self, "x_m", np.floor(x / side).astype(np.int64) * float(side))
        put(self, "y_m", np.floor(y / side).astype(np.int64) * float(side))
        put(self, "granularity_m", float(side))
        columns = {str(n): np.array(v, dtype=object) for n, v in self.columns.items()}
        if any(values.shape != x.shape for values in columns.values()):
            raise SchemaError(f"Every column must have one text for each of the {len(x)} antennas.")
        put(self, "columns", columns)
        for name in ("lon", "lat"):
            degrees = np.array(getattr(self, name), np.float64)
            if len(degrees) and (degrees.shape != x.shape or not np.isfinite(degrees).all()):
                raise SchemaError(f"{name} must have one number for each of the {len(x)} antennas.")
            put(self, name, degrees)
        if self.outlines:
            import shapely  # needed for few tables, so it is imported late

            shapes = shapely.from_wkb(list(self.outlines.values()), on_invalid="ignore")
            if shapely.is_missing(shapes).any():
                raise SchemaError("An outline of a region is not a polygon.")
        self._close()

    def __len__(self) -> int:
        return len(self.x_m)

    def __repr__(self) -> str:
        return f"Antennas({len(self)} antennas, columns: {', '.join(self.columns) or 'none'})"

    def column(self, name: str) -> TextArray:
        """Return the texts of one column, shape (n_antennas,).

        Raises
        ------
        ConfigError
            There is no such column.
        """
        if name not in self.columns:
            raise ConfigError(
                f"The antenna table has no column {name!r}; it has "
                f"{', '.join(map(repr, self.columns)) or 'none besides id and position'}."
            )
        return self.columns[name]

    def numbers(self, name: str) -> FloatArray:
        """Return the numbers of one column, shape (n_antennas,); 0 where missing.

        Raises
        ------
        ConfigError
            There is no such column, an entry is not a number of at least 0, or no entry is above 0.
        """
        found = self._numbers(name)
        if found is None:
            raise ConfigError(
                f"The column {name!r} of the antenna table does not hold numbers of residents (0 "
                "or more, not all 0); choose another column."
            )
        return found

    def _numbers(self, name: str) -> FloatArray | None:
        try:
            found = np.array([float(text or 0) for text in self.column(name)])
        except ValueError:
            return None
        possible = np.isfinite(found).all() and (found >= 0).all() and found.any()
        return found if possible else None

    @cached_property
    def number_columns(self) -> tuple[str, ...]:
        """Names of the columns that :meth:`numbers` can read."""
        return tuple(name for name in self.columns if self._numbers(name) is not None)

    @cached_property
    def digest(self) -> str:
        """Hash of the content, in hexadecimal."""
        h = hashlib.blake2b(repr(self.granularity_m).encode(), digest_size=16)
        for values in (self.x_m, self.y_m, self.lon, self.lat):
            h.update(values.data)
        for name, texts in self.columns.items():
            h.update(repr((name, texts.tolist())).encode())
        if self.outlines:
            h.update(repr(sorted(self.outlines.items())).encode())
        return h.hexdigest()
