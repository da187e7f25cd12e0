"""Before and after in one study: the same as asked by hand, and whom it offers to follow."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import fpanon_core as fp
from fpanon_core.studies import attack
from fpanon_core.studies.followed import follow
from tests.support.alike import check_alike
from tests.support.exports import names_rows
from tests.support.refusals import check_refused

DAY = 1_440
COARSE = fp.Generalize(fp.GeneralizationProfile(fp.Grid(4_000, (0.0, 0.0)), 240))
OPTIONS = {
    "as it is": (),
    "coarse": (COARSE,),
    "noise": (fp.AddNoise(800, 20),),
    "sampled": (COARSE, fp.SampleUsers(0.5)),
    "GLOVE": (fp.Glove(2),),
    "days": (fp.Periods(1), COARSE),
}


def people(n=40, days=3, seed=0, pairs=0):
    """Nights at home, days anywhere; ``pairs`` of them are always together."""
    rng = np.random.default_rng(seed)
    home = np.tile(rng.integers(0, 200, (n, 1, 1, 2)), (1, days, 1, 1))
    place = 100.0 * np.concatenate([home, rng.integers(0, 200, (n, days, 4, 2))], axis=2)
    night, day = rng.integers(0, 300, (n, days, 1)), rng.integers(480, 1_260, (n, days, 4))
    t = np.concatenate([night, day], axis=2) + DAY * np.arange(days)[:, None]
    for each in (place, t):
        each[1 : 2 * pairs : 2] = each[0 : 2 * pairs : 2]
    user = np.repeat(np.arange(n), 5 * days)
    return fp.FingerprintSet.from_samples(user, *place.reshape(-1, 2).T, t.ravel())


def option(name):
    return fp.ReleaseOption(steps=OPTIONS[name])


@pytest.mark.parametrize("name", OPTIONS)
def test_it_finds_what_is_found_by_hand(name):
    fs = people()
    known = {"p": 3, "strategy": "uniform", "users": 30, "seed": 5, "blur_m": 50.0}
    config = attack.Config(option(name), **known, within_m=(2_000, 700), nights=2)
    result = attack.study(fs, config)
    for found, made in (
        (result.before, fp.release(fs, [])),
        (result.after, fp.release(fs, OPTIONS[name], seed=5)),
    ):
        check_alike(found.link, fp.link(fs, made, **known))
        check_alike(found.risk, fp.reidentification(fs, made, **known))
        check_alike(found.error, fp.expected_error(fs, made, **known))
        homes = pd.DataFrame(fp.home_found(fs, made, (700, 2_000), nights=2))
        pd.testing.assert_frame_equal(found.home, homes, check_frame_type=False)
        assert found.home_fault == ""
    assert result.method == fp.release(fs, OPTIONS[name], seed=5).origin.option.text
    assert (result.digest, result.config) == (fs.digest, config)
    assert result.crowd == (2 if name == "GLOVE" else None)
    asked = result.after.link.per_target
    asked = asked[asked["present"]]
    assert result.leading == (asked["better"] == 0).sum() / len(asked)
    assert result.leading >= result.after.link.first
    assert result.period_days == (1 if name == "days" else None)


def test_the_table_has_every_figure_beside_guessing_and_of_whom():
    fs = people()
    result = attack.study(fs, attack.Config(option("sampled"), p=2))
    table = result.to_frame().set_index("measure")
    now, homes, error = result.after.link, result.after.home, result.after.error
    risk = result.after.risk
    name = "re-identification risk"
    assert (table.after[name], table.after_high[name]) == (risk.value, risk.high)
    assert table.before[name] == result.before.risk.value
    assert table.guessing[name] == 1 / 20
    assert table.before_guessing[name] == 1 / 40
    by = risk.by_attacker.set_index("attacker")
    for attacker, words in attack.ATTACKERS.items():
        assert table.after[words] == by["value"][attacker]
    assert table.guessing["record among the first 10"] == 10 / 20
    assert (table.asked[name], table.before_asked[name]) == (20, 40)
    assert table.after["accused, not in the release"] == now.accused
    assert table.asked["accused, not in the release"] == 20
    assert math.isnan(table.guessing["accused, not in the release"])
    assert math.isnan(table.before["accused, not in the release"])
    for metres, found, guessing in zip(homes.within_m, homes.found, homes.guessing, strict=True):
        assert table.after[f"home within {metres:g} m"] == found
        assert table.guessing[f"home within {metres:g} m"] == guessing
    assert table.after["expected error"] == error.metres
    assert table.guessing["expected error"] == error.guessing_m
    assert table.points_alone["expected error"] == error.points_m
    assert table.unit["expected error"] == "m"
    assert (table.unit.drop("expected error") == "share").all()


def test_only_the_table_of_everyone_together_may_leave():
    result = attack.study(people(), attack.Config(p=2))
    assert [name for name in result.tables() if result.may_leave(name)] == ["attack"]
    assert not names_rows(result.to_frame())
    secret = result.for_file("targets")
    assert "user" not in secret
    assert not set(secret.pseudonym) & set(result.to_frame("targets").pseudonym)


@pytest.mark.parametrize("hide", [fp.glove, fp.aligned])
@pytest.mark.parametrize("cut", [False, True])
def test_what_was_hidden_elsewhere_is_attacked_as_it_is(hide, cut):
    fs = people()
    made = hide(fp.into_periods(fs, 1, seed=1) if cut else fs, 3)
    result = attack.study(fs, attack.Config(p=2, seed=3), made)
    assert result.after.link.readings == fp.link(fs, made, 2, seed=3).readings
    assert result.crowd == 3
    assert result.period_days == (1 if cut else None)
    assert result.method == f"{'periods of 1 day, then ' * cut}{result.option.steps[-1]}"
    assert result.after.link.first <= 1 / 3 + 1e-12


def test_the_data_as_they_are_are_asked_once_and_are_both():
    fs = people()
    first = attack.study(fs, attack.Config(option("coarse"), p=2))
    second = attack.study(fs, attack.Config(option("noise"), p=2))
    raw = attack.study(fs, attack.Config(p=2))
    assert first.before is second.before is raw.before is raw.after
    assert first.before is not attack.study(fs, attack.Config(option("coarse"), p=1)).before
    others = attack.Config(option("coarse"), p=2, nights=2)
    assert first.before is not attack.study(fs, others).before


def test_other_data_and_bad_settings_are_refused():
    fs, others = people(), people(seed=1)
    with pytest.raises(fp.ConfigError, match="other data"):
        attack.study(fs, attack.Config(p=2), fp.release(others, []))
    with pytest.raises(fp.ConfigError):
        attack.study(fs, attack.Config(p=2), fs)
    with pytest.raises(fp.InfeasibleError):
        attack.study(fs, attack.Config(p=50))
    check_refused(attack.Config, p=[0, 51], users=[0], seed=[-1], strategy=["?"], nights=[0])
    check_refused(attack.Config, blur_m=[-1], blur_min=[math.nan], within_m=[(), (0,), "500"])


def test_where_nobody_has_a_night_the_reason_is_said():
    fs = fp.FingerprintSet.from_samples([1, 1, 2, 2], [0, 5000, 0, 900], [0] * 4, [600, 700] * 2)
    result = attack.study(fs, attack.Config(p=1))
    assert result.after.home is None
    assert "recorded on at least 1 night" in result.after.home_fault
    row = result.to_frame().set_index("measure").loc["home within 500 m"]
    assert math.isnan(row.after)
    assert row.asked == 0


# --- examples ------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=12)
@example(122, "noise", 1)  # the strongest attacker goes by the best sample
@given(st.integers(0, 1_000), st.sampled_from(list(OPTIONS)), st.integers(1, 4))
def test_examples_are_what_they_say(seed, name, p):
    fs = people(seed=seed, pairs=6)
    config = attack.Config(option(name), p=p, seed=seed)
    result = attack.study(fs, config)
    kinds = [each.kind for each in result.examples]
    assert len(set(kinds)) == len(kinds)
    for each in result.examples:
        assert each.pseudonym == fs.pseudonyms[each.user]
        who, strongest = each.user, result.after.link.attacker
        seen = follow(fs, config, who, period=each.period, attacker=strongest)
        last = seen.steps[-1]
        before = 1 / last.before_level if last.before_better == 0 else 0.0
        match each.kind:
            case "hidden":
                assert before > 0.5
                assert last.found < 0.5
            case "found":
                assert before > 0.5
                assert last.found > 0.5
            case "home":
                home, guess, usual = (
                    (place.x_m, place.y_m) for place in (seen.home, last.guess, seen.commonest)
                )
                assert math.dist(home, guess) <= seen.within_m == 1_000
                assert guess != usual
            case "accused":
                assert not seen.present
                assert last.taken


def test_there_is_somebody_to_follow_of_every_kind_that_there_is():
    fs = people(200, pairs=40)
    kinds = {
        name: {e.kind for e in attack.study(fs, attack.Config(option(name), p=p)).examples}
        for name, p in (("as it is", 1), ("coarse", 1), ("sampled", 4), ("GLOVE", 1))
    }
    assert kinds["as it is"] == {"found", "home"}
    assert "hidden" in kinds["coarse"]
    assert {"hidden", "home"} <= kinds["GLOVE"]
    assert "accused" in kinds["sampled"]
