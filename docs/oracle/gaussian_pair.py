"""GaussianPairEvent, single, both directions: N(0, sp^2) against N(s, sq^2).

The loss is a parabola. First method: differences of the distribution functions
outside of its roots, or between them. Second: quadrature of (p - e^eps q)_+
between the roots, which are found by bisection.
"""
from mpmath import erfc, npdf, quad, inf, findroot

from common import *


class Pair:
    def __init__(self, sp, sq, s):
        self.sp, self.sq, self.s = rat(sp), rat(sq), rat(s)

    def reverse(self):
        r = Pair('1', '2', '0')
        r.sp, r.sq, r.s = self.sq, self.sp, self.s
        return r

    def roots(self, eps):
        """Where a x^2 + b x + c = eps, or None."""
        a = 1 / (2 * self.sq ** 2) - 1 / (2 * self.sp ** 2)
        b = -self.s / self.sq ** 2
        c = f(self.s ** 2 / (2 * self.sq ** 2)) + log(f(self.sq) / f(self.sp)) - eps
        disc = f(b) ** 2 - 4 * f(a) * c
        if disc <= 0:
            return a, None
        r = sqrt(disc)
        x, y = (-f(b) - r) / (2 * f(a)), (-f(b) + r) / (2 * f(a))
        return a, (min(x, y), max(x, y))

    def below(self, x, mean, sigma):
        return erfc(-(x - f(mean)) / f(sigma) / sqrt(mpf(2))) / 2

    def first(self, eps):
        eps = f(eps)
        a, r = self.roots(eps)
        if r is None:
            return 1 - exp(eps) if a > 0 else mpf(0)
        def mass(mean, sigma):
            if a < 0:
                m = f(mean)
                if r[0] > m:  # from the small side
                    return self.below(2 * m - r[0], mean, sigma) - self.below(2 * m - r[1], mean, sigma)
                return self.below(r[1], mean, sigma) - self.below(r[0], mean, sigma)
            return self.below(r[0], mean, sigma) + self.below(2 * f(mean) - r[1], mean, sigma)
        return mass(0, self.sp) - exp(eps) * mass(self.s, self.sq)

    def second(self, eps):
        eps = f(eps)
        g = lambda x: npdf(x, 0, f(self.sp)) - exp(eps) * npdf(x, f(self.s), f(self.sq))
        a, r = self.roots(eps)
        far = f(self.s) + 40 * max(f(self.sp), f(self.sq))
        if r is None:
            if a < 0:
                return mpf(0)
            cuts = [(-far, far)]
        elif a < 0:
            cuts = [r]
        else:
            cuts = [(-far, r[0]), (r[1], far)]
        total = mpf(0)
        for lo, hi in cuts:
            lo, hi = max(lo, -far), min(hi, far)
            if hi <= lo:
                continue
            step = min(f(self.sp), f(self.sq)) * 2
            marks, x = [lo], lo
            while x + step < hi:
                x += step
                marks.append(x)
            total += quad(g, marks + [hi])
        return total

    def profile(self):
        top = None
        if self.sp < self.sq:
            top = lambda: log(f(self.sq) / f(self.sp)) + f(self.s ** 2 / (2 * (self.sq ** 2 - self.sp ** 2)))
        return Profile(lambda e: self.first(e), lambda e: self.second(e),
                       'differences of the distribution functions; quadrature of the densities', Q(0), top, tol='1e-60', check_dps=110)


def main():
    fam = Family('gaussian_pair', 'N(0, sigma_p^2) against N(shift, sigma_q^2), sigma_p > sigma_q; direction add exchanges P and Q')
    for sp, sq, s in [('2', '1', '0'), ('1.5', '1', '1/3'), ('1.1', '1', '3'), ('1.01', '1', '0.5')]:
        ev = dict(event('GaussianPairEvent', sigma_p=sp, sigma_q=sq, shift=s), module_name='dpverify')
        p = Pair(sp, sq, s)
        r, a = p.profile(), p.reverse().profile()
        fam.sweep(ev, r, ['0', '1/3', '-1', '2'], ['0.01'], 'remove', tv=True)
        fam.sweep(ev, a, [e for e in ('0', '1/3', '-1', '2') if a.first(rat(e)) != 0], ['0.01'], 'add')
    fam.write()


if __name__ == '__main__':
    main()
