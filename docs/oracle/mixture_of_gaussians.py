"""MixtureOfGaussiansDpEvent, one step.

remove: P = sum_i p_i N(c_i, s^2) against Q = N(0, s^2); add: the pair
exchanged. With c_i >= 0 the ratio sum_i p_i e^((2 c_i x - c_i^2)/(2 s^2)) is
increasing in x.

First method: its root by Newton's method, then normal distribution functions.
Second: quadrature of (left - e^eps right)_+ with the root from bisection; for
equally spaced c_i also the root of the quadratic.
"""
from common import *


class Mixture:
    def __init__(self, s, cs, ps):
        self.s, self.cs, self.ps = rat(s), [rat(c) for c in cs], [rat(p) for p in ps]
        assert sum(self.ps) == 1 and min(self.cs) >= 0
        self.rest = sum(p for c, p in zip(self.cs, self.ps) if c == 0)

    def log_ratio(self, x):
        s2 = f(self.s) ** 2
        ts = [(2 * f(c) * x - f(c) ** 2) / (2 * s2) for c in self.cs]
        m = max(ts)
        return m + log(sum(f(p) * exp(t - m) for p, t in zip(self.ps, ts)))

    def bracket(self, e):
        lo, hi = mpf(-1), mpf(1)
        while self.log_ratio(lo) > e:
            lo *= 2
        while self.log_ratio(hi) < e:
            hi *= 2
        return lo, hi

    def newton(self, e):
        lo, hi = self.bracket(e)
        s2 = f(self.s) ** 2
        x = hi
        for _ in range(20000):
            ts = [(2 * f(c) * x - f(c) ** 2) / (2 * s2) for c in self.cs]
            m = max(ts)
            w = [f(p) * exp(t - m) for p, t in zip(self.ps, ts)]
            v, d = m + log(sum(w)), sum(f(c) * y for c, y in zip(self.cs, w)) / sum(w) / s2
            if v > e:
                hi = min(hi, x)
            else:
                lo = max(lo, x)
            new = x - (v - e) / d
            if not lo <= new <= hi:
                new = (lo + hi) / 2
            if abs(new - x) <= abs(new) * mpf(10) ** (8 - mp.dps) or v == e:
                return new
            x = new
        raise Unstable('newton')

    def quadratic(self, e):
        """c_i = 0, c, 2c with y = e^(c x/s^2)."""
        unit = min(c for c in self.cs if c)
        c = f(unit)
        k = exp(-c * c / (2 * f(self.s) ** 2))
        w = {i: mpf(0) for i in range(3)}
        for ci, p in zip(self.cs, self.ps):
            w[int(ci / unit)] += f(p)
        A, B, C = w[2] * k ** 4, w[1] * k, w[0] - exp(e)
        y = -C / B if A == 0 else 2 * -C / (B + sqrt(B * B - 4 * A * C))
        return log(y) * f(self.s) ** 2 / c

    def bisect(self, e):
        lo, hi = self.bracket(e)
        for _ in range(int(mp.prec * 1.2)):
            mid = (lo + hi) / 2
            if self.log_ratio(mid) > e:
                hi = mid
            else:
                lo = mid
        return (lo + hi) / 2

    def closed(self, direction, eps):
        e, a = f(eps), exp(f(eps))
        s = f(self.s)
        if direction == 'remove':
            if self.rest == 1:
                return one_minus(eps)
            if self.rest and a <= f(self.rest):
                return -mp.expm1(e)
            x = self.newton(e)
            return sum(f(p) * Phi((f(c) - x) / s) for c, p in zip(self.cs, self.ps)) - a * Phi(-x / s)
        if self.rest == 1:
            return one_minus(eps)
        if self.rest and a * f(self.rest) >= 1:
            return Q(0)
        x = self.newton(-e)  # q > a p where p/q < 1/a
        return Phi(x / s) - a * sum(f(p) * Phi((x - f(c)) / s) for c, p in zip(self.cs, self.ps))

    def direct(self, direction, eps):
        e, a = f(eps), exp(f(eps))
        s = f(self.s)
        n = lambda x, c: density((x - c) / s) / s
        p = lambda x: sum(f(w) * n(x, f(c)) for c, w in zip(self.cs, self.ps))
        q = lambda x: n(x, 0)
        if self.rest == 1:
            return max(mpf(0), 1 - a)
        top, w = f(max(self.cs)), s
        if direction == 'remove':
            h = lambda x: p(x) - a * q(x)
            if a <= f(self.rest):
                lo, hi = -25 * s, top + 25 * s
            else:
                lo = self.bisect(e)
                unit = min(c for c in self.cs if c)
                if self.rest and set(self.cs) <= {0, unit, 2 * unit}:
                    alt = self.quadratic(e)
                    if abs(alt - lo) > mpf('1e-60') * max(1, abs(lo)):
                        raise AssertionError('roots differ')
                w = s / (1 + max(lo - top, mpf(0)) / s)
                hi = max(lo + 260 * w if lo > top else top + 25 * s, lo + w)
                if lo > top:
                    hi = min(hi, lo + 25 * s)
                lo = max(lo, -30 * s)
        else:
            h = lambda x: q(x) - a * p(x)
            if self.rest and a * f(self.rest) >= 1:
                return mpf(0)
            hi = self.bisect(-e)
            w = s / (1 + max(-hi, mpf(0)) / s)
            lo = -25 * s if hi > 0 else hi - min(25 * s, 260 * w)
            hi = min(hi, top + 30 * s)
        step = 2 * w
        edge = lo if direction == 'remove' else hi
        grid = {lo, hi}
        x = lo
        while x < hi:
            grid.add(x)
            x += 2 * s
        for i in range(1, 130):
            y = edge + (step * i if direction == 'remove' else -step * i)
            if lo < y < hi:
                grid.add(y)
        return quad(lambda x: max(mpf(0), h(x)), sorted(grid))

    def profile(self, direction):
        if self.rest == 1:
            top = Q(0)
        elif direction == 'add' and self.rest:
            top = lambda: -log(f(self.rest))
        else:
            top = None
        return Profile(lambda e: self.closed(direction, e), lambda e: self.direct(direction, e), 'Newton root and normal distribution functions; quadrature with bisection', Q(0), top, check_dps=110)


def main():
    fam = Family('mixture_of_gaussians', 'one step; remove has P the mixture, Q the plain Gaussian')
    for s, cs, ps in [('1', ['0', '1'], ['0.99', '0.01']), ('1', ['0', '1', '2'], ['0.81', '0.18', '0.01']), ('2', ['0', '1', '2'], ['1/2', '1/4', '1/4']), ('0.5', ['0', '1', '2'], ['1/3', '1/3', '1/3']),
                      ('1', ['1', '2'], ['1/2', '1/2']), ('3', ['0', '1', '3'], ['0.5', '0.3', '0.2']), ('1', ['0'], ['1']), ('1', ['1'], ['1']), ('10', ['0', '5', '10'], ['0.9', '0.09', '0.01']),
                      ('0.7', ['0.1', '0.2', '0.3', '0.4'], ['0.1', '0.2', '0.3', '0.4']), ('1', ['0', '1e-3'], ['1/2', '1/2']), ('100', ['0', '1', '2'], ['1e-6', '0.5', '0.499999']), ('0.2', ['0', '1'], ['0.999', '0.001'])]:
        m = Mixture(s, cs, ps)
        ev = event('MixtureOfGaussiansDpEvent', standard_deviation=s, sensitivities=cs, sampling_probs=ps)
        es = ['0', '0.1', '-0.1', '1', '-1', '3']
        if s in ('1', '0.5', '0.2'):
            es += ['8']
        if cs[-1] == '1e-3':
            es = ['0', '1e-4', '-1e-4', '0.002', '-0.01']
        extra = []
        if 0 < m.rest < 1 and cs[-1] != '1e-3':
            with mp.workdps(60):
                l = log(f(m.rest))
                extra = [mp.nstr(l * (1 - mpf('1e-4')), 12), mp.nstr(l * (1 + mpf('1e-4')), 12)]
        profs = []
        for d in ('remove', 'add'):
            p = m.profile(d)
            profs.append(p)
            ee = es + (extra if d == 'remove' else [mp.nstr(-f(x), 15) for x in extra])
            fam.sweep(ev, p, ee if s != '100' else [e for e in ee if abs(rat(e)) < 1], ['1e-5', '0.1', '1e-30'] + (['0', '1'] if s == '2' else []), d, tv=True)
        fam.sweep(ev, maximum(*profs), ['0.2', '0.5'] if cs[-1] != '1e-3' else ['0.001'], ['1e-4'], 'both')
    m = Mixture('1', ['0', '1', '2'], ['0.81', '0.18', '0.01'])
    fam.sweep(event('MixtureOfGaussiansDpEvent', standard_deviation='1', sensitivities=['0', '1', '2'], sampling_probs=['0.81', '0.18', '0.01']), m.profile('remove'), ['20', '40'], ['1e-100', '1e-300'], 'remove')
    fam.write()


if __name__ == '__main__':
    main()
