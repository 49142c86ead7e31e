"""ClampedGaussianEvent, single, both orders and both directions.

X = N(mu, sigma^2) with distribution function F, shift s > 0.
clamp-then-shift: P = max(0, X), Q = s + max(0, X): P has an atom F(0) at 0,
  Q the same atom at s, where P has none.
shift-then-clamp: P = max(0, X), Q = max(0, X + s): atoms F(0), F(-s) at 0.

First method: differences of F, split where the loss s(s + 2 mu - 2x)/2 sigma^2
is eps. Second: the atoms plus quadrature of (left - e^eps right)_+.
"""
from mpmath import erfc, npdf, quad

from common import *


class Pair:
    def __init__(self, mu, sigma, s, order):
        self.mu, self.sigma, self.s, self.order = rat(mu), rat(sigma), rat(s), order

    def F(self, x):
        return erfc(-(f(x) - f(self.mu)) / f(self.sigma) / sqrt(mpf(2))) / 2

    def up(self, x):  # 1 - F
        return erfc((f(x) - f(self.mu)) / f(self.sigma) / sqrt(mpf(2))) / 2

    def cut(self, eps, direction):
        sign = 1 if direction == 'remove' else -1
        return self.mu + self.s / 2 - sign * rat(eps) * self.sigma ** 2 / self.s

    def first(self, direction, eps):
        s = self.s
        if not isinstance(eps, (int, Q)):
            eps = frac(eps)
        a = exp(f(eps))
        c = self.cut(eps, direction)
        if self.order == 'clamp-then-shift':
            c = max(c, s)
            if direction == 'remove':
                return self.F(c) - a * (self.F(c - s) - self.F(0))
            return self.F(0) + self.up(c - s) - a * self.up(c)
        c = max(c, Q(0))
        A, B = self.F(0), self.F(-s)
        if direction == 'remove':
            if c > 0:
                return self.F(c) - a * self.F(c - s)
            return max(mpf(0), A - a * B)
        return self.up(c - s) - a * self.up(c) + max(mpf(0), B - a * A)

    def second(self, direction, eps):
        s, mu, sigma, a = f(self.s), f(self.mu), f(self.sigma), exp(f(eps))
        p, q = (lambda x: npdf(x, mu, sigma)), (lambda x: npdf(x, mu + s, sigma))
        cts = self.order == 'clamp-then-shift'
        start = s if cts else mpf(0)
        c = f(self.cut(eps if isinstance(eps, (int, Q)) else frac(eps), direction))
        def integral(g, lo, hi):
            if hi <= lo:
                return mpf(0)
            marks = sorted({lo, hi} | {x for x in [mu + sigma * i * 2 for i in range(-20, 21)] if lo < x < hi})
            return quad(g, marks)
        far = max(mu, mpf(0)) + s + 40 * sigma
        def mass(x):
            return integral(p, mu - 40 * sigma, x)
        if direction == 'remove':
            v = integral(lambda x: p(x) - a * q(x), start, min(max(c, start), far))
        else:
            v = integral(lambda x: q(x) - a * p(x), max(c, start), far)
        if cts:
            return v + mass(s if direction == 'remove' else mpf(0))
        A, B = mass(mpf(0)), mass(-s)
        return v + max(mpf(0), A - a * B if direction == 'remove' else B - a * A)

    def profile(self, direction):
        inf, top = Q(0), None
        if self.order == 'clamp-then-shift':
            with mp.workdps(500):
                inf = self.F(self.s if direction == 'remove' else Q(0))
            if direction == 'remove':
                top = self.s * (2 * self.mu - self.s) / (2 * self.sigma ** 2)
        elif direction == 'remove':
            top = lambda: log(self.F(0) / self.F(-self.s))
        return Profile(lambda e: self.first(direction, e), lambda e: self.second(direction, e),
                       'differences of the distribution function; quadrature of the densities', inf, top, tol='1e-60', check_dps=110)


def main():
    fam = Family('clamped_gaussian', 'Gaussian noise clamped at 0; direction add exchanges P and Q')
    for order in ('clamp-then-shift', 'shift-then-clamp'):
        for mu, sigma, s in [('20', '4', '2'), ('1', '1', '2'), ('0', '1', '1'), ('-1', '1', '0.5'), ('3', '1/2', '1/3')]:
            ev = dict(event('ClampedGaussianEvent', location=mu, sigma=sigma, shift=s, order=order), module_name='dpverify')
            pair = Pair(mu, sigma, s, order)
            r, a = pair.profile('remove'), pair.profile('add')
            for d, p in (('remove', r), ('add', a)):
                es = [e for e in ('0', '1/3', '-1', '2') if not (d == 'remove' and order == 'shift-then-clamp' and rat(e) >= rat('1/3') and p.first(rat(e)) == 0)]
                fam.sweep(ev, p, es, ['0.3'] if order == 'clamp-then-shift' else ['0.01'], d, tv=True)
            fam.sweep(ev, maximum(r, a), ['0.1'], [], 'both')
    fam.write()


if __name__ == '__main__':
    main()
