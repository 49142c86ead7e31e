"""Gaussian mechanism: single, k-fold, heterogeneous, both relations.

First method: delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu) with
mu^2 = sum (sensitivity/sigma)^2. Second: quadrature of (p - e^eps q)_+ for
p = N(mu, 1), q = N(0, 1), which uses the exponential function only.
"""
from common import *


def by_quadrature(mu2, eps):
    mu, e = sqrt(f(mu2)), f(eps)
    x0 = e / mu + mu / 2  # the loss mu x - mu^2/2 equals eps here
    # p - e^eps q = p (1 - e^(eps - loss)) for x > x0.
    g = lambda x: density(x - mu) * -mp.expm1(-mu * (x - x0))
    if x0 > mu:
        # tail: substitute x = x0 + t / (x0 - mu + 1)
        w = 1 / (x0 - mu + 1)
        top = min(mpf(240), mpf(22) / w)
        step = min(mpf(6), 3 / w)
        pts = [x0 + w * step * t for t in range(int(top / step) + 2)]
    else:
        pts = [x0] if x0 > mu - 21 else [mu - 21]
        while pts[-1] < mu + 21:
            pts.append(min(pts[-1] + 3, mu + 21))
    return quad(g, pts)


def profile(mu2):
    mu2 = rat(mu2)
    return Profile(lambda e: gaussian_profile(sqrt(f(mu2)), e), lambda e: by_quadrature(mu2, e),
                   'closed form; quadrature of the densities')


def main():
    fam = Family('gaussian', 'Gaussian noise; heterogeneous compositions collapse to one Gaussian')
    eps = ['0', '1', '-1', '0.1', '1/3', '3', '10', '-1/3', '1e-10', '-20']
    for s in ['1', '0.5', '2', '1.1', '10', '1/3', '0.1']:
        es = [e for e in eps if e != '-20' or s in ('1', '0.1')]
        fam.sweep(gaussian(s), profile(1 / rat(s) ** 2), es, ['1e-5', '1e-10', '0.1'], tv=True)
    fam.sweep(gaussian('1'), profile('1'), ['30', '80', '117.2', '118'], ['1e-20', '1e-100', '1e-300', '1e-1000', '1e-3000', '0.5', '0.9', '1', '0', '0.38'], 'remove')
    fam.sweep(gaussian('1'), profile('1'), ['2.5'], ['1e-6'], 'add')
    fam.sweep(gaussian('0.05'), profile('400'), ['0', '100', '200', '1000', '2500', '-200', '-150'], ['1e-9', '1e-3000', '0.999'])
    fam.sweep(gaussian('1e-3'), profile('1e6'), ['0', '500000', '510000', '600000'], ['1e-5', '1e-2000'])
    fam.sweep(gaussian('100'), profile('1e-4'), ['0', '0.01', '0.1', '0.5', '1', '-0.01'], ['1e-5', '1e-15', '1e-300'], tv=True)
    fam.sweep(gaussian('1e6'), profile('1e-12'), ['0', '1e-6', '1e-5', '2e-5', '1e-4', '-1e-6'], ['1e-7', '1e-9', '1e-30'])
    fam.sweep(gaussian('1e20'), profile('1e-40'), ['0', '1e-20', '3e-19', '1e-21'], ['1e-22', '1e-40'])
    for s, k in [('1', 2), ('1', 10), ('10', 100), ('50', 1000), ('4', 16), ('1000', 1000000), ('0.7', 3), ('1/3', 7), ('20', 65536)]:
        p = profile(k / rat(s) ** 2)
        fam.sweep(self_composed(gaussian(s), k), p, ['0', '0.5', '1', '4', '-0.5'], ['1e-5', '1e-12'])
    # alpha = 117.74: delta near 1e-3000; exactly representable and irrational mu
    fam.sweep(self_composed(gaussian('1'), 2), profile('2'), ['166', '100'], ['1e-3000'])
    lists = [['1', '2'], ['1', '1', '1'], ['0.8', '1.6', '3.2', '6.4'], ['1', '1e6'], ['5', '0.3', '2/3'], ['10', '11', '12', '13', '14', '15', '16', '17', '18', '19']]
    for l in lists:
        mu2 = sum(1 / rat(s) ** 2 for s in l)
        fam.sweep(composed([gaussian(s) for s in l]), profile(mu2), ['0', '1', '2.5', '-0.7'], ['1e-6'])
    nested = composed([self_composed(gaussian('2'), 3), composed([gaussian('1'), self_composed(composed([gaussian('4'), gaussian('5')]), 2)])])
    fam.sweep(nested, profile(Q(3, 4) + 1 + 2 * (Q(1, 16) + Q(1, 25))), ['0', '1', '5'], ['1e-8'], tv=True)
    for s in ['1', '2', '10', '0.3']:
        for rel, c in [('REPLACE_ONE', 2), ('REPLACE_SPECIAL', 1)]:
            p = profile(rat(c) ** 2 / rat(s) ** 2)
            for d in ['both', 'add', 'remove']:
                fam.sweep(gaussian(s), p, ['0', '1', '-1'] if d == 'both' else ['1/2'], ['1e-5'] if d == 'both' else [], d, rel)
    fam.sweep(self_composed(gaussian('8'), 20), profile(Q(20 * 4, 64)), ['0', '1', '3'], ['1e-9'], relation='REPLACE_ONE')
    fam.write()


if __name__ == '__main__':
    main()
