"""What every long call keeps: progress rises to 1, may cancel, and no thread changes a result."""

import numpy as np
import pandas as pd
import pytest

import fpanon_core as fp
from tests.anonymize.test_shards import people

CALLS = {
    "k_gap": lambda fs, **given: fp.k_gap(fs, 6, **given),
    "unicity": lambda fs, **given: fp.unicity(fs, 2, **given),
    "disclosure": lambda fs, **given: fp.disclosure(fs, fp.draw_knowledge(fs, 2), **given),
    "points needed": lambda fs, **given: fp.points_needed(fs, min_per_month=0, **given),
}
for hide in (fp.glove, fp.aligned):
    CALLS |= {
        hide.__name__: lambda fs, hide=hide, **given: hide(fs, 3, leave_out=0.05, **given),
        f"{hide.__name__} in shards": lambda fs, hide=hide, **given: hide(fs, 2, shards=4, **given),
        f"{hide.__name__} in periods": lambda fs, hide=hide, **given: hide(
            fp.into_periods(fs, 2, seed=1), 3, **given
        ),
    }


def equal(one, other):
    if isinstance(one, pd.DataFrame):
        return one.equals(other)
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, fp.GeneralizedFingerprintSet):
        return all(equal(value, vars(other)[name]) for name, value in vars(one).items())
    return one == other if isinstance(one, int | float | str) else True


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_progress_rises_to_one_and_may_cancel(call):
    fs, told = people(200), []
    call(fs, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)
    for limit in (0.0, 0.3, 0.6):

        def stop(share, limit=limit):
            if share > limit:
                raise fp.Cancelled("stopped by the user")

        with pytest.raises(fp.Cancelled):
            call(fs, progress=stop)


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_threads_change_nothing(call):
    """700 users: several tiles, several batches."""
    fs = people(700)
    one, other = (call(fs, engine=fp.LocalEngine(workers)) for workers in (1, 3))
    if isinstance(one, pd.DataFrame):
        assert one.equals(other)
    else:
        assert all(equal(value, vars(other)[name]) for name, value in vars(one).items())
