"""DiscreteLaplaceDpEvent: P(x) proportional to e^(-lambda |x|) on the integers.

With t = e^-lambda and integer sensitivity s the loss is lambda*j,
j = s - 2x for x = 0..s, with P-masses 1/(1+t), c t^x (0 < x < s),
t^s/(1+t), where c = (1-t)/(1+t).

First method: these masses, convolved. Second: single, the sum of
(P(x) - e^eps Q(x))_+ over integers x far into the tails; k-fold, the masses of
the loss from the k-th power of their discrete Fourier transform;
heterogeneous, delta(eps) = sum_j p_j delta_rest(eps - L_j).
"""
from common import *


def masses(lam, s):
    """[(j, P-mass)], loss lambda*j."""
    t = exp(-f(lam))
    c = (1 - t) / (1 + t)
    return [(s, 1 / (1 + t))] + [(s - 2 * x, c * t ** x) for x in range(1, s)] + [(-s, t ** s / (1 + t))]


def convolve_all(parts):
    """Masses by exact loss."""
    dist = {Q(0): mpf(1)}
    for lam, s in parts:
        ms = masses(lam, s)
        new = {}
        for l, v in dist.items():
            for j, w in ms:
                key = l + lam * j
                new[key] = new.get(key, mpf(0)) + v * w
        dist = new
    return dist


cache = {}


def by_masses(parts, eps):
    top = sum(lam * s for lam, s in parts)
    if at_least(eps, top):
        return Q(0)
    if at_least(-top, eps):
        return one_minus(eps)
    key = (tuple(parts), mp.prec)
    if key not in cache:
        cache[key] = convolve_all(parts)
    e = f(eps)
    return sum((v * -mp.expm1(e - f(l)) for l, v in cache[key].items() if f(l) > e), mpf(0))


def direct(lam, s, eps):
    l, e = f(lam), f(eps)
    t = exp(-l)
    c = (1 - t) / (1 + t)
    reach = int(mp.ceil(mp.dps * 2.4 / l)) + s
    v = mpf(0)
    P, R = c * t ** reach, c * t ** (reach + s) * exp(e)
    for x in range(-reach, reach + s + 1):
        d = P - R
        if d > 0:
            v += d
        P = P * (1 / t if x < 0 else t)
        R = R * (1 / t if x < s else t)
    return v


def by_fourier(lam, s, k, eps):
    ms = masses(lam, s)
    n = k * s + 1  # (k s + j)/2 runs over 0..k s
    values = [sum(w * mp.expjpi(mpf(2) * m * ((s + j) // 2) / n) for j, w in ms) ** k for m in range(n)]
    e, l = f(eps), f(lam)
    v = mpf(0)
    for i in range(n):
        loss = (2 * i - k * s) * l
        if loss > e:
            mass = sum((values[m] * mp.expjpi(-mpf(2) * m * i / n)).real for m in range(n)) / n
            v += mass * -mp.expm1(e - loss)
    return v


def recursive(parts, eps):
    if len(parts) == 1:
        e = f(eps)
        return sum((w * -mp.expm1(e - f(parts[0][0] * j)) for j, w in masses(*parts[0]) if f(parts[0][0] * j) > e), mpf(0))
    (lam, s), rest = parts[0], parts[1:]
    return sum(w * recursive(rest, eps - lam * j if isinstance(eps, Q) else eps - f(lam) * j) for j, w in masses(lam, s))


def profile(parts):
    parts = [(rat(l), s) for l, s in parts]
    top = sum(l * s for l, s in parts)
    if len(parts) == 1 and parts[0][0] >= Q(1, 1000):
        second, name = (lambda e: direct(*parts[0], e)), 'masses of the loss; sum over the integers'
    elif len(set(parts)) == 1:
        second, name = (lambda e: by_fourier(*parts[0], len(parts), e)), 'convolved masses of the loss; discrete Fourier transform'
    else:
        second, name = (lambda e: recursive(parts, e)), 'convolved masses of the loss; recursion'
    return Profile(lambda e: by_masses(parts, e), second, name, Q(0), top, check_dps=110)


def main():
    fam = Family('discrete_laplace', 'two-sided geometric noise')
    for lam, s in [('1', 1), ('0.5', 1), ('1', 2), ('0.1', 1), ('0.1', 10), ('1/3', 3), ('2', 5), ('10', 1), ('0.01', 100), ('0.05', 7)]:
        l, top = rat(lam), rat(lam) * s
        es = ['0', str(top), str(-top), str(top - 2 * l), str(top / 2), '1', '-0.1', str(top - l / 10 ** 25), str(l * Q(9, 10)), '-3']
        fam.sweep(dlaplace(lam, s), profile([(lam, s)]), list(dict.fromkeys(es)), ['0', '1e-5', '0.3'], tv=True)
    for lam in ('1e-6', '1e-15'):
        fam.sweep(dlaplace(lam, 1), profile([(lam, 1)]), ['0', str(rat(lam) / 2), lam, '-' + lam, '-1'], ['0', str(rat(lam) / 100)])
    fam.sweep(dlaplace('500', 2), profile([('500', 2)]), ['0', '1', '999', '1000', '-999', '-10', '-400'], ['1e-300', '1e-3'])
    fam.sweep(dlaplace('1', 3), profile([('1', 3)]), ['2.' + '9' * 290, '2.' + '9' * 60, '1.' + '0' * 60 + '1'], ['1e-300'], 'remove')
    fam.sweep(dlaplace('1', 3), profile([('1', 3)]), ['0.5', '-2'], ['1e-3'], 'add')
    for lam, s, k in [('1', 1, 2), ('0.1', 1, 10), ('0.1', 1, 100), ('0.5', 3, 7), ('1/3', 2, 20), ('0.05', 10, 5), ('1', 1, 60), ('3', 2, 15)]:
        p, top = profile([(lam, s)] * k), rat(lam) * s * k
        es = ['0', str(top), str(top - 2 * rat(lam)), str(top / 2), '1', str(-top / 3), str(rat(lam) * (k * s % 2))]
        fam.sweep(self_composed(dlaplace(lam, s), k), p, list(dict.fromkeys(es)), ['1e-6', '0.2'], tv=k in (2, 20))
    for s, k in [(1, 1), (2, 4), (3, 10)]:
        e = dlaplace('0.25', s)
        p = profile([('0.25', 2 * s)] * k)
        fam.sweep(self_composed(e, k) if k > 1 else e, p, ['0', '0.5', '1', '-0.25', str(Q(s * k, 2))], ['1e-4'], relation='REPLACE_ONE')
    fam.sweep(dlaplace('0.25', 2), profile([('0.25', 2)]), ['0.1', '0.5'], relation='REPLACE_SPECIAL')
    for l in ([('1', 1), ('0.5', 1)], [('0.1', 3), ('0.2', 2), ('0.3', 1)], [('1/3', 2), ('1/7', 5)], [('2', 1), ('1.5', 2), ('0.7', 1), ('0.01', 4)], [('1', 1), ('1e-9', 1)], [('0.3', 1), ('0.3', 2), ('0.3', 3), ('0.6', 1), ('0.9', 2)]):
        p = profile(l)
        top = sum(rat(a) * s for a, s in l)
        fam.sweep(composed([dlaplace(a, s) for a, s in l]), p, ['0', '0.5', str(top), str(top - 2 * min(rat(a) for a, _ in l)), '-0.4', str(top * Q(3, 4))], ['1e-2', '0'], tv=len(l) == 3)
    fam.write()


if __name__ == '__main__':
    main()
