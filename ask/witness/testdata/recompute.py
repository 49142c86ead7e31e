# Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.
"""Recomputes witnesses with mpmath: one JSON object a line, {"id", "event", "relation", "witness"}.

It shares no code with the program. What it takes from a witness are the sets: thresholds, cells and weights. All
probabilities are its own. It prints a line a witness: the id, P(S), Q(S) and P(S) - e^eps Q(S).
"""

import json
import re
import sys
from fractions import Fraction

from mpmath import mp, mpf

mp.dps = 40
SCALE = 1 << 160


def number(text):
    f = Fraction(str(text))
    return mpf(f.numerator) / f.denominator


def leaves(event, times=1):
    """The releases of a composition, with their counts."""
    name = event["class_name"]
    if name == "SelfComposedDpEvent":
        yield from leaves(event["event"], times * int(event["count"]))
    elif name == "ComposedDpEvent":
        for e in event["events"]:
            yield from leaves(e, times)
    else:
        yield event, times


def cell(label):
    """The ends of a cell such as [1/2, 3)."""
    lo, hi = re.fullmatch(r"[\[(](\S+), (\S+)[\])]", label).groups()
    return (-mp.inf if lo == "(−∞" or lo == "−∞" else number(lo)), (mp.inf if hi == "∞" else number(hi))


def noise(event):
    """The probability of a cell under noise about a mean."""
    if event["class_name"] == "GaussianDpEvent":
        sigma = number(event["noise_multiplier"])
        return lambda a, b, m: mp.ncdf((b - m) / sigma) - mp.ncdf((a - m) / sigma)
    if event["class_name"] == "LaplaceDpEvent":
        scale = number(event["noise_multiplier"])

        def below(x):
            if x in (mp.inf, -mp.inf):
                return mpf(x > 0)
            return mp.exp(x / scale) / 2 if x < 0 else 1 - mp.exp(-x / scale) / 2

        return lambda a, b, m: below(b - m) - below(a - m)
    raise ValueError(event["class_name"])


def stated(outcomes):
    return tuple([number(o[side]["lo"]) for o in outcomes] for side in "pq")


def check_guarantee(event, p, q):
    """Any mechanism that keeps a guarantee will do: that it does is checked."""
    eps, delta, slack = number(event["epsilon"]), number(event["delta"]), mpf(10) ** -26
    for x, y in ((p, q), (q, p)):
        assert abs(sum(x) - 1) < slack and min(x) > -slack
        assert sum(max(0, a - mp.exp(eps) * b) for a, b in zip(x, y)) <= delta + slack


def sampled_guarantee(event, outcomes):
    """A sample has the record or not, and what is done with it keeps the guarantee."""
    rate, (p, q) = number(event["sampling_probability"]), stated(outcomes)
    shown = [o["is"].startswith("0 ") for o in outcomes]  # the number of records, so that there are outcomes without
    if any(shown):
        assert all(a == b for a, b, s in zip(p, q, shown) if s)
        without = [a / (1 - rate) for a, s in zip(p, shown) if s]
        assert abs(sum(without) - 1) < mpf(10) ** -26
        check_guarantee(event["event"], *([a / rate for a, s in zip(x, shown) if not s] for x in (p, q)))
    else:  # on Q the record is in no sample
        check_guarantee(event["event"], [(a - (1 - rate) * b) / rate for a, b in zip(p, q)], q)
    return p, q


def masses(event, relation, outcomes):
    """P and Q of each outcome: one record whose value is 1 is there, or not, or is replaced by one with -1."""
    name = event["class_name"]
    other = -1 if relation == "REPLACE_ONE" else 0
    if name == "PoissonSampledDpEvent" and event["event"]["class_name"] == "EpsilonDeltaDpEvent":
        return sampled_guarantee(event, outcomes)
    if name == "PoissonSampledDpEvent":
        q, inside = number(event["sampling_probability"]), noise(event["event"])
        at = [cell(o["is"]) for o in outcomes]
        mixed = lambda a, b, m: q * inside(a, b, m) + (1 - q) * inside(a, b, 0)
        return [mixed(a, b, 1) for a, b in at], [mixed(a, b, other) for a, b in at]
    if name in ("GaussianDpEvent", "LaplaceDpEvent"):
        inside, at = noise(event), [cell(o["is"]) for o in outcomes]
        return [inside(a, b, 1) for a, b in at], [inside(a, b, other) for a, b in at]
    if name == "RandomizedResponseDpEvent":
        p, k = number(event["noise_parameter"]), int(event["num_buckets"])
        # The true buckets are the ones that each data set has most often. The number of records may show: all have one.
        at = [i for i, o in enumerate(outcomes) if not o["is"].startswith("0 ")]
        assert len(at) == k

        def row(side):
            true = max(at, key=lambda i: number(outcomes[i][side]["lo"]))
            return [(p / k + (1 - p if i == true else 0)) if i in at else mpf(0) for i in range(len(outcomes))]

        return row("p"), row("q")
    if name == "EpsilonDeltaDpEvent":
        p, q = stated(outcomes)
        check_guarantee(event, p, q)
        return p, q
    raise ValueError(name)


def power(vector, n):
    """The n-fold convolution of integers over SCALE, by products of long integers."""

    def product(a, b):
        size = (2 * SCALE.bit_length() + max(len(a), len(b)).bit_length() + 7) // 8 + 1
        pack = lambda v: int.from_bytes(b"".join(x.to_bytes(size, "little") for x in v), "little")
        n = len(a) + len(b) - 1
        raw = (pack(a) * pack(b)).to_bytes(size * (n + 1), "little")
        return [int.from_bytes(raw[size * i : size * (i + 1)], "little") // SCALE for i in range(n)]

    out = [SCALE]
    while n:
        if n & 1:
            out = product(out, vector)
        n >>= 1
        if n:
            vector = product(vector, vector)
    return out


def recompute(case):
    w, relation = case["witness"], case["relation"]
    s = w["set"]
    if "releases" not in s:  # a half line
        total = sum(n / number(e["noise_multiplier"]) ** 2 for e, n in leaves(case["event"]))
        t, root = number(s["threshold"]), mp.sqrt(total)
        other = -total if relation == "REPLACE_ONE" else 0
        return mp.ncdf((total - t) / root), mp.ncdf((other - t) / root)
    if "threshold" not in s:  # a list of outcomes of one release
        (r,) = s["releases"]
        p, q = masses(r["event"], relation, r["outcomes"])
        inside = [o["in"] for o in r["outcomes"]]
        return sum(x for x, i in zip(p, inside) if i), sum(x for x, i in zip(q, inside) if i)
    assert sorted((json.dumps(e, sort_keys=True), n) for e, n in leaves(case["event"])) == sorted(
        (json.dumps(r["event"], sort_keys=True), r["count"]) for r in s["releases"]
    )
    sums, lowest, sure = {"p": [SCALE], "q": [SCALE]}, 0, {"p": mpf(1), "q": mpf(1)}
    for r in s["releases"]:
        p, q = masses(r["event"], relation, r["outcomes"])
        weights = [o["weight"] for o in r["outcomes"] if "weight" in o]
        least = min(weights)
        lowest += least * r["count"]
        for side, xs in (("p", p), ("q", q)):
            vector, always = [0] * (max(weights) - least + 1), mpf(0)
            for x, o in zip(xs, r["outcomes"]):
                if "weight" in o:
                    vector[o["weight"] - least] += int(x * SCALE)
                elif number(o["q"]["hi"]) == 0:
                    always += x
            sure[side] *= (1 - always) ** r["count"]
            one = power(vector, r["count"])
            sums[side] = power_times(sums[side], one)
    start = int(s["threshold"]) - lowest
    return tuple(mpf(sum(sums[side][max(0, start) :])) / SCALE + 1 - sure[side] for side in "pq")


def power_times(a, b):
    if len(a) == 1:
        return [a[0] * x // SCALE for x in b]
    out = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[i + j] += x * y
    return [x // SCALE for x in out]


for line in sys.stdin:
    case = json.loads(line)
    p, q = recompute(case)
    excess = p - mp.exp(number(case["witness"]["epsilon"])) * q
    print(case["id"], mp.nstr(p, 30), mp.nstr(q, 30), mp.nstr(excess, 30))
