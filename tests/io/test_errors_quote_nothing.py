"""No error repeats a field of the file: they reach screens and logs."""

import io

import pandas as pd
import pytest

from fpanon_core.io.antennas import read_antennas
from fpanon_core.io.cdr import read_cdr
from fpanon_core.io.questionnaire import read_questionnaire
from fpanon_core.model.errors import FpanonError

MARK = "Marie Duval-Okonkwo"
NUMBER = "+33 6 12 34 56 78"
FILES = {
    "a first row of text": f"{MARK},Paris,blue\nx,1,2\ny,3,4\n",
    "one known name among data": f"{MARK},id,{NUMBER}\nx,1,2\ny,3,4\n",
    "a column for each person": f"day,hour,{NUMBER},0033612345678\n1,2,3,4\n5,6,7,8\n",
    "a position without a name": f"{MARK},lat,{NUMBER}\nx,14.5,-17.4\ny,14.6,-17.3\n",
    "fields": f"user,time,lat,lon\n{MARK},{NUMBER},{MARK},{NUMBER}\n",
    "semicolons": f"{MARK};Paris;blue\nx;1;2\ny;3;4\n",
}


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("reader", [read_cdr, read_antennas, read_questionnaire])
@pytest.mark.parametrize("form", ["csv", "xlsx", "json"])
def test_no_error_repeats_a_field(file, reader, form):
    content = FILES[file].encode()
    if form != "csv":
        frame = pd.read_csv(io.StringIO(FILES[file]), sep="[,;]", engine="python")
        out = io.BytesIO()
        frame.to_excel(out, index=False) if form == "xlsx" else frame.to_json(out, orient="records")
        content = out.getvalue()
    try:
        found = reader(io.BytesIO(content))
    except FpanonError as fault:
        told = str(fault)
    else:
        assert reader is read_antennas
        told = " ".join(found.attrs["notes"])
    for word in (*MARK.replace("-", " ").split(), NUMBER, "0033612345678", "Paris", "blue"):
        assert word not in told
    with pytest.raises(FpanonError, match="Columns: 'user', 'lat', 'lon', column 4"):
        read_cdr(io.StringIO(f"user,lat,lon,{NUMBER}\na,14.1,-17.2,1\nb,14.2,-17.1,2\n"))
