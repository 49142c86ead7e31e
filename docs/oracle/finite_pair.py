"""FinitePairEvent: exact rational pairs, products, Poisson sampling.

First method: all outcomes (multisets of outcomes for a k-fold product, tuples
for a heterogeneous one) in exact rational arithmetic; delta(eps) = A - e^eps B
with A, B the masses of {P > e^eps Q}. Second: convolution of the distribution
of the loss, one factor at a time, merging outcomes of equal likelihood ratio.
At eps = 0 the value is an exact rational.

The random pairs come from a fixed seed.
"""
import random
from itertools import combinations_with_replacement, product
from math import factorial

from common import *


class Total:
    """A - e^eps B over a list of (P-mass, Q-mass), which is first grouped by
    likelihood ratio, exactly."""

    def __init__(self, pq):
        groups = {}
        for p, q in pq:
            if p:
                key = p / q if q else None
                a, b = groups.get(key, (Q(0), Q(0)))
                groups[key] = (a + p, b + q)
        self.groups = groups
        self.at_prec = {}

    def __call__(self, eps):
        if isinstance(eps, Q) and eps == 0:
            return sum((p - q for p, q in self.groups.values() if p > q), Q(0))
        if mp.prec not in self.at_prec:
            self.at_prec[mp.prec] = [(f(p), f(q), None if r is None else mp.log1p(f(r - 1))) for r, (p, q) in self.groups.items()]
        a, e, s, some = exp(f(eps)), f(eps), mpf(0), False
        for p, q, l in self.at_prec[mp.prec]:
            if l is None or l > e:
                s += p - a * q
                some = some or l is not None
        if not some:
            return self.groups.get(None, (Q(0), Q(0)))[0]
        return s


def tuples(pairs):
    for t in product(*[list(zip(p, q)) for p, q in pairs]):
        a = b = Q(1)
        for x, y in t:
            a *= x
            b *= y
        if a or b:
            yield a, b


def multisets(p, q, k):
    pts = [(x, y) for x, y in zip(p, q) if x or y]
    for t in combinations_with_replacement(range(len(pts)), k):
        w, a, b = factorial(k), Q(1), Q(1)
        for i in set(t):
            c = t.count(i)
            w //= factorial(c)
            a *= pts[i][0] ** c
            b *= pts[i][1] ** c
        if a or b:
            yield w * a, w * b


def merged(p, q):
    """P-mass by likelihood ratio; the key None stands for infinity."""
    out = {}
    for x, y in zip(p, q):
        if x:
            key = x / y if y else None
            out[key] = out.get(key, Q(0)) + x
    return out


def by_loss(pairs):
    """The distribution of P/Q under P: sum of (1 - e^eps Q/P)_+."""
    memo = {}

    def dist():
        d = {Q(1): mpf(1)}
        for p, q in pairs:
            new = {}
            for r, v in d.items():
                for s, w in merged(p, q).items():
                    key = None if r is None or s is None else r * s
                    new[key] = new.get(key, mpf(0)) + v * f(w)
            d = new
        return [(None if r is None else mp.log1p(f(r - 1)), v) for r, v in d.items()]

    def delta(eps):
        if mp.prec not in memo:
            memo[mp.prec] = dist()
        e, s = f(eps), mpf(0)
        for l, v in memo[mp.prec]:
            if l is None:
                s += v
            elif l > e:
                s += v * -mp.expm1(e - l)
        return s
    return delta


def facts(pairs):
    keep, top = Q(1), Q(1)
    for p, q in pairs:
        keep *= sum(x for x, y in zip(p, q) if y)
        rs = [x / y for x, y in zip(p, q) if y]
        top *= max(rs)
    loss = None if keep == 0 else Q(0) if top == 1 else (lambda: mp.log1p(f(top - 1)))
    return 1 - keep, loss


def swap(pair):
    return (pair[1], pair[0])


def sampled(pair, g, direction):
    """The pair of the direction, as (left, right)."""
    p, q = pair
    mix = [(1 - g) * y + g * x for x, y in zip(p, q)]
    return (mix, q) if direction == 'remove' else (q, mix)


def k_fold(pair, k, method='multisets of outcomes; convolution by likelihood ratio'):
    inf, loss = facts([pair] * k)
    return Profile(Total(multisets(*pair, k)), by_loss([pair] * k), method, inf, loss)


def heterogeneous(pairs):
    inf, loss = facts(pairs)
    return Profile(Total(tuples(pairs)), by_loss(pairs), 'tuples of outcomes; convolution by likelihood ratio', inf, loss)


def random_masses(rng, n, zeros):
    while True:
        w = [rng.randint(1, 60) for _ in range(n)]
        for i in range(n):
            if rng.random() < zeros:
                w[i] = 0
        if sum(w):
            return [Q(x, sum(w)) for x in w]


def kinks(p):
    """Decimals just below and above the largest loss."""
    if not callable(p.max_loss):
        return []
    with mp.workdps(120):
        l = p.max_loss()
        try:
            s = truncate(l, 35, '1e-110')
        except Unstable:  # the loss is next to a short decimal
            return [mp.nstr(l * mpf('0.9'), 5), mp.nstr(l * mpf('1.1'), 5)]
        m, _, e = s.partition('e')
        up = rat(s) + (1 if l > 0 else -1) * Q(10) ** (int(e or 0) - 34)
        return [s, str(up)]


def main():
    rng = random.Random(1)
    fam = Family('finite_pair', 'explicit rational pairs; direction add exchanges P and Q; Poisson sampling replaces P by (1-g)Q + gP')
    fixed = [
        (['1/2', '1/2'], ['1/2', '1/2']),
        (['1', '0'], ['0', '1']),
        (['1', '0'], ['1/2', '1/2']),
        (['3/4', '1/4'], ['1/4', '3/4']),
        (['1/3', '1/3', '1/3'], ['1/6', '1/2', '1/3']),
        (['0', '1/3', '2/3'], ['1/4', '3/4', '0']),
        (['0.999999', '0.000001'], ['0.000001', '0.999999']),
        (['1e-300', '1-'], ['2e-300', '']),
        (['1/6', '1/6', '2/3'], ['5/11', '1/2', '1/22']),
        (['10/27', '1/27', '16/27'], ['0', '1/2', '1/2']),
        (['1/10', '3/5', '3/10', '0'], ['0', '1/5', '3/5', '1/5']),
    ]
    pairs = []
    for p, q in fixed:
        if p[1] == '1-':
            x = rat('1e-300')
            pairs.append(([x, 1 - x], [2 * x, 1 - 2 * x]))
        else:
            pairs.append(([rat(x) for x in p], [rat(x) for x in q]))
    for i in range(10):
        n = rng.randint(2, 6)
        pairs.append((random_masses(rng, n, 0.2 * (i % 3)), random_masses(rng, n, 0.15 * (i % 4))))

    def both_ways(ev, make, pair_or_list, eps, deltas, tv=True, ks=True):
        r, a = make('remove'), make('add')
        for d, p in (('remove', r), ('add', a), ('both', maximum(r, a))):
            extra = kinks(p) if ks and d != 'both' else []
            masses = [str(p.inf_mass)] if p.inf_mass and d != 'both' else []
            fam.sweep(ev, p, eps + extra, list(dict.fromkeys(deltas + masses)), d, tv=tv and d != 'both')

    for pair in pairs:
        both_ways(finite(*pair), lambda d: k_fold(pair if d == 'remove' else swap(pair), 1, 'outcomes; distribution of the likelihood ratio'), pair, ['1', '-1', '0.1'], ['0.05', '0'])
    for i in (3, 4, 5, 8, 9, 10, 12, 14, 17):
        pair = pairs[i]
        for k in (2, 5, 8):
            both_ways(self_composed(finite(*pair), k), lambda d: k_fold(pair if d == 'remove' else swap(pair), k), pair, ['1/2', '2'], ['0.1'], tv=k == 2, ks=k == 5)
    both_ways(self_composed(finite(*pairs[3]), 200), lambda d: k_fold(pairs[3], 200), None, ['0', '100', '219', '-50'], ['1e-50', '1e-3', '1e-96'], tv=False)
    both_ways(self_composed(finite(*pairs[6]), 40), lambda d: k_fold(pairs[6], 40), None, ['0', '500', '552', '-4'], ['1e-230', '1e-3', '1e-20'], tv=False)
    for idx in ([3, 4], [8, 9, 10], [4, 5, 11], [12, 13, 14, 15], [16, 17, 18], [1, 3], [2, 3, 4, 6]):
        ps = [pairs[i] for i in idx]
        both_ways(composed([finite(*x) for x in ps]), lambda d: heterogeneous([x if d == 'remove' else swap(x) for x in ps]), ps, ['0.7', '-0.7', '3'], ['0.2'], ks=len(idx) < 4)
    # orders mixed by hand, P x Q against Q x P
    P, R = pairs[8]
    both_ways(composed([finite(P, R), finite(R, P)]), lambda d: heterogeneous([(P, R), (R, P)]), None, ['1.682'], ['0.5'])
    # Poisson sampling
    for i in (2, 3, 4, 5, 9, 10, 11, 13, 15):
        for g in ['1/2', '0.01'] if i != 3 else ['1/2', '0.01', '1', '0', '1e-10']:
            gr = rat(g)
            both_ways(poisson(g, finite(*pairs[i])), lambda d: k_fold(sampled(pairs[i], gr, d), 1, 'outcomes of the sampled pair; distribution of the likelihood ratio'), None, ['0.3', '-0.3', '0.001'], ['0.001'], ks=g != '0')
    for i, g, k in [(3, '0.1', 6), (5, '1/3', 4), (9, '0.2', 5), (2, '1/2', 3), (12, '0.05', 5)]:
        gr = rat(g)
        both_ways(self_composed(poisson(g, finite(*pairs[i])), k), lambda d: k_fold(sampled(pairs[i], gr, d), k), None, ['0.3', '-0.3', '1.25'], ['0.01'])
    for spec in ([(3, '0.1'), (4, '0.3')], [(5, '1/2'), (9, '1/4'), (8, '1')]):
        both_ways(composed([poisson(g, finite(*pairs[i])) for i, g in spec]), lambda d: heterogeneous([sampled(pairs[i], rat(g), d) for i, g in spec]), None, ['0.2', '1'], ['0.01'])
    fam.write()


if __name__ == '__main__':
    main()
