"""GaussianMixturePairEvent, single, both directions: two mixtures of Gaussians on a line.

Means are multiples of 1/4 and the standard deviation is 1, 1/2 or 2, so that p - e^eps q is a Gaussian density times a
polynomial in u = e^(x/(4 sigma^2)). First method: its positive roots by polynomial roots, and differences of the
distribution functions. Second: quadrature of (p - e^eps q)_+ between sign changes on a fine grid, refined by bisection.
"""
import random

from mpmath import npdf, polyroots

from common import *


class Pair:
    def __init__(self, sigma, p, q):
        self.sigma, self.p, self.q = rat(sigma), [(rat(w), rat(m)) for w, m in p], [(rat(w), rat(m)) for w, m in q]

    def reverse(self):
        r = Pair('1', [], [])
        r.sigma, r.p, r.q = self.sigma, self.q, self.p
        return r

    def roots(self, eps):
        """The x at which p = e^eps q, by the roots of a polynomial."""
        s2 = f(self.sigma ** 2)
        least = min(m for _, m in self.p + self.q)
        coefficients = {}
        for part, factor in ((self.p, mpf(1)), (self.q, -exp(f(eps)))):
            for w, m in part:
                k = int((m - least) * 4)
                c = f(w) * factor * exp(-f(m * m) / (2 * s2))
                coefficients[k] = coefficients.get(k, mpf(0)) + c
        top = max(k for k, c in coefficients.items() if c != 0)
        poly = [coefficients.get(k, mpf(0)) for k in range(top, -1, -1)]
        while poly and poly[-1] == 0:
            poly.pop()
        rs = polyroots(poly, maxsteps=4000, extraprec=400) if len(poly) > 1 else []
        return sorted(4 * s2 * log(r.real) for r in rs if abs(r.imag) <= mpf(10) ** (-mp.dps // 2) * abs(r) and r.real > 0)

    def density(self, part, x):
        return sum(f(w) * npdf(x, f(m), f(self.sigma)) for w, m in part)

    def mass(self, part, lo, hi):
        total = mpf(0)
        for w, m in part:
            a = None if lo is None else (lo - f(m)) / f(self.sigma)
            b = None if hi is None else (hi - f(m)) / f(self.sigma)
            if a is not None and a > 0:
                d = Phi(-a) - (0 if b is None else Phi(-b))
            else:
                d = (1 if b is None else Phi(b)) - (0 if a is None else Phi(a))
            total += f(w) * d
        return total

    def first(self, eps):
        eps = f(eps)
        cuts = [None] + self.roots(eps) + [None]
        total = mpf(0)
        for lo, hi in zip(cuts, cuts[1:]):
            x = hi - 1 if lo is None and hi is not None else lo + 1 if hi is None and lo is not None else mpf(0) if lo is None else (lo + hi) / 2
            if self.density(self.p, x) > exp(eps) * self.density(self.q, x):
                total += self.mass(self.p, lo, hi) - exp(eps) * self.mass(self.q, lo, hi)
        return total

    def second(self, eps):
        eps = f(eps)
        g = lambda x: self.density(self.p, x) - exp(eps) * self.density(self.q, x)
        means = [f(m) for _, m in self.p + self.q]
        far = 26 * f(self.sigma)
        lo, hi = min(means) - far, max(means) + far
        n = int(64 * (hi - lo) / f(self.sigma))
        xs = [lo + (hi - lo) * (i + mpf(1) / 3) / n for i in range(n)]
        ys = [g(x) for x in xs]
        marks = []
        for i in range(n - 1):
            if (ys[i] > 0) != (ys[i + 1] > 0):
                a, b = xs[i], xs[i + 1]
                for _ in range(int(3.4 * mp.dps)):
                    c = (a + b) / 2
                    if (g(c) > 0) == (ys[i] > 0):
                        a = c
                    else:
                        b = c
                marks.append(a)
        total = mpf(0)
        ends = [lo] + marks + [hi]
        for a, b in zip(ends, ends[1:]):
            if g((a + b) / 2) <= 0:
                continue
            parts = int((b - a) / (2 * f(self.sigma))) + 1
            total += quad(g, [a + (b - a) * k / parts for k in range(parts + 1)])
        return total

    def profile(self):
        return Profile(self.first, self.second, 'roots of a polynomial in e^(x/4s^2); quadrature of the densities', Q(0), None,
                       tol='1e-60', check_dps=110)


def side(r, n):
    means = r.sample(range(-8, 9), n)
    cuts = sorted(r.sample(range(1, 20), n - 1))
    weights = [b - a for a, b in zip([0] + cuts, cuts + [20])]
    return [['%d/20' % w, '%d/4' % m] for w, m in zip(weights, means)]


def main():
    fam = Family('gaussian_mixture_pair', 'two mixtures of Gaussians; direction add exchanges P and Q')
    r = random.Random(33)
    for i in range(24):
        p, q = side(r, 1 + i % 4), side(r, 1 + (i // 4) % 3)
        if p == q:
            continue
        sigma = ['1', '1/2', '2'][i % 3]
        ev = dict(event('GaussianMixturePairEvent', standard_deviation=sigma, p=p, q=q), module_name='dpverify')
        x = Pair(sigma, p, q)
        for direction, y in (('remove', x), ('add', x.reverse())):
            eps = ['0', '1/3', '-1', '2'][i % 4]
            a = y.profile()
            if y.first(rat(eps)) > mpf('1e-60'):
                fam.delta(ev, a, eps, direction)
    fam.write()


if __name__ == '__main__':
    main()
