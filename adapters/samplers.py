#!/usr/bin/env python3
"""The samplers of trainings: `verify` beside other accountants, as tables in Markdown.

usage: samplers.py VERIFY [--write FILE]

VERIFY is the built command. Ten trainings each of random allocation, of Poisson samples and of balls in bins with correlated noise. Of
an answer there are its value, its width relative to the lower end, and its CPU time: of ours the whole process counts, of others what
follows their import. An upper end below our lower end, or a lower end above our upper end, is wrong. With --write, the tables replace
what FILE has between its lines "<!-- samplers: begin -->" and "<!-- samplers: end -->". An accountant that is not installed is left out, and
one that has no answer after 15 seconds of CPU has none.
"""

import argparse
import json
import math
import re
import resource
import signal
import subprocess
import time
from importlib.metadata import PackageNotFoundError, version

import numpy as np

# steps that a record takes part in, of how many, noise multiplier, epochs, delta
ALLOCATIONS = [
    (1, 3, "1", 1, "1e-5"),
    (1, 10, "1", 1, "1e-5"),
    (1, 100, "1", 1, "1e-5"),
    (1, 1000, "1", 1, "1e-5"),
    (1, 1000, "1", 10, "1e-5"),
    (1, 10000, "0.5", 10, "1e-6"),
    (1, 20, "0.5", 1, "1e-5"),
    (2, 100, "1", 1, "1e-5"),
    (10, 100, "2", 1, "1e-5"),
    (10, 1000, "1", 1, "1e-5"),
]

# sampling probability, noise multiplier, steps, delta
TRAININGS = [
    ("0.004", "1.1", 3500, "1e-5"),
    ("0.01", "4", 10000, "1e-5"),
    ("0.01", "1", 1000, "1e-5"),
    ("0.1", "3", 512, "1e-6"),
    ("0.5", "5", 1000, "1e-6"),
    ("0.001", "0.6", 10000, "1e-8"),
    ("0.01", "0.5", 5000, "1e-6"),
    ("0.001", "1", 100000, "1e-8"),
    ("0.0001", "0.6", 100000, "1e-9"),
    ("0.02", "0.4", 100, "1e-6"),
]

# bins, bands, epochs, noise multiplier, epsilon
BINS = [
    (5, 1, 1, "1", "1"),
    (5, 2, 1, "1.42", "1"),
    (5, 4, 10, "5.15", "1"),
    (10, 1, 10, "3", "1"),
    (10, 2, 1, "1", "1"),
    (10, 4, 1, "1.29", "1"),
    (10, 4, 10, "3", "1"),
    (10, 8, 10, "4", "1"),
    (16, 4, 1, "1", "1"),
    (32, 2, 1, "0.8", "1"),
]

DRAWS = 400_000
LIMIT = 15  # seconds of CPU for an answer of another accountant


def ours(verify, command, option, at, event, *more):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([verify, command, option, at, "--digits", "4", *more, json.dumps(event)],
                         capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = re.search(r"∈ \[([^,]+), ([^\]]+)\]", run.stdout)
    if not found:
        raise SystemExit(run.stdout + run.stderr)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return float(found[1]), float(found[2]), seconds


def timed(question):
    """The answer and its CPU time; None where there is none within the limit."""
    started, answer = time.process_time(), None
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        answer = question()
    except (RuntimeError, TimeoutError, ValueError):
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return answer, time.process_time() - started


def stop(*_):
    raise TimeoutError


signal.signal(signal.SIGPROF, stop)


def width(lo, hi):
    return f"{100 * (hi / lo - 1):.2g} %" if 0 < lo <= hi < math.inf else ""


def ends(lo, hi):
    return f"[{lo:.6g}, {hi:.6g}]"


def verdict(lo, hi, lower, upper):
    """Ours is [lo, hi]; another one says [lower, upper], of which either may be absent."""
    if upper is not None and upper < lo:
        return "says too little"
    if lower is not None and lower > hi:
        return "its lower end is too high"
    return "agrees" if lower is not None else "not below"


def cells(lo, hi, both, seconds):
    """Four cells of a row for both ends of another accountant, in order."""
    if both is None:
        return f"none | | {seconds:.2f} | | "
    lower, upper = both
    return f"{ends(lower, upper)} | {width(lower, upper)} | {seconds:.2f} | {verdict(lo, hi, lower, upper)} | "


def gaussian(sigma):
    return {"class_name": "GaussianDpEvent", "noise_multiplier": sigma}


def repeated(event, count):
    return event if count == 1 else {"class_name": "SelfComposedDpEvent", "count": count, "event": event}


def pld_epsilon(event, count, delta):
    accountant = PLDAccountant(dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE)
    accountant.compose(event, count)
    return accountant.get_epsilon(float(delta))


def poisson(rate, sigma):
    return dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(float(sigma)))


def allocations(verify):
    yield "| k of t, σ, epochs, δ | ours | width | CPU s | PLD_accounting | width | CPU s | | Poisson samples in its place | |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for k, t, sigma, epochs, delta in ALLOCATIONS:
        event = {"class_name": "RandomAllocationDpEvent", "num_selected": k, "num_steps": t, "event": gaussian(sigma)}
        lo, hi, seconds = ours(verify, "epsilon", "--delta", delta, repeated(event, epochs))
        row = f"| {k} of {t}, {sigma}, {epochs}, {delta} | {ends(lo, hi)} | {width(lo, hi)} | {seconds:.2f} | "
        if gaussian_allocation_epsilon_range:
            both, peer = timed(lambda: gaussian_allocation_epsilon_range(
                delta=float(delta), sigma=float(sigma), num_steps=t, num_selected=k, num_epochs=epochs))
            row += cells(lo, hi, both and both[::-1], peer)
        else:
            row += " | | | | "
        if dp_accounting:
            upper = pld_epsilon(poisson(k / t, sigma), t * epochs, delta)
            row += f"{upper:.6g} | {verdict(lo, hi, None, upper)} |"
        else:
            row += "| |"
        yield row


def trainings(verify):
    yield "| q, σ, steps, δ | ours | width | CPU s | prv_accountant | width | CPU s | | dp_accounting | CPU s | |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    for q, sigma, steps, delta in TRAININGS:
        event = {"class_name": "PoissonSampledDpEvent", "sampling_probability": q, "event": gaussian(sigma)}
        lo, hi, seconds = ours(verify, "epsilon", "--delta", delta, repeated(event, steps))
        row = f"| {q}, {sigma}, {steps}, {delta} | {ends(lo, hi)} | {width(lo, hi)} | {seconds:.2f} | "

        def ask():
            mechanism = prv_accountant.PoissonSubsampledGaussianMechanism(noise_multiplier=float(sigma), sampling_probability=float(q))
            accountant = prv_accountant.PRVAccountant(
                prvs=[mechanism], max_self_compositions=[steps], eps_error=0.01, delta_error=float(delta) / 1000)
            return accountant.compute_epsilon(delta=float(delta), num_self_compositions=[steps])

        if prv_accountant:
            three, peer = timed(ask)
            row += cells(lo, hi, three and three[::2], peer)
        else:
            row += " | | | | "
        if dp_accounting:
            upper, peer = timed(lambda: pld_epsilon(poisson(float(q), sigma), steps, delta))
            row += f"{upper:.6g} | {peer:.2f} | {verdict(lo, hi, None, upper)} |"
        else:
            row += "| | |"
        yield row


def column(bands):
    """The column 1, 1/2, 1/4, … of so many bands, of about the norm 1, in decimals."""
    norm = math.sqrt(sum(4.0**-i for i in range(bands)))
    return [f"{2.0**-i / norm:.6f}" for i in range(bands)]


def simulated(bins, bands, epochs, sigma, epsilon):
    """δ of removing a record, by draws of the loss, and the deviation of that mean."""
    where = np.zeros((bins, bins * epochs))
    for i in range(bins):
        for start in range(i, bins * epochs, bins):
            for j, x in enumerate(column(bands)):
                if start + j < bins * epochs:
                    where[i, start + j] += float(x) / float(sigma)
    gram = where @ where.T
    values, vectors = np.linalg.eigh(gram)
    root = vectors * np.sqrt(np.maximum(values, 0))
    generator, found = np.random.default_rng(1), []
    for _ in range(10):
        # Under P the record is in some bin: its row of the Gram matrix is added. δ = E_P (1 − e^ε·Q/P)₊.
        draws = generator.standard_normal((DRAWS // 10, bins)) @ root.T + gram[generator.integers(bins, size=DRAWS // 10)]
        ratio = np.exp(draws - np.diag(gram) / 2).mean(axis=1)
        found.append(np.maximum(1 - math.exp(float(epsilon)) / ratio, 0))
    found = np.concatenate(found)
    return found.mean(), found.std() / math.sqrt(len(found))


def bins_table(verify):
    yield f"| bins, bands, epochs, σ, ε | δ, ours at --effort 1 | width | CPU s | {DRAWS:,} draws, ± 3.3 deviations | width | CPU s | |"
    yield "|---|---|---|---|---|---|---|---|"
    for bins, bands, epochs, sigma, epsilon in BINS:
        event = {"class_name": "MatrixMechanismEvent", "noise_multiplier": sigma, "sampling": {"balls_in_bins": {"bins": bins}},
                 "strategy": {"toeplitz": column(bands), "steps": bins * epochs}}
        lo, hi, seconds = ours(verify, "delta", "--epsilon", epsilon, event, "--direction", "remove", "--effort", "1")
        (mean, deviation), peer = timed(lambda: simulated(bins, bands, epochs, sigma, epsilon))
        lower, upper = mean - 3.3 * deviation, mean + 3.3 * deviation
        yield (f"| {bins}, {bands}, {epochs}, {sigma}, {epsilon} | {ends(lo, hi)} | {width(lo, hi)} | {seconds:.2f} | "
               f"{ends(lower, upper)} | {width(lower, upper)} | {peer:.2f} | {verdict(lo, hi, lower, upper)} |")


def installed(name):
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"no {name}"


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("verify")
parser.add_argument("--write", metavar="FILE")
arguments = parser.parse_args()
try:
    import dp_accounting
    from dp_accounting.pld import PLDAccountant
except ImportError:
    dp_accounting = None
try:
    import prv_accountant
except ImportError:
    prv_accountant = None
try:
    from PLD_accounting import gaussian_allocation_epsilon_range
except ImportError:
    gaussian_allocation_epsilon_range = None

lines = ["With " + ", ".join(map(installed, ["dp-accounting", "prv-accountant", "PLD-accounting"])) + "."]
for table in (allocations, trainings, bins_table):
    lines.append("")
    for line in table(arguments.verify):
        print(line, flush=True)
        lines.append(line)
if arguments.write:
    begin, end = "<!-- samplers: begin -->\n", "<!-- samplers: end -->"
    with open(arguments.write, encoding="utf-8") as file:
        before, _, rest = file.read().partition(begin)
    _, _, after = rest.partition(end)
    with open(arguments.write, "w", encoding="utf-8") as file:
        file.write(before + begin + "\n".join(lines) + "\n" + end + after)
