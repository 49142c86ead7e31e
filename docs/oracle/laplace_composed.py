"""k-fold Laplace mechanism, homogeneous and with different scales.

Under the tilt by e^(-L/2) one release has the measure
e^(-x/2) (1/2 at x + 1/2 at -x + density 1/4 on (-x, x)), x = sensitivity/scale,
and delta(eps) is the integral of (e^(s/2) - e^(eps - s/2))_+ against the
convolution of these measures.

First method, homogeneous: a finite sum of incomplete exponential integrals.
First method, heterogeneous: the same, with the product of the transforms
(e^(xt) + e^(-xt))/2 + (e^(-xt) - e^(xt))/(4t) expanded term by term.
Second method: the convolution itself, as atoms and a piecewise polynomial with
exact rational coefficients, integrated by parts at 300 digits.
"""
from functools import lru_cache
from math import comb

from gmpy2 import mpq

from common import *


# First method.

def R(c, y):  # e^y sum_{i<c} (-y)^i / i!
    s = t = mpf(1)
    for i in range(1, c):
        t = t * -y / i
        s += t
    return exp(y) * s


def S(c, y):  # e^-y sum_{i<c} y^i / i!
    s = t = mpf(1)
    for i in range(1, c):
        t = t * y / i
        s += t
    return exp(-y) * s


def J(c, tau, top, e):
    """The integral of (e^(s/2) - e^(e - s/2))_+ over (tau, top) against
    (s - tau)^(c-1) / (c-1)!; for c = 0 against an atom at tau."""
    if c == 0:
        return max(mpf(0), exp(tau / 2) - exp(e - tau / 2))
    lo = max(e, tau)
    if lo >= top:
        return mpf(0)
    u0, U = lo - tau, top - tau
    return mpf(2) ** c * (exp(tau / 2) * (-1) ** (c - 1) * (R(c, U / 2) - R(c, u0 / 2)) - exp(e - tau / 2) * (S(c, u0 / 2) - S(c, U / 2)))


@lru_cache(None)
def K(k, c):  # coefficients of (1-z)^c (1+z)^(k-c)
    return [sum((-1) ** i * comb(c, i) * comb(k - c, m - i) for i in range(min(c, m) + 1) if m - i <= k - c) for m in range(k + 1)]


def homogeneous(x, k, eps):
    e = f(eps)
    if at_least(eps, k * x):
        return Q(0)
    if at_least(-k * x, eps):
        return one_minus(eps)
    x = f(x)
    total = mpf(0)
    for c in range(k + 1):
        row = K(k, c)
        s = mpf(0)
        for m in range(k + 1):
            if row[m]:
                s += row[m] * J(c, (2 * m - k) * x, k * x, e)
        total += s * comb(k, c) / mpf(2) ** c
    return exp(-k * x / 2) / mpf(2) ** k * total


@lru_cache(None)
def expand(xs):
    terms = {(Q(0), 0): Q(1)}
    for x in xs:
        new = {}
        for (tau, c), w in terms.items():
            for dt, dc, a in ((x, 0, Q(1, 2)), (-x, 0, Q(1, 2)), (-x, 1, Q(1, 4)), (x, 1, Q(-1, 4))):
                key = (tau + dt, c + dc)
                new[key] = new.get(key, Q(0)) + w * a
        terms = new
    return terms


def heterogeneous(xs, eps):
    e, top = f(eps), sum(xs)
    if at_least(eps, top):
        return Q(0)
    if at_least(-top, eps):
        return one_minus(eps)
    total = mpf(0)
    for (tau, c), w in expand(xs).items():
        if w:
            total += f(w) * J(c, f(tau), f(top), e)
    return exp(-f(top) / 2) * total


# Second method.

def taylor_shift(p, h):
    """Coefficients of p(t + h)."""
    p = list(p)
    n = len(p)
    if h != 0:
        for i in range(n - 1):
            for j in range(n - 2, i - 1, -1):
                p[j] += h * p[j + 1]
    return p


def evaluate(p, t):
    r = 0 * t
    for c in reversed(p):
        r = r * t + c
    return r


class Measure:
    """Atoms and a density that is a polynomial in s - cuts[i] on
    (cuts[i], cuts[i+1]); every atom sits at a cut."""

    def __init__(self):
        self.atoms, self.cuts, self.polys = {mpq(0): mpq(1)}, [mpq(0)], []

    def convolve(self, x):
        atoms = {}
        for t, w in self.atoms.items():
            for d in (x, -x):
                atoms[t + d] = atoms.get(t + d, mpq(0)) + w / 2
        cuts = sorted({t + d for t in self.cuts for d in (x, -x)})
        # cumulative mass, a polynomial on each old interval
        G, mass = [], mpq(0)
        for i, p in enumerate(self.polys):
            mass += self.atoms.get(self.cuts[i], mpq(0))
            g = [mass] + [c / (j + 1) for j, c in enumerate(p)]
            G.append(g)
            mass = evaluate(g, self.cuts[i + 1] - self.cuts[i])
        mass += self.atoms.get(self.cuts[-1], mpq(0))

        def at(table, s, left, right):
            """The polynomial of the table on the interval that starts at s."""
            if s < self.cuts[0]:
                return left
            if s >= self.cuts[-1]:
                return right
            lo, hi = 0, len(self.cuts) - 1
            while hi - lo > 1:
                mid = (lo + hi) // 2
                if self.cuts[mid] <= s:
                    lo = mid
                else:
                    hi = mid
            return taylor_shift(table[lo], s - self.cuts[lo])

        polys = []
        for a in cuts[:-1]:
            r = []
            for table, s, left, right, w in ((self.polys, a - x, [], [], mpq(1, 2)), (self.polys, a + x, [], [], mpq(1, 2)),
                                             (G, a + x, [mpq(0)], [mass], mpq(1, 4)), (G, a - x, [mpq(0)], [mass], mpq(-1, 4))):
                p = at(table, s, left, right)
                r += [mpq(0)] * (len(p) - len(r))
                for j, c in enumerate(p):
                    r[j] += w * c
            while r and r[-1] == 0:
                r.pop()
            polys.append(r)
        m = Measure()
        m.atoms, m.cuts, m.polys = atoms, cuts, polys
        return m

    def integral(self, e):
        """of (e^(s/2) - e^(e - s/2))_+"""
        g = lambda z: mpf(int(z.numerator)) / int(z.denominator)
        v = mpf(0)
        for t, w in self.atoms.items():
            if g(t) > e:
                v += g(w) * (exp(g(t) / 2) - exp(e - g(t) / 2))
        for i, p in enumerate(self.polys):
            a, b = g(self.cuts[i]), g(self.cuts[i + 1])
            if b <= e or not p:
                continue
            p = [g(c) for c in p]
            lo = mpf(0) if a >= e else e - a
            up = down = mpf(0)
            d, two = p, mpf(2)
            sign = 1
            h = b - a
            while d:
                dl, dh = evaluate(d, lo), evaluate(d, h)
                up += sign * two * (exp((a + h) / 2) * dh - exp((a + lo) / 2) * dl)
                down -= two * (exp(-(a + h) / 2) * dh - exp(-(a + lo) / 2) * dl)
                d = [j * d[j] for j in range(1, len(d))]
                two *= 2
                sign = -sign
            v += up - exp(e) * down
        return v


measures = {}


def measure(xs):
    if xs not in measures:
        measures[xs] = measure(xs[:-1]).convolve(mpq(xs[-1].numerator, xs[-1].denominator)) if xs else Measure()
    return measures[xs]


def by_convolution(xs, eps):
    return exp(-f(sum(xs)) / 2) * measure(xs).integral(f(eps))


def k_fold(x, k):
    return Profile(lambda e: homogeneous(x, k, e), lambda e: by_convolution((x,) * k, e),
                   'finite sum; exact piecewise polynomial convolution', Q(0), k * x, check_dps=300)


def mixed(xs):
    xs = tuple(sorted(xs))
    return Profile(lambda e: heterogeneous(xs, e), lambda e: by_convolution(xs, e),
                   'expanded transform; exact piecewise polynomial convolution', Q(0), sum(xs), check_dps=300)


def main():
    fam = Family('laplace_composed', 'Laplace noise under composition; delta vanishes at the sum of sensitivity/scale')
    sys.setrecursionlimit(10000)
    for b, ks in [('1', [2, 3, 4, 5, 7, 10, 20, 40, 60]), ('20', [2, 10, 30, 60]), ('1/3', [2, 5, 15, 30]), ('10', [8, 25, 50]), ('0.05', [3, 12])]:
        x = 1 / rat(b)
        for k in ks:
            p, top = k_fold(x, k), k * x
            es = ['0', str(top / 2), str(top), str(-top / 4), str((k - 2) * x), str(top * Q(9, 10)), '0.5']
            if k in (3, 10, 60):
                es += [str(-top), str(-top - 1), str((k - 4) * x), str((k - 2) * x + Q(1, 10 ** 30)), '-0.1', str(top - x / 10 ** 6)]
            fam.sweep(self_composed(laplace(b), k), p, list(dict.fromkeys(es)), ['1e-5', '0.01'] if k <= 30 else ['1e-6'], tv=k in (2, 20))
    p = k_fold(Q(1), 5)
    fam.sweep(self_composed(laplace('1'), 5), p, ['4.' + '9' * 50, '4.' + '9' * 280, '3.' + '0' * 60 + '1', '2.' + '9' * 60], ['1e-300', '1e-60', '0', '1'], 'remove')
    fam.sweep(self_composed(laplace('1'), 5), p, ['1', '-2'], ['0.2'], 'add')
    fam.sweep(self_composed(laplace('1e5'), 10), k_fold(Q(1, 10 ** 5), 10), ['0', '1e-5', '5e-5', '1e-4', '-1e-5'], ['1e-6', '1e-40'])
    fam.sweep(self_composed(laplace('8'), 16), k_fold(Q(1, 4), 16), ['0', '1', '2', '4', '3.99'], ['1e-4'], relation='REPLACE_ONE')
    for l in [['1', '2'], ['1', '2', '3'], ['0.5', '1', '4', '10'], ['1', '1.1', '1.21', '1.331', '1.4641'], ['3', '3', '7', '7', '0.9'], ['1', '1e6'], ['0.01', '5'], ['2', '3', '5', '7', '11', '13']]:
        xs = [1 / rat(b) for b in l]
        top = sum(xs)
        fam.sweep(composed([laplace(b) for b in l]), mixed(xs), ['0', '0.5', str(top), str(top - 2 * min(xs)), str(-top / 3), str(top * Q(99, 100)), '1/7'], ['1e-3', '0'], tv=len(l) == 3)
    fam.write()


if __name__ == '__main__':
    main()
