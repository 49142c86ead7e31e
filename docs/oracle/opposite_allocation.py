"""The profile of a random allocation to one of t steps of Gaussian noise, of a record that is replaced by the opposite one:

    E(W_1 + ... + W_t)_+ / t,  W = e^{rz - r^2/2} - g*e^{-rz - r^2/2}, z normal,

by the trapezoidal rule over all z but one, for which it has a closed form; the standard library alone. More nodes change
no digit that exact/allocation/opposite_test.go has.
"""
from math import erfc, exp, log, pi, sqrt


def cdf(x):
    return erfc(-x / sqrt(2)) / 2


def last(c, r, g):
    """E(W + c)_+: W > -c where u = e^{rz - r^2/2} is above the greater root of u^2 + cu - g*e^{-r^2}."""
    q = g * exp(-r * r)
    s = sqrt(c * c + 4 * q)
    u = (s - c) / 2 if c <= 0 else 2 * q / (s + c)
    z = (log(u) + r * r / 2) / r
    return cdf(r - z) - g * cdf(-r - z) + c * cdf(-z)


def delta(t, r, g, n, reach=9.0):
    h = 2 * reach / (n - 1)
    zs = [-reach + h * i for i in range(n)]
    nodes = [(exp(-z * z / 2) / sqrt(2 * pi) * h, exp(r * z - r * r / 2) - g * exp(-r * z - r * r / 2)) for z in zs]

    def over(steps, c, mass):
        if mass < 1e-17:
            return 0.0
        if steps == 1:
            return mass * last(c, r, g)
        return sum(over(steps - 1, c + w, mass * m) for m, w in nodes)

    return over(t, 0.0, 1.0) / t


if __name__ == "__main__":
    for t, r, g, n in ((2, 1, 1, 121), (2, 1, 4, 121), (2, .5, 2, 121), (2, 1 / .6, 30, 121),
                       (3, 1, 1, 241), (3, 1, 4, 241), (3, .5, 2, 181), (4, 1, 4, 141), (4, .5, 2, 101)):
        print(t, r, g, "%.12g" % delta(t, r, g, n))
