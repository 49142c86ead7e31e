"""Laplace mechanism, single.

First method: the closed form. Second: quadrature of (p - e^eps q)_+ for
p = Lap(x, 1), q = Lap(0, 1), cut at 0, x and the point where p = e^eps q.
"""
from common import *


def by_quadrature(x, eps):
    x, e = f(x), f(eps)
    cut = (e + x) / 2  # the loss on (0, x) is 2t - x
    loss = lambda t: abs(t) - abs(t - x)
    g = lambda t: exp(-abs(t - x)) / 2 * max(mpf(0), -mp.expm1(e - loss(t)))
    v = mpf(0)
    # (-inf, 0): loss -x; (x, inf): loss x.
    if e < -x:
        v += quad(g, [-mpf(250) + mpf(10) * i for i in range(26)])
    lo, hi = min(max(cut, mpf(0)), x), x
    n = int((hi - lo) / 5) + 1
    if hi > lo:
        v += quad(g, [lo + (hi - lo) * i / n for i in range(n + 1)])
    if e < x:
        v += quad(g, [x + mpf(10) * i for i in range(26)])
    return v


def profile(x):
    return Profile(lambda e: laplace_profile(x, e), lambda e: by_quadrature(x, e),
                   'closed form; quadrature of the densities', Q(0), x)


def main():
    fam = Family('laplace', 'Laplace noise, one release')
    for b in ['1', '2', '0.5', '10', '1/3', '0.1']:
        x = 1 / rat(b)
        es = ['0', str(x / 2), str(x), str(-x), str(2 * x), '1', '-1', '0.1', str(-2 * x), str(-x / 3), str(x * Q(10 ** 12 - 1, 10 ** 12)), '-1e-10']
        fam.sweep(laplace(b), profile(x), list(dict.fromkeys(es)), ['0', '1e-5', '0.1', '0.3', '0.9', '1e-20'], tv=True)
    fam.sweep(laplace('1'), profile(Q(1)), ['0.9' + '9' * 98, '0.9' + '9' * 298, '1.' + '0' * 40 + '1', '-1.' + '0' * 40 + '1', '-0.9' + '9' * 40], ['1e-300', '1e-100', '1', '0.99999'], 'remove')
    fam.sweep(laplace('1'), profile(Q(1)), ['0.5', '-0.5'], ['0.01'], 'add')
    fam.sweep(laplace('1e-3'), profile(Q(1000)), ['0', '10', '999', '1000', '500', '-10', '-999', '-1000'], ['1e-5', '0.5', '0'])
    fam.sweep(laplace('1e6'), profile(Q(1, 10 ** 6)), ['0', '1e-7', '1e-6', '2e-6', '-1e-6', '-1e-7', '1'], ['1e-7', '1e-8', '1e-30', '0'], tv=True)
    fam.sweep(laplace('1e20'), profile(Q(1, 10 ** 20)), ['0', '5e-21', '1e-20', '-1e-20'], ['1e-21'])
    for b in ['1', '2', '7', '0.3']:
        fam.sweep(laplace(b), profile(2 / rat(b)), ['0', '1', '-1', str(2 / rat(b)), str(1 / rat(b))], ['1e-3', '0'], relation='REPLACE_ONE')
        fam.sweep(laplace(b), profile(1 / rat(b)), ['0.1', '-0.1'], ['1e-3'], relation='REPLACE_SPECIAL')
    fam.write()


if __name__ == '__main__':
    main()
