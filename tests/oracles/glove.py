"""GLOVE by docs/science.md, with a full matrix of efforts.

Imports nothing from the package. A fingerprint is an array (samples, 6) of x, y, t, dx, dy, dt in
order of t, x, y. Efforts are rounded to 1e-12, so that mathematically equal ones tie.
"""

from itertools import pairwise

import numpy as np

X, Y, T, DX, DY, DT = range(6)
CONFIG = {"ws": 0.5, "wt": 0.5, "smax": 20_000.0, "tmax": 480.0}


def glove(fingerprints, k, *, weight=None, leftover="merge", space=None, time=None, **config):
    """Groups and published cells: (group of each user, cells of each group, suppressed).

    ``suppressed`` maps (user, sample of the user) to the reason.
    """
    config = CONFIG | config
    originals = [ordered(f) for f in fingerprints]
    users = [1] * len(originals) if weight is None else list(weight)
    finished, members, left = greedy(originals, users, k, config)
    suppressed = {}
    if left is not None:
        cells, n, who = left
        if leftover == "merge":
            efforts = [
                (round12(effort(cells, other, n, m, config)), index)
                for index, (other, m) in finished.items()
            ]
            into = min(efforts)[1]
            a, b = sorted([(into, *finished[into]), (who[0], cells, n)], key=lambda f: f[0])
            merged = merge(a[1], b[1], a[2], b[2], config)
            group = sorted(members.pop(into) + who)
            del finished[into]
            finished[group[0]] = (merged, a[2] + b[2])
            members[group[0]] = group
        else:
            for u in who:
                suppressed |= {(u, s): "left over" for s in range(len(originals[u]))}
    remaining = []
    for index in sorted(finished):
        cells, present = finished[index][0], members[index]
        if space is not None or time is not None:
            cells, gone = suppress(cells, present, originals, users, k, space, time)
            suppressed |= gone
            # Nothing is published of those who have no sample left.
            present = [
                u for u in present if any((u, s) not in gone for s in range(len(originals[u])))
            ]
        if present:
            remaining.append((present[0], present, cells))
    group_of = np.full(len(originals), -1)
    published = []
    for _, present, cells in sorted(remaining, key=lambda group: group[0]):
        group_of[present] = len(published)
        published.append(cells)
    return group_of, published, suppressed


def greedy(originals, weight, k, config):
    """Finished groups by index, their members, and what is left over or None."""
    n = len(originals)
    pool = {i: (originals[i], weight[i]) for i in range(n) if weight[i] < k}
    finished = {i: (reshape(originals[i]), weight[i]) for i in range(n) if weight[i] >= k}
    members = {i: [i] for i in range(n)}
    matrix = np.full((n, n), np.inf)
    for i in pool:
        fill(matrix, pool, i, config)
    while len(pool) > 1:
        # The first smallest entry of the upper triangle, row by row: the smallest pair.
        i, j = (int(v) for v in np.unravel_index(np.argmin(matrix), matrix.shape))
        (a, na), (b, nb) = pool.pop(i), pool.pop(j)
        merged = (merge(a, b, na, nb, config), na + nb)
        members[i] = sorted(members[i] + members.pop(j))
        matrix[[i, j], :] = np.inf
        matrix[:, [i, j]] = np.inf
        if na + nb >= k:
            finished[i] = merged
        else:
            pool[i] = merged
            fill(matrix, pool, i, config)
    if not pool:
        return finished, members, None
    ((index, (cells, count)),) = pool.items()
    return finished, members, (cells, count, members.pop(index))


def fill(matrix, pool, i, config):
    """Efforts between i and everyone else in the pool, all at once: i's samples × all samples."""
    others = [j for j in pool if j != i]
    if not others:
        return
    a, na = pool[i]
    rows = np.concatenate([pool[j][0] for j in others])
    lengths = np.array([len(pool[j][0]) for j in others])
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    counts = np.repeat([pool[j][1] for j in others], lengths)
    delta = sample_efforts(a, rows, na, counts, config)
    there = np.minimum.reduceat(delta, starts, axis=1).mean(axis=0)
    back = np.add.reduceat(delta.min(axis=0), starts) / lengths
    effort = np.where(lengths < len(a), there, np.where(lengths > len(a), back, (there + back) / 2))
    for j, value in zip(others, effort, strict=True):
        matrix[min(i, j), max(i, j)] = round12(value)


def parts(a, b, na, nb, config):
    """δ in space and in time of every sample of a and every sample of b, as §2 writes them."""
    share_a = na / (na + np.asarray(nb, float))
    share_b = 1 - share_a
    phi = []
    for low, extent in ((X, DX), (Y, DY), (T, DT)):
        p, dp = a[:, None, low], a[:, None, extent]
        q, dq = b[None, :, low], b[None, :, extent]
        a_to_b = (p - np.minimum(p, q)) + (np.maximum(p + dp, q + dq) - (p + dp))
        b_to_a = (q - np.minimum(p, q)) + (np.maximum(p + dp, q + dq) - (q + dq))
        phi.append(share_a * a_to_b + share_b * b_to_a)
    space = config["ws"] * np.minimum((phi[0] + phi[1]) / config["smax"], 1)
    return space, config["wt"] * np.minimum(phi[2] / config["tmax"], 1)


def sample_efforts(a, b, na, nb, config):
    space, time = parts(a, b, na, nb, config)
    return space + time


def effort(a, b, na, nb, config):
    delta = sample_efforts(a, b, na, nb, config)
    there, back = delta.min(axis=1).mean(), delta.min(axis=0).mean()
    if len(a) != len(b):
        return there if len(a) > len(b) else back
    return (there + back) / 2


def round12(values):
    return np.rint(np.asarray(values) * 1e12) / 1e12


# --- merge -------------------------------------------------------------------------------------


def merge(a, b, na, nb, config):
    """Steps 1–3; a has the smaller index."""
    if len(b) > len(a):
        a, b, na, nb = b, a, nb, na
    joined = round12(sample_efforts(a, b, na, nb, config)).argmin(axis=1)
    merged = ordered(
        [bounding([b[j], *a[joined == j]]) for j in range(len(b)) if (joined == j).any()]
    )
    alone = [b[j] for j in range(len(b)) if not (joined == j).any()]
    if alone:
        delta = round12(sample_efforts(np.array(alone), merged, nb, na + nb, config))
        into = delta.argmin(axis=1)
        merged = [
            bounding([cell, *(s for s, m in zip(alone, into, strict=True) if m == number)])
            for number, cell in enumerate(merged)
        ]
    return reshape(np.array(merged))


def reshape(cells):
    """No two cells overlap in time: cut at all starts and ends, bound, join again."""
    starts, ends = cells[:, T], cells[:, T] + cells[:, DT]
    cuts = sorted({*starts.tolist(), *ends.tolist()})
    pieces = []
    for begin, end in pairwise(cuts):
        cover = cells[(starts < end) & (ends > begin)]
        if len(cover) == 0:
            continue
        x, y, _, dx, dy, _ = bounding(cover)
        if pieces and pieces[-1][T] + pieces[-1][DT] == begin:
            last = pieces[-1]
            if (last[X], last[Y], last[DX], last[DY]) == (x, y, dx, dy):
                last[DT] = end - last[T]
                continue
        pieces.append([x, y, begin, dx, dy, end - begin])
    return np.array(pieces)


def bounding(cells):
    cells = np.asarray(cells)
    low = cells[:, :3].min(axis=0)
    return np.concatenate([low, (cells[:, :3] + cells[:, 3:]).max(axis=0) - low])


def ordered(cells):
    cells = np.asarray(cells, float)
    return cells[np.lexsort(cells.T[[DY, DX, DT, Y, X, T]])]


# --- suppression -------------------------------------------------------------------------------


def excess(cell, space, time):
    """Whether a cell exceeds the spatial and the temporal threshold."""
    return (
        space is not None and (cell[DX] + cell[DY]) / 2 > space,
        time is not None and cell[DT] > time,
    )


def suppress(cells, members, originals, weight, k, space, time):
    """Cells within the limits with samples of k users, and {(user, sample): why not} of the rest.

    A cell within the limits that holds samples of k users stays. Of any other, the largest part: of
    all boxes within the limits that hold samples of k users that which holds the most; ties: the
    smallest (t, x, y) of its lower, then of its upper corner. Where there is none, it is left out.
    """
    remaining = []
    gone = {}
    for cell in cells:
        held = []
        for u in members:
            for s, sample in enumerate(originals[u]):
                if (u, s) not in gone and (part := cut_to(sample, cell)) is not None:
                    held.append((u, s, part))
        within = not any(excess(cell, space, time))
        if within and people({u for u, _, _ in held}, weight) >= k:
            remaining.append(cell)
            continue
        box = None if within else largest(held, weight, k, space, time)
        if box is None:
            gone |= {(u, s): "fewer than k" for u, s, _ in held}
            continue
        for u, s, part in held:
            if not contains(box, part):
                wide, long = excess(bounding([box, part]), space, time)
                words = [w for w, is_so in (("space", wide), ("time", long)) if is_so]
                gone[u, s] = " and ".join(words)
        remaining.append(box)
    # What is left out in one cell is left out in all it reaches across.
    while True:
        few = None
        for number, cell in enumerate(remaining):
            held = [
                (u, s)
                for u in members
                for s, sample in enumerate(originals[u])
                if (u, s) not in gone and cut_to(sample, cell) is not None
            ]
            if people({u for u, _ in held}, weight) < k:
                few = number
                gone |= dict.fromkeys(held, "fewer than k")
                break
        if few is None:
            return np.array(remaining).reshape(-1, 6), gone
        del remaining[few]


def people(users, weight):
    return sum(weight[u] for u in users)


def cut_to(sample, cell):
    """The part of a sample within a cell's time; None where there is none."""
    start = max(sample[T], cell[T])
    stop = min(sample[T] + sample[DT], cell[T] + cell[DT])
    if start >= stop:
        return None
    return np.array([sample[X], sample[Y], start, sample[DX], sample[DY], stop - start])


def contains(box, part):
    return all(
        box[axis] <= part[axis] and part[axis] + part[axis + 3] <= box[axis] + box[axis + 3]
        for axis in (X, Y, T)
    )


def largest(held, weight, k, space, time):
    """The largest part, by trying every lower corner, and every eastern bound above it."""
    fitting = [(u, part) for u, _, part in held if not any(excess(part, space, time))]
    low = np.array([part[[X, Y, T]] for _, part in fitting]).reshape(-1, 3)
    high = low + np.array([part[[DX, DY, DT]] for _, part in fitting]).reshape(-1, 3)
    owner = np.array([u for u, _ in fitting])
    space, time = (np.inf if limit is None else limit for limit in (space, time))
    best = (0,)
    for t in np.unique(low[:, 2]):
        later = np.flatnonzero((low[:, 2] >= t) & (high[:, 2] - t <= time))
        for x in np.unique(low[later, 0]):
            right = later[(low[later, 0] >= x) & ((high[later, 0] - x) / 2 <= space)]
            for y in np.unique(low[right, 1]):
                above = right[(low[right, 1] >= y) & ((high[right, 1] - y) / 2 <= space)]
                if len(above) < -best[0]:
                    continue  # whatever is taken of these is less
                for east in np.unique(high[above, 0]):
                    up = ((east - x) + (high[above, 1] - y)) / 2
                    fits = above[(high[above, 0] <= east) & (up <= space)]
                    if len(fits) == 0 or len(fits) < -best[0]:
                        continue
                    if people(set(owner[fits].tolist()), weight) < k:
                        continue
                    corners = low[fits].min(axis=0)[[2, 0, 1]], high[fits].max(axis=0)[[2, 0, 1]]
                    best = min(best, (-len(fits), *corners[0].tolist(), *corners[1].tolist()))
    if best == (0,):
        return None
    (t, x, y), (end, east, north) = best[1:4], best[4:]
    return np.array([x, y, t, east - x, north - y, end - t])
