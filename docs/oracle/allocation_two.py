"""One of two steps of a Gaussian: delta(eps) in both directions.

Printed, for a table in exact/allocation/mean_test.go. Over the normal variable of the first step, the price of a call (remove) or of
a put (add) on the second; two precisions agree.
"""
from mpmath import *


def two(mu2, eps):
    mu, a = sqrt(mpf(mu2)), exp(mpf(eps))
    call = lambda k: 1 - k if k <= 0 else ncdf(-(log(k) / mu - mu / 2)) - k * ncdf(-(log(k) / mu + mu / 2))
    put = lambda k: 0 if k <= 0 else k * ncdf(log(k) / mu + mu / 2) - ncdf(log(k) / mu - mu / 2)
    y = lambda z: exp(mu * z - mu * mu / 2)

    x = (log(2 * a) + mu * mu / 2) / mu  # where the first step alone is enough
    below = [x - d for d in (40, 20, 12, 8, 5, 3, 2, 1, mpf(1) / 2, mpf(1) / 8, 0)]
    above = [x + d for d in (0, 1, 2, 4, 8, 20)]
    remove = quad(lambda z: npdf(z) * call(2 * a - y(z)) / 2, below) + quad(lambda z: npdf(z) * ((y(z) + 1) / 2 - a), above)
    b = 1 / a
    x = (log(2 * b) + mu * mu / 2) / mu
    below = [x - d for d in (40, 20, 12, 8, 5, 3, 2, 1, mpf(1) / 2, mpf(1) / 8, 0)]
    add = a * quad(lambda z: npdf(z) * put(2 * b - y(z)) / 2, below)
    return remove, add


CASES = [("1", "0.5"), ("4", "2"), ("16", "1"), ("0.01", "0.1"), ("0.25", "-0.5")]

if __name__ == "__main__":
    results = []
    for mp.dps in (34, 42):
        results.append([two(*c) for c in CASES])
    for c, a, b in zip(CASES, *results):
        assert all(abs(u - v) < mpf(10) ** -25 * v for u, v in zip(a, b)), (c, a, b)
        print(*c, *(nstr(v, 26) for v in b))
