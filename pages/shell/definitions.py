"""What each measure is, in a sentence or two, and where its formula is: the tooltips."""

from __future__ import annotations

from fpanon_core.model.disclosure import PLAIN


def _after(works: str, section: str) -> str:
    """The end of a definition: authors and year, and the section of the Method page."""
    return (f" ({works})" if works else "") + f"  \nFormulas: page Method, “{section}”."


_K_GAP = "k-gap"
_PROFILES = "Generalization profiles"
_STRETCH = "Stretch effort"
_WHY = "Why a fingerprint is hard to hide"
_UNICITY = "Adversary knowledge and unicity"
_SCALING = "The scaling law and the sparsity model"
_CLUSTERS = "Antenna clusters"
_DISCLOSURE = "Disclosure"
_COUNTS = "Counts and trajectory recovery"
_GLOVE = "Hiding everyone: GLOVE"
_ALIGNED = "Hiding everyone in step: aligned publishing"
_LINKAGE = "An outsider who knows the truth"
_OPTIONS = "Techniques, utility and the front of release options"
_TOGETHER = "Whose records belong together"

K_GAP = (
    "**k-gap**: a user's mean stretch effort to the k − 1 other users who are nearest. 0 means "
    "already k-anonymous: k − 1 others have exactly the same record (if space and time both have "
    "a weight). 1 means that nobody is near, neither in space nor in time. Beside it, in km and "
    "hours, the mean over the matched samples, each counted up to the limits of the stretch "
    "effort: 20 km and 8 hours unless changed." + _after("Gramaglia & Fiore 2015", _K_GAP)
)
PROFILE = (
    "**Generalization profile**: places are replaced by the cells of a square grid, by hexagons "
    "(H3), by clusters of antennas or by named regions, times by windows counted from local "
    "midnight. The coarser both are, the more alike people look. A grid is laid where people share "
    "their cells with most others, unless it is stated where it begins."
    + _after("Gramaglia & Fiore 2015", _PROFILES)
)
STRETCH = (
    "**Stretch effort** of two samples: how far they must be moved to coincide; a part for space "
    "and a part for time, each full at the distance and the duration in the settings. Of two "
    "users: the mean, over the samples of the longer record, of the smallest effort to any sample "
    "of the other." + _after("Gramaglia & Fiore 2015", _STRETCH)
)
TEMPORAL_SHARE = (
    "**Temporal share**: the part of a user's stretch effort that is due to time: T / (S + T), "
    "where S and T are the sums of the efforts in space and in time over the matched samples."
    + _after("Gramaglia & Fiore 2015", _WHY)
)
GINI = (
    "**Gini coefficient** of the efforts of a user's matched samples: 0 when each sample takes the "
    "same effort, near 1 when a single sample takes all of it."
    + _after("Gramaglia & Fiore 2015", _WHY)
)
TAIL_WEIGHT = (
    "**Tail weight index**: how far the hardest 1 % of a user's samples lie beyond the middle, "
    "measured by how far the third quartile does, as a multiple of the same for a normal "
    "distribution. Normal 1, exponential 1.6, Pareto (heavy-tailed) 14."
    + _after("Gramaglia & Fiore 2015; Hoaglin, Mosteller & Tukey 1983", _WHY)
)
UNICITY = (
    "**Unicity**: the share of users whose p known points fit no record but their own. A point is "
    "a place and a time in the data; the users asked about are drawn at random, and the bars are "
    "95 % Wilson intervals." + _after("de Montjoye et al. 2013; intervals: Wilson 1927", _UNICITY)
)
STRATEGY = (
    "**Which points are known**: *random* – drawn from the interactions, so that busy places and "
    "times are likelier; *uniform* – any of the user's samples alike; *top* – the most visited "
    "places, without times; *consecutive* – samples that follow each other."
    + _after("de Montjoye et al. 2013; Xu et al. 2017", _UNICITY)
)
SCALING = (
    "**Scaling law**: unicity falls with the resolution x as ε = α − x^β, fitted by least squares. "
    "The smaller β in size, the less coarsening helps."
    + _after("de Montjoye et al. 2013", _SCALING)
)
CLUSTERS = (
    "**Antenna clusters**: neighbouring antennas are merged until each region has about v of them, "
    "by frequency-sensitive competitive learning; a region is the union of its antennas' Voronoi "
    "cells." + _after("de Montjoye et al. 2013; Ahalt et al. 1990", _CLUSTERS)
)
INTERVALS = (
    "**Interval**: minutes from one sample of a person to their next. The median of each person's "
    "intervals is what was published." + _after("de Montjoye et al. 2013, figure 3B", _UNICITY)
)
AREAS = (
    "**Antennas against population**: squares by the people whose home is there, as their nights "
    "say, and by their antennas. R² is the squared correlation of the two."
    + _after("de Montjoye et al. 2013, figure 3C", _UNICITY)
)
SPARSITY = (
    "**Sparsity model**: users and bins as a random matrix in which each user is present in each "
    "bin with the same probability. Beyond some number of bins everyone is unique."
    + _after("Noriega Campero 2015", _SCALING)
)
OUTSIDER = (
    "**Re-identification risk**: the share of people whose record the strongest of three attackers "
    "picks. Each knows p points of a person. Two know true points: one takes the record with the "
    "best matching sample, one the likeliest record. A third knows points as published. The risk "
    "is that of the attacker whose interval reaches highest." + _after("", _OPTIONS)
)
LINKAGE = (
    "**Linkage**: the share of people whose record an attacker picks who knows p true points. The "
    "attacker scores each published record by how likely the stated method makes it of such a "
    "person, and allows for noise and exchange. Of two records that fit, the shorter is likelier. "
    "Guessing gives 1 / (all people in the release; with periods, of the same period)."
    + _after("", _LINKAGE)
)
HOME_FOUND = (
    "**Home found**: the share of people whose home is within 1 km of where an attacker says, by "
    "the nights (22 to 6 h) of their own record or the one that their group shares. Guessing says "
    "the commonest home of everybody. Its limit is for what is found beyond that. Several "
    "attackers try; the one who finds most counts." + _after("", _LINKAGE)
)
K_DISCLOSURE = (
    "**k-disclosure**: 1 / (number of people who fit what is known), on average over the people "
    "asked about. It takes all who fit as equally likely; an attacker can do better, and the "
    "re-identification risk says how much. Guessing gives 1 / (all people)."
    + _after("Noriega Campero 2015", _DISCLOSURE)
)
EM_DISCLOSURE = (
    "**EM-disclosure** (earth mover's distance): how much the probability that a user was in a bin "
    "– one place in one time window – changes for who knows the points: from the share of all "
    "users who were there, to the share of those who fit. Within one profile the mean over its "
    "bins and users; between release options the sum over all bins of a person, in bins. "
    f"{PLAIN['em']} 0 means no change." + _after("Noriega Campero 2015", _DISCLOSURE)
)
KL_DISCLOSURE = (
    "**KL-disclosure** (Kullback-Leibler divergence): the information gained about a bin, in nats, "
    "from the same two probabilities. Certainty where nobody expected it counts for more than in "
    "EM. Within one profile the mean over its bins and users; between release options the sum over "
    f"all bins of a person. {PLAIN['kl']} 0 means no change."
    + _after("Noriega Campero 2015", _DISCLOSURE)
)
AGREEMENT = (
    "**Kendall's τ**: 1 where two measures put all profiles in the same order, −1 where in the "
    "opposite one. Two profiles are *discordant* when one measure calls the first the riskier, and "
    "the other the second." + _after("Noriega Campero 2015; Kendall 1938", _DISCLOSURE)
)
BIN_DISCLOSURE = (
    "**Disclosure of a bin**: the mean of EM or KL over the users asked about, in one place and "
    "time window. A place shows the mean over its windows in which somebody was there; an hour of "
    "the week, the mean over the bins that overlap it, by the minutes they do."
    + _after("Noriega Campero 2015", _DISCLOSURE)
)
LORENZ = (
    "**Lorenz curve**: users from the least to the most exposed, and the share of all disclosure "
    "that the first so many bear. On the diagonal all bear alike. The **Gini coefficient** is "
    "twice the area between: 0 all alike, near 1 a few bear it all." + _after("", _DISCLOSURE)
)
AGGREGATES = (
    "**Counts**: in each time slot everyone is counted once, at the place with most of their "
    "samples in it; without a sample, at the place nearest to the straight line between those "
    "before and after. Such points are *filled in*; the others are *recorded*."
    + _after("Xu et al. 2017", _COUNTS)
)
RECOVERY = (
    "**Recovery accuracy**: the share of everybody's recorded points – place and slot, with a "
    "sample – that the recovered trajectory paired with them gets right. *Nights* and *days* are "
    "judged one by one, *across days* over the whole period. The attack links counts from slot to "
    "slot: at night at the least distance, by day to where a movement leads on, and days by how "
    "alike their places are; each time by an optimal assignment."
    + _after("Xu et al. 2017", _COUNTS)
)
AT_RANDOM = (
    "**Linked at random**: the same counts, dealt out at random in every slot and paired with the "
    "true trajectories in the same way." + _after("", _COUNTS)
)
RECOVERY_ERROR = (
    "**Recovery error**: the distance between the recovered and the true place, for every point "
    "of every pair." + _after("Xu et al. 2017", _COUNTS)
)
TOP_SHARES = (
    "**Top n**: the share of a person's records at their n most frequent places, of all their "
    "records or of those from 0:00 to 6:00." + _after("Xu et al. 2017, figures 2, 4 and 5", _COUNTS)
)
NEXT_PLACE = (
    "**Predicted next place**: the last place at night; by day as far on as the person just moved. "
    "Of slots with a record." + _after("Xu et al. 2017, figure 6", _COUNTS)
)
GAIN = (
    "**Information gain** of joining a day and the next: 0 for days with equal frequencies of "
    "places, 1 for days of equal length without a common place."
    + _after("Xu et al. 2017, figure 7", _COUNTS)
)
TOP_PLACES = (
    "**Uniqueness**: the share of recovered trajectories whose set of k most visited places no "
    "other recovered one has. Two are mostly home and work." + _after("Xu et al. 2017", _COUNTS)
)
COUNT_ERROR = (
    "**Error of the counts**: the absolute errors of all published counts together, as a share of "
    "all people counted. Coarser counts are read as spread evenly over what they cover."
    + _after("", _COUNTS)
)
PRIVACY_UNIT = (
    "**Unit of protection** of differentially private counts: what may differ about one person "
    "without anybody being able to tell. *One slot*: the person's records within any one slot, of "
    "counts of recorded samples alone; for a whole period it is ε times the number of slots. "
    "*Person*: all of the person's records. Places and period must be stated, not taken from the "
    "records. The ε of repeated publications add up." + _after("", _COUNTS)
)
COUNTS_FRAME = (
    "**Places and period** of published counts are stated beforehand: all antennas of the antenna "
    "table, or all squares over an area, and all slots of so many days. Taken from the records, "
    "one person's record could add a place or a day to the table. What is outside is left out, and "
    "told here." + _after("", _COUNTS)
)
SIDE = "The mean of the width and the height of a published area." + _after("", _ALIGNED)
LOSS = (
    "**Mean loss**: how coarse a release is, in one number: over its original samples the mean of "
    "side and span, each as a multiple of the distance and the time that are the full stretch "
    "effort (20 km and 8 hours unless changed), weighted as the stretch effort is."
    + _after("", _ALIGNED)
)
RELEASE = (
    "**A release**: a zip with the data, a description of every column, and one page for whoever "
    "receives it. Pseudonyms, group numbers and the order of the people are random and made for it "
    "alone; noise, exchanges and draws of people come from the operating system. What is written "
    "is read back and verified before it is offered." + _after("", "A release, as it leaves")
)
PHANTOM = (
    "**Phantom samples**: the share of a release's rows in which the person was never recorded in "
    "that cell; others of the group were. GLOVE makes some where it cuts the time axis so "
    "that cells do not overlap; aligned has none." + _after("", _GLOVE)
)
SAMPLING = (
    "**Sampling**: a share of the users, drawn at random, is released, each with the whole record. "
    "Whoever is in the release is as easy to find as before."
    + _after("Noriega Campero 2015", _OPTIONS)
)
RARE = (
    "**Suppression of rare bins**: samples at a place and time that fewer users than this share "
    "are left out. 0 or 1: all are kept." + _after("Noriega Campero 2015", _OPTIONS)
)
NOISE = (
    "**Noise**: every sample is moved at random, in space by planar Laplace noise of this scale "
    "(twice as far on average), in time by Laplace noise (as far on average), and put back into "
    "the data's own cells. Each sample is moved by itself: over a record the shifts average out, "
    "and it promises nothing to a person."
    + _after("Andrés et al. 2013 for the distribution", _OPTIONS)
)
PERMUTATION = (
    "**Exchange**: within every hour (or a longer window of the form), positions are dealt out "
    "anew among the events in it: each place keeps its number of events in each window, and each "
    "user their times. Or within every 5 km square, times are: each square keeps its number of "
    "events at each time, and each user their places – but how many events a place has in an hour "
    "changes." + _after("Noriega Campero 2015", _OPTIONS)
)
UTILITY = (
    "**Utility**: how much of the original the release still shows, from 0 to 1, as a weighted "
    "mean of: density (who is where at which hour of the day), flows (trips between places), "
    "mobility (how far people roam), visits (places per person), and the resolution in space and "
    "in time. Or what experts answered when asked (0–10, divided by 10)."
    + _after("Noriega Campero 2015, and measures of our own choice", _OPTIONS)
)
HOMES_WITHIN = (
    "**Home found**: the share of people whose home – the place with most of their records from 22 "
    "to 6 h – lies within the distance of where an attacker says, by their own record or that of "
    "their group. Guessing: the one home that most people's are within 1 km of. Several attackers "
    "make one guess of each home; the one who finds most within the distance counts."
    + _after("", _LINKAGE)
)
EXPECTED_ERROR = (
    "**Expected error**: how far off the outsider's best guess is of where a person was at a "
    "recorded moment, on average; each record counts as much as it fits the known points. Beside "
    "it the same for one place for everybody, and for the known points without any release."
    + _after("Shokri et al. 2011", _LINKAGE)
)
RELINKED = (
    "**Re-linking**: an outsider who knows nobody matches the records of one period with those of "
    "the next, by how alike their places and hours of the day are; an optimal assignment of all at "
    "once. Counted are the people with a record in both whose two records are matched. Over all "
    "periods: the largest share of a person's records that ends in one chain, 1 record at least. "
    "Beside it the same at random." + _after("Naini et al. 2016", _TOGETHER)
)
