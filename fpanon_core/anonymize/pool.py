"""The pool of fingerprints still to be merged, and who in it is nearest to whom.

Holds every fingerprint ever in the pool, numbered as they came, and for those still in it the
floors by which :mod:`fpanon_core.kernels.pool` leaves out most of the others. Memory is linear in
the data: about 12 kB of floors for each member, and only from the first search on.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..engines.local import Engine
from ..kernels import pool as kernel
from ..kernels.stretch import Ahead, Packed, Scale, fingerprint_effort
from ..measures.packing import pack, with_features
from ..model.fingerprints import FingerprintSet

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
SmallFloats = npt.NDArray[np.float32]

_UNKNOWN = np.zeros((1, 1), np.float32)
_CROWDED = 0.7  # share of slots in use below which the slots are closed up
_GROWING = ("t", "x", "y", "dt", "dx", "dy")


class Pool:
    """Fingerprints by number: those of ``fs`` first, then the merged ones as they are added.

    Parameters
    ----------
    fs : FingerprintSet
    scale : Scale
    members : ndarray of int
        Rows of ``fs`` that are in the pool.
    grows : bool
        Whether merged fingerprints will be added; if not, and all extents are equal, the faster
        kernel for points serves.
    engine : Engine
    """

    def __init__(
        self, fs: FingerprintSet, scale: Scale, members: IntArray, grows: bool, engine: Engine
    ) -> None:
        self._engine = engine
        self._scale = scale
        packed, self._features = with_features(fs, pack(fs))
        self._least = tuple(float(v.min()) for v in (fs.dx_m, fs.dy_m, fs.dt_min))
        points = packed.equal
        self._packed = packed if points and not grows else packed._replace(equal=False)
        self._most_places = int(np.diff(packed.place_offsets).max())
        self.n = fs.n_users
        self.alive = np.zeros(fs.n_users, bool)
        self.alive[members] = True
        self._index = np.arange(fs.n_users)
        if points:
            f = self._features
            self._rows = kernel.Rows(f.offsets, f.feature, f.share, np.zeros_like(f.share))
        else:
            self._rows = self._boxes(fs)
        self._slot = np.full(fs.n_users, -1, np.int64)
        self._member = np.empty(0, np.int64)
        self._floor = np.empty((0, 0, kernel.WIDTH), np.float32)

    @property
    def packed(self) -> Packed:
        """All fingerprints, in the kernels' form."""
        return self._packed

    def cells(self, u: int) -> FloatArray:
        """One fingerprint's cells: x, y, t, dx, dy, dt."""
        p = self._packed
        part = slice(p.offsets[u], p.offsets[u + 1])
        return np.column_stack([v[part] for v in (p.x, p.y, p.t, p.dx, p.dy, p.dt)])

    def weight(self, u: int) -> float:
        """Users that a fingerprint stands for."""
        return float(self._packed.weight[u])

    def index(self, u: int) -> int:
        """The smallest row number of its users."""
        return int(self._index[u])

    def effort(self, a: int, b: int) -> float:
        """Fingerprint stretch effort of two fingerprints."""
        offsets = self._packed.offsets
        if offsets[a + 1] - offsets[a] < offsets[b + 1] - offsets[b]:
            a, b = b, a
        unknown = Ahead(0.0, _UNKNOWN, 0)
        scratch = np.empty(self._most_places)
        return float(
            fingerprint_effort(self._packed, self._scale, a, b, np.inf, scratch, unknown, unknown)
        )

    # --- growing and shrinking -----------------------------------------------------------------

    def add(self, cells: FloatArray, weight: float, index: int) -> int:
        """Add a fingerprint, not yet a member; its number."""
        u, m = self.n, len(cells)
        begin = int(self._packed.offsets[u])
        self._make_room(u + 1, begin + m, int(self._rows.offsets[u]) + 2 * m)
        p = self._packed
        for name, column in zip(("x", "y", "t", "dx", "dy", "dt"), cells.T, strict=True):
            getattr(p, name)[begin : begin + m] = column
        p.offsets[u + 1] = begin + m
        p.weight[u] = weight
        self._index[u] = index
        self.alive[u] = False
        self._slot[u] = -1
        self._rows.offsets[u + 1] = self._rows.offsets[u] + 2 * m
        self.n = u + 1
        return u

    def forget_from(self, u: int) -> None:
        """Take back the fingerprints added as u and later."""
        self.n = u

    def enter(self, u: int, own: SmallFloats, parent: int) -> None:
        """Make an added fingerprint a member, in the slot of one of its parents."""
        slot = int(self._slot[parent])
        self._slot[u], self._slot[parent] = slot, -1
        self._member[slot] = u
        self._floor[slot // kernel.WIDTH, :, slot % kernel.WIDTH] = own[:, 0]
        self.alive[u] = True

    def leave(self, u: int) -> None:
        """Take a member out."""
        self.alive[u] = False
        if self._slot[u] >= 0:
            self._member[self._slot[u]] = -1

    # --- searching -----------------------------------------------------------------------------

    def search(
        self, queries: Sequence[int], many: int, parents: Sequence[tuple[int, int]] | None = None
    ) -> list[tuple[IntArray, FloatArray, SmallFloats]]:
        """For each query the members nearest to it, their efforts, and the query's floors.

        Up to ``many`` members; fewer only when there are no more. Queries that were just added
        name their parents, which are passed over.
        """
        self._close_up()
        pool = kernel.Pool(
            self._packed, self._scale, self._features, self._rows, self._least, self._index,
            self._member, self._floor,
        )  # fmt: skip
        out: list[tuple[IntArray, FloatArray, SmallFloats]] = [None] * len(queries)  # type: ignore[list-item]
        slots = len(self._member)

        def one(task: int) -> float:
            u = queries[task]
            if parents is not None:
                part = slice(self._rows.offsets[u], self._rows.offsets[u + 1])
                kernel.describe(
                    self._packed, self._scale, self._features, self._least, u,
                    self._rows.feature[part], self._rows.share[part], self._rows.reach[part],
                )  # fmt: skip
            a, b = parents[task] if parents is not None else (-1, -1)
            own = np.empty((pool.floor.shape[1], 1), np.float32)
            kernel.fill_floors(pool, u, own[:, 0])
            found, efforts = np.empty(many, np.int64), np.empty(many)
            count = kernel.nearest_members(
                pool, u, own, a, b, np.empty(slots, np.float32), np.empty(slots, np.float32),
                np.empty(self._most_places), found, efforts,
            )  # fmt: skip
            out[task] = (found[:count], efforts[:count], own)
            return 1.0

        self._engine.run(one, range(len(queries)), len(queries))
        return out

    def _close_up(self) -> None:
        """Slots for the members only, longest first; their floors."""
        held = self._member[self._member >= 0]
        if len(self._member) and len(held) >= _CROWDED * len(self._member) - kernel.WIDTH:
            return
        old_member, old_floor, old_slot = self._member, self._floor, self._slot
        members = np.flatnonzero(self.alive[: self.n]) if len(old_member) == 0 else held
        lengths = np.diff(self._packed.offsets)[members]
        members = members[np.argsort(-lengths, kind="stable")]
        tiles = -(-len(members) // kernel.WIDTH)
        n_features = len(self._features.cell_x0) + self._features.n_bins
        self._member = np.full(tiles * kernel.WIDTH, -1, np.int64)
        self._member[: len(members)] = members
        self._floor = np.zeros((tiles, n_features, kernel.WIDTH), np.float32)
        self._slot = np.full(len(old_slot), -1, np.int64)
        self._slot[members] = np.arange(len(members))
        pool = kernel.Pool(
            self._packed, self._scale, self._features, self._rows, self._least, self._index,
            self._member, self._floor,
        )  # fmt: skip

        def fill(tile: int) -> float:
            part = members[tile * kernel.WIDTH : (tile + 1) * kernel.WIDTH]
            floor = np.empty((len(part), n_features), np.float32)
            for column, u in enumerate(part):
                if len(old_member):
                    at = old_slot[u]
                    floor[column] = old_floor[at // kernel.WIDTH, :, at % kernel.WIDTH]
                else:
                    kernel.fill_floors(pool, u, floor[column])
            self._floor[tile, :, : len(part)] = floor.T
            return 1.0

        self._engine.run(fill, range(tiles), tiles)

    # --- storage -------------------------------------------------------------------------------

    def _boxes(self, fs: FingerprintSet) -> kernel.Rows:
        """Rows of fingerprints whose samples are boxes from the start."""
        offsets = 2 * np.asarray(fs.offsets)
        size = int(offsets[-1])
        rows = kernel.Rows(
            offsets,
            np.empty(size, np.int32),
            np.empty(size, np.float32),
            np.empty(size, np.float32),
        )

        def one(u: int) -> float:
            part = slice(offsets[u], offsets[u + 1])
            kernel.describe(
                self._packed, self._scale, self._features, self._least, u,
                rows.feature[part], rows.share[part], rows.reach[part],
            )  # fmt: skip
            return 1.0

        self._engine.run(one, range(fs.n_users), fs.n_users)
        return rows

    def _make_room(self, fingerprints: int, samples: int, rows: int) -> None:
        p, r = self._packed, self._rows
        if fingerprints > len(p.weight):
            many = 2 * fingerprints
            p = p._replace(offsets=_grown(p.offsets, many + 1), weight=_grown(p.weight, many))
            r = r._replace(offsets=_grown(r.offsets, many + 1))
            self._index, self._slot = _grown(self._index, many), _grown(self._slot, many)
            self.alive = _grown(self.alive, many)
        if samples > len(p.t):
            larger = {name: _grown(getattr(p, name), 2 * samples) for name in _GROWING}
            p = p._replace(**larger)
        if rows > len(r.feature):
            larger = {f: _grown(getattr(r, f), 2 * rows) for f in ("feature", "share", "reach")}
            r = r._replace(**larger)
        self._packed, self._rows = p, r


def _grown(values: npt.NDArray[np.generic], size: int) -> npt.NDArray[np.generic]:
    out = np.zeros(size, values.dtype)
    out[: len(values)] = values
    return out
