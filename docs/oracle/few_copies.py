"""A few copies of mixtures of Gaussians against N(0, 1): delta(eps) in both directions.

Printed, for a table in exact/inversion/taper_test.go. The profile of the last pair is a closed form; each other pair is
one integral over its x, by tanh-sinh quadrature with breaks where the loss meets the end of the rest's losses. Two
precisions agree.
"""
from mpmath import *


def loss(x, comps):
    return log(fsum(p * exp(m * x - m * m / 2) for p, m in comps))


def inverse(v, comps):
    """The x of loss v, or None below all losses. log sum p_j e^(m_j x - ...) rises in x."""
    edge = log(fsum(p for p, m in comps if m == 0))
    if v <= edge:
        return None
    lo, hi = mpf(-1), mpf(1)
    while loss(lo, comps) > v:
        lo *= 2
    while loss(hi, comps) < v:
        hi *= 2
    for _ in range(60):
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if loss(mid, comps) < v else (lo, mid)
    x = (lo + hi) / 2
    for _ in range(8):
        w = [p * exp(m * x - m * m / 2) for p, m in comps]
        slope = fsum(m * a for (p, m), a in zip(comps, w)) / fsum(w)
        x -= (loss(x, comps) - v) / slope
    return x


def density(x, comps):
    return fsum(p * npdf(x - m) for p, m in comps)


def remove(eps, pairs):
    """E_P (1 - e^(eps - L))_+ of a list of mixtures."""
    comps = pairs[0]
    edge = fsum(log(fsum(p for p, m in c if m == 0)) for c in pairs[1:])
    if len(pairs) == 1:
        x = inverse(eps, comps)
        if x is None:
            return 1 - exp(eps)
        return fsum(p * ncdf(m - x) for p, m in comps) - exp(eps) * ncdf(-x)
    top = inverse(eps - edge, comps)  # beyond it the rest is above eps - L whatever it is
    ends = [mpf(-15), mpf(-6), mpf(-3), mpf(-1), mpf(1), mpf(3), mpf(6), mpf(9), mpf(16)]
    below = sorted([e for e in ends if top is None or e < top] + ([top] if top else []))
    above = sorted([e for e in ends if top is not None and e > top] + ([top] if top else []))
    total = mpf(0)
    if top is None or top > -15:
        total += quad(lambda x: density(x, comps) * remove(eps - loss(x, comps), pairs[1:]), below)
    if top is not None:
        total += quad(lambda x: density(x, comps) * (1 - exp(eps - loss(x, comps))), above)
    return total


def reversed_(eps, pairs):
    """delta of the other direction: delta_QP(eps) = 1 - e^eps + e^eps * delta_PQ(-eps)."""
    return 1 - exp(eps) + exp(eps) * remove(-eps, pairs)


def sampled(q, sigma):
    return [(1 - mpf(q), mpf(0)), (mpf(q), 1 / mpf(sigma))]


def truncated(sigma, s, r):
    """The normal law of the loss, its norm, its ends, and the mass of infinite loss of truncated Gaussian noise."""
    sigma, s, r = mpf(sigma), mpf(s), mpf(r)
    mu, b = s / sigma, s * (2 * r - s) / (2 * sigma * sigma)
    z = 1 - 2 * ncdf(-r / sigma)
    return mu, b, z, (ncdf(-(r - s) / sigma) - ncdf(-r / sigma)) / z


def two_truncated(eps, sigma, s, r):
    mu, b, z, inf = truncated(sigma, s, r)

    def finite(e):  # of one release
        o = min(max(e, -b), b)
        p = lambda x: ncdf((b - x) / mu) - ncdf((o - x) / mu)
        return (p(mu * mu / 2) - exp(e) * p(-mu * mu / 2)) / z

    f = lambda l: npdf((l - mu * mu / 2) / mu) / (mu * z) * finite(eps - l)
    ends = sorted({x for x in [-b, b, eps - b, eps + b] + [-b + 2 * b * k / 16 for k in range(17)] if -b <= x <= b})
    return 1 - (1 - inf) ** 2 + quad(f, ends)


def values():
    far = [(mpf("0.2"), mpf(0)), (mpf("0.6"), mpf(1)), (mpf("0.2"), mpf(2))]
    near = [(mpf("0.33"), mpf(0)), (mpf("0.34"), mpf(1)), (mpf("0.33"), mpf("1.5"))]
    yield "q 0.01, sigma 1, two, 0.4", remove(mpf("0.4"), [sampled("0.01", 1)] * 2)
    yield "q 0.01, sigma 1, two, reversed, 0.01", reversed_(mpf("0.01"), [sampled("0.01", 1)] * 2)
    yield "q 0.001, sigma 0.5, two, 1.5", remove(mpf("1.5"), [sampled("0.001", "0.5")] * 2)
    yield "two mixtures, 3", remove(mpf(3), [far, near])
    yield "truncated 2, 1, 12, two, 1", two_truncated(mpf(1), 2, 1, 12)
    yield "truncated 4, 1, 40, two, 1/2", two_truncated(mpf("0.5"), 4, 1, 40)
    yield "truncated 1, 1, 3, two, 1", two_truncated(mpf(1), 1, 1, 3)
    yield "q 0.1, sigma 0.7 and 2, 1", remove(mpf(1), [sampled("0.1", "0.7"), sampled("0.1", 2)])


if __name__ == "__main__":
    results = []
    for mp.dps in (25, 34):
        results.append(list(values()))
    for (name, a), (_, b) in zip(*results):
        assert abs(a - b) < mpf(10) ** -21 * abs(b), (name, a, b)
        print(name, nstr(b, 24))
