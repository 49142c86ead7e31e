"""TruncatedGaussianEvent and TruncatedLaplaceEvent, single.

P is the noise on [-r, r], renormalised, Q the same moved by s. p/q decreases,
so {p > e^eps q} is x < o.

First method: delta = (C(o) - C(-r) - e^eps (C(o-s) - C(-r))) / (C(r) - C(-r))
with C the untruncated distribution function and o clipped to [s-r, r];
delta = 1 if s >= 2r. Second: the mass of [-r, s-r) and the quadrature of
(p - e^eps q)_+ on [s-r, r], densities normalised by quadrature too.
"""
from common import *


class Noise:
    def __init__(self, kind, scale, s, r):
        self.kind, self.scale, self.s, self.r = kind, rat(scale), rat(s), rat(r)

    def max_loss(self):
        s, r, b = self.s, self.r, self.scale
        if self.kind == 'gaussian':
            return s * (2 * r - s) / (2 * b * b)
        return (r - abs(s - r)) / b

    def diff(self, x, y):
        """C(y) - C(x), without cancellation where both are on one side."""
        b = f(self.scale)
        if x > 0:
            x, y = -y, -x
        if self.kind == 'gaussian':
            return Phi(y / b) - Phi(x / b)
        if y <= 0:
            return (exp(y / b) - exp(x / b)) / 2
        return (1 - exp(-y / b) / 2) - exp(x / b) / 2

    def closed(self, eps):
        s, r, b = self.s, self.r, self.scale
        if s >= 2 * r:
            return Q(1)
        if s == 0:
            return one_minus(eps)
        e = f(eps)
        if at_least(eps, self.max_loss()):
            o = s - r
        elif at_least(-self.max_loss(), eps):
            return 1 - exp(e) * (1 - self.infinite())
        elif self.kind == 'gaussian':
            o = f(s) / 2 - f(b) ** 2 * e / f(s)
        else:
            o = (f(s) - f(b) * e) / 2
            if at_least(eps, s / b):
                o = s - r
            elif at_least(-s / b, eps):
                o = r
        s, r = f(s), f(r)
        o = min(max(f(o), s - r), r)
        return (self.diff(-r, o) - exp(e) * self.diff(-r, o - s)) / self.diff(-r, r)

    def infinite(self):
        s, r = f(self.s), f(self.r)
        return self.diff(-r, s - r) / self.diff(-r, r)

    def direct(self, eps):
        s, r, b, e = f(self.s), f(self.r), f(self.scale), f(eps)
        d = (lambda x: exp(-x * x / (2 * b * b))) if self.kind == 'gaussian' else (lambda x: exp(-abs(x) / b))
        if s >= 2 * r:
            return mpf(1)
        if s == 0:
            return max(mpf(0), 1 - exp(e))

        def grid(lo, hi, extra=()):
            # cut at 0, s, the extra points, and every 3 scales near 0 and s
            pts = {lo, hi}
            for c in (mpf(0), s) + tuple(extra):
                for i in range(-80, 81):
                    x = c + 3 * b * i
                    if lo < x < hi:
                        pts.add(x)
            return sorted(pts)
        reach = 24 * b if self.kind == 'gaussian' else 240 * b
        norm = quad(d, grid(max(-r, -reach), min(r, reach)))
        if self.kind == 'gaussian':
            loss = lambda x: (s * s - 2 * s * x) / (2 * b * b)
            cut = s / 2 - b * b * e / s
        else:
            x1 = f(self.s / self.scale)
            loss = lambda x: x1 if x <= 0 else -x1 if x >= s else (s - 2 * x) / b
            cut = (s - b * e) / 2
        g = lambda x: d(x) * max(mpf(0), -mp.expm1(e - loss(x)))
        inf = quad(d, grid(max(-r, s - r - reach if s - r > 0 else s - r - reach), s - r))
        hi = min(r, max(cut, s, mpf(0)) + reach)
        lo = s - r
        if self.kind == 'gaussian':
            hi = min(r, max(cut, lo))
            if cut < 0:  # the mass sits just left of the cut
                w = b * b / (abs(cut) + b)
                lo = max(lo, hi - 260 * w)
                pts = sorted({lo, hi} | {x for x in [hi - 4 * w * i for i in range(1, 66)] if x > lo})
                if hi <= lo:
                    pts = [lo]
                return (inf + quad(g, pts)) / norm
        lo = max(lo, -reach)
        body = quad(g, grid(lo, hi, [cut])) if lo < hi else mpf(0)
        return (inf + body) / norm


def profile(kind, scale, s, r):
    n = Noise(kind, scale, s, r)
    if n.s >= 2 * n.r:
        inf, top = Q(1), None
    elif n.s == 0:
        inf, top = Q(0), Q(0)
    else:
        inf, top = None, n.max_loss()
    p = Profile(n.closed, n.direct, 'closed form; quadrature of the densities', inf, top)
    if inf is None:
        with mp.workdps(400):
            p.inf_mass = n.infinite()
    return p


def main():
    fam = Family('truncated', 'noise renormalised on [-radius, radius], one release; every pair is its own dual')
    for kind, name, par in (('gaussian', 'TruncatedGaussianEvent', 'sigma'), ('laplace', 'TruncatedLaplaceEvent', 'scale')):
        for b, s, r in [('1', '1', '3'), ('1', '1', '10'), ('2', '1', '5'), ('1', '2', '3'), ('1', '5', '3'), ('0.5', '0.1', '1'), ('10', '1', '100'), ('1', '0', '2'), ('1', '6', '3'), ('1', '7', '3'),
                        ('1/3', '1/7', '2/3'), ('100', '1', '2'), ('1e3', '1e-3', '5e3'), ('3', '1', '0.6'), ('0.1', '1', '2'), ('1', '1', '25'), ('5', '3', '40')]:
            p = profile(kind, b, s, r)
            ev = event(name, **{par: b, 'sensitivity': s, 'radius': r})
            es = ['0', '1', '-1', '0.1', '-0.05', '3']
            if callable(p.first) and p.max_loss:
                top = p.max_loss
                es += [str(top), str(-top), str(top * Q(999999, 10 ** 6)), str(2 * top)]
                if kind == 'laplace':
                    x = rat(s) / rat(b)
                    es += [str(x), str(-x), str(x - Q(1, 10 ** 12))]
            es = list(dict.fromkeys(es))
            ds = ['0', '1e-5', '0.5', '0.05', '1']
            if not isinstance(p.inf_mass, Q):
                with mp.workdps(60):
                    ds.append(mp.nstr(p.inf_mass * mpf('1.5'), 10))
                    ds.append(mp.nstr(p.inf_mass * mpf('1.0000001'), 20))
                ds = [d for d in ds if d != '0' and rat(d) < 1] + ['0', '1']
            fam.sweep(ev, p, es, ds, tv=True)
            fam.sweep(ev, p, ['1/4'], [], 'remove')
            fam.sweep(ev, p, ['1/4'], [], 'add')
    p = profile('gaussian', '1', '1', '40')  # infinite mass near 1e-350
    fam.sweep(event('TruncatedGaussianEvent', sigma='1', sensitivity='1', radius='40'), p, ['0', '10', '20', '30', '39', '39.5', '40'], ['1e-300', '1e-100', '1e-5'])
    p = profile('laplace', '1', '1', '700')
    fam.sweep(event('TruncatedLaplaceEvent', scale='1', sensitivity='1', radius='700'), p, ['0', '0.999999', '1', '2'], ['1e-300', '1e-100', '1e-305'])
    fam.write()


if __name__ == '__main__':
    main()
