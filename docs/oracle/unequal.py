"""Compositions of unequal point guarantees.

First method: the sum over all 2^k outcomes of randomized response, met in the
middle: two halves sorted by their loss (an exact rational) with running sums.
Second: the same with another split, 3 to k - 3 guarantees; for k <= 14 every
outcome by itself, in the order of a Gray code, without any sorting.
"""
from bisect import bisect_right
from itertools import accumulate

from common import *


def outcomes(eps):
    """[(loss, P-mass, Q-mass)] of randomized responses."""
    dist = [(Q(0), mpf(1), mpf(1))]
    for e in eps:
        hi, lo = 1 / (1 + exp(-f(e))), 1 / (1 + exp(f(e)))
        dist = [(l + e, p * hi, q * lo) for l, p, q in dist] + [(l - e, p * lo, q * hi) for l, p, q in dist]
    return dist


def exactly(t):
    return t if isinstance(t, (int, Q)) else frac(t)


def middle(eps, cut):
    tables = {}

    def table():
        if mp.prec not in tables:
            b = sorted(outcomes(eps[cut:]), key=lambda x: x[0])
            tables[mp.prec] = (outcomes(eps[:cut]), [x[0] for x in b],
                               list(accumulate([x[1] for x in reversed(b)], initial=mpf(0))),
                               list(accumulate([x[2] for x in reversed(b)], initial=mpf(0))))
        return tables[mp.prec]

    def delta(t):
        a, losses, sum_p, sum_q = table()
        alpha, total, t = exp(f(t)), mpf(0), exactly(t)
        for l, p, q in a:
            n = len(losses) - bisect_right(losses, t - l)
            total += p * sum_p[n] - alpha * q * sum_q[n]
        return total
    return delta


def one_by_one(eps):
    def delta(t):
        alpha, t = exp(f(t)), exactly(t)
        ratio = [exp(f(e)) for e in eps]
        p = q = mpf(1)
        for r in ratio:
            p, q = p * r / (1 + r), q / (1 + r)
        up, loss, total = [True] * len(eps), sum(eps), mpf(0)
        for n in range(1, 2 ** len(eps) + 1):
            if loss > t:
                total += p - alpha * q
            if n == 2 ** len(eps):
                break
            i = (n & -n).bit_length() - 1
            r = 1 / ratio[i] if up[i] else ratio[i]
            p, q, loss = p * r, q / r, loss + (-2 if up[i] else 2) * eps[i]
            up[i] = not up[i]
        return total
    return delta


def profile(gs):
    eps = [rat(e) for e, _ in gs]
    keep = Q(1)
    for _, d in gs:
        keep *= 1 - rat(d)
    whole = lambda g: lambda t: 1 - f(keep) * (1 - g(t)) if not at_least(t, sum(eps)) else 1 - keep
    second = one_by_one(eps) if len(eps) <= 12 else middle(eps, 3 if len(eps) <= 16 else len(eps) // 2 + 2)
    return Profile(whole(middle(eps, len(eps) // 2)), whole(second), 'meeting in the middle; another way', 1 - keep, sum(eps))


def main():
    fam = Family('unequal', 'compositions of unequal (epsilon, delta) guarantees')
    primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89]
    cases = [
        [('0.1', '0'), ('0.2', '0'), ('0.35', '0.001')],
        [('1', '0'), ('1/3', '1e-6'), ('0.7', '0'), ('1/3', '0')],
        [('%d/97' % p, '0') for p in primes[:8]],
        [('%d/%d' % (p, r), '1e-8') for p, r in zip(primes[:8], primes[9:])],
        [(str(Q((0.1 * p) ** 0.5)), '0') for p in primes[:10]],  # binary64 numbers
        [('%d/1000000007' % (p * 7919 * 1009), '1e-9') for p in primes[:16]],
        [('0.%012d' % (p * p * p * 1234567 % 10 ** 12 // 3), '1e-10') for p in primes],
    ]
    for gs in cases:
        p = profile(gs)
        top = sum(rat(e) for e, _ in gs)
        ev = composed([eps_delta(e, d) for e, d in gs])
        big = len(gs) > 16
        at = ['0', '1'] if big else ['0', '-0.25', '0.3', str(rat(gs[0][0])), str(top), str(top - 2 * min(rat(e) for e, _ in gs))]
        fam.sweep(ev, p, at, ['1e-5'] if big else ['1e-3', '1e-7'], tv=not big)
    fam.write()


if __name__ == '__main__':
    main()
