"""Recent results, kept so that they are not computed again, within bounds on number and size."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Shelf(Generic[T]):
    """Cache of recent results by their inputs; the least recently used are dropped first.

    Parameters
    ----------
    most : int
        Largest number of results kept.
    most_size : int
        Largest total size of all results kept.
    size : callable
        Function that returns the size of one result.
    """

    def __init__(self, most: int, most_size: int, size: Callable[[T], int]) -> None:
        self._most, self._most_size, self._size = most, most_size, size
        self._kept: OrderedDict[Hashable, T] = OrderedDict()
        self._change = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def size(self) -> int:
        """Total size of all results kept."""
        return sum(map(self._size, self._kept.values()))

    def get(self, key: Hashable) -> T | None:
        """Return the result for a key; None if it is not kept."""
        with self._change:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: Hashable, made: T) -> None:
        """Keep a result, unless it alone is too large."""
        if self._size(made) > self._most_size:
            return
        with self._change:
            self._kept.pop(key, None)
            self._kept[key] = made
            while len(self._kept) > self._most or self.size > self._most_size:
                self._kept.popitem(last=False)

    def made(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the result for a key: the kept one, or else a new one, which is then kept."""
        known = self.get(key)
        if known is None:
            known = make()
            self.put(key, known)
        return known

    def clear(self) -> None:
        """Drop all results."""
        with self._change:
            self._kept.clear()
