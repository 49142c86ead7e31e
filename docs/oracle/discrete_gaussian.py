"""DiscreteGaussianDpEvent: P(x) proportional to e^(-x^2/(2 sigma^2)) on the
integers.

With noise y (symmetric) and integer sensitivity s the loss of one release is
s(s + 2y)/(2 sigma^2), y from the noise under P and from the noise minus s
under Q. A k-fold product depends on the sum of the y only.

First method: the distribution of the sum in fixed point (integers scaled by a
power of two, convolved exactly as one long integer product), cut where the
mass is below 10^-(digits + 350); heterogeneous: explicit sums over all but one
coordinate and the exact tail of the last. Second: k-fold, the tails of the sum
under P and Q by the trapezoidal rule for Cauchy's integral, where the
generating function comes from Poisson's summation formula if sigma >= 1;
heterogeneous, the direct sum over all tuples.
"""
from functools import lru_cache

from common import *


@lru_cache(None)
def weights(sigma, dps):
    """Unnormalised e^(-y^2/(2 sigma^2)) for y = 0..reach."""
    out, y = [], 0
    c = 1 / (2 * f(sigma) ** 2)
    cut = mpf(10) ** -(dps + 350)
    step = exp(-2 * c)  # ratio of consecutive ratios
    w, r = mpf(1), exp(-c)
    with mp.extraprec(64 + 2 * int(mp.log(1000 / c, 2) if c < 1 else 10)):
        step, w, r = exp(-2 * c), mpf(1), exp(-c)
        while w > cut:
            out.append(w)
            w *= r
            r *= step
    return out


def pack(v, size):
    return int.from_bytes(b''.join(x.to_bytes(size, 'little') for x in v), 'little')


@lru_cache(None)
def sums(sigma, k, dps):
    """({s: mass} as a list from -n to n, n)."""
    from gmpy2 import mpz, to_binary
    w = weights(sigma, dps)
    bits = int((dps + 360) * 3.33)
    half = [int(mp.floor(x * mpf(2) ** bits)) for x in w]
    v, n = half[:0:-1] + half, len(half) - 1
    norm = sum(v)

    def mul(a, b):
        size = (2 * bits + 64 + (len(a) + len(b)).bit_length()) // 8 + 1
        m = len(a) + len(b) - 1
        p = int(mpz(pack(a, size)) * mpz(pack(b, size))).to_bytes((m + 1) * size, 'little')
        c = [int.from_bytes(p[i * size:(i + 1) * size], 'little') >> bits for i in range(m)]
        # cut both ends where the mass is nothing
        lo = 0
        while c[lo] == 0:
            lo += 1
        return c[lo:m - lo]

    r, base, e = None, [(x << bits) // norm for x in v], k
    while e:
        if e & 1:
            r = base if r is None else mul(r, base)
        e >>= 1
        if e:
            base = mul(base, base)
    scale = mpf(2) ** -bits
    return [x * scale for x in r], (len(r) - 1) // 2


def by_sums(sigma, s, k, eps):
    v, n = sums(sigma, k, mp.dps)
    e = f(eps)
    c = f(s) / f(sigma) ** 2
    total = mpf(0)
    # loss c (k s/2 + y) > e
    y0 = int(mp.floor(e / c - f(Q(k * s, 2)))) + 1
    q = exp(e - c * (f(Q(k * s, 2)) + max(y0, -n)))
    ratio = exp(-c)
    for y in range(max(y0, -n), n + 1):
        if q < 1:
            total += v[y + n] * (1 - q)
        q *= ratio
    return total


def generating(sigma, w):
    """sum_y e^(-y^2/(2 sigma^2)) e^(w y)"""
    s2 = f(sigma) ** 2
    if s2 >= 1:
        t = mpf(0)
        m = 0
        while True:
            add = exp((w + 2j * mp.pi * m) ** 2 * s2 / 2)
            if m:
                add += exp((w - 2j * mp.pi * m) ** 2 * s2 / 2)
            t += add
            if m and abs(add) < abs(exp(w.real ** 2 * s2 / 2)) * mpf(10) ** -(mp.dps + 5):
                return t * sqrt(2 * mp.pi * s2)
            m += 1
    c = 1 / (2 * s2)
    mid = int(w.real * s2)
    t, y = mpf(0), 0
    big = exp(-c * mid * mid + w.real * mid)
    while True:
        a = exp(-c * (mid + y) ** 2 + w * (mid + y))
        b = exp(-c * (mid - y) ** 2 + w * (mid - y)) if y else mpf(0)
        t += a + b
        if y and abs(a) + abs(b) < big * mpf(10) ** -(mp.dps + 5):
            return t
        y += 1


def by_cauchy(sigma, s, k, eps):
    e = f(eps)
    c = f(s) / f(sigma) ** 2
    y0 = int(mp.floor(e / c - f(Q(k * s, 2)))) + 1
    sd = f(sigma) * sqrt(mpf(k))
    n = 2 * int(max(mpf(40), 32 * sd) * mp.dps / 120)
    norm = generating(sigma, mp.mpc(0)).real

    def tail(y):
        lr = max(y / sd ** 2, mpf(0)) + 6 / max(sd, mpf(1))
        t = mpf(0)
        for j in range(n // 2 + 1):
            w = mp.mpc(lr, 2 * mp.pi * j / n)
            term = ((generating(sigma, w) / norm) ** k * exp(-w * y) / (1 - exp(-w))).real
            t += term if j in (0, n // 2) else 2 * term
        return t / n
    return tail(y0) - exp(e) * tail(y0 + k * s)


@lru_cache(None)
def normalised(sigma, dps):
    w = weights(sigma, dps)
    norm = w[0] + 2 * sum(w[1:])
    return [x / norm for x in w]


@lru_cache(None)
def upper_tails(sigma, dps):
    """T[y] = Pr[noise >= y] for y = -n..n+1 as a function."""
    w = normalised(sigma, dps)
    n = len(w) - 1
    t = [mpf(0)] * (2 * n + 2)
    for y in range(n, -n - 1, -1):
        t[y + n] = t[y + n + 1] + w[abs(y)]
    return t, n


def nested(parts, eps):
    """delta of the product by summing over all coordinates but the last."""
    (sigma, s), rest = parts[0], parts[1:]
    c = f(s) / f(sigma) ** 2
    if not rest:
        t, n = upper_tails(sigma, mp.dps)
        at = lambda y: t[min(max(y, -n), n + 1) + n]
        y0 = int(mp.floor(f(eps) / c - f(Q(s, 2)))) + 1
        return at(y0) - exp(f(eps)) * at(y0 + s)
    w = normalised(sigma, mp.dps)
    return sum(w[abs(y)] * nested(rest, f(eps) - c * (f(Q(s, 2)) + y)) for y in range(1 - len(w), len(w)))


@lru_cache(None)
def short(sigma):
    out, y = [], 0
    c = 1 / (2 * f(sigma) ** 2)
    while not out or out[-1] > mpf('1e-100'):
        out.append(exp(-c * y * y))
        y += 1
    norm = out[0] + 2 * sum(out[1:])
    return [x / norm for x in out]


def tuples(parts, eps):
    dist = {Q(0): mpf(1)}
    for sigma, s in parts:
        w = short(sigma)
        new = {}
        for l, v in dist.items():
            for y in range(1 - len(w), len(w)):
                p = v * w[abs(y)]
                if p > mpf('1e-105'):
                    key = l + s * (Q(s, 2) + y) / sigma ** 2
                    new[key] = new.get(key, mpf(0)) + p
        dist = new
    e = f(eps)
    return sum((v * -mp.expm1(e - f(l)) for l, v in dist.items() if f(l) > e), mpf(0))


def profile(sigma, s, k=1):
    sigma = rat(sigma)
    return Profile(lambda e: by_sums(sigma, s, k, e), lambda e: by_cauchy(sigma, s, k, e), 'exact fixed-point convolution; Cauchy integral with Poisson summation' if sigma >= 1 else 'exact fixed-point convolution; Cauchy integral', tol='1e-65', check_dps=120)


def heterogeneous(parts):
    parts = [(rat(a), s) for a, s in parts]
    return Profile(lambda e: nested(parts, e), lambda e: tuples(parts, e), 'nested sums with exact tails; direct sum over tuples', tol='1e-65', check_dps=120)


def main():
    fam = Family('discrete_gaussian', 'discrete Gaussian noise on the integers')
    for sigma, s in [('1', 1), ('2', 1), ('0.5', 1), ('10', 1), ('10', 7), ('1/3', 1), ('3.7', 5), ('100', 1), ('100', 100), ('5', 2)]:
        c = s / rat(sigma) ** 2
        es = ['0', '1', '-1', str(c * Q(s, 2)), str(c * (Q(s, 2) + 1)), str(c * (Q(s, 2) + 3) + Q(1, 10 ** 30)), '0.1', '3']
        if sigma == '100' and s == 1:
            es = ['0', '0.001', '-0.01', '0.05', str(c / 2), '0.1']
        fam.sweep(dgaussian(sigma, None if s == 1 else s), profile(sigma, s), list(dict.fromkeys(es)), ['1e-5', '1e-30'] if sigma != '100' else ['1e-5'], tv=True)
    fam.sweep(dgaussian('1'), profile('1', 1), ['30', '36.5', '36.4', '10'], ['1e-300', '1e-100', '0.9', '0', '1'], 'remove')
    fam.sweep(dgaussian('1'), profile('1', 1), ['0.5', '1.5'], ['1e-3'], 'add')
    fam.sweep(dgaussian('0.05'), profile('0.05', 1), ['0', '200', '199', '201', '100', '-100', '-250'], ['1e-5', '1e-80'])
    fam.sweep(dgaussian('1000'), profile('1000', 1), ['0', '0.001', '0.005', '5e-7'], ['1e-8'])
    for sigma, s, k in [('1', 1, 2), ('2', 1, 10), ('10', 1, 20), ('0.7', 2, 5), ('20', 3, 50), ('5', 1, 100), ('1/2', 1, 3), ('4', 1, 500)]:
        c = s / rat(sigma) ** 2
        es = ['0', '1', '-0.5', str(c * Q(k * s, 2)), str(c * (Q(k * s, 2) + 2)), '4']
        fam.sweep(self_composed(dgaussian(sigma, s), k), profile(sigma, s, k), list(dict.fromkeys(es)), ['1e-6'], tv=k == 2)
    for sigma, s, k in [('2', 1, 1), ('6', 2, 8)]:
        e = dgaussian(sigma, 2 * s)
        fam.sweep(self_composed(e, k) if k > 1 else e, profile(sigma, 2 * s, k), ['0', '1', '-1', '2.5'], ['1e-6'], relation='REPLACE_ONE')
    fam.sweep(dgaussian('2', 1), profile('2', 1), ['0.3'], relation='REPLACE_SPECIAL')
    for l in ([('1', 1), ('2', 1)], [('3', 2), ('1/2', 1)], [('1', 1), ('1.5', 1), ('0.5', 1)], [('2', 3), ('5', 4)], [('0.8', 1), ('0.9', 1)]):
        fam.sweep(composed([dgaussian(a, s) for a, s in l]), heterogeneous(l), ['0', '1', '-0.5', '3', str(sum(Q(s * s, 2) / rat(a) ** 2 for a, s in l))], ['1e-5'] if len(l) == 2 else [], tv=len(l) == 2)
    fam.write()


if __name__ == '__main__':
    main()
