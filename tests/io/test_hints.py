"""What a refusal says on a command line and on a screen: no argument of a Python call is left."""

import io
import pickle

import pytest

from fpanon_core.io.cdr import read_cdr
from fpanon_core.io.hints import Message, for_command_line, for_screen, give
from fpanon_core.model.errors import SchemaError

REFUSED = {
    "no time": ("user,lat,lon\na,1.5,2.5\nb,1.5,3.5\n", "--time NAME"),
    "no user": (
        "lat,lon,time\n1.5,2.5,2020-01-01T00:00:00Z\n1.6,2.5,2020-01-01T00:00:00Z\n",
        "--user NAME",
    ),
    "journeys": (
        "track_id,lat,lon,time\n1,1.5,2.5,2020-01-01T00:00:00Z\n2,1.6,2.5,2020-01-01T00:01:00Z\n",
        "--user track_id",
    ),
    "no position": (
        "user,time\na,2020-01-01T00:00:00Z\nb,2020-01-01T00:00:00Z\n",
        "--lat NAME --lon NAME",
    ),
    "antennas only": ("antenna_id,lat,lon\nA1,1.5,2.5\nA2,1.5,3.5\n", "--antennas"),
    "all rows bad": ("user,time,lat,lon\na,x,1.5,2.5\nb,y,1.5,3.5\n", "date and time"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case):
    table, option = REFUSED[case]
    with pytest.raises(SchemaError) as refusal:
        read_cdr(io.StringIO(table))
    said = refusal.value.message
    for text in (for_command_line(said), for_screen(said)):
        assert "columns=" not in text
        assert "antennas=" not in text
        assert "{" not in text
    assert option in for_command_line(said)
    assert "--" not in for_screen(said)
    assert str(refusal.value) == said  # to whoever calls, and nothing is lost on the way to others
    assert for_command_line(pickle.loads(pickle.dumps(said))) == for_command_line(said)


def test_notes_are_worded_for_each_reader_too():
    rows = "a,2020-01-01T00:00:00Z,1.5,2.5\nb,2020-01-02T00:00:00Z,1.6,2.7\n"
    notes = read_cdr(io.StringIO(rows))[1].notes
    assert "columns=" in " ".join(notes)
    assert "columns=" not in " ".join(map(for_screen, notes))
    assert "--lat NAME --lon NAME" in " ".join(map(for_command_line, notes))


def test_a_files_own_names_do_not_mix_up_the_readers():
    said = Message(f"It lacks a user; {give('user', name='a' + chr(0xE001) + 'b' + chr(0xE000))}.")
    said = pickle.loads(pickle.dumps(said))
    assert for_command_line(said) == "It lacks a user; give --user ab."
    assert for_screen(said) == "It lacks a user; choose it below."
