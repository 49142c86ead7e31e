"""Products of different mechanisms.

First method: delta of the product = sum over the outcomes of the discrete
factors of (P-mass) * delta_C(eps - loss), where C is the continuous factor and
delta_C its closed form; a loss of +inf contributes its whole mass. For
Gaussian x Laplace the Laplace factor is integrated by quadrature.
Second: if a Gaussian is among the factors, Laplace inversion on a vertical
line, delta = m + (h/2 pi) sum_j e^(s_j eps) M(s_j)/(s_j(s_j - 1)) with
M(s) = sum p^(1-s) q^s and s_j = gamma + i j h (trapezoidal rule; its error and
the truncation are far below the digits compared); otherwise the convolution of
laplace_composed.py, or quadrature, or the sum over all outcomes.
"""
from itertools import product

from common import *
import discrete_gaussian
import discrete_laplace
import epsilon_delta
import laplace_composed
import poisson as sampling
import randomized_response


# Discrete factors: functions of the precision giving [(loss, P-mass)], the
# loss None for +inf; and mass of Q where P = 0 is what is left.

def kov(e0, d):
    e0, d = rat(e0), rat(d)

    def atoms():
        p, q = epsilon_delta.bits(e0)
        return [(None, f(d)), (e0, f(1 - d) * p), (-e0, f(1 - d) * q)]
    return atoms, d


def rresponse(r, n):
    r = rat(r)

    def atoms():
        a, b, c = (f(x) for x in randomized_response.masses(r, n))
        l = log(a / b)
        return [(l, a), (-l, b), (Q(0), c)]
    return atoms, Q(0)


def dlap(lam, s):
    lam = rat(lam)
    return (lambda: [(lam * j, w) for j, w in discrete_laplace.masses(lam, s)]), Q(0)


def dgau(sigma, s):
    sigma = rat(sigma)

    def atoms():
        w = discrete_gaussian.normalised(sigma, min(mp.dps, 200))
        c = s / sigma ** 2
        return [(c * (Q(s, 2) + y), w[abs(y)]) for y in range(1 - len(w), len(w))]
    return atoms, Q(0)


def finite(p, q):
    p, q = [rat(x) for x in p], [rat(x) for x in q]
    return (lambda: [(log(f(x / y)) if y else None, f(x)) for x, y in zip(p, q) if x]), sum((x for x, y in zip(p, q) if not y), Q(0))


def combine(factors):
    """Atoms of the product of discrete factors: [(loss, mass)], mass at inf."""
    dist, inf = [(mpf(0), mpf(1))], mpf(0)
    for atoms, _ in factors:
        new = {}
        for l, w in dist:
            for m, v in atoms():
                if m is None:
                    inf += w * v
                else:
                    key = l + f(m)
                    new[key] = new.get(key, mpf(0)) + w * v
        dist = list(new.items())
        scale = sum(w for _, w in dist)
    return dist, inf


class Product:
    def __init__(self, factors, cont, cont_inf=Q(0)):
        self.factors, self.cont, self.memo = factors, cont, {}
        keep = 1 - cont_inf
        for _, m in factors:
            keep *= 1 - m
        self.inf_mass = 1 - keep

    def dist(self):
        if mp.prec not in self.memo:
            # infinite mass of a product: 1 - product of finite masses
            self.memo[mp.prec] = combine(self.factors)
        return self.memo[mp.prec]

    def first(self, eps):
        atoms, inf = self.dist()
        v = inf
        for l, w in atoms:
            v += w * f(self.cont(f(eps) - l))
        return v


def transform(factors, cont_M, s):
    """M(s): sum over finite losses of p e^(-s L)."""
    v = cont_M(s)
    for atoms, _ in factors:
        v *= sum(w * exp(-s * f(l)) for l, w in atoms() if l is not None)
    return v


def inverted(factors, cont_M, spread, inf_mass, guess):
    """spread: the standard deviation of the Gaussian factor's loss. The line
    is chosen at the minimum of e^(gamma eps) M(gamma)/(gamma (gamma - 1))."""
    tables = {}

    def table(gamma, h):
        key = (gamma, h, mp.prec)
        if key not in tables:
            rows, j = [], 0
            big = None
            while True:
                s = mp.mpc(gamma, j * h)
                t = transform(factors, cont_M, s) / (s * (s - 1))
                rows.append((j * h, t))
                if big is None:
                    big = abs(t)
                # the Gaussian factor alone bounds what is left
                if exp(-(j * h * spread) ** 2 / 2) < mpf('1e-110'):
                    break
                j += 1
            tables[key] = rows
        return tables[key]

    def delta(eps):
        e = f(eps)
        best = None
        for g in guess:
            g = -f(g)
            v = g * e + log(transform(factors, cont_M, mp.mpc(g)).real / (g * (g - 1)))
            if best is None or v < best[0]:
                best = (v, g)
        gamma = best[1]
        # period T: e^(gamma T) below 1e-75 of the answer, and losses beyond
        # eps + T rarer than that too
        T = (240 - min(best[0], 0)) / -gamma + 30 * spread + 4 * spread ** 2 * -gamma
        h = 2 * mp.pi / T
        v = mpf(0)
        for w, t in table(gamma, h):
            z = (mp.expj(w * e) * t).real
            v += z if w == 0 else 2 * z
        return f(inf_mass) + exp(gamma * e) * v * h / (2 * mp.pi)
    return delta


GUESS = ['1/4', '1', '2', '4', '8', '16', '40', '80', '130', '200', '400']


def gaussian_M(mu2):
    return lambda s: exp((s * s - s) * f(mu2) / 2)


def with_gaussian(mu2, factors):
    mu2 = rat(mu2)
    p = Product(factors, lambda e: gaussian_profile(sqrt(f(mu2)), e))
    second = inverted(factors, gaussian_M(mu2), sqrt(f(mu2)), p.inf_mass, GUESS)
    return Profile(p.first, second, 'sum over the discrete outcomes; Laplace inversion', p.inf_mass, None, tol='1e-62', check_dps=110)


def sampled_gaussian(s, g, direction, factors):
    mu2, g = 1 / rat(s) ** 2, rat(g)
    base = sampling.gauss(mu2)
    law = sampling.remove if direction == 'remove' else sampling.add
    p = Product(factors, lambda e: law(base, g, e))

    def second(eps):
        atoms, inf = p.dist()
        v = inf
        for l, w in atoms:
            v += w * sampling.direct(base, g, f(eps) - l, direction)
        return v
    top = None
    if direction == 'add':
        top = lambda: -mp.log1p(-f(g)) + max(l for l, _ in p.dist()[0])

    def first(eps):
        return p.inf_mass if top is not None and f(eps) >= top() else p.first(eps)
    return Profile(first, second, 'sum over the discrete outcomes with the law of delta under sampling; quadrature of the densities', p.inf_mass, top, check_dps=110)


def with_laplace(x, k, factors, top=None):
    """top: the largest finite loss if it is rational."""
    x = rat(x)
    p = Product(factors, lambda e: laplace_composed.homogeneous(x, k, e))

    def second(eps):
        atoms, inf = p.dist()
        return inf + sum(w * laplace_composed.by_convolution((x,) * k, f(eps) - l) for l, w in atoms)

    def first(eps):
        return p.inf_mass if top is not None and at_least(eps, top) else p.first(eps)
    return Profile(first, second, 'sum over the discrete outcomes with the finite Laplace sum; exact piecewise polynomial convolution', p.inf_mass, top if top is not None else lambda: k * f(x) + max(l for l, _ in p.dist()[0]), check_dps=300)


def laplace_M(x):
    def M(s):
        # phi(is) of the loss, t = is
        z = s  # e^{itx} = e^{-s x}
        a, b = exp(-z * f(x)), exp(-f(x) * (1 - z))
        return (a + b + (a - b) / (1 - 2 * z)) / 2
    return M


def gaussian_laplace(mu2, x, factors):
    """Gaussian x Laplace x discrete."""
    mu2, x = rat(mu2), rat(x)

    def cont(e):
        mu, X = sqrt(f(mu2)), f(x)
        d = lambda t: gaussian_profile(mu, t)
        n = int(2 * X / mu / 3) + 2 + int(2 * X / 3)
        pts = [-X + 2 * X * i / n for i in range(n + 1)]
        return d(e - X) / 2 + exp(-X) * d(e + X) / 2 + quad(lambda t: exp((t - X) / 2) * d(e - t) / 4, pts)
    p = Product(factors, cont)
    M = lambda s: gaussian_M(mu2)(s) * laplace_M(x)(s)
    return p, inverted(factors, M, sqrt(f(mu2)), p.inf_mass, GUESS)


def discrete_only(factors, tops):
    one = lambda e: one_minus(e)
    p = Product(factors, one)

    def second(eps):
        # likelihoods outcome by outcome
        a, v = exp(f(eps)), mpf(0)
        for t in product(*[at() for at, _ in factors]):
            P, L = mpf(1), mpf(0)
            for l, w in t:
                P *= w
                L = None if L is None or l is None else L + f(l)
            v += P if L is None else P * max(mpf(0), 1 - a * exp(-L))
        return v
    def first(eps):
        if tops is not None and p.inf_mass == 0 and at_least(eps, value(tops)):
            return Q(0)
        return p.first(eps)
    return Profile(first, second, 'sum over the merged outcomes; sum over all outcomes', p.inf_mass, tops, check_dps=100)


def main():
    fam = Family('mixed', 'compositions of different mechanisms')
    R1 = 'REPLACE_ONE'
    es = ['0', '0.5', '1', '2', '-0.5', '5']

    def g(s):
        return gaussian(s)

    # Gaussian x guarantees
    for s, ed in [('1', ('1', '0')), ('2', ('0.5', '1e-5')), ('0.5', ('3', '0.01')), ('10', ('0.01', '1e-9')), ('1', ('0', '0.1')), ('4', ('1/3', '1/1000'))]:
        p = with_gaussian(1 / rat(s) ** 2, [kov(*ed)])
        fam.sweep(composed([g(s), eps_delta(*ed)]), p, es, ['0.2', '0.011'], tv=True)
    l = [('0.1', '1e-6')] * 6
    fam.sweep(composed([self_composed(g('3'), 4), self_composed(eps_delta('0.1', '1e-6'), 6)]), with_gaussian(Q(4, 9), [kov(*x) for x in l]), es, ['0.01', '1e-5', '5e-6'])
    fam.sweep(composed([g('1'), eps_delta('1', '0'), eps_delta('0.7', '1e-3'), eps_delta('0.2', '0')]), with_gaussian(1, [kov('1', '0'), kov('0.7', '1e-3'), kov('0.2', '0')]), es, ['0.05'])
    # Gaussian x discrete noise
    for s, lam, d in [('1', '1', 1), ('2', '0.3', 3), ('5', '0.1', 1)]:
        fam.sweep(composed([g(s), dlaplace(lam, d)]), with_gaussian(1 / rat(s) ** 2, [dlap(lam, d)]), es, ['1e-4', '1e-20'])
    for s, sg, d in [('1', '1', 1), ('2', '3', 2), ('1', '0.5', 1)]:
        fam.sweep(composed([g(s), dgaussian(sg, d)]), with_gaussian(1 / rat(s) ** 2, [dgau(sg, d)]), es, ['1e-4'])
    # everything under REPLACE_ONE
    for s, ed, r, n, lam, d in [('2', ('0.5', '1e-4'), '0.5', 3, '0.25', 1), ('4', ('1', '0'), '0.9', 10, '0.1', 2), ('1', ('0.1', '0.01'), '0.2', 2, '1', 1)]:
        ev = composed([g(s), eps_delta(*ed), rr(r, n), dlaplace(lam, d)])
        fam.sweep(ev, with_gaussian(4 / rat(s) ** 2, [kov(*ed), rresponse(r, n), dlap(lam, 2 * d)]), es, ['0.05', '0.3'], relation=R1, tv=True)
    fam.sweep(composed([g('3'), self_composed(rr('0.5', 4), 3)]), with_gaussian(Q(4, 9), [rresponse('0.5', 4)] * 3), es, ['1e-3'], relation=R1)
    fam.sweep(composed([rr('0.8', 2), rr('0.8', 5), dgaussian('2', 2)]), discrete_only([rresponse('0.8', 2), rresponse('0.8', 5), dgau('2', 2)], None), es, [], relation=R1)
    fam.sweep(composed([eps_delta('1', '0.01'), rr('0.5', 3), dlaplace('0.5', 1)]), discrete_only([kov('1', '0.01'), rresponse('0.5', 3), dlap('0.5', 2)], None), ['0', '0.5', '1', '2', '-0.5'], [], relation=R1)
    # discrete only, add or remove
    fam.sweep(composed([eps_delta('1', '0'), dlaplace('1', 1)]), discrete_only([kov('1', '0'), dlap('1', 1)], Q(2)), ['0', '1', '2', '1.99', '-0.5', '-2', '3'], ['0.1', '0'])
    fam.sweep(composed([eps_delta('0.5', '1e-3'), dlaplace('0.3', 2), dgaussian('1.5', 1)]), discrete_only([kov('0.5', '1e-3'), dlap('0.3', 2), dgau('1.5', 1)], None), es, [])
    # Gaussian x finite pair, both directions
    for s, pq in [('1', (['3/4', '1/4'], ['1/4', '3/4'])), ('2', (['1/2', '1/2'], ['1', '0'])), ('2', (['1', '0'], ['1/2', '1/2'])), ('3', (['1/3', '1/3', '1/3'], ['1/6', '1/2', '1/3'])), ('1', (['0', '1/3', '2/3'], ['1/4', '3/4', '0'])), ('10', (['0.999', '0.001'], ['0.998', '0.002']))]:
        ev = composed([g(s), event('FinitePairEvent', p=pq[0], q=pq[1])])
        ps = [with_gaussian(1 / rat(s) ** 2, [finite(*t)]) for t in (pq, (pq[1], pq[0]))]
        for d, p in zip(('remove', 'add'), ps):
            fam.sweep(ev, p, es, ['0.1', '0.6'], d, tv=True)
        fam.sweep(ev, maximum(*ps), ['0.3'], [], 'both')
    # Laplace^k x guarantees
    for b, k, eds in [('1', 1, [('1', '0.01')]), ('2', 3, [('0.5', '1e-4')]), ('5', 10, [('0.1', '0'), ('0.2', '1e-6')]), ('1', 5, [('1', '0.1')])]:
        evs = [self_composed(laplace(b), k) if k > 1 else laplace(b)] + [eps_delta(*x) for x in eds]
        fam.sweep(composed(evs), with_laplace(1 / rat(b), k, [kov(*x) for x in eds], k / rat(b) + sum(rat(e) for e, _ in eds)), es[:5] + [str(k / rat(b) + sum(rat(e) for e, _ in eds) - Q(1, 100))], ['0.2'])
    fam.sweep(composed([laplace('2'), rr('0.5', 3)]), with_laplace('1', 1, [rresponse('0.5', 3)]), es[:5], ['0.1'], relation=R1)
    # Gaussian x Laplace (x guarantee)
    for s, b, eds in [('1', '1', []), ('2', '0.5', []), ('3', '4', [('0.5', '1e-3')]), ('10', '10', [])]:
        p, second = gaussian_laplace(1 / rat(s) ** 2, 1 / rat(b), [kov(*x) for x in eds])
        q = Profile(p.first, second, 'closed form of one factor integrated by quadrature; Laplace inversion', p.inf_mass, None, tol='1e-62', check_dps=110)
        with mp.workdps(100):  # quadrature is slow: one precision above the check
            for e in ['0', '0.5', '1', '3', '-0.5']:
                v = q.first(rat(e))
                with mp.workdps(110):
                    w = q.second(rat(e))
                assert close(v, w, '1e-62'), (s, b, e, v, w)
                fam.put(composed([g(s), laplace(b)] + [eps_delta(*x) for x in eds]), 'both', 'delta', e, v, q.method, slack='1e-68')
    # sampled Gaussian x guarantee
    for s, gm, eds in [('1', '0.1', [('0.5', '1e-3')]), ('0.8', '0.01', [('0.01', '0')]), ('2', '0.5', [('1', '0'), ('0.3', '1e-5')])]:
        ev = composed([poisson(gm, g(s))] + [eps_delta(*x) for x in eds])
        ps = [sampled_gaussian(s, gm, d, [kov(*x) for x in eds]) for d in ('remove', 'add')]
        for d, p in zip(('remove', 'add'), ps):
            fam.sweep(ev, p, ['0', '0.1', '0.5', '1', '-0.3'], ['0.05'], d)
        fam.sweep(ev, maximum(*ps), ['0.2'], [], 'both')
    # NoOp and NonPrivate
    p = with_gaussian(1, [])
    fam.sweep(composed([event('NoOpDpEvent'), g('1')]), p, ['0', '1'], ['1e-5'])
    noop = Profile(one_minus, one_minus, 'P = Q', Q(0), Q(0))
    fam.sweep(event('NoOpDpEvent'), noop, ['0', '1', '-1', '-0.1'], ['0', '0.5', '1e-10', '1'], tv=True)

    full = Profile(lambda e: Q(1), lambda e: Q(1), 'disjoint supports', Q(1), None)
    fam.sweep(event('NonPrivateDpEvent'), full, ['0', '1', '-1', '1000'], ['0', '0.5', '1'], tv=True)
    fam.sweep(composed([g('1'), event('NonPrivateDpEvent')]), full, ['0', '5'], ['0.999', '1'])
    fam.write()


if __name__ == '__main__':
    main()
