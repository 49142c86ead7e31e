"""k-fold composition of Poisson-sampled Gaussians, directions remove and add.

With r(x) = 1 - q + q e^((2x-1)/(2 sigma^2)) and phi the N(0, sigma^2) density,
  remove: M(s) = integral of phi r^(1-s), add: M(s) = integral of phi r^s,
and for gamma < 0, s_j = gamma + i j h, T = 2 pi/h
  (h/2 pi) sum_j e^(s_j eps) M(s_j)^k / (s_j (s_j - 1))
    = sum_m e^(-gamma m T) delta(eps + m T).
The terms m < 0 are at most e^(gamma T)/(1 - e^(gamma T)); those with m > 0 are
bounded by Markov's inequality at a second abscissa. h is made so small that
both are below 10^-48 of delta, and the sum so long that what follows is too.
The integral over x is a trapezoidal sum. Everything is done twice, with
different gamma, h and x-grids, and the two must agree to 40 digits.

k = 2, 3 are also computed by nested quadrature, in PARI/GP (dpsgd.gp), from
delta_k(eps) = E delta_{k-1}(eps - L), and so are the cases with sigma = 1 and
few steps, whose M decays too slowly; there a second decomposition is compared.
"""
import subprocess
import gmpy2
from gmpy2 import mpc, mpfr

from common import *

PREC = 280  # bits, 84 digits
SHOW = 40
gmpy2.get_context().precision = PREC
gmpy2.get_context().emin = -10 ** 9
gmpy2.get_context().emax = 10 ** 9


def G(x):
    """A number as mpfr."""
    if isinstance(x, str):
        x = rat(x)
    if isinstance(x, Q):
        return mpfr(x.numerator) / mpfr(x.denominator)
    return mpfr(x)



class Step:
    def __init__(self, sigma, q, direction):
        self.sigma, self.q, self.direction = G(sigma), G(q), direction
        self.remove = direction == 'remove'

    def log_r(self, x):
        t = (2 * x - 1) / (2 * self.sigma ** 2)
        # ln(1 + q (e^t - 1))
        return gmpy2.log1p(self.q * gmpy2.expm1(t)) if t < 200 else t + gmpy2.log(self.q + (1 - self.q) * gmpy2.exp(-t))

    def grid(self, gamma, hx, shift=0):
        """(l_i, weight_i) with M(gamma + iw) = sum weight_i e^(-+ i w l_i)."""
        s2 = self.sigma ** 2
        power = 1 - gamma if self.remove else gamma
        norm = hx / (self.sigma * gmpy2.sqrt(2 * gmpy2.const_pi()))

        def term(i):
            x = hx * (i + shift)
            l = self.log_r(x)
            return l, -x * x / (2 * s2) + power * l
        # start at the largest exponent
        i = 0
        best = term(0)[1]
        step = max(1, int(self.sigma / hx))
        while step:
            moved = False
            for d in (step, -step):
                v = term(i + d)[1]
                if v > best:
                    best, i, moved = v, i + d, True
            if not moved:
                step //= 2
        out = []
        for d in (1, -1):
            j = i if d == 1 else i - 1
            while True:
                l, v = term(j)
                if v < best - 150:
                    break
                out.append((l, norm * gmpy2.exp(v)))
                j += d
        return out

    def log_moment(self, gamma):
        hx = self.sigma / 8 if self.sigma > 1 else self.sigma ** 2 / 8
        return gmpy2.log(sum(w for _, w in self.grid(gamma, hx)))

    def width(self, gamma, k, cut):
        """A w beyond which |M|^k < e^-cut M(gamma)^k."""
        m0 = None
        w = mpfr(1)
        while True:
            hx = self.hx(w)
            g = self.grid(gamma, hx)
            if m0 is None:
                m0 = sum(v for _, v in g)
            m = abs(sum(v * gmpy2.exp(mpc(0, -w * l)) for l, v in g))
            if k * gmpy2.log(m / m0) < -cut:
                return w
            w *= mpfr('1.3')

    def hx(self, w):
        s = self.sigma
        return 2 * gmpy2.const_pi() / (w / s ** 2 + mpfr('1.5') * max(20 / s, 62 / s ** 2))


class Line:
    """One vertical line: delta(eps) for all eps near those it was made for."""

    def __init__(self, step, k, epsilons, tilt, fine):
        self.step, self.k = step, k
        es = [G(e) for e in epsilons]
        mid = es[len(es) // 2]
        # abscissa near the minimum of e^(gamma eps) M^k/(gamma(gamma-1))
        obj = lambda g: g * mid + k * step.log_moment(g) - gmpy2.log(g * (g - 1))
        g, f0 = mpfr(-1), obj(mpfr(-1))
        ratio = mpfr(2)
        while ratio > 1.05:
            for c in (g * ratio, g / ratio):
                v = obj(c)
                if v < f0:
                    g, f0 = c, v
                    break
            else:
                ratio = gmpy2.sqrt(ratio)
        self.gamma = gamma = g * G(tilt)
        self.m = step.log_moment(gamma) * k
        # a lower estimate of delta, checked after the sum is known
        low = min(self.scale(e) for e in es) - 40
        T = (111 - low) / -gamma
        top = -k * gmpy2.log1p(-step.q)  # add: the largest loss
        while not ((not step.remove and min(es) + T > top) or all(self.above(e, T) < low - 111 for e in es)):
            T *= mpfr('1.15')
        self.T = T * G(fine)
        self.low = low
        h = 2 * gmpy2.const_pi() / self.T
        W = step.width(gamma, k, 115)
        hx = step.hx(W * mpfr('1.2')) / G(fine)
        grid = step.grid(gamma, hx, G('0.37') if fine != '1' else 0)
        sign = -1 if step.remove else 1
        rot = [gmpy2.exp(mpc(0, sign * h * l)) for l, _ in grid]
        v = [mpc(w) for _, w in grid]
        rows, j, quiet = [], 0, 0
        while quiet < 25:
            M = sum(v)
            s = mpc(gamma, j * h)
            t = gmpy2.exp(k * gmpy2.log(M) - self.m) / (s * (s - 1))
            rows.append((j * h, t))
            quiet = quiet + 1 if abs(t) < abs(rows[0][1]) * gmpy2.exp(mpfr(-118)) else 0
            v = [a * b for a, b in zip(v, rot)]
            j += 1
            if j * h > 3 * W and quiet == 0:
                raise Unstable('line too short')
        self.rows, self.h = rows, h
        self.size = (len(grid), len(rows))

    def scale(self, e):
        g = self.gamma
        return g * e + self.m - gmpy2.log(g * (g - 1))

    def above(self, e, T):
        """log of the bound for m > 0, the best of a few abscissas."""
        best = None
        for t in ('1.5', '2', '3', '4'):
            g2 = self.gamma * G(t)
            lam = -g2
            c = lam * gmpy2.log(lam) - (1 + lam) * gmpy2.log(1 + lam)
            r = (g2 - self.gamma) * T
            if r > -1:
                continue
            v = c + self.k * self.moment(g2) + g2 * e + r + 1
            best = v if best is None or v < best else best
        return best if best is not None else mpfr(10)

    def moment(self, g):
        key = str(g)
        memo = self.__dict__.setdefault('moments', {})
        if key not in memo:
            memo[key] = self.step.log_moment(g)
        return memo[key]

    def delta(self, e):
        e = G(e) if not isinstance(e, type(mpfr(0))) else e
        v = mpfr(0)
        for w, t in self.rows:
            z = (gmpy2.exp(mpc(0, w * e)) * t).real
            v += z if w == 0 else 2 * z
        v = v * self.h / (2 * gmpy2.const_pi()) * gmpy2.exp(self.gamma * e + self.m)
        if not v > 0 or gmpy2.log(v) < self.low:
            raise Unstable('delta below the estimate')
        return v

    def solve(self, d, lo, hi):
        """eps with delta(eps) = d in [lo, hi]."""
        d = G(d)
        y = lambda x: gmpy2.log(self.delta(x) / d)
        a, b = G(lo), G(hi)
        ya, yb = y(a), y(b)
        assert ya > 0 > yb, (lo, hi, float(ya), float(yb))
        for _ in range(200):
            x = b - yb * (b - a) / (yb - ya)
            if not min(a, b) - 5 < x < max(a, b) + 5:
                x = (a + b) / 2
            yx = y(x)
            a, ya, b, yb = b, yb, x, yx
            if abs(yx) < mpfr('1e-60') or ya == yb:
                return x
        raise Unstable('no root')


def agree_digits(a, b, n):
    return abs(a - b) <= max(abs(a), abs(b)) * mpfr(10) ** -n


def show(x):
    with mp.workdps(80):
        m, e = x.as_mantissa_exp()
        return mpf(int(m)) * mpf(2) ** int(e)


def by_lines(fam, sigma, q, k, epsilons, deltas, directions=('remove', 'add')):
    ev = poisson(q, gaussian(sigma))
    ev = self_composed(ev, k) if k > 1 else ev
    method = 'Laplace inversion at two abscissas, steps and grids'
    values = {}
    for d in directions:
        st = Step(sigma, q, d)
        one, two = Line(st, k, epsilons, '1', '1'), Line(st, k, epsilons, '0.83', '1.13')
        for e in epsilons:
            a, b = one.delta(e), two.delta(e)
            if not agree_digits(a, b, SHOW + 3):
                raise AssertionError('%s %s %s %s: %s %s' % (sigma, q, k, e, a, b))
            values[d, e] = a
            fam.put(ev, d, 'delta', e, show(a), method, digits=SHOW, slack='1e-43')
        for t in deltas:
            ra = one.solve(t, epsilons[0], epsilons[-1])
            rb = two.solve(t, epsilons[0], epsilons[-1])
            if not agree_digits(ra, rb, SHOW + 2):
                raise AssertionError('%s %s %s epsilon %s: %s %s' % (sigma, q, k, t, ra, rb))
            values[d, 'eps', t] = ra
            fam.put(ev, d, 'epsilon', t, show(ra), method + '; secant', digits=SHOW, slack='1e-42')
    if len(directions) == 2:
        for e in epsilons[:2]:
            fam.put(ev, 'both', 'delta', e, show(max(values['remove', e], values['add', e])), method, digits=SHOW, slack='1e-43')
        for t in deltas[:1]:
            fam.put(ev, 'both', 'epsilon', t, show(max(values['remove', 'eps', t], values['add', 'eps', t])), method + '; secant', digits=SHOW, slack='1e-42')
    print('  sigma %s q %s k %d: %s %s, %.0f s' % (sigma, q, k, one.size, two.size, time.time() - fam.start), flush=True)
    return values


def main():
    fam = Family('dpsgd', 'compositions of Poisson-sampled Gaussians; lines carry fewer digits')
    fam.head['provenance']['precision'] = '84 digits; discretisation, aliasing and truncation below 1e-48 relative; two runs agree to %d digits' % (SHOW + 3)
    for case in [
        ('2', '0.1', 2, ['0.01', '0.1', '0.3'], ['0.01']),
        ('2', '0.1', 4, ['0.01', '0.2', '0.5'], ['1e-3']),
        ('4', '0.01', 2, ['0.001', '0.01'], []),
        ('4', '0.01', 3, ['0.001', '0.01'], []),
        ('2', '0.01', 10, ['0.01', '0.05', '0.1'], ['1e-3']),
        ('1', '0.05', 10, ['0.1', '0.5', '1', '2'], ['1e-3']),
        ('1', '0.01', 100, ['0.1', '0.5', '1', '2'], ['1e-3', '1e-5']),
        ('1', '0.01', 1000, ['0.5', '1', '2', '3'], ['1e-3', '1e-5']),
        ('1', '0.01', 10000, ['1', '4', '8', '12'], ['1e-3', '1e-5']),
        ('0.8', '0.001', 1000, ['0.01', '0.1', '0.5', '1'], ['1e-3']),
        ('0.8', '0.001', 10000, ['0.1', '0.5', '1', '2'], ['1e-4', '1e-5']),
        ('0.8', '0.01', 1000, ['1', '2', '4', '6'], ['1e-3', '1e-6']),
        ('2', '0.01', 1000, ['0.1', '0.5', '1', '2'], ['1e-5', '1e-10']),
        ('2', '0.005', 10000, ['0.1', '0.5', '1', '2'], ['1e-5', '1e-10']),
        ('2', '0.001', 100, ['0.001', '0.01', '0.05'], ['1e-4']),
        ('4', '0.01', 1000, ['0.05', '0.2', '0.5', '1'], ['1e-5', '1e-12']),
        ('4', '0.01', 10000, ['0.1', '0.5', '1', '2'], ['1e-5', '1e-12']),
        ('4', '0.01', 65536, ['0.5', '1', '2', '4'], ['1e-5', '1e-10']),
        ('1.1', '256/60000', 14062, ['0.5', '1', '2.92', '3.01', '5'], ['1e-5']),
    ]:
        by_lines(fam, *case)
    fam.write()


if __name__ == '__main__':
    main()
