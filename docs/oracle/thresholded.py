"""ThresholdedNoiseEvent: counts by key with noise, released from a threshold on.

Of k keys, i are shared with other records and k - i are not. With h = (1 - p)^(k-i), p = P(1 + noise >= threshold),
and the profile delta_i of i pairs of noise,
  remove: 1 - h + h delta_i(eps - log h),   add: delta_i(eps + log h),
and the greatest over i is the value.

First method: closed forms of p and of delta_i (Gaussian noise: any i; Laplace
noise: one key). Second: quadrature of the densities, and of (h P - e^eps Q)_+ on the line.
"""
from common import *


class Noise:
    def __init__(self, kind, scale, threshold, keys):
        self.kind, self.scale, self.threshold, self.keys = kind, rat(scale), rat(threshold), keys

    def event(self):
        noise = gaussian(str(self.scale)) if self.kind == 'gaussian' else laplace(str(self.scale))
        return dict(event('ThresholdedNoiseEvent', event=noise, threshold=str(self.threshold), keys=str(self.keys)), module_name='dpverify')

    def hidden(self):
        x = f((self.threshold - 1) / self.scale)
        if self.kind == 'gaussian':
            return Phi(x)
        return 1 - exp(-x) / 2 if x >= 0 else exp(x) / 2

    def closed(self, i, e):
        if i == 0:
            return max(mpf(0), -mp.expm1(e))
        if self.kind == 'gaussian':
            mu = sqrt(mpf(i)) / f(self.scale)
            return Phi(mu / 2 - e / mu) - exp(e) * Phi(-mu / 2 - e / mu)
        assert i == 1
        x = 1 / f(self.scale)
        if e >= x:
            return mpf(0)
        return -mp.expm1(e) if e <= -x else -mp.expm1((e - x) / 2)

    def first(self, direction, eps):
        best = None
        for i in range(self.keys + 1):
            h = self.hidden() ** (self.keys - i)
            e = f(eps)
            v = 1 - h + h * self.closed(i, e - log(h)) if direction == 'remove' else self.closed(i, e + log(h))
            best = v if best is None else max(best, v)
        return best

    def second(self, direction, eps):
        s, best = f(self.scale), None
        g = density if self.kind == 'gaussian' else lambda x: exp(-abs(x)) / 2
        far = 30 if self.kind == 'gaussian' else 260
        t = f((self.threshold - 1) / self.scale)
        marks = sorted({mpf(m) for m in range(-far, far + 1, 2)} | {mpf(0), t})
        hidden = quad(g, [m for m in marks if m <= t])
        for i in range(self.keys + 1):
            h, e = hidden ** (self.keys - i), exp(f(eps))
            shift = sqrt(mpf(i)) / s
            p, q = (lambda x: h * g(x - shift)), g
            a, b = (p, q) if direction == 'remove' else (q, p)
            v = 1 - h if direction == 'remove' else mpf(0)
            if i == 0:
                v += max(mpf(0), h - e if direction == 'remove' else 1 - e * h)
            else:
                w = (lambda x: a(x) - e * b(x))
                pts = sorted({mpf(m) for m in range(-far, far + 1, 2)} | {mpf(0), shift})
                # one sign change: where the loss is eps
                if self.kind == 'gaussian':
                    l = f(eps) - log(h) if direction == 'remove' else -f(eps) - log(h)
                    cut = shift / 2 + l / shift
                else:
                    l = f(eps) - log(h) if direction == 'remove' else -f(eps) - log(h)
                    cut = (l + shift) / 2 if abs(l) < shift else (mpf(far) * 2 if l >= shift else mpf(-far) * 2)
                if direction == 'remove':
                    pts = [x for x in pts if x > cut] + ([cut] if cut > -far else [])
                else:
                    pts = [x for x in pts if x < cut] + ([cut] if cut < far else [])
                pts = sorted(x for x in pts if -far <= x <= far)
                if len(pts) > 1:
                    v += quad(w, pts)
            best = v if best is None else max(best, v)
        return best

    def profile(self, direction):
        with mp.workdps(500):
            inf = 1 - self.hidden() ** self.keys if direction == 'remove' else Q(0)
        return Profile(lambda e: self.first(direction, e), lambda e: self.second(direction, e),
                       'closed forms of the cases; quadrature of the densities', inf, None, tol='1e-60', check_dps=110)


def main():
    fam = Family('thresholded', 'noisy counts released from a threshold on; direction remove has the record')
    for kind, scale, threshold, keys in [('gaussian', '2', '10', 1), ('gaussian', '1', '6', 3), ('gaussian', '3', '-2', 2), ('laplace', '1', '8', 1), ('laplace', '3', '2', 1)]:
        n = Noise(kind, scale, threshold, keys)
        r, a = n.profile('remove'), n.profile('add')
        for d, p in (('remove', r), ('add', a)):
            es = ['0', '-1', '0.25'] + (['2'] if kind == 'gaussian' or d == 'remove' else [])
            fam.sweep(n.event(), p, es, [], d, tv=True)
        fam.sweep(n.event(), maximum(r, a), ['0.1'], [], 'both')
        if kind == 'gaussian':
            fam.sweep(n.event(), a, [], ['1e-4'], 'add')
    fam.write()


if __name__ == '__main__':
    main()
