"""AdditiveNoiseEvent: noise on cells and on lattices, products, Poisson sampling.

The density of the noise and of itself shifted are integrated between all of their
borders, in exact rationals, which makes a finite pair; the rest is as in
finite_pair.py. Noise that is symmetric and falls from 0 is shifted by the sensitivity, other noise by
each of sixteen shifts a cell, and the greatest delta is taken (of one release).
"""
from common import *
from finite_pair import facts, k_fold, sampled, swap


def masses(ps, lattice, x):
    """The noise and the noise shifted by x cells, between all borders."""
    n = len(ps)
    if lattice:
        k = int(x)
        return list(ps) + [Q(0)] * k, [Q(0)] * k + list(ps)
    borders = sorted({Q(i) for i in range(n + 1)} | {Q(i) + x for i in range(n + 1)})

    def height(y):
        i = y.numerator // y.denominator
        return ps[i] if 0 <= i < n else Q(0)
    p, q = [], []
    for a, b in zip(borders, borders[1:]):
        m = (a + b) / 2
        p.append((b - a) * height(m))
        q.append((b - a) * height(m - x))
    return p, q


def noise(ps, cell, sensitivity, lattice=False):
    d = {'class_name': 'AdditiveNoiseEvent', 'module_name': 'dpverify', 'probabilities': ps, 'cell': cell, 'sensitivity': sensitivity}
    if lattice:
        d['kind'] = 'lattice'
    return d


def main():
    fam = Family('additive_noise', 'noise on cells and lattices against itself shifted; Poisson sampling replaces P by (1-g)Q + gP')
    falling = [
        (['0.05', '0.2', '0.25', '0.25', '0.2', '0.05'], '1', '1', False),
        (['1/24', '1/8', '1/3', '1/3', '1/8', '1/24'], '1/2', '1', False),
        (['1/24', '1/8', '1/3', '1/3', '1/8', '1/24'], '1/2', '2/3', False),
        (['0.1', '0.2', '0.4', '0.2', '0.1'], '1', '1', True),
        (['0.1', '0.2', '0.4', '0.2', '0.1'], '1/3', '3/4', True),
    ]
    for ps, cell, s, lattice in falling:
        x = rat(s) / rat(cell)
        if lattice:
            x = Q(x.numerator // x.denominator)
        pair = masses([rat(p) for p in ps], lattice, x)
        ev = noise(ps, cell, s, lattice)
        fam.sweep(ev, k_fold(pair, 1), ['0.3', '1', '-0.5', '0'], ['0.1', '0.01'], tv=True)
        fam.sweep(self_composed(ev, 3), k_fold(pair, 3), ['0.5', '1'], ['0.2'])
        for d in ('remove', 'add'):
            g = sampled(pair, Q(1, 5), d)
            fam.sweep(self_composed(poisson('0.2', ev), 2), k_fold(g, 2), ['0.1', '0.3'], [], d)
    for ps, s in ((['0.3', '0.1', '0.1', '0.1', '0.1', '0.3'], '2'), (['0.4', '0.1', '0.2', '0.3'], '3/2'), (['0.4', '0.1', '0.2', '0.3'], '5/2')):
        qs = [rat(p) for p in ps]
        worst = None
        steps = int(rat(s) * 16)
        for i in range(1, steps + 1):
            for way in (lambda z: z, swap):
                p = k_fold(way(masses(qs, False, Q(i, 16))), 1)
                worst = p if worst is None else maximum(worst, p)
        fam.sweep(noise(ps, '1', s), worst, ['0.1', '0.7', '0'], [], tv=True)
    fam.write()


if __name__ == '__main__':
    main()
