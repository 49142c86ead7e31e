#!/usr/bin/env python3
"""One of two steps of Gaussian noise, of a record that is replaced by the opposite one, several times over: δ(ε).

The loss of a step is summed over a grid of both outputs, its law is put on a lattice, and composed by a transform in
binary64. Needs numpy. Prints mu, copies, ε, δ for the table in exact/pld/source_known_test.go, to about five digits.
"""
import numpy as np


def delta(mu, copies, epsilons, nodes=4000, reach=10, step=1e-4, length=1 << 20):
    z = np.linspace(-reach - mu, reach + mu, nodes)
    mass = np.exp(-z**2 / 2) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    a, b = np.exp(mu * z - mu * mu / 2), np.exp(-mu * z - mu * mu / 2)
    mean_a, mean_b = (a[:, None] + a[None, :]) / 2, (b[:, None] + b[None, :]) / 2
    p = (mass[:, None] * mass[None, :] * mean_a).ravel()
    at = np.log(mean_a / mean_b).ravel() / step
    low = np.floor(at).astype(int)
    law = np.zeros(length)
    np.add.at(law, low % length, p * (1 - at + low))
    np.add.at(law, (low + 1) % length, p * (at - low))
    law = np.fft.irfft(np.fft.rfft(law) ** copies, length)
    loss = np.fft.fftfreq(length, 1 / length) * step
    for eps in epsilons:
        beyond = loss > eps
        print(mu, copies, eps, -(law[beyond] * np.expm1(eps - loss[beyond])).sum())


delta(1, 2, [0, 1, 2])
delta(0.5, 5, [0, 1, 2])
