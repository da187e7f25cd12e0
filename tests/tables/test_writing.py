"""Tables reach files whole, piece by piece, and come back the same."""

import datetime as dt
from pathlib import Path

import pandas as pd
import pytest

from fpanon_core.model.errors import ConfigError
from fpanon_core.synthetic.generate import generate_cdr, generate_cdr_chunks
from fpanon_core.tables.writing import check_writable, iso_with_offset, write_table


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_pieces_come_back_as_one_table(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"cdr{ending}"
    whole = generate_cdr(40, days=3)
    assert write_table(generate_cdr_chunks(40, chunk_users=7, days=3), path) == len(whole)
    if ending == ".parquet":
        back = pd.read_parquet(path)
    else:
        back = pd.read_csv(path, parse_dates=["timestamp"])
    for name in ("user_id", "lat", "antenna_id", "timestamp"):
        assert (back[name].to_numpy() == whole[name].to_numpy()).all()
    before = path.read_bytes()
    with pytest.raises(ZeroDivisionError):  # a run that fails leaves the old file
        write_table((whole[: 10 // n] for n in (1, 0)), path)
    assert path.read_bytes() == before
    write_table(generate_cdr_chunks(40, chunk_users=7, days=3), path)
    assert path.read_bytes() == before  # equal tables give equal bytes
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_csv_is_quoted_only_where_it_must(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    pieces = [
        pd.DataFrame({"plain": [1, 2], "text": ["a", None]}),
        pd.DataFrame({"plain": [3], "text": ['say "x", or\ny']}),
    ]
    write_table(pieces, path)
    assert path.read_text() == 'plain,text\n1,a\n2,\n3,"say ""x"", or\ny"\n'
    write_table([pd.DataFrame({"a,b": ["c"]})], path)
    assert path.read_text() == '"a,b"\nc\n'


def test_local_times_carry_their_own_offset() -> None:
    """New York, either side of the change at 2024-03-10 02:00 (−05:00 → −04:00); half hours too."""
    instants = pd.to_datetime(["2024-03-10T06:59:59Z", "2024-03-10T07:00:00Z"])
    times = pd.Series(instants.tz_convert("America/New_York"))
    assert iso_with_offset(times).tolist() == [
        "2024-03-10T01:59:59-05:00",
        "2024-03-10T03:00:00-04:00",
    ]
    newfoundland = pd.Series(instants[:1].tz_convert(dt.timezone(-dt.timedelta(hours=3.5))))
    assert iso_with_offset(newfoundland).tolist() == ["2024-03-10T03:29:59-03:30"]


def test_unfit_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"\.csv, \.csv\.gz or \.parquet"):
        check_writable(tmp_path / "cdr.txt")
    with pytest.raises(ConfigError, match="folder does not exist"):
        check_writable(tmp_path / "none" / "cdr.csv")
