"""Pool of fingerprints for GLOVE, and the search for the nearest unmerged fingerprints.

The pool keeps all fingerprints, even merged ones, numbered in order of addition. Those still to be
merged are its members. For members, the pool also keeps floors, which are lower bounds on
distances. Floors let :mod:`fpanon_core.kernels.glove_search` skip most members. Memory is linear in
the data: from the first search on, the floors take up to 6 kB for each member.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..engines.local import Engine, fill
from ..kernels import glove_floors as floors
from ..kernels.glove_search import Query, fill_bounds, nearest_members
from ..kernels.stretch import effort_of_boxes
from ..measures.packing import pack, with_features
from ..model.arrays import FloatArray, IntArray, SmallFloats
from ..model.configs import StretchConfig
from ..model.fingerprints import FingerprintSet

_TILES = 4  # smallest number of tiles whose bounds are one block of work
_QUERIES = 4  # number of queries whose floors are one block of work
_CROWDED = 0.7  # share of slots in use below which the slots are closed up


class Nearest(NamedTuple):
    """Result of a search: members (nearest first), their efforts, and the query's own floors.

    Floors are lower bounds on the query's distances from places and times.
    """

    near: IntArray
    effort: FloatArray
    floor: SmallFloats


class Pool:
    """Fingerprints by number: first those of ``fs``, then merged ones in order of addition.

    Parameters
    ----------
    fs : FingerprintSet
    config : StretchConfig
    rows : ndarray of int
        Rows of ``fs`` that are in the pool.
    below : int
        A merged fingerprint will be added if it stands for fewer users than this number. If no such
        fingerprint is possible, and all extents are equal, the faster kernel for points is used.
    engine : Engine
    """

    def __init__(
        self, fs: FingerprintSet, config: StretchConfig, rows: IntArray, below: int, engine: Engine
    ) -> None:
        self._engine = engine
        # Two fingerprints of at least k/2 users each make a finished group: nothing goes back.
        grows = len(rows) > 0 and 2 * int(fs.weight[rows].min()) < below
        packed, features = with_features(fs, pack(fs, config))
        points = packed.equal
        packed = packed if points and not grows else packed._replace(equal=False)
        self._longest = int(fs.lengths.max())
        self.n = fs.n_users
        self.alive = np.zeros(fs.n_users, bool)
        self.alive[rows] = True
        classes = np.arange(1.0, below) if grows else np.unique(fs.weight).astype(np.float64)
        if packed.equal:  # weights do not matter for points
            classes = np.ones(1)
        kind = np.searchsorted(classes, fs.weight).astype(np.int32)
        kind[kind == len(classes)] = 0  # not in the pool
        if points:
            f = features
            share = (f.samples / np.repeat(fs.lengths, np.diff(f.offsets))).astype(np.float32)
            zero = np.zeros_like(share)
            # Among boxes, the reach is raised by more than the errors of 32-bit differences.
            reach = zero if packed.equal else zero + np.float32(2e-6)
            of_features = floors.Rows(f.offsets, f.feature, share, reach, zero)
        else:  # boxes from the start
            size = 2 * fs.n_samples
            numbers = (np.empty(size, np.float32) for _ in range(3))
            feature = np.empty(size, np.int32)
            of_features = floors.Rows(2 * np.asarray(fs.offsets), feature, *numbers)
        self._slot = np.full(fs.n_users, -1, np.int64)
        self._n_features = len(features.cell_x0) + features.n_bins
        self._slots = floors.Slots(
            packed=packed,
            features=features,
            rows=of_features,
            least=(float(fs.dx_m.min()), float(fs.dy_m.min()), float(fs.dt_min.min())),
            first=np.arange(fs.n_users),
            largest=np.zeros((fs.n_users, 2), np.float32),
            kind=kind,
            weight_of=classes,
            n_points=fs.n_users if points else 0,
            member=np.empty(0, np.int64),
            coarse=np.empty((0, 0, 0, floors.WIDTH), np.uint8),
        )
        if not points:
            fill(engine, fs.n_users, 1, lambda u, _: self.describe(u))

    @property
    def n_points(self) -> int:
        """Number of fingerprints whose samples all have one extent; merged ones come after them."""
        return self._slots.n_points

    def cells(self, u: int) -> FloatArray:
        """Return one fingerprint's cells: x, y, t, dx, dy, dt."""
        p = self._slots.packed
        part = slice(p.offsets[u], p.offsets[u + 1])
        return np.column_stack([v[part] for v in (p.x, p.y, p.t, p.dx, p.dy, p.dt)])

    def weight(self, u: int) -> float:
        """Return the number of users that a fingerprint stands for."""
        return float(self._slots.packed.weight[u])

    def index(self, u: int) -> int:
        """Return the smallest row number of a fingerprint's users."""
        return int(self._slots.first[u])

    def effort(self, a: int, b: int) -> float:
        """Return the fingerprint stretch effort of two fingerprints."""
        return float(effort_of_boxes(self._slots.packed, a, b, np.inf))

    # --- growing and shrinking -----------------------------------------------------------------

    def add(self, cells: FloatArray, weight: float, index: int) -> int:
        """Add a fingerprint that is not a member yet, and return its number."""
        u, m = self.n, len(cells)
        self._longest = max(self._longest, m)
        begin = int(self._slots.packed.offsets[u])
        self._make_room(u + 1, begin + m, int(self._slots.rows.offsets[u]) + 2 * m)
        p = self._slots.packed
        for name, column in zip(("x", "y", "t", "dx", "dy", "dt"), cells.T, strict=True):
            getattr(p, name)[begin : begin + m] = column
        p.offsets[u + 1] = begin + m
        p.weight[u] = weight
        slots = self._slots
        slots.first[u] = index
        slots.kind[u] = np.searchsorted(slots.weight_of, weight)
        self.alive[u] = False
        self._slot[u] = -1
        slots.rows.offsets[u + 1] = slots.rows.offsets[u] + 2 * m
        self.n = u + 1
        return u

    def forget_from(self, u: int) -> None:
        """Remove fingerprint u and all fingerprints added after it."""
        self.n = u

    def enter(self, u: int, floor: SmallFloats, parent: int) -> None:
        """Make an added fingerprint a member, in the slot of one of its parents."""
        slot = int(self._slot[parent])
        self._slot[u], self._slot[parent] = slot, -1
        self._slots.member[slot] = u
        floors.keep_coarsely(self._slots, slot, floor)
        self.alive[u] = True

    def leave(self, u: int) -> None:
        """Take fingerprint u out of the pool's members."""
        self.alive[u] = False
        if self._slot[u] >= 0:
            self._slots.member[self._slot[u]] = -1

    # --- searching -----------------------------------------------------------------------------

    def search(
        self, queries: Sequence[int], many: int, parents: Sequence[tuple[int, int]] = ()
    ) -> list[Nearest]:
        """Return the members nearest to each query, their efforts, and the query's floors.

        For each query, ``many`` members are found, or all if there are fewer. Queries that were
        just added come first; ``parents`` has their pairs of parents, which the search skips.
        """
        self._close_up()
        for u, _ in zip(queries, parents, strict=False):
            self.describe(u)
        slots = self._slots
        count, members = len(queries), len(slots.member)
        wanted = np.array(queries, np.int64)
        passed = np.full((count, 2), -1, np.int64)
        passed[: len(parents)] = np.array(parents, np.int64).reshape(-1, 2)
        floor = np.empty((count, 1 if slots.packed.equal else 2, self._n_features), np.float32)
        own = np.empty((count, 2, len(slots.weight_of), self._n_features), np.float32)
        by_feature = np.empty((*own.shape[1:], count), np.float32)
        bound, from_query = (np.empty((count, members), np.float32) for _ in range(2))
        out: list[Nearest | None] = [None] * count

        def prepare(begin: int, end: int) -> None:
            for task in order[begin:end]:
                u = queries[task]
                floors.fill_floor(slots, u, floor[task])
                own[task] = floor[task, 0]  # for points, this is all
                if u >= self.n_points:
                    floors.fill_own(slots, u, own[task])
                by_feature[..., task] = own[task]

        def compute(task: int) -> float:
            found, efforts = np.empty(many, np.int64), np.empty(many)
            room = np.empty(self._longest)
            query = Query(queries[task], own[task], bound[task], from_query[task], room)
            length = nearest_members(slots, query, found, efforts)
            out[task] = Nearest(found[:length], efforts[:length], floor[task])
            return 1.0

        # Longest queries come first: a long one at the end would keep all other cores waiting.
        lengths, tiles = np.diff(slots.packed.offsets)[wanted], members // floors.WIDTH
        order = np.argsort(-lengths, kind="stable").tolist()
        block = max(_TILES, tiles // (8 * self._engine.workers))
        fill(self._engine, count, _QUERIES, prepare)
        given = slots, wanted, passed, by_feature, bound, from_query
        fill(self._engine, tiles, block, fill_bounds, *given)
        self._engine.run(compute, order, count)
        return [found for found in out if found is not None]

    def describe(self, u: int) -> None:
        """Set the features of an added fingerprint; :meth:`search` does this for new queries."""
        floors.describe(self._slots, u)

    def _close_up(self) -> None:
        """Give the present members slots, longest first, if there are no slots or many are empty.

        The first time, the members' floors are computed; later, they are copied.
        """
        old, old_slot = self._slots, self._slot
        held, anew = old.member[old.member >= 0], len(old.member) == 0
        if not anew and len(held) >= _CROWDED * len(old.member) - floors.WIDTH:
            return
        members = np.flatnonzero(self.alive[: self.n]) if anew else held
        lengths = np.diff(old.packed.offsets)[members]
        members = members[np.argsort(-lengths, kind="stable")]
        tiles = -(-len(members) // floors.WIDTH)
        tables = 1 if old.packed.equal else 2
        member = np.full(tiles * floors.WIDTH, -1, np.int64)
        member[: len(members)] = members
        coarse = np.zeros((tiles, tables, self._n_features, floors.WIDTH), np.uint8)
        slots = self._slots = old._replace(member=member, coarse=coarse)
        self._slot = np.full(len(old_slot), -1, np.int64)
        self._slot[members] = np.arange(len(members))

        def lay(tile: int, _: int) -> None:
            floor = np.empty((tables, self._n_features), np.float32)
            for column, u in enumerate(members[tile * floors.WIDTH : (tile + 1) * floors.WIDTH]):
                if anew:
                    floors.fill_floor(slots, u, floor)
                    floors.keep_coarsely(slots, tile * floors.WIDTH + column, floor)
                else:
                    at, old_column = divmod(int(old_slot[u]), floors.WIDTH)
                    coarse[tile, :, :, column] = old.coarse[at, :, :, old_column]

        fill(self._engine, tiles, 1, lay)

    # --- storage -------------------------------------------------------------------------------

    def _make_room(self, fingerprints: int, samples: int, rows: int) -> None:
        slots, p, r = self._slots, self._slots.packed, self._slots.rows
        if fingerprints > len(p.weight):
            many = 2 * fingerprints
            p = p._replace(offsets=_grown(p.offsets, many + 1), weight=_grown(p.weight, many))
            r = r._replace(offsets=_grown(r.offsets, many + 1))
            slots = _longer(slots, ("first", "largest", "kind"), many)
            self._slot, self.alive = _grown(self._slot, many), _grown(self.alive, many)
        if samples > len(p.t):
            p = _longer(p, ("t", "x", "y", "dt", "dx", "dy"), 2 * samples)
        if rows > len(r.feature):
            r = _longer(r, ("feature", "share", "reach", "half"), 2 * rows)
        self._slots = slots._replace(packed=p, rows=r)


def _longer(arrays: Any, names: tuple[str, ...], size: int) -> Any:
    """Return the tuple with room for ``size`` rows in the named arrays."""
    return arrays._replace(**{name: _grown(getattr(arrays, name), size) for name in names})


def _grown(values: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """Return a copy with room for ``size`` rows; new rows are 0."""
    out = np.zeros((size, *values.shape[1:]), values.dtype)
    out[: len(values)] = values
    return out
