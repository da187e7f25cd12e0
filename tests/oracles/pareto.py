"""Pareto dominance by its definition (docs/science.md), in plain loops. Imports nothing else."""


def dominates(a, b):
    """Whether (risk, utility) a is at least as good as b on both, and better on one."""
    return a[0] <= b[0] and a[1] >= b[1] and (a[0] < b[0] or a[1] > b[1])


def dominating(points):
    """Of each point the indices of those that dominate it."""
    return [[j for j, a in enumerate(points) if dominates(a, b)] for b in points]


def front(points):
    """Whether each point is known and dominated by none; NaN is not equal to itself."""
    return [
        a[0] == a[0] and a[1] == a[1] and not by
        for a, by in zip(points, dominating(points), strict=True)
    ]
