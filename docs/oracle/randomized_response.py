"""RandomizedResponseDpEvent under REPLACE_ONE, single and k-fold.

With probability noise_parameter the answer is uniform over the buckets, the
true value included. With a = 1 - r + r/n and b = r/n the pair is
P = (a, b, b, ..., b), Q = (b, a, b, ..., b): loss ln(a/b) with mass a, minus
that with mass b, 0 with mass 1 - a - b.

First method: enumeration of trinomial counts in exact rationals. Second:
convolution of the three-point distribution, one factor at a time.
"""
from functools import lru_cache
from math import comb

from common import *


def masses(r, n):
    b = r / n
    return 1 - r + b, b, (n - 2) * b


@lru_cache(None)
def by_difference(r, n, k):
    """Exact masses {d: (P, Q)} of loss d ln(a/b), from all trinomial counts:
    i answers with ratio a/b, j with b/a."""
    a, b, c = masses(r, n)
    pa, pb, pc = ([x ** i for i in range(k + 1)] for x in (a, b, c))
    out = {}
    for i in range(k + 1):
        for j in range(k + 1 - i):
            w = comb(k, i) * comb(k - i, j) * pc[k - i - j]
            P, R = out.get(i - j, (Q(0), Q(0)))
            out[i - j] = (P + w * pa[i] * pb[j], R + w * pb[i] * pa[j])
    return out


@lru_cache(None)
def rounded(r, n, k, prec):
    return [(d, f(p), f(q)) for d, (p, q) in by_difference(r, n, k).items()]


def enumerated(r, n, k, eps):
    a, b, c = masses(r, n)
    if b == 0:
        return Q(1)
    if a == b:
        return one_minus(eps)
    if isinstance(eps, Q) and eps == 0:
        return sum((p - q for d, (p, q) in by_difference(r, n, k).items() if d > 0), Q(0))
    e, l = f(eps), log(f(a)) - log(f(b))
    if e >= k * l:
        return Q(0)
    return sum((p - exp(e) * q for d, p, q in rounded(r, n, k, mp.prec) if d * l > e), mpf(0))


def convolved(r, n, k, eps):
    a, b, c = (f(v) for v in masses(r, n))
    if b == 0:
        return mpf(1)
    p = [mpf(1)]
    for _ in range(k):
        new = [mpf(0)] * (len(p) + 2)
        for i, v in enumerate(p):
            new[i] += b * v
            new[i + 1] += c * v
            new[i + 2] += a * v
        p = new
    l, e = log(a / b), f(eps)
    return sum((v * -mp.expm1(e - (i - k) * l) for i, v in enumerate(p) if (i - k) * l > e), mpf(0))


def profile(r, n, k=1):
    r = rat(r)
    a, b, c = masses(r, n)
    top = None if b == 0 else Q(0) if a == b else (lambda: k * log(f(a) / f(b)))
    p = Profile(lambda e: enumerated(r, n, k, e), lambda e: convolved(r, n, k, e), 'trinomial enumeration; convolution',
                Q(1) if b == 0 else Q(0), top)
    return p


def near(p, k, digits):
    """Decimals just below and above j/k of the largest loss."""
    with mp.workdps(120):
        l = p.max_loss()
        out = []
        for j in (k, k - 1, -k) if k > 1 else (1, -1):
            s = truncate(l * j / k, digits, '1e-110')
            out.append(s)
            m, _, e = s.partition('e')
            out.append(str(rat(s) + Q(10) ** (int(e or 0) + 1 - digits) * (1 if j > 0 else -1)))
        return list(dict.fromkeys(out))


def main():
    fam = Family('randomized_response', 'n-ary randomized response, relation REPLACE_ONE')
    rel = 'REPLACE_ONE'
    for n in (2, 3, 10, 100):
        for r in ['0.5', '0.1', '1/3', '0.99', '1e-6', '1', '0']:
            p = profile(r, n)
            es = ['0', '1', '-1', '0.1', '5', '-7/2']
            if r in ('0.5', '0.1'):
                es += near(p, 1, 30)
            fam.sweep(rr(r, n), p, es if r not in ('0', '1') else es[:3], ['0', '0.01', '0.5', '1'] if r in ('0', '0.5', '1') else ['1e-3'], relation=rel, tv=True)
        for r, k in [('0.5', 2), ('0.9', 10), ('0.25', 5), ('0.7', 30)]:
            p = profile(r, n, k)
            es = ['0', '1', '3', '-0.5', '0.01'] + near(p, k, 40)[:4]
            fam.sweep(self_composed(rr(r, n), k), p, es, ['1e-5', '0.2', '0'], relation=rel, tv=k == 2)
    p = profile('0.5', 4, 50)
    fam.sweep(self_composed(rr('0.5', 4), 50), p, ['0', '20', '60', '80', '80.4', '1/3'], ['1e-10', '1e-60', '1e-100'], relation=rel, direction='remove')
    fam.sweep(self_composed(rr('0.5', 4), 50), p, ['20'], ['1e-10'], relation=rel, direction='add')
    p = profile('1e-10', 2, 20)
    fam.sweep(self_composed(rr('1e-10', 2), 20), p, ['0', '400', '450', '474', '-3'], ['1e-5', '1e-200', '1e-206'], relation=rel)
    fam.write()


if __name__ == '__main__':
    main()
