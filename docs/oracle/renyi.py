"""Renyi divergences of sampled discrete noise, binomials and mixtures.

Sums over the integers of p^a q^(1-a) until the terms are below 1e-60, and
Gauss-Legendre quadrature for mixtures of Gaussians; 60 digits. The values are
printed, for the table of exact/renyi/oracle_test.go.
"""
import math

from mpmath import mp, mpf, exp, log, binomial, quad, linspace, sqrt, pi

mp.dps = 60


def renyi(pairs, a):
    a = mpf(a)
    if a == 1:
        return sum(p * log(p / q) for p, q in pairs)
    return log(sum(p ** a * q ** (1 - a) for p, q in pairs)) / (a - 1)


def discrete_gaussian(sigma, s, n=400):
    w = {x: exp(-mpf(x) ** 2 / (2 * mpf(sigma) ** 2)) for x in range(-n, n + 1)}
    z = sum(w.values())
    return [(w[x] / z, w[x - s] / z) for x in range(-n + s, n + 1)]


def discrete_laplace(a, s, n=1500):
    c = (1 - exp(-mpf(a))) / (1 + exp(-mpf(a)))
    m = lambda x: c * exp(-mpf(a) * abs(x))
    return [(m(x), m(x - s)) for x in range(-n, n + 1)]


def binomials(n, p, s):
    p = mpf(p)
    m = [binomial(n, x) * p ** x * (1 - p) ** (n - x) for x in range(n + 1)]
    return [(m[x], m[x - s]) for x in range(s, n + 1)]


def sample(g, pairs):
    g = mpf(g)
    return [((1 - g) * q + g * p, q) for p, q in pairs]


def swap(pairs):
    return [(q, p) for p, q in pairs]


def mixture(means, probs, a):
    a = mpf(a)
    n = lambda x, m: exp(-(x - m) ** 2 / 2) / sqrt(2 * pi)
    f = lambda x: sum(w * n(x, m) for w, m in zip(probs, means)) ** a * n(x, 0) ** (1 - a)
    return log(quad(f, linspace(-30, 40, 141))) / (a - 1)


def laplace(x):
    return exp(-abs(x)) / 2


def sampled_laplace(g, s, a, reverse):
    """Lap(0, 1) and Lap(s, 1): the tails by hand, the rest by quadrature."""
    g, s, a = mpf(g), mpf(s), mpf(a)
    e = 1 - a if reverse else a
    m = exp(-s) / 2 * (1 - g + g * exp(s)) ** e + (1 - g + g * exp(-s)) ** e / 2
    m += quad(lambda x: laplace(x - s) * (1 - g + g * exp(s - 2 * x)) ** e, linspace(0, s, 9))
    return log(m) / (a - 1)


def clamped_laplace(m, t, a, first, reverse):
    """log M of max(0, X) and max(0, X + t), or of the first and t + max(0, X), X = Lap(m, 1)."""
    m, t, a = mpf(m), mpf(t), mpf(a)
    e = 1 - a if reverse else a
    low = mpf(0) if first else t
    ends = [low] + [x for x in (m, m + t) if x > low]
    f = lambda x: laplace(x - m) ** e * laplace(x - m - t) ** (1 - e)
    v = sum(quad(f, [x, y]) for x, y in zip(ends, ends[1:]))
    v += quad(f, [ends[-1] + x for x in (0, 3, 10, 25, 60, 120)])
    cdf = lambda x: exp(x) / 2 if x < 0 else 1 - exp(-x) / 2
    if first:
        v += cdf(-m) ** e * cdf(-m - t) ** (1 - e)
    return log(v)


def sampled_clamped(g, m, t, a, reverse):
    """log M of a sample of max(0, X) and t + max(0, X), X = Lap(m, 1), 0 < m."""
    g, m, t, a = mpf(g), mpf(m), mpf(t), mpf(a)
    e = 1 - a if reverse else a
    f = lambda x: laplace(x - m - t) * (1 - g + g * laplace(x - m) / laplace(x - m - t)) ** e
    v = quad(f, sorted([t, m, m + t])[(0 if m > t else 1):])
    v += quad(f, [m + t + x for x in (0, 3, 10, 25, 60, 120)])
    return log(v + (1 - g) ** e * exp(-m) / 2)


def allocation(t, mu2, a, reverse, h):
    """R of one of t = 2 or 3 steps of a Gaussian: a sum over the cube, in float64."""
    r = 1 - a if reverse else a
    n = int(13 / h)
    xs = [(h / math.sqrt(2 * math.pi) * math.exp(-(i * h) ** 2 / 2), math.exp(math.sqrt(mu2) * i * h - mu2 / 2)) for i in range(-n, n + 1)]
    two = [(u * v, x + y) for u, x in xs for v, y in xs]
    law = two if t == 2 else ((u * v, x + y) for u, x in two for v, y in xs)
    return math.log(math.fsum(w * (s / t) ** r for w, s in law)) / (a - 1)


def show(name, v):
    print(name, mp.nstr(v, 32, min_fixed=-10))


if __name__ == '__main__':
    d = discrete_gaussian('0.5', 1, 60)
    for a in ('0.5', '1', '1.5', '3.7'):
        show('Poisson(0.01, DiscreteGaussian(0.5)), remove, %s:' % a, renyi(sample('0.01', d), a))
        show('Poisson(0.01, DiscreteGaussian(0.5)), add, %s:' % a, renyi(swap(sample('0.01', d)), a))
    d = discrete_gaussian('3', 2)
    for a in ('1.25', '7.5'):
        show('Poisson(0.3, DiscreteGaussian(3, 2)), remove, %s:' % a, renyi(sample('0.3', d), a))
    d = discrete_laplace('0.1', 3)
    show('Poisson(0.2, DiscreteLaplace(0.1, 3)), remove, 1.5:', renyi(sample('0.2', d), '1.5'))
    show('Binomial(100, 0.3, 2), remove, 0.5:', renyi(binomials(100, '0.3', 2), '0.5'))
    show('Binomial(2000, 0.3, 1), add, 0.9:', renyi(swap(binomials(2000, '0.3', 1)), '0.9'))
    show('Poisson(1/2, Mixture(2/7 0 + 5/7 2)), remove, 1.001:', mixture([0, 2], [mpf(9) / 14, mpf(5) / 14], '1.001'))
    show('Poisson(1/4, Mixture(1/2 1 + 1/2 2)), remove, 1.7:', mixture([0, 1, 2], [mpf(3) / 4, mpf(1) / 8, mpf(1) / 8], '1.7'))
    for g, s, a in (('0.1', 1, '2.5'), ('0.1', 1, '0.5'), ('0.1', 1, '40.5'), ('0.01', 8, '1.25'), ('0.5', 3, '30.1')):
        for r in (False, True):
            show('Poisson(%s, Laplace(%s)), reversed %s, %s:' % (g, s, r, a), sampled_laplace(g, s, a, r))
    for m, t in (('0.5', '0.5'), ('-0.5', '0.5'), ('1.5', '0.5'), ('-0.5', 2)):
        for first in (False, True):
            for r in (False, True):
                show('log M of ClampedLaplace(%s, 1, %s), shift first %s, reversed %s, 2.5:' % (m, t, first, r),
                     clamped_laplace(m, t, '2.5', first, r))
    for r in (False, True):
        show('log M of Poisson(0.3, ClampedLaplace(1.5, 1, 0.5)), reversed %s, 2.5:' % r,
             sampled_clamped('0.3', '1.5', '0.5', '2.5', r))
    for t, mu2, h in ((2, 1.0, 0.05), (3, 0.25, 0.2)):
        for a in (2.5, 0.5, 1.25):
            for r in (False, True):
                print('Allocation(1 of %d, Gaussian(%s)), reversed %s, %s:' % (t, mu2, r, a), allocation(t, mu2, a, r, h))
