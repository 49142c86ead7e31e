"""ExponentialMechanismDpEvent and PermuteAndFlipDpEvent, one release.

First method: the closed forms of the worst case over all scores, neighbours and
candidates. Second: the maximum over the scores of two candidates, written out
from the definitions of the mechanisms, by golden section on the difference of the
scores at one of the neighbours (the other one moves it by the most it may).
Sampled, the first method is the rule for delta under sampling, the second the
maximum of (left - a right)_+ of the sampled choice itself.
"""
from common import *
import poisson


def em_choice(eps0, y):
    """Pr[first candidate] at a score difference d: e^(eps0 d/2) against 1."""
    e = f(eps0)
    s = lambda d: 1 / (1 + exp(-e * d / 2))
    return s(y + 1), s(y - 1)


def pf_choice(eps0, y):
    """Permute and flip: a coin of probability e^(eps0 (score - best)/2) in random order."""
    e = f(eps0)

    def first(d):
        if d <= 0:  # worse: chosen if drawn first and its coin shows heads
            return exp(e * d / 2) / 2
        return 1 - exp(-e * d / 2) / 2
    return first(y + 1), first(y - 1)


def em_closed(eps0, eps):
    if at_least(eps, eps0):
        return Q(0)
    if at_least(-eps, eps0):
        return one_minus(eps)
    e, x = f(eps), f(eps0)
    return mp.expm1((e - x) / 2) ** 2 / -mp.expm1(-x)


def pf_closed(eps0, eps):
    if at_least(eps, eps0):
        return Q(0)
    if at_least(-eps, eps0):
        return one_minus(eps)
    return -mp.expm1((f(eps) - f(eps0)) / 2)


def best(h, reach):
    """max of h over [-reach, reach], unimodal where it is positive, at mp.dps digits:
    golden section finds the place to half of them, which is enough for the value."""
    n = 400
    at = lambda i: -reach + 2 * reach * mpf(i) / n
    i = max(range(n + 1), key=lambda i: h(at(i)))
    lo, hi = at(max(i - 1, 0)), at(min(i + 1, n))
    g = (sqrt(mpf(5)) - 1) / 2
    a, b = hi - g * (hi - lo), lo + g * (hi - lo)
    ha, hb = h(a), h(b)
    while hi - lo > mpf(10) ** -(mp.dps // 2 - 5):
        if ha > hb:
            hi, b, hb = b, a, ha
            a = hi - g * (hi - lo)
            ha = h(a)
        else:
            lo, a, ha = a, b, hb
            b = lo + g * (hi - lo)
            hb = h(b)
    return max(ha, hb, h((lo + hi) / 2))


def by_choice(choice, eps0, eps, sampled=None):
    """max over y of the two outcomes of a choice, sampled by (rate, direction)."""
    al = exp(f(eps))

    def h(y):
        p, q = choice(eps0, y)
        t = mpf(0)
        for u, v in ((p, q), (1 - p, 1 - q)):
            if sampled:
                g, direction = sampled
                w = (1 - f(g)) * v + f(g) * u
                u, v = (w, v) if direction == 'remove' else (v, w)
            t += max(mpf(0), u - al * v)
        return t
    reach = (4 * abs(f(eps)) + 40) / f(eps0) + 4
    return best(h, reach)


def profile(closed, choice, eps0):
    eps0 = rat(eps0)
    return Profile(lambda e: closed(eps0, e), lambda e: closed(eps0, e) if isinstance(closed(eps0, e), Q) else by_choice(choice, eps0, e),
                   'closed form; best choice between two candidates', Q(0), eps0, tol='1e-60', check_dps=150)


def sampled(closed, choice, eps0, g, direction):
    base = poisson.Base(lambda e: closed(rat(eps0), e), None, '')
    rule = poisson.remove if direction == 'remove' else poisson.add
    first = lambda e: rule(base, rat(g), e)
    top = lambda: mp.log1p(f(g) * mp.expm1(f(eps0))) if direction == 'remove' else -mp.log1p(f(g) * mp.expm1(-f(eps0)))
    return Profile(first, lambda e: first(e) if isinstance(first(e), Q) else by_choice(choice, rat(eps0), e, (rat(g), direction)),
                   'closed form under sampling; best sampled choice between two candidates', Q(0), top, tol='1e-60', check_dps=150)


def main():
    fam = Family('selection', 'the exponential mechanism and permute-and-flip')
    for name, closed, choice in (('ExponentialMechanismDpEvent', em_closed, em_choice), ('PermuteAndFlipDpEvent', pf_closed, pf_choice)):
        ev = lambda x: event(name, epsilon=x)
        for x in ['1', '0.1', '4', '1/3']:
            r = rat(x)
            es = ['0', str(r / 2), str(-r / 2), str(r), str(-r), str(2 * r), str(-2 * r), str(r * Q(99, 100))]
            fam.sweep(ev(x), profile(closed, choice, x), es, ['1e-5', '0.01'], tv=True)
        fam.sweep(ev('1'), profile(closed, choice, '1'), ['0.3'], ['1e-3'], relation='REPLACE_ONE')
        fam.sweep(ev('1'), profile(closed, choice, '1'), ['0.3'], ['1e-3'], relation='REPLACE_SPECIAL')
        fam.sweep(ev('20'), profile(closed, choice, '20'), ['0', '10', '19', '-15'], ['1e-9'])
        for g in ['0.1', '1/2']:
            for d in ('remove', 'add'):
                fam.sweep(poisson_event(g, ev('1')), sampled(closed, choice, '1', g, d), ['0.05', '-0.02', '0'], ['1e-3'], d)
    fam.write()


def poisson_event(g, e):
    return event('PoissonSampledDpEvent', sampling_probability=g, event=e)


if __name__ == '__main__':
    main()
