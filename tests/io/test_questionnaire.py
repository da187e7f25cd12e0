"""Questionnaires: every row is used, or reported with its number and reason."""

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fpanon_core as fp
from fpanon_core.io import questionnaire as q
from fpanon_core.io.samples import sample

FILE = sample("synthetic").path.parent / "questionnaire_synthetic.csv"
OPTIONS = ["1 km · 1 h", "GLOVE, k = 2"]
# Rows 2 … of a file, the header being row 1.
MESSY = """Score;EXPERT;remark;Domain;Option
7;A;fine;transport;1 km · 1 h
8;A;;Transport ;glove, k = 2
;A;;transport;1 km · 1 h
10,5;B;;transport;1 km · 1 h
-1;B;;transport;1 km · 1 h
good;B;;transport;1 km · 1 h
5;;;transport;1 km · 1 h
5;B;;;1 km · 1 h
5;B;;transport;
5;B;;tourism;1 km · 1 h
5;B;;transport;2 km · 1 h
3;a;again;TRANSPORT;1 KM · 1 h
0;B;;transport;1 km · 1 h
4;B;too;many;fields;here
10;B;;transport;GLOVE, k = 2
"""


def test_every_row_is_used_or_reported():
    used = fp.read_questionnaire(
        io.BytesIO(MESSY.encode()), options=OPTIONS, domains=["transport", "epidemics"]
    )
    assert used[["expert", "domain", "option"]].values.tolist() == [
        ["A", "transport", "1 km · 1 h"],
        ["A", "transport", "GLOVE, k = 2"],
        ["B", "transport", "1 km · 1 h"],
        ["B", "transport", "GLOVE, k = 2"],
    ]
    assert used["score"].tolist() == [7, 8, 0, 10]
    rejected = used.attrs["rejected"]
    assert dict(zip(rejected["row"], rejected["reason"], strict=True)) == {
        4: "no score",
        5: q.OUTSIDE,
        6: q.OUTSIDE,
        7: q.NO_NUMBER,
        8: "no expert",
        9: "no domain",
        10: "no option",
        11: q.UNKNOWN_DOMAIN,
        12: q.UNKNOWN_OPTION,
        13: q.DUPLICATE,
        15: q.MALFORMED,
    }
    assert rejected.loc[rejected["row"] == 7, "score"].tolist() == ["good"]
    assert rejected.loc[rejected["row"] == 12, "option"].tolist() == ["2 km · 1 h"]

    used = fp.read_questionnaire(io.BytesIO(MESSY.encode()))  # without lists
    assert {"tourism", "transport"} <= set(used["domain"])
    assert "2 km · 1 h" in set(used["option"])
    frame = pd.DataFrame({"expert": "A", "domain": "d", "option": "o", "score": [11, 4, 5]})
    used = fp.read_questionnaire(frame)
    assert used["score"].tolist() == [4]
    assert used.attrs["rejected"]["reason"].tolist() == [q.OUTSIDE, q.DUPLICATE]


cell = st.sampled_from(["A", "b", "", " ", "NA", "transport", "1 km · 1 h", "3", "11"])


@given(
    st.lists(
        st.tuples(cell, cell, cell, st.sampled_from(["5", "", "x", "-2", "10", "1e2"])),
        min_size=1,
        max_size=25,
    )
)
def test_rows_add_up(rows):
    frame = pd.DataFrame(rows, columns=["expert", "domain", "option", "score"])
    # One good answer, so that something can be used.
    frame.loc[len(frame)] = ["C", "transport", OPTIONS[0], "5"]
    rows = [*rows, ()]
    used = fp.read_questionnaire(frame, options=OPTIONS)
    rejected = used.attrs["rejected"]
    assert len(used) + len(rejected) == len(rows)
    assert used["score"].between(0, 10).all()
    assert set(used["option"]) <= set(OPTIONS)
    assert not used[["expert", "domain", "option"]].duplicated().any()
    assert rejected["row"].is_monotonic_increasing


def test_template_comes_back_filled(tmp_path):
    options = [fp.GeneralizationProfile(fp.Grid(1000), 60), "GLOVE, k = 2"]
    empty = fp.questionnaire_template(options, experts=["A", "B"])
    assert len(empty) == 8
    assert empty["score"].isna().all()
    with pytest.raises(fp.SchemaError, match="no score"):
        fp.read_questionnaire(empty)
    filled = empty.assign(score=np.arange(8) + 0.5)
    filled.to_csv(tmp_path / "filled.csv", index=False)
    filled.to_excel(tmp_path / "filled.xlsx", index=False)
    for path in tmp_path.iterdir():
        back = fp.read_questionnaire(path, options=options, domains=["transport", "epidemics"])
        assert back["score"].tolist() == (np.arange(8) + 0.5).tolist()
        assert back["option"].tolist() == ["1 km · 1 h", "GLOVE, k = 2"] * 4


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("expert,domain,score\nA,d,1\n", "'option'"),
        ("expert,domain,option,score\n", "'expert'"),
        (
            "expert,domain,option,score\nA,transport,plain,high\nB,transport,plain,low\n",
            q.NO_NUMBER,
        ),
    ],
)
def test_what_is_no_questionnaire_says_why(table, words):
    with pytest.raises(fp.SchemaError, match=words):
        fp.read_questionnaire(io.StringIO(table))


def test_the_example_is_what_the_generator_makes_and_fits_the_preset():
    made = fp.synthetic_questionnaire()
    used = fp.read_questionnaire(FILE)
    pd.testing.assert_frame_equal(used, made.astype({"score": float}), check_dtype=False)
    assert len(used.attrs["rejected"]) == 0
    assert used["expert"].str.startswith("synthetic").all()
    shipped = sample("synthetic")
    fs, _ = fp.read_cdr(shipped.path, antennas=shipped.antennas_path, timezone=shipped.timezone)
    names = [option.name for option in fp.trade_grid(fs)]
    assert list(dict.fromkeys(used["option"])) == names
    assert used.groupby(["domain", "option"]).size().eq(10).all()
