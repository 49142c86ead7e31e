"""GroupEvent of (epsilon, delta) guarantees, and of Gaussian noise in a Poisson sample; MatrixMechanismEvent of small
matrices, whose sensitivity is the greatest over all patterns of participation.

Guarantees: delta_k(e) is the greatest h^k(a) - e^e a, with h the greatest power of a test for one record. First
method: over the break points of h^k. Second: the recursion of the convex conjugate, over h one record at a time.
"""
from itertools import combinations

from common import *


class Chain:
    def __init__(self, eps, delta, k):
        self.eps, self.delta, self.k = rat(eps), rat(delta), k

    def h(self, a, k):
        e, d = exp(f(self.eps)), f(self.delta)
        for _ in range(k):
            a = min(mpf(1), d + e * a, 1 - (1 - d - a) / e)
        return a

    def first(self, at):
        e, d = exp(f(self.eps)), f(self.delta)
        best = max(self.h(mpf(0), self.k), -mp.expm1(f(at)))
        best = max(best, 1 - exp(f(at)) * (1 - self.h(mpf(0), self.k)))  # where h^k is 1, by symmetry
        b = (1 - d) / (1 + e)
        for _ in range(self.k):
            if b > 0:
                best = max(best, self.h(b, self.k) - exp(f(at)) * b)
            b = (b - d) / e
        return best

    def second(self, at):
        # by symmetry of h, break points from the other end: a with h^j(a) = 1 - (1-d)/(1+e)
        e, d = exp(f(self.eps)), f(self.delta)
        def inverse(y):
            if y <= d:
                return mpf(-1)
            a = (y - d) / e
            return a if a <= (1 - d) / (1 + e) else 1 - d - e * (1 - y)
        best = max(self.h(mpf(0), self.k), -mp.expm1(f(at)))
        for start in (1 - (1 - d) / (1 + e), mpf(1)):
            a = start
            for _ in range(self.k):
                a = inverse(a)
                if a < 0:
                    break
                best = max(best, self.h(a, self.k) - exp(f(at)) * a)
        return best

    def profile(self):
        with mp.workdps(500):
            inf = self.h(mpf(0), self.k) if self.delta else Q(0)
        return Profile(self.first, self.second, 'break points of the powers along the chain, from either end', inf, None)


def group(e, k):
    return dict(event('GroupEvent', event=e, size=str(k)), module_name='dpverify')


def squared(C, b, k):
    best = Q(0)
    for m in range(1, k + 1):
        for pattern in combinations(range(len(C)), m):
            if all(y - x >= b for x, y in zip(pattern, pattern[1:])):
                best = max(best, sum(sum(row[j] for j in pattern) ** 2 for row in C))
    return best


def main():
    fam = Family('group', 'groups under guarantees; strategies of matrix mechanisms')
    for eps, delta, k in [('0.5', '1e-3', 3), ('1', '0', 2), ('0.1', '0.01', 7), ('3', '0.2', 4), ('0.25', '0', 5)]:
        c = Chain(eps, delta, k)
        fam.sweep(group(eps_delta(eps, delta), k), c.profile(), ['0', '0.3', '-1'], ['0.25'], tv=True)
    for C, b, k, sigma in [([[1], [1, 1], [1, 1, 1]], 1, 2, '3'), ([['1'], ['0.5', '2'], ['0', '1/3', '1'], ['1', '0', '0.25', '1']], 2, 2, '4')]:
        full = [[rat(x) if not isinstance(x, int) else Q(x) for x in row] + [Q(0)] * (len(C) - len(row)) for row in C]
        s2 = squared(full, b, k)
        ev = dict(event('MatrixMechanismEvent', strategy={'entries': [[i, j, str(x)] for i, row in enumerate(C) for j, x in enumerate(row)], 'steps': len(C)},
                        min_separation=str(b), max_participations=str(k), noise_multiplier=sigma), module_name='dpverify')
        def first(e, s2=s2, sigma=sigma):
            mu = sqrt(f(s2)) / f(sigma)
            return Phi(mu / 2 - f(e) / mu) - exp(f(e)) * Phi(-mu / 2 - f(e) / mu)
        def second(e, s2=s2, sigma=sigma):
            mu = sqrt(f(s2)) / f(sigma)
            cut = f(e) / mu + mu / 2
            return quad(lambda x: density(x - mu) - exp(f(e)) * density(x), [cut + i for i in range(31)])
        fam.sweep(ev, Profile(first, second, 'closed form; quadrature', Q(0), None, tol='1e-60', check_dps=110), ['0', '0.7'], ['1e-5'])
    fam.write()


if __name__ == '__main__':
    main()
