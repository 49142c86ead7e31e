#!/usr/bin/env python3
"""CPU time of `verify epsilon` beside the CPU time of dp_accounting's PLD accountant, on configurations of DP-SGD that were published.

usage: field.py VERIFY [--digits 4]

VERIFY is the built command. Both answer for ADD_OR_REMOVE_ONE, the greater of both directions. Of ours, the whole process
counts; of dp_accounting, what follows its import, and 50 ms at least. A line a case; last the geometric mean and the greatest of the
ratios ours / theirs. Without dp_accounting, only our times are printed.
"""

import argparse
import json
import math
import resource
import subprocess
import time
from fractions import Fraction

# name, sampling probability, noise multiplier, steps, delta
CASES = [
    ("opacus-mnist", "256/60000", "1.1", 3515, "1e-5"),
    ("opacus-cifar", "1/98", "0.390669", 1960, "1e-5"),
    ("tf-mnist-60", "256/60000", "1.1", 14062, "1e-5"),
    ("abadi-10k", "0.01", "4", 10000, "1e-5"),
    ("mnist-65536", "0.01", "4", 65536, "1e-5"),
    ("opacus-ddp", "1/300", "1", 1500, "1e-5"),
    ("jax-doc", "0.1", "3", 512, "1e-6"),
    ("large-batch", "0.5", "5", 1000, "1e-6"),
    ("small-batch", "0.0001", "0.6", 100000, "1e-9"),
    ("language-1b", "0.0000408", "0.614", 100000, "1.1e-10"),
    ("million-steps", "0.001", "1", 1000000, "1e-8"),
    ("low-noise", "0.01", "0.5", 5000, "1e-6"),
]


def ours(verify, digits, q, sigma, steps, delta):
    event = {
        "class_name": "SelfComposedDpEvent",
        "count": steps,
        "event": {
            "class_name": "PoissonSampledDpEvent",
            "sampling_probability": q,
            "event": {"class_name": "GaussianDpEvent", "noise_multiplier": sigma},
        },
    }
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(
        [verify, "epsilon", "--delta", delta, "--digits", str(digits), json.dumps(event)],
        capture_output=True,
        text=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return run.stdout.strip().replace("\n", " "), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def theirs(q, sigma, steps, delta):
    started = time.process_time()
    accountant = PLDAccountant(dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE)
    accountant.compose(
        dp_accounting.SelfComposedDpEvent(
            dp_accounting.PoissonSampledDpEvent(float(Fraction(q)), dp_accounting.GaussianDpEvent(float(sigma))), steps
        )
    )
    return accountant.get_epsilon(float(delta)), time.process_time() - started


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("verify")
parser.add_argument("--digits", type=int, default=4)
arguments = parser.parse_args()
try:
    import dp_accounting
    from dp_accounting.pld import PLDAccountant
except ImportError as error:
    print(f"dp_accounting is not compared with: {error}")
    dp_accounting = None

total, ratios = 0.0, []
for name, *case in CASES:
    answer, seconds = ours(arguments.verify, arguments.digits, *case)
    total += seconds
    line = f"{name:14} {seconds:6.2f} s  {answer}"
    if dp_accounting:
        epsilon, peer = theirs(*case)
        ratios.append(seconds / max(peer, 0.05))
        line += f"   dp_accounting {peer:6.2f} s  {epsilon:.6f}   ratio {ratios[-1]:.2f}"
    print(line, flush=True)
print(f"{total:.2f} s", end="")
if ratios:
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"; ratio to dp_accounting: geometric mean {mean:.2f}, greatest {max(ratios):.2f}", end="")
print()
