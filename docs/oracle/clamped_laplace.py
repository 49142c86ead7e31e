"""ClampedLaplaceEvent, single, both orders and both directions.

X = Lap(mu, b) with distribution function F, shift s >= 0.
clamp-then-shift: P = max(0, X), Q = s + max(0, X): P has an atom F(0) at 0,
  Q the same atom at s, where P has none.
shift-then-clamp: P = max(0, X), Q = max(0, X + s): atoms F(0), F(-s) at 0.

First method: differences of F, split at the point where the loss is eps.
Second: the atoms plus quadrature of (left - e^eps right)_+.
"""
from common import *


half_lines = {}


class Pair:
    def __init__(self, mu, b, s, order):
        self.mu, self.b, self.s, self.order = rat(mu), rat(b), rat(s), order

    def F(self, x):
        t = (f(x) - f(self.mu)) / f(self.b)
        return exp(t) / 2 if t <= 0 else 1 - exp(-t) / 2

    def mass_below(self, x):
        """F(x), exact at the median."""
        return Q(1, 2) if x == self.mu else self.F(x)

    def upper(self, x):  # 1 - F
        t = (f(x) - f(self.mu)) / f(self.b)
        return exp(-t) / 2 if t >= 0 else 1 - exp(t) / 2

    def between(self, x, y):
        """F(y) - F(x)"""
        if f(x) > f(self.mu):
            return self.upper(x) - self.upper(y)
        return self.F(y) - self.F(x)

    def cut(self, eps, direction):
        """remove: p > e^eps q left of the cut; add: q > e^eps p right of it.
        None: nowhere; True: everywhere."""
        x = self.s / self.b
        if at_least(eps, x):
            return None
        if not at_least(eps, -x):
            return True
        h = (f(self.s) - f(self.b) * f(eps)) / 2 if direction == 'remove' else (f(self.s) + f(self.b) * f(eps)) / 2
        return f(self.mu) + h

    def closed(self, direction, eps):
        s, a = self.s, exp(f(eps))
        if s == 0:
            return one_minus(eps)
        c = self.cut(eps, direction)
        if self.order == 'clamp-then-shift':
            if direction == 'remove':
                if c is True:
                    return 1 - a * self.upper(0)
                if c is None or c <= f(s):
                    return self.mass_below(s)
                return self.F(c) - a * self.between(0, c - f(s))
            if c is None:
                return self.mass_below(Q(0))
            c = f(s) if c is True else max(c, f(s))
            return self.F(0) + self.upper(c - f(s)) - a * self.upper(c)
        if direction == 'remove':
            if self.mu >= 0 and c is None:
                return Q(0)
            v = max(mpf(0), self.F(0) - a * self.F(-f(s)))
            if c is True:
                return one_minus(eps)
            if c is not None and c > 0:
                return v + self.between(0, c) - a * self.between(-f(s), c - f(s))
            return v if v else Q(0)
        if c is None:
            return Q(0)
        if c is True:
            # the atom at 0 may still favour P
            return max(mpf(0), self.F(-f(s)) - a * self.F(0)) + (self.upper(-f(s)) - a * self.upper(0))
        v = max(mpf(0), self.F(-f(s)) - a * self.F(0))
        c = max(c, mpf(0))
        return v + self.upper(c - f(s)) - a * self.upper(c)

    def direct(self, direction, eps):
        mu, b, s, e = f(self.mu), f(self.b), f(self.s), f(eps)
        a = exp(e)
        d = lambda x: exp(-abs(x - mu) / b) / (2 * b)
        if s == 0:
            return max(mpf(0), 1 - a)
        cts = self.order == 'clamp-then-shift'
        start = s if cts else mpf(0)
        x1 = f(self.s / self.b)
        loss = lambda x: x1 if x <= mu else -x1 if x >= mu + s else (s + 2 * mu - 2 * x) / b
        if direction == 'remove':
            g = lambda x: d(x) * max(mpf(0), -mp.expm1(e - loss(x)))
        else:
            g = lambda x: d(x - s) * max(mpf(0), -mp.expm1(e + loss(x)))
        pts = {start}
        cut = mu + (s - b * e) / 2 if direction == 'remove' else mu + (s + b * e) / 2
        marks = [x for x in (mu, mu + s, cut) if x > start]
        last = max([start] + marks)
        for c in [start] + marks:
            for i in range(-45, 46):
                if c + 4 * b * i > start and c + 4 * b * i <= last + 180 * b:
                    pts.add(c + 4 * b * i)
        v = quad(g, sorted(pts))
        # masses of half lines by quadrature as well
        def lo(x):
            key = (self.mu, self.b, x, mp.prec)
            if key not in half_lines:
                pts = {4 * b * i for i in range(45)}
                if x > mu:
                    pts |= {x - mu + 4 * b * i for i in range(45)}
                half_lines[key] = quad(lambda t: d(x - t), sorted(pts))
            return half_lines[key]
        if cts:
            if direction == 'remove':
                return v + lo(s)
            return v + lo(mpf(0))
        A, B = lo(mpf(0)), lo(-s)
        return v + max(mpf(0), A - a * B if direction == 'remove' else B - a * A)

    def profile(self, direction):
        s, x = self.s, self.s / self.b
        first = lambda e: self.closed(direction, e)
        if s == 0:
            inf, top = Q(0), Q(0)
        elif self.order == 'clamp-then-shift':
            with mp.workdps(500):
                inf = self.mass_below(s if direction == 'remove' else Q(0))
            top = (abs(self.mu) - abs(self.s - self.mu)) / self.b if direction == 'remove' else x
        else:
            inf = Q(0)
            top = x
            if direction == 'remove' and self.mu < 0:
                top = lambda: log(self.F(0) / self.F(-self.s))
        return Profile(first, lambda e: self.direct(direction, e), 'differences of the distribution function; quadrature of the densities', inf, top)


def main():
    fam = Family('clamped_laplace', 'Laplace noise clamped at 0; direction add exchanges P and Q')
    for order in ('clamp-then-shift', 'shift-then-clamp'):
        for mu, b, s in [('20', '4', '2'), ('5', '1', '1'), ('1', '1', '2'), ('0', '1', '1'), ('-1', '1', '0.5'), ('-1', '1', '3'), ('100', '10', '1'), ('3', '1/2', '1/3'), ('300', '20', '2'), ('2', '1', '0'), ('0.5', '2', '1'), ('50', '1', '60'), ('700', '1', '1')]:
            ev = event('ClampedLaplaceEvent', location=mu, scale=b, shift=s, order=order)
            pair = Pair(mu, b, s, order)
            x = rat(s) / rat(b)
            es = list(dict.fromkeys(['0', '1', '-1', str(x), str(-x), str(x / 2), str(-x / 3), '0.1', str(x * Q(10 ** 9 - 1, 10 ** 9)), str(x + 1), str(-x - 1), '-0.01']))
            r, a = pair.profile('remove'), pair.profile('add')
            for d, p in (('remove', r), ('add', a)):
                ds = ['0', '1e-5', '0.3', '0.01']
                if not isinstance(p.inf_mass, Q) and p.inf_mass < mpf('0.5'):
                    ds += [mp.nstr(p.inf_mass * mpf('1.0001'), 12), mp.nstr(p.inf_mass * mpf('0.9'), 12)]
                fam.sweep(ev, p, es, ds, d, tv=True)
            fam.sweep(ev, maximum(r, a), [str(x / 2), '0'], ['0.01'], 'both')
    fam.write()


if __name__ == '__main__':
    main()
