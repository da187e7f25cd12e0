"""Releases are made once, kept within bounds, and are what release makes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fpanon_core as fp
from fpanon_core.anonymize import chain
from fpanon_core.model.options import step_from_dict, step_to_dict
from fpanon_core.model.shelf import Shelf
from fpanon_core.studies import releases
from fpanon_core.studies.releases import released

WIDE = fp.Generalize(fp.GeneralizationProfile(fp.Grid(10_000), 360))
CHAINS = [
    (),
    (WIDE,),
    (fp.SampleUsers(0.5), WIDE),
    (fp.SampleUsers(0.5), WIDE, fp.SuppressRare(2)),
    (fp.AddNoise(2_000, 30), fp.SampleUsers(0.5)),
    (fp.Glove(2),),
]


@pytest.fixture(scope="module")
def fs():
    return fp.read_cdr(fp.generate_cdr(60, days=2))[0]


def as_asked(step):
    """A step as it was asked for: of a grid, without where it was laid."""
    plain = step_to_dict(step)
    if isinstance(step, fp.Generalize):
        plain["space"].pop("origin", None)
    return step_from_dict(plain)


@pytest.fixture
def applied(monkeypatch):
    """The steps that are taken from here on; nothing is kept before."""
    releases.forget()
    done, true = [], chain.apply

    def noting(data, step, *arguments, **named):
        done.append(as_asked(step))
        return true(data, step, *arguments, **named)

    monkeypatch.setattr(chain, "apply", noting)
    return done


@pytest.mark.parametrize("steps", CHAINS, ids=lambda steps: str(len(steps)))
@pytest.mark.parametrize("seed", [0, 5])
def test_is_what_release_makes(fs, steps, seed):
    for _ in range(2):
        found = released(fs, steps, seed)
        assert found.fs.digest == fp.release(fs, fp.ReleaseOption(steps=steps), seed=seed).digest


def test_each_is_made_once(fs, applied):
    for steps in (*CHAINS, *CHAINS):
        released(fs, steps, 0)
    assert applied == [WIDE, *CHAINS[3], *CHAINS[4], *CHAINS[5]]
    applied.clear()
    released(fs, (WIDE,), 1)  # another seed, or other data, is another release
    released(fs.subset(range(30)), (WIDE,), 0)
    assert applied == [WIDE, WIDE]
    assert releases.reference(fs) is releases.reference(fs)  # of the original's side of utility


def test_what_was_suppressed_is_known_of_a_release_made_before(fs):
    releases.forget()
    steps = CHAINS[3]
    before = released(fs, steps[:2], 0).fs.n_samples
    for _ in range(2):
        found = released(fs, steps, 0)
        assert found.kept_share == pytest.approx(found.fs.n_samples / before)
        assert releases.n_samples(found) == found.fs.n_samples + before
    assert released(fs, steps[:2], 0).kept_share == 1.0


def test_what_was_made_before_a_cancel_is_kept(fs, applied):
    def stop(share):
        if share >= 0.5:
            raise fp.Cancelled

    with pytest.raises(fp.Cancelled):
        released(fs, (fp.SampleUsers(0.5), WIDE), 0, progress=stop)
    released(fs, (fp.SampleUsers(0.5), WIDE), 0)
    assert applied == [fp.SampleUsers(0.5), WIDE, WIDE]  # the second was begun, and begun again


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 120)), max_size=40))
def test_a_shelf_keeps_the_latest_within_its_bounds(things):
    shelf = Shelf(4, 100, lambda thing: thing[1])
    for thing in things:
        shelf.put(thing[0], thing)
        assert len(shelf) <= 4
        assert shelf.size <= 100
        assert (shelf.get(thing[0]) == thing) == (thing[1] <= 100)


def test_what_was_used_longest_ago_makes_room():
    shelf = Shelf(2, 10, lambda size: size)
    shelf.put("a", 1)
    shelf.put("b", 2)
    shelf.get("a")
    shelf.put("c", 3)
    assert [shelf.get(key) for key in "abc"] == [1, None, 3]
    shelf.put("d", 9)  # no room beside a
    assert [shelf.get(key) for key in "acd"] == [None, None, 9]
