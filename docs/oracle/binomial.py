"""BinomialEvent: P = Bin(n, p), Q = s + Bin(n, p).

First method: the masses in exact rational arithmetic, delta = A - e^eps B over
{P > e^eps Q}. Second: p/q decreases in x, so the set is x <= t and
delta = F(t) - e^eps F(t - s) (add: reflected), with the binomial distribution
function F as a regularised incomplete beta function.
"""
from functools import lru_cache
from math import comb

from common import *


@lru_cache(None)
def masses(n, p):
    return [comb(n, i) * p ** i * (1 - p) ** (n - i) for i in range(n + 1)]


@lru_cache(None)
def cumulative(n, p, s, direction):
    """A and B with x running from the largest ratio to the smallest, exact and
    as numbers of the current precision by prec."""
    m = masses(n, p)
    at = lambda i: m[i] if 0 <= i <= n else Q(0)
    xs = range(0, n + s + 1) if direction == 'remove' else range(n + s, -1, -1)
    out, A, B = [(Q(0), Q(0), None)], Q(0), Q(0)
    for x in xs:
        P, R = (at(x), at(x - s)) if direction == 'remove' else (at(x - s), at(x))
        if P == 0:
            continue
        A, B = A + P, B + R
        out.append((A, B, P / R if R else None))
    return out


@lru_cache(None)
def logs(n, p, s, direction, prec):
    return [None if r is None else log(f(r)) for _, _, r in cumulative(n, p, s, direction)]


def exact(n, p, s, direction, eps):
    c = cumulative(n, p, s, direction)
    l = logs(n, p, s, direction, mp.prec)
    zero = isinstance(eps, Q) and eps == 0
    e = f(eps)
    i = 0
    for j in range(1, len(c)):
        r = c[j][2]
        if r is None or (r > 1 if zero else l[j] > e):
            i = j
        else:
            break
    A, B, _ = c[i]
    if zero or B == 0:
        return A - B if zero else A
    return f(A) - exp(e) * f(B)


def by_beta(n, p, s, direction, eps):
    # direction add: reflect x -> n + s - x, which is remove with 1 - p.
    p = f(p) if direction == 'remove' else 1 - f(p)
    a = exp(f(eps))

    def F(k):
        if k < 0:
            return mpf(0)
        if k >= n:
            return mpf(1)
        return mp.betainc(n - k, k + 1, 0, 1 - p, regularized=True)

    def loss(x):  # for s <= x <= n
        if p == 0 or p == 1:
            return None
        v = s * log(p / (1 - p))
        for i in range(s):
            v += log(mpf(n - x + s - i)) - log(mpf(x - i))
        return v
    lo, hi = s - 1, n  # loss > eps on (.., t]
    if s > n:
        return mpf(1)
    while lo < hi:
        mid = (lo + hi + 1) // 2
        if loss(mid) > f(eps):
            lo = mid
        else:
            hi = mid - 1
    return F(lo) - a * F(lo - s)


def profile(n, p, s, direction):
    p = rat(p)
    if s == 0:
        return Profile(one_minus, one_minus, 'identical', Q(0), Q(0))
    if s > n or p in (0, 1):
        return Profile(lambda e: Q(1), lambda e: Q(1), 'disjoint supports', Q(1), None)
    c = cumulative(n, p, s, direction)
    finite = next(i for i in range(1, len(c)) if c[i][2] is not None)
    inf, r = c[finite - 1][0], c[finite][2]
    top = (lambda: log(f(r))) if r != 1 else Q(0)
    return Profile(lambda e: exact(n, p, s, direction, e), lambda e: by_beta(n, p, s, direction, e), 'exact rational masses; incomplete beta function', inf, top, check_dps=130)


def main():
    fam = Family('binomial', 'binomial noise; remove is (Bin, s + Bin)')
    for n, p, s in [(1, '1/2', 1), (2, '1/2', 1), (10, '1/2', 1), (10, '1/3', 2), (100, '1/2', 1), (100, '0.1', 1), (100, '0.9', 3), (1000, '1/2', 1), (1000, '0.01', 1), (1000, '1/2', 20), (3, '1/2', 3), (3, '1/2', 4), (3, '1/2', 7),
                    (20, '1/2', 0), (5, '0', 1), (5, '1', 2), (50, '1e-6', 1), (64, '3/4', 8)]:
        ev = event('BinomialEvent', trials=str(n), probability=p, sensitivity=str(s))
        r, a = (profile(n, p, s, d) for d in ('remove', 'add'))
        for d, q in (('remove', r), ('add', a)):
            es = ['0', '1', '-1', '0.1', '3', '0.01', '-0.3']
            if callable(q.max_loss):
                with mp.workdps(100):
                    top = q.max_loss()
                    es += [mp.nstr(top * (1 - mpf('1e-20')), 50), mp.nstr(top * (1 + mpf('1e-20')), 50), mp.nstr(top / 2, 20)]
            ds = ['0', '1e-5', '0.2', '1', '1e-50']
            if q.inf_mass and len(str(q.inf_mass)) < 200:
                ds.append(str(q.inf_mass))
            fam.sweep(ev, q, list(dict.fromkeys(es)), list(dict.fromkeys(ds)), d, tv=True)
        fam.sweep(ev, maximum(r, a), ['0.5', '-0.5'], ['0.01'], 'both')
    fam.write()


if __name__ == '__main__':
    main()
