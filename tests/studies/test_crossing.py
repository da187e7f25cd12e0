"""Two releases crossed: results, files with their keys, and one of each; and what is refused."""

import gc
import json
import shutil
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest

import fpanon_core as fp
from fpanon_core.measures.crowds import sharing
from fpanon_core.studies import crossing, production
from fpanon_core.studies.crossing import membership
from tests.oracles import crossing as oracle
from tests.support.commands import figures_of, refused, said_by
from tests.support.releases import members_of

MARK = "SECRETID-"
OPTIONS = {
    "GLOVE": [fp.Glove(2)],
    "aligned": [fp.Aligned(3)],
    "aligned, limits": [fp.Aligned(2, 8_000, 720)],
    "coarser": [fp.Generalize(fp.GeneralizationProfile(fp.Grid(20_000), 2880))],
    "sample": [fp.SampleUsers(0.5), fp.Aligned(2)],
    "noise": [fp.AddNoise(500, 30)],
    "two days": [fp.Periods(2), fp.Glove(2)],
    "days, coarser": [
        fp.Generalize(fp.GeneralizationProfile(fp.Grid(20_000), 1440)),
        fp.Periods(1),
    ],
}


@pytest.fixture(scope="module")
def fs():
    table = fp.generate_cdr(40, days=4)
    table["user_id"] = MARK + table["user_id"].astype(str)
    return fp.read_cdr(table)[0]


@pytest.fixture(scope="module")
def made(fs):
    return {name: fp.release(fs, steps, seed=3) for name, steps in OPTIONS.items()}


@pytest.fixture(scope="module")
def files(made, tmp_path_factory):
    """Each option's release and key, as folder or zip, CSV or Parquet by turns."""
    folder = tmp_path_factory.mktemp("crossing")
    found = {}
    for at, (name, each) in enumerate(made.items()):
        key = folder / f"KEY-{at}.csv"
        target = folder / (f"{at}.zip" if at % 2 else f"{at}")
        fp.publish(each, target, key=key, format="parquet" if at % 3 else "csv")
        found[name] = target, key
    return found


@pytest.mark.parametrize("second", OPTIONS)
@pytest.mark.parametrize("first", ["GLOVE", "two days"])
def test_files_give_what_results_give(made, files, first, second):
    at_hand = fp.cross_releases(made[first], made[second])
    (a, first_key), (b, second_key) = files[first], files[second]
    read = fp.cross_releases(a, b, first_key=first_key, second_key=second_key)
    mixed = fp.cross_releases(made[first], b, second_key=second_key)
    for found in (read, mixed):
        for name in ("together", "first", "second", "n_first", "n_second", "n_both", "ks", "names"):
            assert getattr(found, name) == getattr(at_hand, name)
        pd.testing.assert_frame_equal(found.sizes, at_hand.sizes)
        pd.testing.assert_frame_equal(found.periods, at_hand.periods)
    # Whoever it is called by, the same crowds.
    sizes = ["first", "second", "together"]
    assert sorted(read.per_person[sizes].values.tolist()) == sorted(
        at_hand.per_person[sizes].values.tolist()
    )


def test_equals_everyone_with_everyone_as_the_reader_has_the_tables(fs):
    """From the tables of two results, which pass through nothing that crossing uses."""
    results = [fp.aligned(fp.into_periods(fs, 2, seed=0), 2), fp.glove(fs, 3)]
    lists = []
    for result in results:
        naming = result.records.named()
        table = pd.concat(list(result.records.frames(naming)))
        inside = result.group >= 0
        days = {}
        if result.period is not None:
            begins = (2 * result.period[inside]).tolist()
            days = dict(zip(naming.pseudonyms, begins, strict=True))
        whose = dict(zip(naming.pseudonyms, result.people[inside].tolist(), strict=True))
        lists.append(
            [
                (
                    whose[name],
                    tuple(map(tuple, rows.drop(columns="pseudonym").values.tolist())),
                    *((days[name], days[name] + 2) if days else (-9, 99)),
                )
                for name, rows in table.groupby("pseudonym")
            ]
        )
    expected = oracle.crossing(*lists)
    found = fp.cross_releases(*results)
    sizes = found.per_person.set_index("pseudonym")[["first", "second", "together"]]
    assert {fs.pseudonyms[u]: s for u, s in expected.items()} == {
        name: list(row) for name, row in zip(sizes.index, sizes.values.tolist(), strict=True)
    }
    assert found.first.smallest >= 2
    assert found.second.smallest >= 3
    assert found.together.smallest == 1  # the example shows something


def test_where_nobody_is_grouped_people_share_whole_records(made):
    each = made["coarser"]
    found = fp.cross_releases(each, each)
    assert found.per_person["first"].tolist() == sharing(each.origin.released).tolist()
    assert not found.falls


def test_the_same_groups_twice_are_no_second_release(fs, tmp_path):
    """Hiding draws nothing: another publication of the same has other names and the same groups."""
    result, keys = fp.glove(fs, 2), [tmp_path / "a.csv", tmp_path / "b.csv"]
    a, b = (fp.publish(result, key.with_suffix(".zip"), key=key, original=fs) for key in keys)
    found = fp.cross_releases(a, b, first_key=keys[0], second_key=keys[1])
    assert not found.falls
    assert found.together == found.first == found.second
    assert found.digests[0] != found.digests[1]
    others = found.together.smallest - 1
    assert crossing.describe_crossing(found, "the first") == (
        "With the first and this release together, no person's group is smaller than the smaller "
        "of that person's two groups. Each of 40 people shares both groups with at least "
        f"{others} other{'s' * (others > 1)}."
    )


# --- what is refused -----------------------------------------------------------------------------


def test_without_a_key_it_is_said_what_is_needed(files, made):
    place, key = files["GLOVE"]
    for keys in ({}, {"first_key": key}):
        with pytest.raises(fp.ConfigError, match=r"who is who.*Give the pseudonym key"):
            fp.cross_releases(place, place, **keys)
    with pytest.raises(fp.ConfigError, match="Give a pseudonym key only with"):
        fp.cross_releases(made["GLOVE"], made["GLOVE"], first_key=key)
    changed = made["GLOVE"].subset([0, 1])
    with pytest.raises(fp.ConfigError, match="give what release or glove returned"):
        fp.cross_releases(changed, made["GLOVE"])


def test_a_result_whose_data_nobody_holds_asks_for_them():
    def two():
        return fp.FingerprintSet.from_samples([1, 2], [0, 0], [0, 0], [5, 6])

    result = fp.glove(two(), 2)
    gc.collect()
    with pytest.raises(fp.ConfigError, match="give original=, the fingerprints that were hidden"):
        fp.cross_releases(result, result)
    assert fp.cross_releases(result, result, original=two()).n_both == 2


def test_keys_of_other_releases_are_refused_by_number(files):
    (a, first_key), (b, second_key) = files["GLOVE"], files["aligned"]
    with pytest.raises(fp.ConfigError, match="0 of the 40 pseudonyms in the release, and 40 not"):
        fp.cross_releases(a, b, first_key=second_key, second_key=first_key)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: t.iloc[1:], "names 39 of the 40"),
        (lambda t: pd.concat([t, t.iloc[:1]]), "40 pseudonyms in the release, and 1 not in it"),
        (lambda t: t.assign(user_id="x"), "gives a person several pseudonyms"),
        (lambda t: t.rename(columns={"user_id": "who"}), "The key lacks pseudonym or user_id"),
    ],
)
def test_damaged_keys_are_refused(files, tmp_path, change, said):
    place, key = files["GLOVE"]
    wrong = tmp_path / "k.csv"
    change(pd.read_csv(key)).to_csv(wrong, index=False)
    with pytest.raises((fp.ConfigError, fp.SchemaError), match=said) as caught:
        fp.cross_releases(place, place, first_key=wrong, second_key=key)
    assert MARK not in str(caught.value)
    for content in (b"", b"\xff\xfe", b"a" * 99):
        with pytest.raises(fp.SchemaError, match="The key "):
            fp.cross_releases(place, place, first_key=content, second_key=key)
    with pytest.raises(fp.SchemaError, match="The key is missing"):
        fp.cross_releases(place, place, first_key=tmp_path / "none.csv", second_key=key)


def test_few_in_common_are_said(fs):
    first = membership(fp.glove(fs, 2), original=fs)
    who = np.array([*fs.user_ids[:1], *range(39)], dtype=object)
    second = type(first).whole(who, np.arange(40) // 2)
    found = crossing.crossed(second, [first])
    assert found.n_both == 1
    assert crossing.describe_counted(found) == (
        "1 person is in both releases. In all, one release holds 40 people, the other 40. "
        "Few are in both: are these releases "
        "of the same people, under the same ids?"
    )


def test_a_release_that_is_not_as_it_was_written_is_refused(files, tmp_path):
    place, key = files["GLOVE"]
    assert place.is_dir()
    for name, damage in {
        "truncated": lambda p: p.write_bytes(p.read_bytes()[:-40]),
        "emptied": lambda p: p.write_bytes(b""),
        "gone": lambda p: p.unlink(),
    }.items():
        copy = tmp_path / name
        shutil.copytree(place, copy)
        damage(copy / "data.csv")
        with pytest.raises(fp.SchemaError, match="The release has changed since it was written"):
            fp.cross_releases(copy, copy, first_key=key, second_key=key)
    zipped, key = files["aligned"]
    content = zipped.read_bytes()
    for wrong in (content[: len(content) // 2], b"", b"PK" * 30):
        with pytest.raises(fp.SchemaError, match="The release has changed since it was written"):
            fp.cross_releases(wrong, zipped, first_key=key, second_key=key)
    with pytest.raises(fp.SchemaError, match="There is no release at that place"):
        fp.cross_releases(tmp_path / "none.zip", zipped, first_key=key, second_key=key)


def test_what_a_description_says_of_periods_is_not_trusted(files, tmp_path):
    place, key = files["two days"]
    copy = tmp_path / "copy"
    copy.mkdir()
    for name, content in members_of(place).items():
        (copy / name).write_bytes(content)
    told = json.loads((copy / "datapackage.json").read_text())
    for epoch, zone in (("today", "UTC"), (None, "UTC"), ("2024-03-04", "Nowhere/At all")):
        told["fpanon"] |= {"epoch": epoch, "timezone": zone}
        (copy / "datapackage.json").write_text(json.dumps(told))
        with pytest.raises(fp.SchemaError, match=r"on which day, or in which time|has changed"):
            fp.cross_releases(copy, copy, first_key=key, second_key=key)


# --- as it is asked ------------------------------------------------------------------------------


def test_the_command_tells_the_same(made, files, tmp_path):
    (a, first_key), (b, second_key) = files["GLOVE"], files["aligned"]
    found = fp.cross_releases(made["GLOVE"], made["aligned"])
    asked = ["cross", a, b, "--key", first_key, "--key", second_key]
    told = said_by(*asked, "--tables", tmp_path / "tables")
    assert f"together, {found.together.alone} of 40 people are each alone: nobody else" in told
    assert (
        "has 2 people in the first release, and 3 in the second release. With both together, it"
        in told
    )
    assert crossing.describe_naming(found) in told
    assert crossing.MEANING in told
    listed = pd.read_csv(tmp_path / "tables" / "FILES.csv").set_index("file")["may_leave"]
    may = dict.fromkeys(("crossing.csv", "crossing_sizes.csv", "crossing_periods.csv"), "yes")
    assert listed.to_dict() == may | {"crossing_people_not_for_release.csv": "no"}
    assert "A release does not say who is who" in refused("cross", a, a, "--key", first_key)
    figures = figures_of(*asked)
    assert figures["crowds"][0]["alone"] == found.together.alone
    assert (figures["both"], figures["k"]) == (40, [2, 3])
    for text in (told, json.dumps(figures)):
        assert MARK not in text
    for file in (tmp_path / "tables").iterdir():
        assert MARK not in file.read_text()


def test_files_given_in_the_dashboard_are_read_or_refused_in_words(files):
    place, key = files["aligned"]
    config = crossing.Config("r", "k")
    read = crossing.study(config, place.read_bytes(), key.read_bytes())
    assert read.refused == ""
    assert (read.found.n_people, read.found.k) == (40, 3)
    wrong = crossing.study(config, place.read_bytes(), files["GLOVE"][1].read_bytes())
    assert wrong.found is None
    assert "This is not the key of this release" in wrong.refused


def test_what_is_produced_says_whose_its_records_are(fs):
    config = production.Config(fp.ReleaseOption(steps=[fp.Glove(2)]))
    found = production.study(fs, config)
    assert found.membership.n_people == 40
    assert set(found.membership.who) == {str(name) for name in fs.user_ids}
    again = production.study(fs, config)
    assert again.membership.digest != found.membership.digest  # of the bytes, under other names
    crossed = crossing.crossed(again.membership, [found.membership])
    assert not crossed.falls
    assert found.membership.digest in members_of(found.archive)["README.md"].decode()


def test_two_groups_with_equal_rows_are_two_in_the_file_as_at_hand(tmp_path):
    """The file numbers groups: of four who were together two and two are told apart."""
    fs = fp.FingerprintSet.from_samples([*"abcd"], [0] * 4, [0] * 4, [5] * 4)
    result = fp.glove(fs, 2)
    assert result.published.n_groups == 2
    fp.publish(result, tmp_path / "r.zip", key=tmp_path / "k.csv", original=fs)
    read = membership(tmp_path / "r.zip", key=tmp_path / "k.csv")
    assert read.size.tolist() == membership(result).size.tolist() == [2, 2, 2, 2]


def test_periods_are_the_days_of_the_calendar(fs, made, files):
    zone = ZoneInfo(fs.clock.timezone)
    first = fs.clock.epoch.astimezone(zone).date().toordinal()
    place, key = files["two days"]
    for each in (membership(made["two days"]), membership(place, key=key)):
        assert sorted(set(each.begin_day.tolist())) == [first, first + 2]
        assert (each.end_day - each.begin_day == 2).all()
