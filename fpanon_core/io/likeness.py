"""What a sample of a column looks like: a time, a position, an offset, an id?"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..tables.table import is_nested, missing_in, numbers_of, text_of
from ..tables.times import SMALLEST_EPOCH, ParsedTimes, is_bare_date, is_time_of_day, parse_times


class Likeness:
    """What a sample of a column looks like."""

    def __init__(self, column: pa.ChunkedArray) -> None:
        self.column = column
        self.nested = is_nested(column)

    @cached_property
    def texts(self) -> pa.ChunkedArray:
        """The fields that are filled, as trimmed text."""
        texts = text_of(self.column)
        return texts.filter(pa.array(~missing_in(texts)))

    @cached_property
    def filled(self) -> int:
        """How many fields are filled."""
        return len(self.texts)

    @cached_property
    def distinct(self) -> int:
        """How many different texts there are."""
        return int(pc.count_distinct(self.texts).as_py())

    @cached_property
    def numbers(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The numbers; empty when the column is mostly something else."""
        if self.nested or self.filled == 0:
            return np.empty(0)
        values = numbers_of(self.column)
        values = values[~np.isnan(values)]
        return values if len(values) > 0.8 * self.filled else np.empty(0)

    @cached_property
    def times(self) -> ParsedTimes:
        """Parsed where filled; numbers and timestamps as such, not by their text."""
        kind = self.column.type
        if pa.types.is_floating(kind) or self._typed:
            return parse_times(self.column.drop_null())
        return parse_times(self.texts)

    @property
    def _typed(self) -> bool:
        kind = self.column.type
        return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind))

    @cached_property
    def is_time(self) -> bool:
        """At least half of it can be read as times, and the numbers are plausible as such."""
        if self.nested or self.filled == 0 or pa.types.is_boolean(self.column.type):
            return False
        if self.is_clock or self.times.share < 0.5:
            return False
        return self._is_plausible_number()

    @cached_property
    def is_partly_time(self) -> bool:
        """For a column so named: some of it can be read as times, or as times of day."""
        if self.nested or self.filled == 0 or pa.types.is_boolean(self.column.type):
            return False
        return self.is_clock or bool(self.times.ok.any() and self._is_plausible_number())

    def _is_plausible_number(self) -> bool:
        """Numbers as times: dates such as 20120403, and epochs between 1973 and 2100."""
        epochs = sum(n for name, n in self.times.formats.items() if name.startswith("epoch"))
        if 2 * epochs <= self.times.ok.sum():
            return True
        typical = float(np.median(self.times.us[self.times.ok])) / 1e6
        return SMALLEST_EPOCH <= typical < 4_102_444_800

    @cached_property
    def is_epoch(self) -> bool:
        """Times as numbers, counted from 1970."""
        return self.is_time and len(self.numbers) > 0

    @property
    def is_written_time(self) -> bool:
        """A time in a form that no number has."""
        return self.is_time and not self.is_epoch

    @property
    def epoch_spread(self) -> float:
        """Of epochs, the distance of their quartiles in seconds; −1 for written times."""
        if not self.is_epoch:
            return -1.0
        low, high = np.percentile(self.times.us[self.times.ok], [25, 75])
        return float(high - low) / 1e6

    @cached_property
    def is_clock(self) -> bool:
        """Times of day, without a date."""
        return not self.nested and self.filled > 0 and is_time_of_day(self.texts)

    @cached_property
    def is_date(self) -> bool:
        """Dates, without a time of day."""
        if self.nested or self.filled == 0 or self.is_clock:
            return False
        us = self.times.us[self.times.ok]
        if self._typed:
            return bool(len(us) and np.all(us % 86_400_000_000 == 0))
        return is_bare_date(self.times)

    @cached_property
    def is_fractional(self) -> bool:
        """Numbers of which some are not whole."""
        values = self.numbers
        return bool(len(values) and np.mean(values != np.floor(values)) > 0.02)

    def is_degrees(self, limit: float) -> bool:
        """For a column so named: some of its numbers are degrees, or it is empty."""
        if self.nested or self.filled == 0:
            return not self.nested
        values = numbers_of(self.column)
        return bool(np.any(np.abs(values[~np.isnan(values)]) <= limit))

    @cached_property
    def is_position(self) -> bool:
        """Fractional numbers in the range of degrees."""
        return self.is_fractional and bool(np.mean(np.abs(self.numbers) <= 180) > 0.8)

    @property
    def share_beyond_90(self) -> float:
        """The share of the numbers that only a longitude can be."""
        return float(np.mean((np.abs(self.numbers) > 90) & (np.abs(self.numbers) <= 180)))

    @property
    def largest(self) -> float:
        """The largest number, without its sign; 0 where there is none."""
        return float(np.abs(self.numbers).max()) if len(self.numbers) else 0.0

    @cached_property
    def is_offset(self) -> bool:
        """Minutes (whole quarters of an hour) from UTC, or hours."""
        step = 0.25 if self.largest <= 14 else 15.0
        return bool(len(self.numbers) and np.all(self.numbers % step == 0) and self.largest <= 900)
