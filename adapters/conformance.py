#!/usr/bin/env python3
"""A table in Markdown of accountants and flags of the test vectors: how many answers were below the truth, of how many.

    python3 adapters/conformance.py [--each N] [--seconds S] [ACCOUNTANT…] > table.md

Each accountant is asked δ and ε of every test that has both directions, or of the first N of each flag and relation, by its
adapter in this folder. One that is not installed is left out, with a word on standard error. A question that takes more
than S seconds of CPU (20) is not answered, and so is one that the accountant refuses. Answers are read as upper bounds.
"""

import argparse
import importlib.metadata
import json
import math
import os
import select
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))

from dpverify import load_vectors  # noqa: E402

# name, package, adapter with its arguments
ACCOUNTANTS = [
    ("dpverify", None, ["certified.py"]),
    ("dp_accounting PLD", "dp-accounting", ["dp_accounting_pld.py"]),
    ("dp_accounting RDP", "dp-accounting", ["dp_accounting_rdp.py"]),
    ("Opacus RDP", "opacus", ["opacus_accountant.py", "rdp"]),
    ("Opacus PRV", "opacus", ["opacus_accountant.py", "prv"]),
    ("Opacus GDP", "opacus", ["opacus_accountant.py", "gdp"]),
    ("prv_accountant", "prv-accountant", ["prv_accountant_prv.py"]),
    ("autodp", "autodp", ["autodp_mechanisms.py"]),
    ("OpenDP", "opendp", ["opendp_measurements.py"]),
    ("fourier-accountant", "fourier-accountant", ["pld_accountant.py"]),
]


# Seconds of CPU that the first question may take beside, for what an adapter imports.
IMPORTS = 60


class Adapter:
    """A process of an adapter, begun anew where a question took too long."""

    def __init__(self, command, seconds):
        self.command, self.seconds, self.process = command, seconds, None

    def ask(self, question):
        """Returns the answer; None if it took too long, or the process died."""
        importing = 0
        if self.process is None:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=HERE
            )
            self.begun, importing = time.monotonic(), IMPORTS
        p = self.process
        try:
            p.stdin.write(json.dumps(question).encode() + b"\n")
            p.stdin.flush()
        except OSError:
            return self.end()
        spent = cpu(p.pid)
        while not select.select([p.stdout], [], [], 0.5)[0]:
            if cpu(p.pid) - spent > self.seconds + importing or time.monotonic() - self.begun > 3600:
                return self.end()
        line = p.stdout.readline()
        return json.loads(line) if line.endswith(b"\n") else self.end()

    def end(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None


def cpu(pid):
    """Returns the seconds of CPU of a process; without /proc, those on the clock."""
    try:
        fields = Path("/proc/%d/stat" % pid).read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return time.monotonic()


def chosen(each):
    """Returns the tests: all, or the first of each flag and relation, in the order of their tcIds."""
    tests = [
        v
        for v in load_vectors(without=["NEGATIVE_EPSILON"])
        if v.quantity in ("epsilon", "delta") and v.direction == "both"
    ]
    tests.sort(key=lambda v: v.tc_id)
    if not each:
        return tests
    seen, out = Counter(), []
    for v in tests:
        kinds = [(flag, v.relation) for flag in v.flags or ("no flag",)]
        if any(seen[k] < each for k in kinds):
            out.append(v)
            seen.update(kinds)
    return out


def rounding(upper, truth):
    """Tells an answer that is below the truth by its last digits from one that is wrong."""
    return (
        truth.is_finite()
        and math.isfinite(float(upper))
        and abs(float(upper) - float(truth)) < 1e-9 * abs(float(truth))
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("accountant", nargs="*", help="names, as in the table; all if there are none")
    arguments = parser.parse_args()
    unknown = set(arguments.accountant) - {name for name, _, _ in ACCOUNTANTS}
    if unknown:
        parser.error(
            "accountant = %s, want some of %s" % (", ".join(sorted(unknown)), ", ".join(n for n, _, _ in ACCOUNTANTS))
        )
    tests = chosen(arguments.each)
    columns, wrong, asked, rounded, examples = [], defaultdict(Counter), defaultdict(Counter), Counter(), []
    for name, package, command in ACCOUNTANTS:
        if arguments.accountant and name not in arguments.accountant:
            continue
        try:
            version = importlib.metadata.version(package) if package else ""
        except importlib.metadata.PackageNotFoundError:
            print("%s is left out: no package %s" % (name, package), file=sys.stderr)
            continue
        adapter = Adapter([sys.executable, *command], arguments.seconds)
        first = True
        for v in tests:
            answer = adapter.ask({"id": v.tc_id, "event": v.event, "relation": v.relation, "quantity": v.quantity,
                                  "at": v.at, "number_format": v.number_format})  # fmt: skip
            if answer is not None and "adapter_error" in answer:
                print("%s, %s: %s" % (name, v.tc_id, answer["adapter_error"]), file=sys.stderr)
            upper = None if answer is None else answer.get("upper", answer.get("value"))
            if upper is None:
                continue
            flags = v.flags or ("no flag",)
            asked[name].update([*flags, "all"])
            if not v.sound_upper(upper) and rounding(upper, v.lo):
                rounded[name] += 1
            elif not v.sound_upper(upper):
                wrong[name].update([*flags, "all"])
                if first:
                    first = False
                    examples.append(
                        "%s: `%s`, %s at %s, says %s, the truth is at least %s"
                        % (name, v.tc_id, v.quantity, v.at, upper, v.lo)
                    )
        adapter.end()
        columns.append((name, version))
        print(
            "%s: %d below the truth of %d answers" % (name, wrong[name]["all"], asked[name]["all"]),
            file=sys.stderr,
            flush=True,
        )
    flags = sorted({f for name, _ in columns for f in asked[name] if f not in ("all", "no flag")}) + ["no flag", "all"]
    print("| flag | " + " | ".join("%s %s" % c if c[1] else c[0] for c in columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for flag in flags:
        cells = []
        for name, _ in columns:
            n, bad = asked[name][flag], wrong[name][flag]
            cells.append("–" if not n else "%s / %d" % ("**%d**" % bad if bad else "0", n))
        print("| %s | %s |" % (flag, " | ".join(cells)))
    print("| all, by less than 1e-9 of it | " + " | ".join(str(rounded[name]) for name, _ in columns) + " |")
    print(
        "\n%d tests; a cell is answers below the truth / answers; – is none: refused, or slower than %g s."
        % (len(tests), arguments.seconds)
    )
    if examples:
        print("\nThe first answer below the truth of each:\n\n" + "\n".join("- " + e for e in examples))


main()
