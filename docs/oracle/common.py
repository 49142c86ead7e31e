"""Numbers, root finding and output shared by the scripts of this directory.

A family is one file testdata/golden/oracle/privacy/NAME.jsonl. Every value in
it is computed by a first method and compared with a second one before it is
written; a script stops at the first disagreement.
"""
import json
import os
import platform
import sys
import time
from fractions import Fraction as Q

import mpmath
from mpmath import mp, mpf, exp, log, sqrt

mp.dps = 150      # working precision of the first method, in decimal digits
CHECK_DPS = 90    # working precision of the second method
DIGITS = 65       # digits printed
SLACK = '1e-75'   # a printed value must be insensitive to this relative change
TOL = '1e-65'     # relative disagreement of the two methods that is tolerated

sys.set_int_max_str_digits(0)

INF = 'inf'
NEG_INF = '-inf'


def rat(s):
    """The exact value of a number as docs/format.md writes it: decimal[/decimal]."""
    if isinstance(s, (int, Q)):
        return Q(s)
    a, _, b = s.partition('/')
    return Q(a) / Q(b) if b else Q(a)


def f(x):
    """x (int, Fraction, string or mpf) as an mpf of the current precision."""
    if isinstance(x, str):
        x = rat(x)
    if isinstance(x, Q):
        return mpf(x.numerator) / mpf(x.denominator)
    return +mpf(x)


def frac(v):
    """The exact rational value of an mpf."""
    sign, man, e, _ = v._mpf_
    r = Q(int(man)) * (Q(2) ** e)
    return -r if sign else r


def digits_of(r, digits):
    """r > 0 truncated to the given number of significant digits."""
    assert r > 0
    e = len(str(r.numerator)) - len(str(r.denominator))
    while r >= Q(10) ** (e + 1):
        e += 1
    while r < Q(10) ** e:
        e -= 1
    k = digits - 1 - e
    n = r.numerator * 10 ** max(k, 0) // (r.denominator * 10 ** max(-k, 0))
    s = str(n)
    assert len(s) == digits, (s, digits)
    return s[0] + '.' + s[1:] + ('e%d' % e if e else '')


def at_least(eps, x):
    """eps >= x, exactly if both are rational."""
    if isinstance(eps, (int, Q)) and isinstance(x, (int, Q)):
        return eps >= x
    return f(eps) >= f(x)


class Unstable(Exception):
    pass


def truncate(v, digits=DIGITS, slack=SLACK):
    """An mpf truncated toward zero; Unstable if the error could show."""
    sign = '-' if v < 0 else ''
    r = abs(frac(v))
    d = rat(slack)
    a, b = digits_of(r * (1 - d), digits), digits_of(r * (1 + d), digits)
    if a != b:
        raise Unstable('%s | %s' % (a, b))
    return sign + a


def stable(fn, rel='1e-85'):
    """fn() at two precisions; the precision is raised until they agree."""
    base = mp.dps
    dps = base
    with mp.workdps(dps):
        v = fn()
    if isinstance(v, (Q, str)):
        return v
    while True:
        dps = int(dps * 1.5)
        if dps > 5000:
            raise Unstable('no stable value: %s' % mp.nstr(v, 20))
        with mp.workdps(dps):
            w = fn()
            if isinstance(w, (Q, str)):
                return w
            if w != 0 and abs(w - v) <= abs(w) * mpf(rel):
                return w
            v = w


def close(a, b, tol=TOL):
    for x, y in ((a, b), (b, a)):  # an exact 0 against a rounding error
        if isinstance(x, Q) and x == 0:
            return abs(f(y)) < mpf('1e-80')
    if isinstance(a, Q):
        a = f(a)
    if isinstance(b, Q):
        b = f(b)
    if a == b:
        return True
    return abs(a - b) <= mpf(tol) * max(abs(a), abs(b))


class Profile:
    """delta(eps) of one direction, by two methods.

    first, second: eps (Fraction or mpf) -> Fraction (exact) or mpf (then the
    true value is strictly between 0 and 1).
    inf_mass: the limit of delta at +inf. max_loss: the least eps at which the
    limit is reached (None if it is not), a Fraction or a function of no
    argument giving an mpf.
    """

    def __init__(self, first, second, method, inf_mass=Q(0), max_loss=None, tol=TOL, check_dps=CHECK_DPS):
        self.first, self.second, self.method = first, second, method
        self.inf_mass, self.max_loss, self.tol, self.check_dps = inf_mass, max_loss, tol, check_dps
        self.roots = {}


def maximum(a, b):
    """The profile of direction both."""
    if a is b:
        return a
    def top(u, v):
        return u if f(u) >= f(v) else v
    def loss():
        if f(a.inf_mass) != f(b.inf_mass):
            return (a if f(a.inf_mass) > f(b.inf_mass) else b).max_loss
        return None if a.max_loss is None or b.max_loss is None else top(value(a.max_loss), value(b.max_loss))
    return Profile(lambda e: top(a.first(e), b.first(e)), lambda e: top(a.second(e), b.second(e)),
                   a.method if a.method == b.method else a.method + ' (remove); ' + b.method + ' (add)',
                   top(a.inf_mass, b.inf_mass), loss(), max(a.tol, b.tol, key=mpf), max(a.check_dps, b.check_dps))


def agree(p, eps, v, tol, extra=0):
    """Whether the second method confirms v; where it loses digits to
    cancellation it is asked again with more of them."""
    for factor in (1, 2, 6):
        with mp.workdps(p.check_dps * factor + extra):
            try:
                if close(v, p.second(eps), tol):
                    return True
            except Unstable:
                pass
    return False


def value(x):
    return x() if callable(x) else x


def solve(p, d):
    """inf{eps : delta(eps) <= d}, d a Fraction."""
    if d >= 1:
        return NEG_INF
    if isinstance(p.inf_mass, Q):
        if d < p.inf_mass:
            return INF
        if d == p.inf_mass:
            return INF if p.max_loss is None else value(p.max_loss)
    elif f(d) <= p.inf_mass:
        assert f(d) < p.inf_mass * (1 - mpf('1e-50'))
        return INF
    zero = p.first(Q(0))
    if isinstance(zero, Q) and zero == d:
        return zero * 0
    target = f(d)
    g = lambda e: f(p.first(e)) - target
    lo, hi = mpf(-1), mpf(1)
    if d in p.roots:  # found at a lower precision
        r = p.roots[d]
        lo, hi = r - abs(r) * mpf('1e-70'), r + abs(r) * mpf('1e-70')
    glo, ghi = g(lo), g(hi)
    if d in p.roots and not ghi <= 0 < glo:
        lo, hi = mpf(-1), mpf(1)
        glo, ghi = g(lo), g(hi)
    while ghi > 0:
        lo, glo = hi, ghi
        hi *= 2
        ghi = g(hi)
    while glo <= 0:
        hi, ghi = lo, glo
        lo *= 2
        glo = g(lo)
    # Secant steps on log delta inside a bracket; a bisection whenever a pair
    # of steps has not halved the bracket.
    ylog = lambda gv: log(1 + gv / target) if gv > -target * (1 - mpf('1e-300')) else None
    small = mpf(10) ** (30 - mp.dps)
    ulp = mpf(10) ** -(mp.dps - 6)
    x0, y0, x1, y1 = lo, ylog(glo), hi, ylog(ghi)
    width = [hi - lo]
    for _ in range(5000):
        x = None
        if y0 is not None and y1 is not None and y0 != y1:
            x = x1 - y1 * (x1 - x0) / (y1 - y0)
            if not (lo < x < hi):
                x = None
        if x is None or (len(width) > 3 and width[-1] > width[-4] / 2 and len(width) % 2 == 0):
            x = (lo + hi) / 2
        gx = g(x)
        if gx > 0:
            lo = x
        else:
            hi = x
        x0, y0, x1, y1 = x1, y1, x, ylog(gx)
        width.append(hi - lo)
        if gx == 0 or (y1 is not None and abs(y1) < ulp) or hi - lo < small * max(abs(hi), mpf('1e-60')):
            p.roots[d] = x if y1 is not None and abs(y1) < ulp else hi
            return p.roots[d]
        if y0 is not None and y1 is not None and abs(x1 - x0) < small * abs(x1) and abs(y1) < small:
            p.roots[d] = x1
            return x1
    raise Unstable('no root')


def event(class_name, **fields):
    d = {'class_name': class_name}
    if class_name in ('FinitePairEvent', 'TruncatedGaussianEvent', 'TruncatedLaplaceEvent', 'ClampedLaplaceEvent', 'BinomialEvent'):
        d['module_name'] = 'dpverify'
    d.update(fields)
    return d


def gaussian(sigma):
    return event('GaussianDpEvent', noise_multiplier=sigma)


def laplace(b):
    return event('LaplaceDpEvent', noise_multiplier=b)


def eps_delta(e, d):
    return event('EpsilonDeltaDpEvent', epsilon=e, delta=d)


def rr(p, n):
    return event('RandomizedResponseDpEvent', noise_parameter=p, num_buckets=str(n))


def dlaplace(lam, s):
    return event('DiscreteLaplaceDpEvent', noise_parameter=lam, sensitivity=str(s))


def dgaussian(sigma, s=None):
    if s is None:
        return event('DiscreteGaussianDpEvent', sigma=sigma)
    if int(s) < 2:
        return event('DiscreteGaussianDpEvent', sigma=sigma, sensitivity=str(s))
    return event('DiscreteGaussianDpEvent', sigma=sigma, sensitivity=str(s), dimension='1')


def finite(p, q):
    return event('FinitePairEvent', p=[str(x) for x in p], q=[str(x) for x in q])


def self_composed(e, k):
    return event('SelfComposedDpEvent', event=e, count=str(k))


def composed(es):
    return event('ComposedDpEvent', events=es)


def poisson(g, e):
    return event('PoissonSampledDpEvent', sampling_probability=g, event=e)


class Family:
    def __init__(self, name, about):
        self.name, self.lines = name, []
        self.start = time.time()
        script = os.path.basename(sys.argv[0])
        self.head = {'provenance': {
            'program': 'docs/oracle/%s, mpmath %s (%s backend), Python %s' % (script, mpmath.__version__, mpmath.libmp.BACKEND, platform.python_version()),
            'command': '/usr/bin/python3 docs/oracle/%s' % script,
            'about': about,
            'precision': 'first method at %d decimal digits or more, at two precisions that agree; second method to %s relative' % (mp.dps, TOL),
            'rounding': '%d significant digits, truncated toward zero: |value| <= |true| < |value| + 1 unit of the last digit; "exact": true marks rationals and infinities that are exact; a line with "digits": n prints n digits' % DIGITS,
            'policy': "outside values, never rewritten from the project's own output"}}

    def put(self, ev, direction, quantity, at, val, method, relation=None, digits=DIGITS, slack=SLACK):
        line = {'id': '%s-%04d' % (self.name, len(self.lines) + 1), 'event': ev}
        if relation:
            line['relation'] = relation
        line['direction'] = direction
        line['quantity'] = quantity
        if at is not None:
            line['at'] = at
        exact = isinstance(val, (Q, str))
        if isinstance(val, Q) and len(str(val)) > 1000:
            with mp.workdps(200):
                val, exact = f(val), False
        if not exact and quantity != 'epsilon' and abs(1 - val) < mpf('1e-75'):
            # A delta that is not exact is less than 1 (see Profile).
            line['value'] = '9.' + '9' * (digits - 1) + 'e-1'
        else:
            line['value'] = str(val) if exact else truncate(val, digits, slack)
        line['exact'] = exact
        if digits != DIGITS:
            line['digits'] = digits
        line['method'] = method
        self.lines.append(json.dumps(line))

    def delta(self, ev, p, at, direction='both', relation=None, quantity='delta'):
        e = rat(at)
        v = stable(lambda: p.first(e))
        if not isinstance(v, Q) and v == 0:
            raise Unstable('zero that is not exact')
        if p.second is not None and not agree(p, e, v, p.tol):
            raise AssertionError('%s: %s %s %s at %s: %s' % (self.name, ev, direction, quantity, at, mp.nstr(f(v), 30)))
        at = None if quantity == 'tv' else at
        try:
            self.put(ev, direction, quantity, at, v, p.method, relation)
        except Unstable:  # next to a short decimal
            with mp.workdps(1500):
                v = stable(lambda: p.first(e), '1e-1300')
                self.put(ev, direction, quantity, at, v, p.method, relation, slack='1e-1290')

    def epsilon(self, ev, p, at, direction='both', relation=None):
        d = rat(at)
        # eps may be within about d of the largest loss: then more digits.
        for extra in (0, 10 + len(str(d.denominator)), 700):
            with mp.workdps(mp.dps + extra):
                v = stable(lambda: solve(p, d), '1e-%d' % (85 + extra))
                special = isinstance(v, str) or d == p.inf_mass
                if special or p.second is None or agree(p, v, d, mpf(p.tol) * max(1, abs(f(v))), extra):
                    try:
                        self.put(ev, direction, 'epsilon', at, v, p.method + '; bracketed secant', relation, slack='1e-%d' % (75 + extra))
                        return
                    except Unstable:
                        pass
        raise AssertionError('%s: %s %s epsilon at %s: %s' % (self.name, ev, direction, at, mp.nstr(f(v), 30)))

    def sweep(self, ev, p, eps=(), deltas=(), direction='both', relation=None, tv=False):
        if tv:
            self.delta(ev, p, '0', direction, relation, 'tv')
        for e in eps:
            self.delta(ev, p, e, direction, relation)
        for d in deltas:
            self.epsilon(ev, p, d, direction, relation)

    def write(self):
        out = os.environ.get('ORACLE_OUT') or os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../testdata/golden/oracle/privacy')
        self.head['provenance']['cases'] = len(self.lines)
        with open(os.path.join(out, self.name + '.jsonl'), 'w') as o:
            o.write('\n'.join([json.dumps(self.head)] + self.lines) + '\n')
        print('%s: %d cases, %.0f s' % (self.name, len(self.lines), time.time() - self.start))


# Normal distribution.

def Phi(x):
    return mpmath.erfc(-x / sqrt(mpf(2))) / 2


def density(x):
    return exp(-x * x / 2) / sqrt(2 * mp.pi)


def quad(g, points):
    """Gauss-Legendre quadrature over consecutive intervals, each refined until
    two degrees agree relative to the largest value of the integrand."""
    top = mpf(0)
    for a, b in zip(points, points[1:]):
        for k in range(1, 10):
            top = max(top, abs(g(a + (b - a) * k / 10)))
    if top == 0:
        return top
    total = mpf(0)
    for a, b in zip(points, points[1:]):
        if b > a:
            h = b - a
            v, err = mp.quad(lambda t: g(a + h * t) / top, [0, 1], method='gauss-legendre', maxdegree=7, error=True)
            if err > mpf('1e-72'):
                raise Unstable('quadrature error %s' % mp.nstr(err, 5))
            total += v * h
    return total * top


# Profiles that several families use. eps may be a Fraction or an mpf.

def gaussian_profile(mu, eps):
    """Balle and Wang 2018."""
    mu, e = f(mu), f(eps)
    if mu == 0:
        return one_minus(eps)
    return Phi(mu / 2 - e / mu) - exp(e) * Phi(-mu / 2 - e / mu)


def one_minus(eps):
    """(1 - e^eps)_+, exact where it is rational."""
    if at_least(eps, 0):
        return Q(0)
    return -mp.expm1(f(eps))


def laplace_profile(x, eps):
    """x = sensitivity / scale, a Fraction."""
    e = f(eps)
    if at_least(eps, x):
        return Q(0)
    if at_least(-x, eps):
        return one_minus(eps)
    return -mp.expm1((e - f(x)) / 2)
