"""Two copies of a Poisson-sampled Gaussian: delta(eps) in both directions, and under replacement.

Printed, for a table in exact/inversion/shifted_bound_test.go: a quadrature of the profile of the
second copy over the loss of the first, at two precisions that agree.
"""
from mpmath import *


def two(q,sig,e):
    q=mpf(q); mu=1/mpf(sig); 
    L=lambda x: log(1-q+q*exp(mu*x-mu*mu/2))
    def d_rem(e): # delta(P||Q) single
        t=(exp(e)-1+q)/q
        if t<=0: return 1-exp(e)
        x=(log(t)+mu*mu/2)/mu
        return (1-q)*ncdf(-x)+q*ncdf(mu-x)-exp(e)*ncdf(-x)
    def d_add(e): # Q||P: q > e^e p : g< e^-e
        t=(exp(-e)-1+q)/q
        if t<=0: return mpf(0)
        x=(log(t)+mu*mu/2)/mu
        return ncdf(x)-exp(e)*((1-q)*ncdf(x)+q*ncdf(x-mu))
    e=mpf(e)
    def brk(v): # x where e -+ L(x) crosses the lower end
        t=(exp(v)-1+q)/q
        return (log(t)+mu*mu/2)/mu if t>0 else None
    pts=[-14,-8,-5,-3,-1,0,1,2,3,4,5,6,8,10,14]
    b=brk(e-log(1-q)); ps=sorted(set(pts+([b] if b else [])))
    rem=quad(lambda x:((1-q)*npdf(x)+q*npdf(x-mu))*d_rem(e-L(x)),ps)
    c=brk(-e-log(1-q)); ps=sorted([p for p in pts if c is None or p<c]+([c] if c else []))
    add=quad(lambda x:npdf(x)*d_add(e+L(x)),ps) if c is not None else 0
    return rem,add


def replaced(q, sig, e):
    q, mu, e = mpf(q), 1 / mpf(sig), mpf(e)
    side = lambda x: 1 - q + q * exp(mu * x - mu * mu / 2)
    loss = lambda x: log(side(x)) - log(side(-x))  # rises

    def place(v):  # where the loss is v
        lo, hi = mpf(-60), mpf(60)
        for _ in range(30):
            mid = (lo + hi) / 2
            lo, hi = (mid, hi) if loss(mid) < v else (lo, mid)
        x, step = (lo + hi) / 2, mpf(10) ** -20
        for _ in range(8):
            x -= (loss(x) - v) * 2 * step / (loss(x + step) - loss(x - step))
        return x

    def one(v):
        x = place(v)
        return (1 - exp(v)) * (1 - q) * ncdf(-x) + q * ncdf(mu - x) - exp(v) * q * ncdf(-mu - x)

    places = [-16, -12, -9, -7, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 7, 9, 12, 16]
    return quad(lambda x: ((1 - q) * npdf(x) + q * npdf(x - mu)) * one(e - loss(x)), places, maxdegree=7)


for args in (('0.2', '1.5', '0.25'), ('0.01', '1', '0.5')):
    values = []
    for mp.dps in (25, 34):
        values.append(replaced(*args))
    assert abs(values[0] - values[1]) < mpf(10) ** -23 * values[1]
    print('replaced', args, nstr(values[1], 25))
for args in (('0.2', '1.5', '0.25'), ('0.01', '1', '0.01')):
    values = []
    for mp.dps in (40, 55):
        values.append(two(*args))
    assert all(abs(a - b) < mpf(10) ** -36 * b for a, b in zip(*values))
    print(args, *(nstr(v, 38) for v in values[1]))
