"""Frequency-sensitive competitive learning in plain loops, by docs/science.md.

Imports nothing from the package. Points are (x, y); ``start`` are the rows at which the centroids
begin, ``orders`` the order of the rows in each pass.
"""


def learned(points, start, orders, *, first=0.3, last=0.03, kept=0.8, settling=3, haste=0.2):
    centroids = [list(points[i]) for i in start]
    wins = [1.0] * len(start)

    def winner(p):
        costs = [
            n * ((p[0] - c[0]) ** 2 + (p[1] - c[1]) ** 2)
            for n, c in zip(wins, centroids, strict=True)
        ]
        return costs.index(min(costs))

    steps, step = len(orders) * len(points), 0
    for turn, order in enumerate(orders):
        if turn:
            wins = [kept * n + (1 - kept) for n in wins]
        for i in order:
            j = winner(points[i])
            wins[j] += 1
            rate = first * (last / first) ** (step / steps)
            for axis in (0, 1):
                centroids[j][axis] += rate * (points[i][axis] - centroids[j][axis])
            step += 1
    mean = len(points) / len(start)
    for _ in range(settling):
        won = [winner(p) for p in points]
        wins = [n * ((won.count(j) + 0.5) / (mean + 0.5)) ** haste for j, n in enumerate(wins)]
    return [winner(p) for p in points]
