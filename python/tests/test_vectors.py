# The vectors and the pytest plugin. No program is needed.
import importlib.metadata
import json
import math
import os
from decimal import Decimal
from fractions import Fraction

import pytest

import dpverify
from dpverify._vectors import default_root

pytest_plugins = "pytester"

# Where the package is installed, pytest finds the plugin by itself.
INSTALLED = any(d.metadata["Name"] == "dpverify" for d in importlib.metadata.distributions())
PLUGIN = () if INSTALLED else ("-p", "dpverify.pytest_plugin")


def vector(lo, hi):
    return next(dpverify.load_vectors("gaussian_delta.json")).__class__(
        tc_id="0",
        file="",
        group="",
        comment="",
        flags=(),
        event={},
        relation="",
        direction="",
        quantity="delta",
        at="1",
        number_format="decimal",
        lo=Decimal(lo),
        hi=Decimal(hi),
    )


@pytest.mark.parametrize(
    "lo, hi, x, upper, lower, tight",
    [
        ("1", "2", "0.999", False, True, True),
        ("1", "2", 1, True, True, True),
        ("1", "2", 2.0, True, True, True),
        ("1", "2", Fraction(23, 10), True, False, False),
        ("-2", "-1", "-0.95", True, False, True),
        ("Infinity", "Infinity", 1e300, False, True, True),
        ("Infinity", "Infinity", math.inf, True, True, True),
        ("-Infinity", "-Infinity", 0, True, False, False),
        ("1", "2", math.inf, True, False, False),
        ("1", "2", math.nan, False, False, None),
        # The nearest float is below 1/10 + 10^-20, and no tolerance hides it.
        ("0.10000000000000000556", "0.1000000000000000056", 0.1, False, True, True),
    ],
)
def test_judgements(lo, hi, x, upper, lower, tight):
    v = vector(lo, hi)
    assert v.sound_upper(x) is upper and v.sound_lower(x) is lower
    assert v.right(x) is (upper and lower)
    if tight is not None:
        assert v.tight(x, 0.1) is tight


def test_all_files_are_read():
    everything = list(dpverify.load_vectors())
    assert len(everything) >= 600 and len({v.tc_id for v in everything}) == len(everything)
    assert all(not v.lo > v.hi for v in everything)
    one = next(v for v in everything if v.file == "gaussian_delta.json" and v.place == 1.0)
    assert one.event["class_name"] == "GaussianDpEvent"
    flagged = list(dpverify.load_vectors(flags=["COUNT_IGNORED"]))
    assert flagged and all(
        "COUNT_IGNORED" in v.flags and v.notes["COUNT_IGNORED"]["bugType"] == "LOGIC" for v in flagged
    )
    assert not list(dpverify.load_vectors(flags=["COUNT_IGNORED"], without=["COUNT_IGNORED"]))
    with pytest.raises(FileNotFoundError):
        list(dpverify.load_vectors("gausian_delta.json"))


# An accountant that knows randomized response, and forgets its count.
FORGETS = """
import math
import dpverify

def epsilon(event, delta, forgets):
    count = 1
    if event["class_name"] == "SelfComposedDpEvent":
        count, event = event["count"], event["event"]
    p, k = float(event["noise_parameter"]), event["num_buckets"]
    each = math.log((1 - p + p / k) / (p / k)) + 1e-12
    return each * (1 if forgets else count)

@dpverify.vectors("randomized_response_epsilon.json", relation="REPLACE_ONE")
def test_forgets(vector):
    vector.check_upper(epsilon(vector.event, vector.place, True))

@dpverify.vectors("randomized_response_epsilon.json", relation="REPLACE_ONE")
def test_composes(vector):
    vector.check_upper(epsilon(vector.event, vector.place, False))
"""


def test_plugin_finds_a_defect_by_its_flag(pytester):
    pytester.makepyfile(FORGETS)
    result = pytester.runpytest(*PLUGIN, "-k", "composes")
    assert result.ret == 0
    result.stdout.no_fnmatch_line("*failures by flag*")
    result = pytester.runpytest(*PLUGIN, "-k", "forgets", "-v")
    assert result.ret == 1
    # Sub-tests are named by tcId, and the failure says what the flag means.
    result.stdout.re_match_lines([r".*test_forgets\[randomized_response_epsilon-[0-9a-f]{8}\] FAILED.*"])
    result.stdout.fnmatch_lines(
        ["*is below the truth*", "*COUNT_IGNORED: A mechanism that is no Gaussian is composed*"]
    )
    result.stdout.fnmatch_lines(["*dpverify: failures by flag*", "COUNT_IGNORED *"])


def test_plugin_selects_by_flag(pytester):
    pytester.makepyfile(
        "import dpverify\n@dpverify.vectors('randomized_response_epsilon.json')\ndef test_it(vector):\n    assert 'COUNT_IGNORED' in vector.flags\n"
    )
    flagged = len(list(dpverify.load_vectors("randomized_response_epsilon.json", flags=["COUNT_IGNORED"])))
    pytester.runpytest(*PLUGIN, "--dpverify-flag", "COUNT_IGNORED").assert_outcomes(passed=flagged)


def test_plugin_reads_another_root(pytester):
    data = json.loads((default_root() / "gaussian_delta.json").read_text())
    data["testGroups"] = [{"comment": "one", "tests": data["testGroups"][0]["tests"][:3]}]
    root = pytester.mkdir("root")
    (root / "gaussian_delta.json").write_text(json.dumps(data))
    pytester.makepyfile(
        "import dpverify\n"
        "@dpverify.vectors('gaussian_delta.json')\n"
        "def test_it(vector):\n    vector.check_upper(1, tau=1e9)\n"
    )
    result = pytester.runpytest(*PLUGIN, "--dpverify-vectors", str(root))
    result.assert_outcomes(passed=3)


def test_no_program_is_needed(monkeypatch):
    monkeypatch.setenv("DPVERIFY_BINARY", os.devnull)
    assert next(dpverify.load_vectors("gaussian_delta.json")).sound_upper(1)
