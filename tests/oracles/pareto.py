"""Pareto dominance by its definition (docs/science.md), in plain loops. Imports nothing else."""


def dominates(a, b):
    """Whether (risk, utility) a is at least as good as b on both, and better on one."""
    return a[0] <= b[0] and a[1] >= b[1] and (a[0] < b[0] or a[1] > b[1])


def dominating(points):
    """Of each point the indices of those that dominate it."""
    return [[j for j, a in enumerate(points) if dominates(a, b)] for b in points]


def surely_dominates(a, b):
    """The same of (low, high, utility): the risk is no more wherever the two lie in their ends."""
    return a[1] <= b[0] and a[2] >= b[2] and (a[1] < b[0] or a[2] > b[2])


def surely_dominating(points):
    """Of each (risk, utility, low, high) those that surely dominate it; unknown ends: the risk."""
    ends = [
        (risk if low != low else low, risk if high != high else high, utility)
        if risk == risk
        else (risk, risk, utility)
        for risk, utility, low, high in points
    ]
    return [[j for j, a in enumerate(ends) if surely_dominates(a, b)] for b in ends]


def level(points):
    """Of each those of which the estimates alone decide who dominates whom."""
    plain = dominating([(risk, utility) for risk, utility, _, _ in points])
    surely = surely_dominating(points)
    open_ = [set(plain[i]) - set(surely[i]) for i in range(len(points))]
    return [
        sorted(open_[i] | {j for j in range(len(points)) if i in open_[j]})
        for i in range(len(points))
    ]


def front(points):
    """Whether each point is known and dominated by none; NaN is not equal to itself."""
    return [
        a[0] == a[0] and a[1] == a[1] and not by
        for a, by in zip(points, dominating(points), strict=True)
    ]
