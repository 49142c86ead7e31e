"""DiscreteGaussianDpEvent on vectors of integers: the worst shift of a 2-norm.

The shifts are listed by brute force: all vectors of integers >= 0 in falling order
with |s|^2 <= D^2 and at most `dimension` entries, as many as D^2 where it is unknown. delta
is the maximum over all of them, of the product of the one-dimensional noises, by
two methods of discrete_gaussian.py: convolution, or nested sums with exact tails; and
direct sums over all tuples.
"""
from common import *
import discrete_gaussian as dg


def shifts(norm2, dimension):
    out = []

    def extend(s, left):
        if s:
            out.append(tuple(s))
        if len(s) == dimension:
            return
        for x in range(1, s[-1] + 1 if s else left + 1):
            if x * x <= left:
                extend(s + [x], left - x * x)
    extend([], norm2)
    return out


def product(sigma, s):
    p = dg.heterogeneous([(sigma, x) for x in s])
    if len(set(s)) == 1:
        p.first = lambda e: dg.by_sums(rat(sigma), s[0], len(s), e)
    return p


def worst(sigma, sensitivity, dimension):
    norm2 = int(rat(sensitivity) ** 2)
    ps = [product(sigma, s) for s in shifts(norm2, dimension or norm2)]
    return Profile(lambda e: max(p.first(e) for p in ps), lambda e: max(p.second(e) for p in ps),
                   'maximum over all shifts of sums by convolution; direct sum over tuples', tol='1e-65', check_dps=120)


def main():
    fam = Family('discrete_gaussian_vector', 'discrete Gaussian noise on vectors of integers')
    for sigma, sens, dim, es in [
            ('1', '2', None, ['0', '1', '2', '2.5', '4', '6', '-1']), ('1', '2', '2', ['0.5', '4']), ('1', '2', '1', ['0.5', '4']),
            ('1', '1', None, ['0.5', '-1']), ('2', '1.5', None, ['0', '0.5', '1']), ('2', '1.5', '1', ['0.5']), ('3/2', '7/4', '3', ['0', '1']),
            ('0.7', '2', '3', ['0', '2', '8']), ('2', '2', None, ['0', '0.3', '2'])]:
        ev = event('DiscreteGaussianDpEvent', sigma=sigma, sensitivity=sens)
        if dim:
            ev['dimension'] = dim
        fam.sweep(ev, worst(sigma, sens, dim and int(dim)), es, ['1e-3'], tv=True)
    ev = event('DiscreteGaussianDpEvent', sigma='1', sensitivity='2')
    fam.sweep(ev, worst('1', '2', None), ['1', '4'], relation='REPLACE_ONE')
    fam.sweep(ev, worst('1', '2', None), ['1', '4'], relation='REPLACE_SPECIAL')
    fam.write()


if __name__ == '__main__':
    main()
