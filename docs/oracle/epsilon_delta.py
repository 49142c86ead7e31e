"""EpsilonDelta guarantees: the Kairouz-Oh-Viswanath pair, composed.

The pair has loss +inf with mass d, +e with mass (1-d)p, -e with mass (1-d)(1-p)
for p = e^e/(1+e^e), and the mirrored Q; it is its own dual.

First method: homogeneous, the binomial sum; heterogeneous, all 2^k sign
vectors. Second: the recursion delta_k(t) = d + (1-d)(p delta_{k-1}(t-e) +
(1-p) delta_{k-1}(t+e)) from delta_0(t) = (1 - e^t)_+; for k = 10^6 the two
binomial tails by the trapezoidal rule for Cauchy's integral.
"""
from itertools import product

from common import *


def bits(e0):
    e0 = f(e0)
    return 1 / (1 + exp(-e0)), 1 / (1 + exp(e0))


def binomial_sum(e0, d, k, eps):
    if at_least(eps, k * e0) or (e0 == 0 and at_least(eps, 0)) or d == 1:
        return 1 - (1 - d) ** k
    p, q = bits(e0)
    e, e1 = f(eps), f(e0)
    term = p ** k if k < 10 ** 5 else exp(-k * mp.log1p(exp(-e1)))
    ratio = q / p
    s = mpf(0)
    small = mpf(10) ** -mp.dps
    for j in range(k + 1):  # j factors went the other way: loss (k - 2j) e0
        x = e - (k - 2 * j) * e1
        if x >= 0:
            break
        add = term * -mp.expm1(x)
        s += add
        term = term * ratio * (k - j) / (j + 1)
    if d == 0:
        return s
    return 1 - f((1 - d) ** k) * (1 - s) if k < 10 ** 5 else 1 - exp(k * mp.log1p(-f(d))) * (1 - s)


def recursion(e0, d, k, eps):
    p, q = bits(e0)
    e, e1, d = f(eps), f(e0), f(d)
    v = [max(mpf(0), -mp.expm1(e + i * e1)) for i in range(-k, k + 1, 2)]
    a, b = (1 - d) * p, (1 - d) * q
    for _ in range(k):
        v = [d + a * v[i] + b * v[i + 1] for i in range(len(v) - 1)]
    return v[0]


def by_cauchy(e0, d, k, eps):
    """Pr[L > eps] under P and Q as coefficients on a circle: for Y the number
    of +e0 losses, Pr[Y >= y] = mean of G(z) z^-y / (1 - 1/z) on |z| = r > 1."""
    p, q = bits(e0)
    e = f(eps)
    y = int(mp.floor((k + e / f(e0)) / 2)) + 1
    sigma = int(sqrt(k * p * q)) + 1
    n = 60 * sigma

    def tail(p, q):
        mean = k * p
        # a radius at or beyond the saddle point of G(z) z^-y
        r = max(q * y / (p * (k - y)), mpf(1)) * exp(mpf(6) / sigma)
        t = mpf(0)
        for j in range(n // 2 + 1):
            z = r * mp.expjpi(mpf(2 * j) / n)
            term = (exp(k * log(q + p * z) - y * log(z)) / (1 - 1 / z)).real
            t += term if j in (0, n // 2) else 2 * term
        return t / n

    s = tail(p, q) - exp(e) * tail(q, p)
    return 1 - exp(k * log(1 - f(d))) * (1 - s)


def enumerate_signs(pairs, eps):
    top = sum(e for e, _ in pairs)
    keep = Q(1)
    for _, d in pairs:
        keep *= 1 - d
    if at_least(eps, top) or keep == 0:
        return 1 - keep
    e = f(eps)
    sides = [bits(e0) for e0, _ in pairs]
    losses = [f(e0) for e0, _ in pairs]
    s = mpf(0)
    # halves of the list, so that 2^k products cost two multiplications each
    h = len(pairs) // 2
    def half(idx):
        out = [(mpf(0), mpf(1))]
        for i in idx:
            p, q = sides[i]
            out = [(l + losses[i], w * p) for l, w in out] + [(l - losses[i], w * q) for l, w in out]
        return [(l, w, exp(-l)) for l, w in out]
    ea = exp(e)
    left, right = half(range(h)), half(range(h, len(pairs)))
    for l1, w1, x1 in left:
        for l2, w2, x2 in right:
            if l1 + l2 > e:
                s += w1 * w2 * (1 - ea * x1 * x2)
    return 1 - f(keep) * (1 - s)


def recursive(pairs, eps):
    """The recursion, memoised on the exact position."""
    memo = {}
    e = eps
    params = [(f(d), *bits(e0), e0) for e0, d in pairs]

    def go(i, shift):
        if i == len(pairs):
            x = f(e) + f(shift)
            return max(mpf(0), -mp.expm1(x))
        key = (i, shift)
        if key not in memo:
            d, p, q, e0 = params[i]
            memo[key] = d + (1 - d) * (p * go(i + 1, shift - e0) + q * go(i + 1, shift + e0))
        return memo[key]
    return go(0, Q(0))


def homogeneous(e0, d, k):
    e0, d = rat(e0), rat(d)
    mass = 1 - (1 - d) ** k if k < 10 ** 5 else None
    if mass is None:
        return Profile(lambda e: binomial_sum(e0, d, k, e), lambda e: by_cauchy(e0, d, k, e), 'binomial sum; Cauchy integral by the trapezoidal rule', tol='1e-60', check_dps=110)
    return Profile(lambda e: binomial_sum(e0, d, k, e), lambda e: recursion(e0, d, k, e), 'binomial sum; recursion', mass, k * e0)


def heterogeneous(pairs):
    pairs = [(rat(e), rat(d)) for e, d in pairs]
    keep = Q(1)
    for _, d in pairs:
        keep *= 1 - d
    return Profile(lambda e: enumerate_signs(pairs, e), lambda e: recursive(pairs, e), 'enumeration of 2^k sign vectors; recursion', 1 - keep, sum(e for e, _ in pairs))


def main():
    sys.setrecursionlimit(10000)
    fam = Family('epsilon_delta', 'EpsilonDelta guarantees under composition; the value belongs to the extremal (KOV) pair')
    for e0, d in [('1', '0'), ('1', '1e-5'), ('0.1', '1e-6'), ('0', '0.25'), ('0', '0'), ('3', '0.01'), ('0.5', '1'), ('1/3', '1/7'), ('20', '1e-10'), ('1e-10', '1e-20')]:
        e = rat(e0)
        es = ['0', e0, str(-e), str(e / 2), str(2 * e), '-3', str(e - Q(1, 10 ** 20)), str(e + Q(1, 10 ** 20)), str(-e / 2)]
        fam.sweep(eps_delta(e0, d), homogeneous(e0, d, 1), list(dict.fromkeys(es)), [d, '0.5', '0', '1', '1e-3'], tv=True)
    for e0, d, k in [('1', '0', 2), ('1', '0', 3), ('1', '0.1', 2), ('0.1', '1e-6', 10), ('0.1', '1e-6', 100), ('0.1', '1e-6', 1000), ('1', '0', 1000), ('0.01', '1e-9', 500), ('0.5', '0', 40), ('0', '0.001', 50), ('2', '0.05', 25), ('5', '1e-8', 30), ('1/3', '1/1000', 12), ('1e-6', '0', 1000)]:
        top = k * rat(e0)
        es = ['0', str(rat(e0) * (k - 2)), str(top), str(top / 3), '1', str(-top / 5), str(rat(e0) * (k - 1)), str(rat(e0) * (k % 2)), str(top - Q(1, 10 ** 40)), str(-top - 1)]
        if k >= 500:
            es = es[:6]
        fam.sweep(self_composed(eps_delta(e0, d), k), homogeneous(e0, d, k), list(dict.fromkeys(es)), ['1e-5', '0.3'] if k < 500 else ['0.1'], tv=k < 20)
    p = homogeneous('1', '0', 1000)  # delta down to 1e-313
    fam.sweep(self_composed(eps_delta('1', '0'), 1000), p, ['998', '999.5', '950', '600'], ['1e-300', '1e-100'], 'remove')
    fam.sweep(self_composed(eps_delta('0.2', '1e-4'), 7), homogeneous('0.2', '1e-4', 7), ['0.5'], ['0.01'], 'add')
    fam.sweep(self_composed(eps_delta('0.2', '1e-4'), 7), homogeneous('0.2', '1e-4', 7), ['0.5'], ['0.01'], relation='REPLACE_ONE')
    fam.sweep(self_composed(eps_delta('0.2', '1e-4'), 7), homogeneous('0.2', '1e-4', 7), ['0.5'], relation='REPLACE_SPECIAL')
    k = 10 ** 6
    for e0, d, es in [('0.001', '1e-12', ['0', '1', '4', '20']), ('0.0001', '0', ['0', '0.3', '1.5']), ('0.003', '1e-9', ['5', '12.345'])]:
        p = homogeneous(e0, d, k)
        fam.sweep(self_composed(eps_delta(e0, d), k), p, es)
    lists = [[('1', '0'), ('2', '0')], [('1', '0.1'), ('0.5', '0.01'), ('0.25', '0.001')], [('0.1', '1e-6'), ('0.2', '1e-7'), ('0.3', '0'), ('0.7', '1e-3'), ('0.15', '0')],
             [('1', '0'), ('1', '0'), ('2', '0'), ('3', '1/3')], [('0', '0.1'), ('1', '0'), ('0', '0.2')], [('1', '1'), ('1', '0')],
             [('%d/7' % i, '1e-%d' % (i + 3)) for i in range(1, 10)], [('0.%d' % (10 + i), '0') for i in range(12)], [('0.%d' % (101 + 37 * i % 89), '1e-8') for i in range(16)],
             [('2e-5', '1e-9'), ('5', '1e-2')], [('30', '0'), ('10', '0'), ('0.001', '0')]]
    for l in lists:
        p = heterogeneous(l)
        top = sum(rat(e) for e, _ in l)
        small = 2 * min(rat(e) for e, _ in l)
        es = ['0', '0.5', str(top), str(top - small), str(-top / 3), str(top * Q(9, 10)), '1.5']
        if len(l) > 11:
            es = ['0', str(top), str(top * Q(2, 3)), '0.5']
        fam.sweep(composed([eps_delta(e, d) for e, d in l]), p, list(dict.fromkeys(es)), ['0.05'] + ([str(p.inf_mass)] if p.inf_mass else []) if len(l) <= 11 else [], tv=len(l) == 3)
    fam.write()


if __name__ == '__main__':
    main()
