"""Audits simulated DP-SGD trainings by 1,000 canaries, 500 runs with the canary and 500 without it.

    python audit_dpsgd.py            one seed of each training
    python audit_dpsgd.py 200        two hundred

The canary's gradient is a direction of its own, clipped to norm 1, and the attack adds up what the noisy gradients have in this direction.
Its threshold is fixed before: half of what a canary adds in expectation. The trainings that are broken are CONTRADICTED by the event
that they say they run; the right one is CONSISTENT.
"""

import sys

import numpy as np

import dpverify

RATE, SIGMA, STEPS, RUNS = 0.25, 2.0, 100, 500
EVENT = "poisson(1/4, gaussian(2)) * 100"


def sums(rng, runs, member, *, rate=RATE, noise=SIGMA, scale=1.0):
    """What the steps of some runs have in the canary's direction, added up."""
    batches = rng.random((runs, STEPS)) < rate
    gradients = scale * batches if member else np.zeros((runs, STEPS))
    return (gradients + noise * rng.standard_normal((runs, STEPS))).sum(axis=1)


TRAININGS = {
    "right": {},
    "noise of half the size": {"noise": SIGMA / 2},
    "a sum where the noise is that of a mean of four": {"scale": 4.0},
    "the canary in every batch": {"rate": 1.0},
}


def audit(seed, **training):
    rng = np.random.default_rng(seed)
    threshold = RATE * STEPS / 2
    found = int((sums(rng, RUNS, True, **training) > threshold).sum())
    false = int((sums(rng, RUNS, False, **training) > threshold).sum())
    return dpverify.measure(EVENT, counts=(found, false, RUNS, RUNS), delta="1e-5")


if __name__ == "__main__":
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    for name, training in TRAININGS.items():
        verdicts = [audit(seed, **training).verdict for seed in range(seeds)]
        print("%-48s %s" % (name, ", ".join("%d %s" % (verdicts.count(v), v) for v in sorted(set(verdicts)))))
