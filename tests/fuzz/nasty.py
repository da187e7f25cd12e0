"""Fields, names and types that readers stumble over."""

import numpy as np
import pyarrow as pa

FIELDS = (
    *("", " ", "NaN", "inf", "-inf", "1e400", "-1e308", "9" * 400, "-0", "0x1F", "1_000", "٣"),
    *("10000-01-01 00:00:00", "0000-00-00 00:00", "9999-12-31T23:59:59+14:00", "0001-01-01 00:00"),
    *("2024-02-30 10:00", "2024-03-04T10:00:00+99:99", "24:00", "-62135596801", "253402300800"),
    *("9999-12-31 23:59:59.999999999", "1677-09-21 00:12:43", "2262-04-11T23:47:17Z", "99:99:99"),
    *("99999999999999999999", "18446744073709551616", "-9223372036854775809", "1e18", "1e-320"),
    *("é", "😀", "a\u0301", "\u202e", "\ufeff", "\x00", "\x1a", '"', '""', "=1+1", "NULL", "\\N"),
    *("a" * 10_000, "1,5", "1.2.3", "True", "None", "[1]", "{}", "90.0000001", "-180.5", "1e2e3"),
    *("2024-03-04", "20240304", "03/04/2024 10:00", "4.3.24 10:00", "１２"),
    *("Tue Apr 03 18:00:09 +0000 2012", "'", "Apr 3, 2012 6:00 PM", "3 Apr 2012"),
    *("a\tb", "a;b", "a|b", "a\nb", "a\rb", "-", "+", ".", ",", "e", "E5", "∞", "½", "\u2028"),
)
NAMES = (
    *("user", "time", "lat", "lon", "antenna", "offset", "id", "date", "clock", "cell", "mcc"),
    *("net", "area", "radio", "x", "y", "timestamp", "imsi", "", " ", "user", "lat", "index", "0"),
    *("expert", "domain", "option", "score", "EXPERT ", "row", "reason", "a" * 500, "é", "\x00"),
    *("pseudonym", "group", "x_min_m", "x_max_m", "y_min_m", "y_max_m", "start", "end", "sample"),
    *("lat_min", "lon_max", "user_id", "![](http://x.invalid)", "a.b", "list", "element", "key"),
)
_ZONES = (None, "UTC", "Europe/Paris", "Nowhere/City", "+05:30", "-99:99", "", "\x00", "GMT+25")
_UNITS = ("s", "ms", "us", "ns")


def table_of_any_types(rng, names, n):
    """An Arrow table whose columns have these names and types drawn at random."""
    fields, columns = [], []
    for name in names:
        column = _column(rng, n)
        fields.append(pa.field(name, column.type))
        columns.append(column)
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def field(rng):
    return rng.choice(FIELDS)


def _column(rng, n):
    whole = np.array([_integer(rng) for _ in range(n)], np.int64)
    kind = rng.randrange(16)
    if kind < 5:
        zone = rng.choice(_ZONES)
        return pa.array(whole).view(pa.timestamp(rng.choice(_UNITS), zone))
    match kind:
        case 5:
            return pa.array(whole.astype(np.int32)).view(pa.date32())
        case 6:
            return pa.array(whole // 86_400_000 * 86_400_000).view(pa.date64())
        case 7:
            return pa.array(whole).view(pa.duration(rng.choice(_UNITS)))
        case 8:
            return pa.array(whole % 86_400_000_000).view(pa.time64("us"))
        case 9:
            return pa.array([field(rng).encode() for _ in range(n)], pa.binary())
        case 10:
            bits = np.array([rng.getrandbits(64) for _ in range(n)], np.uint64)
            return pa.array(bits.view(np.float64))
        case 11:
            return pa.array([rng.choice([None, True, False]) for _ in range(n)])
        case 12:
            return pa.array([[1], None, [2, 3]] * n)[:n]
        case 13:
            return pa.array([rng.getrandbits(100) for _ in range(n)], pa.decimal128(38, 10))
        case 14:
            return pa.nulls(n)
    texts = pa.array([field(rng) for _ in range(n)])
    return texts.dictionary_encode() if rng.random() < 0.5 else texts


def _integer(rng):
    return rng.choice([0, 1, -1, 2**63 - 1, -(2**63), 10**18, rng.getrandbits(62), 1_709_546_400])
