"""Presence, flows, what one person adds, and what tables are worth: plain loops.

By docs/science.md; imports nothing from the package. A person is a list of samples (x, y, t,
events) in order of t, x, y: a point and a minute. ``area_of(x, y)`` is the number of the area of a
point, or None; ``kinds`` are the types of the days, 0 for weekdays, 1 for weekend days.
"""

import csv
import io
import itertools
import json
import math
import zipfile

from tests.oracles.utility import common_part, everywhere, jensen_shannon

DAY = 1440
UNIT = 65_536


def in_period(samples, kinds):
    """The samples on days of the period, with their day."""
    with_day = [(*sample, math.floor(sample[2] / DAY)) for sample in samples]
    return [sample for sample in with_day if 0 <= sample[4] < len(kinds)]


def presence_of(samples, area_of, kinds, bands):
    """One row of (cell, share of a mean day) for each sample in an area, in order."""
    inside = in_period(samples, kinds)
    together = {}
    for _, _, t, _, day in inside:
        when = day, int(t % DAY // (DAY / bands))
        together[when] = together.get(when, 0) + 1
    out = []
    for x, y, t, _, day in inside:
        area, band = area_of(x, y), int(t % DAY // (DAY / bands))
        if area is not None:
            kind = kinds[day]
            share = 1 / together[day, band] / kinds.count(kind)
            out.append(((area, kind, band), share))
    return out


def presence(people, area_of, kinds, bands):
    """The table, exact: by cell."""
    out = {}
    for samples in people:
        for cell, share in presence_of(samples, area_of, kinds, bands):
            out[cell] = out.get(cell, 0.0) + share
    return out


def bounded_presence(samples, area_of, kinds, bands):
    """Of one person, as whole numbers: by cell, and the share of bands with presence."""
    rows = presence_of(samples, area_of, kinds, bands)
    total = 0.0
    for _, share in rows:
        total += share
    out = {}
    for cell, share in rows:
        out[cell] = out.get(cell, 0) + math.floor(UNIT * (share / total))
    return out, math.floor(UNIT * min(total / (len(set(kinds)) * bands), 1.0))


def trips_of(samples, area_of, kinds):
    """The cells of one person's trips, in order of time."""
    main = {}
    for x, y, t, events, day in in_period(samples, kinds):
        if t not in main or events > main[t][1]:
            main[t] = area_of(x, y), events, kinds[day]
    moments = [main[t] for t in sorted(main)]
    return [
        (origin, goal, kind)
        for (origin, _, kind), (goal, _, _) in itertools.pairwise(moments)
        if origin is not None and goal is not None and origin != goal
    ]


def flows(people, area_of, kinds):
    """Trips in the period, by cell."""
    out = {}
    for samples in people:
        for cell in trips_of(samples, area_of, kinds):
            out[cell] = out.get(cell, 0) + 1
    return out


# --- a package, from its bytes alone -------------------------------------------------------------


def recounted(package, names, people, area_of, kinds, digits=3):
    """What is wrong with the exact tables in a zip of CSV files: texts, none if nothing is.

    ``names`` are those of the areas, by number.
    """
    wrong = []
    with zipfile.ZipFile(io.BytesIO(package)) as packed:
        option = json.loads(packed.read("datapackage.json"))["fpanon"]["option"]
        read = {
            name: list(csv.DictReader(io.StringIO(packed.read(f"{name}.csv").decode())))
            for name in ("presence", "flows")
            if f"{name}.csv" in packed.namelist()
        }
    days = "weekday", "weekend"
    least = option.get("threshold") or 0
    if "presence" in read:
        bands = option["bands"]
        due = presence(people, area_of, kinds, bands)
        for row, (area, kind, band) in zip(
            read["presence"],
            itertools.product(range(len(names)), range(2), range(bands)),
            strict=True,
        ):
            stated = row["area"], row["day"], float(row["from_hour"])
            if stated != (names[area], days[kind], band * 24 / bands):
                wrong.append(f"row {stated}")
            value = due.get((area, kind, band), 0.0)
            if (row["people"] == "") != (value < least) or (
                row["people"] and abs(float(row["people"]) - value) > 0.51 * 10**-digits
            ):
                wrong.append(f"presence {stated}: {row['people']}, not {value}")
    if "flows" in read:
        due = {
            (names[a], names[b], days[kind]): many / kinds.count(kind)
            for (a, b, kind), many in flows(people, area_of, kinds).items()
        }
        due = {cell: trips for cell, trips in due.items() if trips >= least}
        stated = {
            (row["origin"], row["destination"], row["day"]): float(row["trips"])
            for row in read["flows"]
        }
        if len(stated) != len(read["flows"]) or stated.keys() != due.keys():
            wrong.append("the pairs of flows")
        for cell in stated.keys() & due.keys():
            if abs(stated[cell] - due[cell]) > 0.51 * 10**-digits:
                wrong.append(f"flows {cell}: {stated[cell]}, not {due[cell]}")
    return wrong


# --- utility -------------------------------------------------------------------------------------


def spread_presence(table, boxes, kinds, bands, grid):
    """Mass by (square, hour) of a presence table {cell: people}, over all days together.

    ``boxes`` are (x, y, dx, dy) of the places of each area, which have equal parts of it.
    """
    out = {}
    for (area, kind, band), people in table.items():
        for x, y, dx, dy in boxes[area]:
            mass = people * kinds.count(kind) / len(boxes[area])
            for square, share in everywhere((x, y, 0, dx, dy, 1), *grid).items():
                for hour in range(24 * band // bands, 24 * (band + 1) // bands):
                    key = square, hour
                    out[key] = out.get(key, 0.0) + mass * share * bands / 24
    return out


def spread_trips(table, boxes, kinds, people, grid):
    """Trips per person by (square, other square) of a flow table {cell: trips on a mean day}."""
    out = {}
    for (a, b, kind), trips in table.items():
        pairs = list(itertools.product(boxes[a], boxes[b]))
        for one, other in pairs:
            mass = trips * kinds.count(kind) / len(pairs) / people
            begins, ends = (
                everywhere((x, y, 0, dx, dy, 1), *grid) for x, y, dx, dy in (one, other)
            )
            for i, j in itertools.product(begins, ends):
                if i != j:
                    out[i, j] = out.get((i, j), 0.0) + mass * begins[i] * ends[j]
    return out


def corners(occupied, moved, presence_table, flow_table, boxes, kinds, people, bands, grids):
    """Density and flows on each grid, against the original's occupancy and trips there."""
    return {
        "density": [
            1 - jensen_shannon(mine, spread_presence(presence_table, boxes, kinds, bands, grid))
            for mine, grid in zip(occupied, grids, strict=True)
        ],
        "flows": [
            common_part(mine, spread_trips(flow_table, boxes, kinds, people, grid))
            for mine, grid in zip(moved, grids, strict=True)
        ],
    }


def tree_shrunk(values, prior, variance, order):
    """Values shrunk towards the prior, level by level, in a tree of halves of the order."""
    m = len(values[0])

    def total(table, begin, end, column):
        return sum(table[order[i]][column] for i in range(begin, end))

    nodes = [(0, len(order))]
    estimate = [[total(prior, 0, len(order), c) for c in range(m)]]
    while any(end - begin > 1 for begin, end in nodes):
        halves, expected = [], []
        for node, (begin, end) in enumerate(nodes):
            middle = (begin + end) // 2
            for half in [(begin, middle), (middle, end)] if middle > begin else [(begin, end)]:
                halves.append(half)
                expected.append([])
                for c in range(m):
                    of_parent = max(total(prior, begin, end, c), 1e-12)
                    share = total(prior, *half, c) / of_parent
                    expected[-1].append(estimate[node][c] * share)
        off = [
            [total(values, *half, c) - expected[h][c] for c in range(m)]
            for h, half in enumerate(halves)
        ]
        many = len(halves) * m
        square = sum(each**2 for row in off for each in row) / many
        noise = variance * len(order) / len(halves)
        kept = 0.0 if square <= noise * (1 + 3 * math.sqrt(5 / many)) else 1 - noise / square
        estimate = [
            [max(e + kept * d, 0.0) for e, d in zip(*rows, strict=True)]
            for rows in zip(expected, off, strict=True)
        ]
        nodes = halves
    out = [None] * len(order)
    for place, row in enumerate(order):
        out[row] = estimate[place]
    return out


def gravity(model, ends, rings, ring, rounds):
    """The model scaled in turn to the sums of its rings, rows and columns."""
    every, model = range(len(ends)), [list(row) for row in model]

    def scaled(groups, sums):
        for cells, due in zip(groups, sums, strict=True):
            times = due / max(sum(model[i][j] for i, j in cells), 1e-12)
            for i, j in cells:
                model[i][j] *= times

    for _ in range(rounds):
        cells = [(i, j) for i in every for j in every]
        scaled([[c for c in cells if ring[c[0]][c[1]] == r] for r in range(len(rings))], rings)
        scaled([[(i, j) for j in every] for i in every], ends)
        scaled([[(i, j) for i in every] for j in every], ends)
    return model
