"""Words of a report: plain names of measures and components, and numbers in words."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence

from ..io.ledger import Spent
from ..model.configs import Strategy
from ..model.definitions import of_risks
from ..model.disclosure import ALONE, PLAIN, RISKS
from ..model.options import Generalize, Periods, ReleaseOption, Synthesize
from ..model.release_page import count as count
from ..model.release_page import duration, length, two_digits
from ..model.release_page import listed as listed
from ..model.release_page import percent as percentage
from .judgement import Limits, interval
from .option_result import HOURS, LOST, MOSTLY_STATED, OptionResult, UtilityChoice
from .options_table import OptionsTable
from .release_facts import size, thin

QUESTION = "Which release of these data is safe, and what is lost?"
SESSION = (
    "Tables of nearly the same people can be subtracted from each other: the difference reveals "
    "individual people. Releases of other sessions are not listed. People are recognized by their "
    "ids, so releases of files with other ids are not listed."
)
"""What to know about several releases of the same people."""
_LONGEST = 2_000
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
MEASURES = {risk: each.report for risk, each in of_risks().items()}
"""Words for each measure of :data:`fpanon_core.model.disclosure.RISKS`, and for unique records."""

COMPONENTS = {
    "density": ("Density", "how many people are where, by hour"),
    "flows": ("Flows", "how many go from where to where"),
    "mobility": ("Mobility", "how far people range"),
    "visits": ("Visits", "among how many places people move"),
    "space": ("Spatial resolution", "how finely places are told apart"),
    "time": ("Temporal resolution", "how finely times are told apart"),
}
"""Title and meaning of each component of utility."""

_ROUGH = 0.5  # of density or flows: the release shows only a rough picture
_SAID = 0.01  # smallest share of flows that is worth giving as an example
DRAWN: dict[Strategy, str] = {
    "random": "drawn from the person's interactions, so that busy places and times are likelier",
    "uniform": "drawn from the person's samples, each equally likely",
    "top": "the person's most visited places, without times",
    "consecutive": "rows that follow one another",
}
"""Points of a person that an attacker with a strategy knows."""


def shown(text: str, *, lines: bool = False) -> str:
    r"""Return an untrusted text, with invisible and direction-changing characters replaced.

    Runs of spaces become one space, and a text of more than 2,000 characters is cut.

    Parameters
    ----------
    text : str
    lines : bool
        Whether to keep line breaks.

    Examples
    --------
    >>> shown("a \u202e b"), shown("a\n b"), shown("a\nb", lines=True)
    ('a � b', 'a b', 'a\nb')
    """
    if lines:
        return "\n".join(shown(line) for line in text[:_LONGEST].splitlines())
    line = "".join(
        "\ufffd" if unicodedata.category(c) in _UNSEEN else c for c in " ".join(text.split())
    )
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def percent(share: float) -> str:
    """Return a share in percent; only exactly 0 is "none", and only exactly 1 is "100%".

    Examples
    --------
    >>> percent(0.0), percent(0.0002), percent(0.023), percent(0.5), percent(1.0)
    ('none', 'less than 0.1%', '2.3%', '50%', '100%')
    """
    if math.isnan(share):
        return "not known"
    return percentage(share) if share else "none"


def value(number: float, risk: str) -> str:
    """Return a risk with its unit; a share of 0 becomes "none found"."""
    if math.isnan(number):
        return "not known"
    if MEASURES[risk].unit == "%":
        return "none found" if number == 0 else percent(number)
    return f"{_three(number)} {MEASURES[risk].unit}"


def utility(choice: UtilityChoice, result: OptionResult) -> str:
    """Return an option's utility, and its range over grid origins and draws.

    The range is left out if its ends are equal when rounded to two decimals.
    """
    score, (low, high) = choice.of(result), choice.ends(result)
    if math.isnan(score):
        return "not scored"
    least, most = f"{low:.2f}", f"{high:.2f}"
    return f"{score:.2f}" + (f" ({least}–{most})" if low == low and least != most else "")


def component(kept: float) -> str:
    """Return a component of utility, or a dash where it is not applicable."""
    return "–" if math.isnan(kept) else f"{kept:.2f}"


def _down(share: float) -> float:
    """Round a share down to hundredths: what is not enough must not look as if it were."""
    return round(share - 0.005 + 1e-9, 2) + 0.0  # no −0


def needed(result: OptionResult, component: str) -> float:
    """Return the least value of a component that a purpose can use, to hundredths.

    The value is rounded up, but not beyond the value that the option is said to keep, if that value
    is enough.

    Examples
    --------
    >>> from dataclasses import replace
    >>> few = OptionResult(ReleaseOption(), guessing={"flows": 0.05})
    >>> [needed(replace(few, components={"flows": f}), "flows") for f in (0.142, 0.149)]
    [0.15, 0.14]
    """
    kept, least = _least(result, component), result.needed(component)
    up = round(least + 0.005 - 1e-9, 2)
    return min(up, _down(kept)) if kept >= least else up


def _least(result: OptionResult, component: str) -> float:
    """Return what is kept of a component, with noise by the draw that keeps least."""
    return result.least.get(component, result.components[component])


def keeps(result: OptionResult, component: str, *, least: bool = True) -> str:
    """Say how much of a component is kept and, with ``least``, whether that is enough.

    The share kept is barely enough if it is little more than the result of guessing. Less than half
    is rough.

    Examples
    --------
    >>> result = OptionResult(ReleaseOption(), components={"flows": 0.49}, guessing={"flows": 0.42})
    >>> keeps(result, "flows")
    '49% of trips agree with the data (barely enough; minimum: 48%; guessing: 42%)'
    """
    if component == HOURS:
        return f"it {'may show' if result.hours_hidden else 'shows'} no differences between hours"
    kept, even = result.components[component], result.guessing.get(component, 0.0)
    values = _down(kept), needed(result, component)
    if component == "flows":
        told, needs = (f"{100 * share:.0f}%" for share in values)
        said = f"{told} of trips agree with the data"
    else:
        told, needs = (f"{share:.2f}" for share in values)
        said = f"{COMPONENTS[component][0].lower()} is {told} of 1"
    beside = [f"guessing: {even:.0%}"] if even and component == "flows" else []
    lowest = _least(result, component)
    if kept < result.needed(component):
        beside = ["too little", f"minimum: {needs}", *beside]
    elif lowest < result.needed(component):
        low = f"{100 * _down(lowest):.0f}%" if component == "flows" else f"{_down(lowest):.2f}"
        beside = [f"too little in some draws of noise: {low}", f"minimum: {needs}", *beside]
    elif even and kept < even + 2 * LOST * (1 - even):
        beside = ["barely enough", f"minimum: {needs}", *beside]
    elif kept < _ROUGH:
        beside = ["rough", *beside]
    return f"{said} ({'; '.join(beside)})" if least and beside else said


def components(names: Sequence[str]) -> str:
    """Return components of utility in words.

    Examples
    --------
    >>> components(["flows", "time"])
    'flows and temporal resolution'
    """
    titles = {name: title.lower() for name, (title, _) in COMPONENTS.items()}
    return listed([titles.get(name, "the differences between hours") for name in names])


def areas(table: OptionsTable) -> str:
    """Say in which areas density and flows were compared.

    Return "" where the areas are not known, or where the utility has no weights of components.
    """
    known = sorted({result.areas for result in table.results if result.areas})
    if not known or table.choice.weights is None:
        return ""
    corners = ", placed in nine ways; the figures are the mean and the range"
    corners = corners if known[0].startswith("squares") else ""
    return f"Density and flows are compared on {shown(known[0])}{corners}."


def draws(table: OptionsTable) -> str:
    """Say that utility with ε is a mean over draws; return "" if it is not."""
    noisy = any(r.option.epsilon for r in table.results)
    if not noisy or table.figures < 6:
        return ""
    return (
        "With ε, utility is a mean over five draws of noise; the release is another draw. To serve "
        "the purpose, each draw must keep enough."
    )


def describe_sum(total: float, risk: str, option: ReleaseOption | None = None) -> str:
    """Describe a sum of EM- or KL-disclosure; return "" for other measures, for 0, or if not known.

    EM adds |P(there | known) - P(there)| over all bins of area and time window. A bin adds 1 if a
    probability of 0 becomes 1, so the sum is stated as a number of visits. KL, in nats, divided by
    ln 2 gives bits. A bit is the answer to a yes-or-no question whose answers are equally likely.

    Parameters
    ----------
    total : float
        Bins of EM, nats of KL.
    risk : str
    option : ReleaseOption or None
        Option whose time windows are stated, if its last step generalizes.

    Examples
    --------
    >>> describe_sum(12.2, "em")
    'as much as learning, visit by visit, whether 12 visits took place'
    >>> describe_sum(10.0, "kl")
    'as much as the answers to 14 yes-or-no questions'
    >>> describe_sum(0.05, "home")
    ''
    """
    if risk not in PLAIN or not math.isfinite(total) or not total:
        return ""
    if risk == "kl":
        bits = _rounded(total / math.log(2))
        return f"as much as the answers to {bits} yes-or-no questions"
    visits = f"as much as learning, visit by visit, whether {_rounded(total)} visits took place"
    if option is None or not option.steps or not isinstance(last := option.steps[-1], Generalize):
        return visits
    return f"{visits}, each in a window of {duration(last.profile.minutes)}"


def _rounded(number: float) -> str:
    return two_digits(number) if number >= 10 else f"{number:.1f}"


def between(low: float, high: float, risk: str) -> str:
    """Return a 95% interval, such as "1.2% to 3.4%" or "up to 2.1%".

    Return "" where the interval is not known, for an exact count of unique records, and where the
    risk cannot be above 0.
    """
    if math.isnan(low) or math.isnan(high) or high == 0 or (low == high and risk == ALONE):
        return ""
    if MEASURES[risk].unit != "%":
        return f"{_three(low)} to {_three(high)} {MEASURES[risk].unit}"
    if high < 0.001:
        return percent(high)
    if low < 0.001 or percent(low) == percent(high):
        return f"up to {percent(high)}"
    return f"{percent(low)} to {percent(high)}"


def describe_interval(low: float, high: float, risk: str) -> str:
    """Return a 95% interval with its name, or why there is none; return "" if neither is known."""
    if ends := between(low, high, risk):
        return f"95% interval: {ends}"
    return "every record is shared" if high == 0 and risk == "unicity" else ""


def estimate(result: OptionResult, risk: str) -> str:
    """Return a risk with its interval and what guessing finds, in one phrase.

    An example is "62% (95% interval: 58% to 66%; guessing finds 2.5%)".
    """
    if risk == ALONE:
        return people(result)
    found = value(interval(result, risk)[0], risk)
    asked = homes_asked(result) if risk == "home" else ""
    inside = "; ".join(filter(None, (asked and f"of {asked}", evidence(result, risk))))
    return f"{found} ({inside})" if inside else found


def evidence(result: OptionResult, risk: str) -> str:
    """Return a risk's interval, what guessing finds, and what a sum of EM or KL means.

    For homes in an option without records, the interval is that of what the person's data add.
    Return "" where none of these is known.
    """
    found, low, high = interval(result, risk)
    beside = guessing(result, risk)
    ends, added = describe_interval(low, high, risk), ""
    if risk == "home" and result.option.recordless is not None and beside:
        more = 100 * max(0.0, high - result.guessing[risk])  # the interval is of this difference
        ends, added = "", f"the person's data add at most {more:.3g} in 100 (95%)"
    parts = (
        ends,
        beside and guesses(result, beside),
        added,
        describe_sum(found, risk, result.option),
    )
    return "; ".join(filter(None, parts))


def guesses(result: OptionResult, share: str) -> str:
    """Say that guessing finds ``share``, a text such as "2.5%".

    For an option without records, name an attacker without the person's data instead of guessing.
    """
    if result.option.recordless is None:
        return f"guessing finds {share}"
    return f"{share} without the person's data"


def guessing(result: OptionResult, risk: str) -> str:
    """Return the share that guessing finds, such as "2.5%"; "" where it is not measured."""
    share = result.guessing.get("linkage" if risk in ("outsider", "k") else risk, math.nan)
    return "" if math.isnan(share) else percent(share)


def homes_asked(result: OptionResult) -> str:
    """Return the denominator of the home-inference rate in words; "" if not known.

    An example is "11 people with recorded nights".
    """
    if not result.homes_asked:
        return ""
    if any(isinstance(step, Periods) for step in result.option.steps):
        records = count(result.homes_asked, "record")
        return f"{records} of people with recorded nights"
    return f"{count(result.homes_asked, 'person')} with recorded nights"


def little_use(result: OptionResult) -> bool:
    """Return whether a release is too coarse or leaves out too much; False if not known."""
    here = size(result)
    return here is not None and (here.wide or here.long or thin(result))


def describe_use(result: OptionResult) -> str:
    """Say how coarse a release is, what it lacks, and whether it is useful; "" if not known."""
    step = result.option.recordless
    if isinstance(step, Synthesize):
        lacks = "Synthetic people do not show companions, single days or anything rare."
        return f"{lacks} {stated_hours(step.epsilon, result.n_users)}".rstrip()
    here = size(result)
    if here is None:
        return ""
    lacks = ""
    if lost := days_lost(result):
        lacks += f" Nothing is published for {lost} days with samples."
    if result.components.get("flows", 1.0) < 0.05:
        lacks += " The release shows almost no movement between areas."
    few, sides = thin(result), "the mean of width and height"
    wide, data_wide = (length(float(f"{m:.2g}")) for m in (here.side_m, here.data_side_m))
    if not little_use(result):
        return (
            f"Half of what is published has an area at most {wide} wide "
            f"({sides}). Half of what is published has a time window of at most "
            f"{duration(here.span_min)}.{lacks}"
        )
    data = f" In the data, 95% of samples span {data_wide}."
    left = " Fewer than half of the samples, or of the people, are left." if few else ""
    return (
        "This release may be of little use: half of what is published has an area "
        f"{wide} wide or more ({sides}). Half of what is published has a time window of "
        f"{duration(here.span_min)} or more.{data if here.wide else ''}{left}{lacks}"
    )


def stated_hours(epsilon: float, people: float) -> str:
    """Warn if synthetic people are learnt from too few people to keep hours and trips."""
    if people * epsilon >= MOSTLY_STATED:
        return ""
    return (
        "Times of day mostly follow a fixed profile. Do not read the number of trips as a volume "
        "of traffic."
    )


def days_lost(result: OptionResult) -> str:
    """Return how many days with samples are lost, such as "116 of 438"; "" if none or not known."""
    here = size(result)
    if here is None or not here.days_lost:
        return ""
    return f"{here.days_lost:,.0f} of {here.days:,.0f}"


def describe_utility(choice: UtilityChoice, result: OptionResult) -> str:
    """Return an option's utility and range, and the weighty components that fall short.

    Parameters
    ----------
    choice : UtilityChoice
        The utility by which the option is judged.
    result : OptionResult

    Returns
    -------
    str
        Text such as "0.24; flows 0.00". A component is named if its weight is 0.2 or more and
        too little of it is kept (:meth:`.OptionResult.needed`). None is named if the utility is
        the score of experts.

    Examples
    --------
    >>> from ..model.options import ReleaseOption
    >>> from .option_result import utility_choice
    >>> kept = {"density": 0.6, "flows": 0.0, "mobility": 0.4, "visits": 0.5}
    >>> result = OptionResult(ReleaseOption(), components=kept | {"space": 0.1, "time": 0.2})
    >>> describe_utility(utility_choice({"density": 0.5, "flows": 0.5}), result)
    '0.30; flows 0.00'
    """
    return "; ".join([utility(choice, result), *lost_components(choice, result)])


def lost_components(choice: UtilityChoice, result: OptionResult) -> list[str]:
    """Return each weighty component that falls short, with the value that is kept.

    With noise, that is the value of the draw that keeps least.

    Resolution is left out for tables and synthetic people: it describes real people's points.
    """
    none = ("space", "time") if result.option.recordless is not None else ()
    lost = [name for name in choice.lost(result) if name not in none]
    kept = {COMPONENTS[name][0].lower(): _down(_least(result, name)) for name in lost}
    return [f"no {c}" if math.isnan(v) else f"{c} {component(v)}" for c, v in kept.items()]


def describe_kind(result: OptionResult) -> str:
    """Say in a sentence what is published if an option is released."""
    option, tables = result.option, result.option.tables
    if tables is not None:
        if tables.epsilon is None and tables.threshold is None:
            return "Exact counts are released: a count of one person says where that person was."
        days = " of whole days" if tables.bands == 1 else ""
        return f"Only counts{days} are released{'' if tables.epsilon else ', without noise'}."
    if option.recordless is not None:
        return "Every record is made up."
    if result.crowd_least > 1:
        shared = f"each shared by at least {result.crowd_least:,} people"
        return f"Real people's records are released, {shared}."
    if option.moved:
        return "Real people's records are released, with places or times moved or exchanged."
    if any(isinstance(step, Generalize) for step in option.steps):
        return "Real people's records are released, with coarser places or times."
    return "Real people's records are released; what is kept of them is exact."


def describe_cost(choice: UtilityChoice, result: OptionResult) -> str:
    r"""Say what an option leaves out and, as an example, how many trips it keeps.

    Examples
    --------
    >>> from .option_result import utility_choice
    >>> kept = {"density": 0.6, "flows": 0.25, "mobility": 0.4, "visits": 0.5}
    >>> kept |= {"space": 0.1, "time": 0.2}
    >>> result = OptionResult(ReleaseOption(), users_share=0.9, components=kept)
    >>> print(describe_cost(utility_choice("travel"), result).replace(". ", ".\n"))
    10% of the people are left out.
    25% of trips agree with the data (rough).
    """
    out = [f"{percent(1 - result.users_share)} of the people"] * (result.users_share < 1)
    out += [f"{percent(result.suppressed_share)} of the samples"] * (result.suppressed_share > 0)
    out += [f"{lost} days"] if (lost := days_lost(result)) else []
    left = f"{first_up(listed(out))} are left out. " if out else ""
    made_up = result.option.recordless
    if isinstance(made_up, Synthesize):
        few = stated_hours(made_up.epsilon, result.n_users)
        lost = "Single days, hours and volumes" if few else "Differences between days"
        left += f"{lost} are lost. "
    if result.hours_hidden:
        left += "The noise may hide all differences between hours. "
    elif result.one_profile:
        left += "Every area has the same profile over the week. "
    flows = result.components.get("flows", math.nan) if (choice.weights or {}).get("flows") else 0
    trips = ""
    if flows >= _SAID:
        trips = f"{keeps(result, 'flows', least='flows' in choice.weighty)}."
    return f"{left}{trips}".rstrip()


def describe_most(table: OptionsTable, most: int | None, row: int) -> str:
    """Compare an option's utility with the highest within the thresholds.

    ``row`` is the option's row, and ``most`` the row of the most useful option within the
    thresholds. Return "" if ``most`` is None.
    """
    if most is None:
        return ""
    if table.utility[most] > table.utility[row]:
        return f"The highest utility within the thresholds is {table.utility[most]:.2f}."
    return "No option within the thresholds has a higher utility."


BLANK = "Leaving small counts blank is a custom; it promises nothing."
"""What protects tables with a threshold and without ε."""


def strength(epsilon: float) -> str:
    """Say how strongly an ε protects.

    An ε of at most 0.4 is strong: nobody's advantage in guessing who is in the data can then exceed
    the usual threshold of 20%. An ε of at most 1 is moderate (strong in Ponomareva et al. 2023).

    Examples
    --------
    >>> [strength(epsilon).split()[4] for epsilon in (0.25, 1.0, 2.0)]
    ['strong', 'moderate', 'weak']
    """
    how = "strong" if epsilon <= 0.4 else "moderate" if epsilon <= 1 else "weak"
    return f"ε = {epsilon:g} is {how} protection"


def describe_epsilon(epsilon: float) -> str:
    r"""Say how well an attacker can guess whether a person is in data that ε protects.

    If both answers are equally likely before the release, a guess is right with a probability of at
    most e^ε / (1 + e^ε). The percentage is rounded up because it is a bound.

    Examples
    --------
    >>> print(describe_epsilon(1.0).replace("data ", "data\n"))
    ε = 1 is moderate protection: a guess whether a person is in the data
    is right at most 74% of the time (chance: 50%).
    """
    right = math.ceil(100 / (1 + math.exp(-epsilon)))
    return (
        f"{strength(epsilon)}: a guess whether a person is in the data is right at most {right}% "
        "of the time (chance: 50%)."
    )


def describe_spent(spent: Spent) -> str:
    r"""Say how much ε the private releases of a file have spent, and what other ledgers hold.

    Return "" if nothing is spent in any ledger.

    Examples
    --------
    >>> print(describe_spent(Spent(2.0)).replace("2. ", "2.\n"))
    Private releases of this file have spent ε = 2.
    Other files of the same people are not counted.
    >>> describe_spent(Spent(math.nan)).partition(". ")[0]
    'How much ε private releases of this file have spent is not known'
    >>> describe_spent(Spent())
    ''
    """
    if not (spent.here or spent.elsewhere):
        return ""
    here = f"Private releases of this file have spent ε = {spent.here:g}."
    if math.isnan(spent.here):
        here = "How much ε private releases of this file have spent is not known."
    return f"{here} {describe_elsewhere(spent)}"


def describe_elsewhere(spent: Spent) -> str:
    r"""Say how much ε is held in other ledgers, which may be about the same people.

    Examples
    --------
    >>> describe_elsewhere(Spent(1.0, 2, 1.5))
    '2 other ledgers here hold ε = 1.5. If they are about the same people, ε adds up to 2.5.'
    >>> print(describe_elsewhere(Spent(0.0, 1, 1.25, shared=1.25)).replace(". ", ".\n"))
    1 other ledger here holds ε = 1.25.
    If it is about the same people, ε adds up to 1.25.
    Judging by ids, ε = 1.25 of this is about people in this file.
    >>> describe_elsewhere(Spent(1.0, 2, math.nan))
    'Not all other ledgers here can be read, so the total ε is not known.'
    """
    if math.isnan(spent.elsewhere):
        return "Not all other ledgers here can be read, so the total ε is not known."
    if not spent.ledgers:
        return "Other files of the same people are not counted."
    hold, they = ("holds", "it is") if spent.ledgers == 1 else ("hold", "they are")
    others = count(spent.ledgers, "other ledger")
    told = f"{others} here {hold} ε = {spent.elsewhere:g}."
    if not math.isnan(spent.here):
        total = spent.here + spent.elsewhere
        told += f" If {they} about the same people, ε adds up to {total:g}."
    if spent.shared:
        told += f" Judging by ids, ε = {spent.shared:g} of this is about people in this file."
    return told


def times_as_likely(epsilon: float) -> str:
    """Return e^ε to two significant digits, rounded up because it is a bound.

    Examples
    --------
    >>> times_as_likely(0.25), times_as_likely(1), times_as_likely(10)
    ('1.3', '2.8', '23,000')
    """
    exact = math.exp(epsilon)
    digit = 10.0 ** (math.floor(math.log10(exact)) - 1)
    return f"{math.ceil(exact / digit) * digit:,g}"


def describe_kept(choice: UtilityChoice, result: OptionResult) -> str:
    """Say how much an option keeps of each component that the purpose needs; "" if not known."""
    weights = choice.weights or {}
    needed = sorted(filter(weights.get, weights), key=weights.__getitem__, reverse=True)
    known = {name: result.components[name] for name in needed if name in result.components}
    kept = [
        f"{component(_down(share))} of {COMPONENTS[name][0].lower()}"
        for name, share in known.items()
        if not math.isnan(share)
    ]
    told = f"The option keeps {listed(kept)}." if kept else ""
    if none := [name for name, share in known.items() if math.isnan(share)]:
        told += f" Components that the option cannot show are counted as 0: {components(none)}."
    return told.strip()


def describe_file(choice: UtilityChoice, file: OptionResult) -> str:
    """Say what a file keeps of the components that the purpose needs, and whether that is enough.

    Parameters
    ----------
    choice : UtilityChoice
    file : OptionResult
        The result of the file's option, with the components of the file itself.

    Examples
    --------
    >>> from .option_result import utility_choice
    >>> file = OptionResult(
    ...     ReleaseOption(), components={"flows": 0.11}, guessing={"flows": 0.2}
    ... )
    >>> describe_file(utility_choice({"flows": 1.0}), file).partition(": ")[2]
    '11% of trips agree with the data (too little; minimum: 28%; guessing: 20%).'
    """
    lacking = choice.too_little(file)
    figures = [
        keeps(file, name)
        for name in lacking or choice.weighty
        if name == HOURS or not math.isnan(file.components.get(name, math.nan))
    ]
    if not figures:
        return ""
    none = [n for n in choice.lost(file) if n not in (*lacking, "space", "time")]
    absent = f" It cannot show {components(none)}." if none else ""
    head = "This release keeps too little for the purpose:" if lacking else "In this release,"
    return f"{head} {listed(figures)}.{absent}"


def people(result: OptionResult) -> str:
    """Return how many of all people have a unique record, such as "22 of 100 (22%)"."""
    share = alone_share(result)
    return f"{alone(result)} ({share})" if share else alone(result)


def alone(result: OptionResult) -> str:
    """Return how many of all people have a unique record, such as "22 of 100"."""
    if result.crowd_least > 1:
        return f"none of {result.n_users:,}"
    if math.isnan(result.alone_share):
        return "not known"
    return f"{f'{result.alone:,}' if result.alone else 'none'} of {result.n_users:,}"


def alone_share(result: OptionResult) -> str:
    """Return the share of people with a unique record; "" if nobody has one, or if not known."""
    nobody = result.crowd_least > 1 or math.isnan(result.alone_share) or not result.alone
    return "" if nobody else percent(result.alone_share)


def limit(limits: Limits, risk: str) -> str:
    """Return a threshold in the words of a report."""
    most = limits.limit(risk)
    if most is None:
        return "no threshold"
    if risk in RISKS and RISKS[risk].beside_guessing:
        more = f"{100 * most:.3g}"
        return f"{more} more {'person' if more == '1' else 'people'} in 100 than guessing finds"
    unit = MEASURES[risk].unit
    return f"{100 * most:.3g}%" if unit == "%" else f"{most:g} {unit}"


def measures(risks: Sequence[str]) -> str:
    """Return the names of measures as a list in words."""
    return listed([MEASURES[risk].name for risk in risks])


def describe_over(limits: Limits, result: OptionResult) -> str:
    """Name the thresholds that an option is, or may be, above; return "" if there are none."""
    over = limits.broken(result)
    if not over:
        return ""
    return (
        f"This option is, or may be, above the threshold{'s' * (len(over) > 1)} for "
        f"{measures(over)}."
    )


def first_up(text: str) -> str:
    """Return the text with its first letter in upper case."""
    return text[0].upper() + text[1:]


def _three(number: float) -> str:
    """Return a number to three digits, or as a whole number from 100 on, without an exponent."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}" if number >= 0.001 else "< 0.001"
