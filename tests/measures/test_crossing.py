"""The crossing of two releases: by hand, against everyone with everyone, and its bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fpanon_core import InfeasibleError, SchemaError
from fpanon_core.measures.crossing import crossing, together
from fpanon_core.model.published import ALWAYS, Membership
from fpanon_core.studies.crossing import describe_crossing, describe_followed
from tests.oracles import crossing as oracle

PEOPLE = "abcdefghij"


def of(records):
    """The membership of a list of (person, group, first day, day after the last)."""
    who, group, begin, end = (list(column) for column in zip(*records, strict=True))
    ones = np.ones(len(who), np.int64)
    whose = np.array(who, dtype=object)
    return Membership(whose, np.array(group), np.array(begin), np.array(end), ones)


@st.composite
def releases(draw):
    """Some people in groups, whole or in periods of some days, each with a record in some."""
    days = draw(st.sampled_from([None, 1, 2, 3]))
    if days is None:
        who = draw(st.lists(st.sampled_from(PEOPLE), min_size=1, unique=True))
        return [(p, draw(st.integers(0, 3)), *ALWAYS) for p in who]
    of_person = st.tuples(st.sampled_from(PEOPLE), st.integers(0, 3))
    who = draw(st.lists(of_person, min_size=1, unique=True))
    return [(p, draw(st.integers(0, 3)), t * days, (t + 1) * days) for p, t in who]


def whole(groups):
    """A release without periods, from "ab cd"."""
    return of([(p, g, *ALWAYS) for g, group in enumerate(groups.split()) for p in group])


def meets(record, other):
    """Whether two records are of one person, in days that share one."""
    return record[0] == other[0] and min(record[3], other[3]) > max(record[2], other[2])


def table(found):
    return found.per_person[["first", "second", "together"]].values.tolist()


def test_worked_example():
    """Two releases of eight people.

    The first has abc, def, gh; the second abd, cegh. In the same two groups: ab (abc and abd), c,
    d, e (each by itself), gh; f is in the first alone. So of seven in both c, d, e are alone, and
    the mean of 1/size is (4 · 1/2 + 3 · 1) / 7 = 5/7. By itself: in the first a to e are in groups
    of three (f counts there), g and h of two: (5/3 + 1) / 7; in the second (3/3 + 4/4) / 7.
    """
    found = crossing(whole("abc def gh"), whole("abd cegh"))
    assert (found.n_first, found.n_second, found.n_both) == (8, 7, 7)
    assert (found.only_first, found.only_second) == (1, 0)
    assert found.per_person.columns.tolist() == ["pseudonym", "first", "second", "together"]
    assert table(found) == [
        [3, 3, 2],
        [3, 3, 2],
        [3, 4, 1],
        [3, 3, 1],
        [3, 4, 1],
        [2, 4, 2],
        [2, 4, 2],
    ]
    assert (found.together.smallest, found.together.alone) == (1, 3)
    assert found.together.alone_share == pytest.approx(3 / 7)
    assert found.together.naming == pytest.approx(5 / 7)
    assert (found.first.smallest, found.first.alone) == (2, 0)
    assert found.first.naming == pytest.approx((5 / 3 + 1) / 7)
    assert found.second.naming == pytest.approx(2 / 7)
    assert found.guessing == pytest.approx(1 / 7)
    assert found.newly_alone == 3
    assert found.smaller == 5  # g and h have no smaller crowd than in the first by itself
    assert found.falls
    assert found.sizes.values.tolist() == [[1, 3, 0, 0], [2, 4, 2, 0], [3, 0, 5, 3], [4, 0, 0, 4]]
    assert found.sizes.columns.tolist() == ["size", "together", "first", "second"]
    assert found.periods.values.tolist() == [[1, 1, 7, 1, 3, pytest.approx(5 / 7)]]


def test_periods_are_crossed_where_they_share_a_day():
    """Days against periods of two: the first day with the first two, the third with the next."""
    days = [("a", 0, 0, 1), ("b", 0, 0, 1), ("a", 1, 2, 3), ("b", 2, 2, 3)]
    twos = [("a", 0, 0, 2), ("b", 0, 0, 2), ("a", 1, 2, 4), ("b", 1, 2, 4)]
    found = crossing(of(days), of(twos))
    assert found.periods[["first_period", "second_period"]].values.tolist() == [[1, 1], [2, 2]]
    assert found.periods["smallest"].tolist() == [2, 1]
    # Alone on the third day, and so alone; but there in the first release by itself.
    assert table(found) == [[1, 2, 1], [1, 2, 1]]
    assert (found.newly_alone, found.falls) == (0, False)
    # Groups of the same number in other periods are others.
    assert crossing(of(days), of([("a", 0, 0, 9), ("b", 0, 0, 9)])).periods["people"].tolist() == [
        2,
        2,
    ]


@settings(max_examples=300, deadline=None)
@given(releases(), releases())
def test_equals_everyone_with_everyone(first, second):
    expected = oracle.crossing(first, second)
    if not expected:
        with pytest.raises(InfeasibleError, match="None of the"):
            crossing(of(first), of(second))
        return
    found = crossing(of(first), of(second))
    # In order of the first record that meets one of the second.
    order = list(dict.fromkeys(r[0] for r in first if any(meets(r, other) for other in second)))
    assert table(found) == [expected[p] for p in order]
    assert found.n_both == len(expected)
    assert found.together.smallest == min(sizes[2] for sizes in expected.values())
    assert found.together.alone == sum(sizes[2] == 1 for sizes in expected.values())
    assert found.together.naming == pytest.approx(oracle.naming(expected))
    newly = [1 for a, b, both in expected.values() if both == 1 < min(a, b)]
    assert found.newly_alone == sum(newly)


@settings(max_examples=200, deadline=None)
@given(releases(), releases(), releases())
def test_of_several_it_is_no_larger_than_with_any(first, second, third):
    earlier = together([of(first), of(second)])
    with_each = [oracle.crossing(each, third) for each in (first, second)]
    if not any(with_each):
        return
    found = crossing(earlier, of(third))
    for each in filter(None, with_each):
        assert found.together.smallest <= min(sizes[2] for sizes in each.values())
        assert found.together.alone >= sum(sizes[2] == 1 for sizes in each.values())
    assert found.n_both == len(set().union(*with_each))


def test_several_together_by_hand():
    """With abcd by itself nobody is alone; abcd with ab cd crossed by ac bd leaves each alone."""
    three = [whole("ab cd"), whole("ac bd"), whole("abcd")]
    assert crossing(three[0], three[2]).together.alone == 0
    assert crossing(three[1], three[2]).together.alone == 0
    assert crossing(together(three[:2]), three[2]).together.alone == 4


def test_a_fingerprint_that_stands_for_several_is_as_many():
    who = np.array(["a", "b"], dtype=object)
    days = [np.full(2, day) for day in ALWAYS]
    one = Membership(who, np.array([0, 0]), *days, np.array([3, 1]))
    other = Membership(who, np.array([0, 1]), *days, np.array([3, 1]))
    found = crossing(one, other)
    assert found.n_both == 4
    assert table(found) == [[4, 3, 3], [4, 1, 1]]
    assert found.together.alone == 1
    assert found.together.naming == pytest.approx((3 / 3 + 1) / 4)


def test_others_are_refused_with_their_number():
    with pytest.raises(InfeasibleError, match="None of the 4 people of one release is among"):
        crossing(whole("ab cd"), whole("ef"))


def test_a_record_without_a_person_is_none():
    with pytest.raises(SchemaError, match="Every record needs a person"):
        Membership.whole(np.array(["a"], dtype=object), np.array([0, 1]))


def test_digests_tell_the_same_people_and_nothing_else():
    secret, first, second = b"s" * 32, whole("abc def gh"), whole("abd cegh")
    named = crossing(first, second)
    nameless = crossing(first.keyed(secret), second.keyed(secret))
    assert table(named) == table(nameless)
    assert not set(first.who) & set(first.keyed(secret).who)
    with pytest.raises(InfeasibleError):
        crossing(first.keyed(secret), second.keyed(b"t" * 32))


def test_groups_of_several_periods_narrow_a_crowd_that_none_of_them_does():
    """One group abcd in the first; in the second ab cd on one day and ac bd on the next.

    By any one day everybody is one of two; by both days a is with b and with c: alone.
    """
    days = [(p, g, 0, 1) for p, g in zip("abcd", [0, 0, 1, 1], strict=True)]
    days += [(p, g, 1, 2) for p, g in zip("abcd", [2, 3, 2, 3], strict=True)]
    found = crossing(whole("abcd"), of(days))
    assert (found.together.smallest, found.smaller, found.together.alone) == (2, 0, 0)
    assert [crowd.alone for crowd in found.followed] == [4, 0, 4]
    assert not found.falls  # the second by itself does so
    said = "4 of 4 people are then alone in both together, 0 already in earlier releases and 4"
    assert said in describe_followed(found)
    # ab cd on the first day is not narrowed by ac bd of another release on the second, by a day;
    # followed through both it is.
    first, second = of(days[:4] + [(p, 9, 1, 2) for p in "abcd"]), of(days[4:])
    found = crossing(first, second)
    assert (found.smaller, found.followed_smaller) == (0, 4)
    assert found.falls
    said = describe_crossing(found, "the other")
    assert "no person's group within a period is smaller than the smaller" in said
    assert said.endswith(describe_followed(found))


@settings(max_examples=200, deadline=None)
@given(releases(), releases())
def test_followed_through_all_periods_equals_everyone_with_everyone(first, second):
    if not oracle.crossing(first, second):
        return
    found = crossing(of(first), of(second))
    met = list(dict.fromkeys(r[0] for r in first if any(meets(r, other) for other in second)))
    if max(len(first) - len({r[0] for r in first}), len(second) - len({r[0] for r in second})) == 0:
        assert found.followed is None
        return
    for name, some in (
        ("followed", (first, second)),
        ("first_followed", (first,)),
        ("second_followed", (second,)),
    ):
        groups = {
            p: {(n, *r[1:]) for n, each in enumerate(some) for r in each if r[0] == p} for p in met
        }
        assert found.per_person[name].tolist() == [
            sum(groups[p] == groups[q] for q in met) for p in met
        ]
