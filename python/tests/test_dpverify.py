# The package against the program: DPVERIFY_BINARY, or the program of the wheel.
import gc
import math
import numbers
import os
import subprocess
import sys
import threading
import types
import warnings
from collections import namedtuple
from decimal import Decimal
from fractions import Fraction

import pytest

import dpverify
from dpverify import _client

GAUSSIAN = {"class_name": "GaussianDpEvent", "noise_multiplier": 1}


def test_epsilon_is_enclosed():
    e = dpverify.epsilon(GAUSSIAN, delta="1e-5")
    assert isinstance(e.lo, Decimal) and e.complete and e.methods
    # scipy and mpmath: 4.37717809568...
    assert e.lo <= Decimal("4.3771780956850") <= e.hi and e.hi - e.lo < Decimal("1e-10")
    assert Decimal(e.lower) <= e.lo and Decimal(e.upper) >= e.hi and e.upper - e.lower < 1e-10


def test_every_quantity():
    assert Decimal("0.12693673750664394580") in dpverify.delta(GAUSSIAN, epsilon=1, digits=10)
    assert Decimal(4) in dpverify.renyi(GAUSSIAN, 8)
    assert dpverify.renyi(GAUSSIAN, "inf").hi == Decimal("Infinity")
    assert Decimal("0.3829249225480262") in dpverify.tv(GAUSSIAN, digits=8)
    f = dpverify.tradeoff(GAUSSIAN, "0.5", digits=6)
    assert f.lo <= Decimal("0.15865525393145705") <= f.hi


def test_estimates():
    training = "sgd(sigma=1.1, batch=600, n=60000, steps=500)"
    e = dpverify.epsilon(training, "1e-5", engine="float")
    proved = dpverify.epsilon(training, "1e-5", digits=8)
    assert (
        isinstance(e, dpverify.Estimate)
        and not e.proved
        and "estimated, not proved" in str(e)
        and "not proved" in e._repr_html_()
    )
    assert (
        proved.lo - e.error <= e.value <= proved.hi + e.error
        and e.error < Decimal("1e-5")
        and float(e) == float(e.value)
    )
    assert e.counted.startswith("500 steps")
    many = dpverify.estimate_many([{"event": GAUSSIAN, "quantity": "delta", "at": x} for x in ("0.5", 1)])
    assert many[0].value > many[1].value and many[1].value == dpverify.delta(GAUSSIAN, 1, engine="float").value
    with pytest.raises(ValueError, match="engine = 'fast', want 'exact' or 'float'"):
        dpverify.epsilon(GAUSSIAN, "1e-5", engine="fast")
    with pytest.raises(dpverify.QuestionError, match="digits = 4, want no digits"):
        dpverify.epsilon(GAUSSIAN, "1e-5", engine="float", digits=4)
    with pytest.raises(dpverify.QuestionError, match="tradeoff"):
        dpverify.estimate_many([{"event": GAUSSIAN, "quantity": "tradeoff", "at": "0.5"}])
    with pytest.raises(ValueError, match="estimate_many"):
        dpverify.ask_many([{"event": GAUSSIAN, "quantity": "tv", "engine": "float"}])
    with pytest.raises(TypeError):
        e <= 3  # no bound: nothing follows from it


def test_numbers_are_what_is_written():
    def laplace(b, **options):
        return dpverify.epsilon({"class_name": "LaplaceDpEvent", "noise_multiplier": b}, delta=0, **options)

    assert laplace(Fraction(1, 3)).lo == laplace("1/3").lo == 3
    assert laplace(0.1).lo == laplace(Decimal("0.1")).lo == 10
    assert laplace(0.1, number_format="binary64", digits=20).hi < 10  # the float is above 1/10
    for bad in (float("nan"), float("inf"), True, object(), [[]]):
        with pytest.raises((ValueError, TypeError, dpverify.QuestionError)):
            laplace(bad)


def test_rounding_is_outward():
    third = dpverify.Enclosure(Decimal(1) / 3, Decimal(1) / 3)
    assert Decimal(third.lower) < third.lo and Decimal(third.upper) > third.hi
    assert dpverify.Enclosure(Decimal("1e999"), Decimal("1e999")).lower == sys.float_info.max
    assert dpverify.Enclosure(Decimal("1e-999"), Decimal("1e-999")).upper == math.nextafter(0, 1)
    assert dpverify.Enclosure(Decimal("-Infinity"), Decimal("Infinity")).upper == math.inf


class Foreign:
    """A number of another library, as numpy has them."""

    ndim = 0

    def __init__(self, value):
        self.value = value

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    def as_integer_ratio(self):
        return self.value.as_integer_ratio()

    def item(self):
        return self.value


def test_numbers_of_other_libraries_compare():
    whole, real = type("whole", (Foreign,), {}), type("real", (Foreign,), {})
    numbers.Integral.register(whole)
    numbers.Real.register(real)
    e = dpverify.Enclosure(Decimal("1.5"), Decimal("1.6"))
    for kind in (whole, real, Foreign):
        assert e > kind(1) and e < kind(2) and not e <= kind(1) and kind(2) not in e
        assert kind(2) in dpverify.Enclosure(Decimal(2), Decimal(3))
    assert real(1.5) in e and not e < real(1.5) and e <= real(math.inf) and not e <= real(-math.inf)
    with pytest.raises(dpverify.Undecided):
        e <= real(1.55)
    for none in (real(math.nan), math.nan, Decimal("sNaN")):
        with pytest.raises(ValueError, match="want a number"):
            e <= none
        assert none not in e


def test_numbers_of_other_libraries_are_not_rounded():
    real = type("real", (Foreign,), {})
    numbers.Real.register(real)
    below = Fraction(1, 10) - Fraction(1, 10**25)  # the float next to it is above 1/10
    pure = {"class_name": "EpsilonDeltaDpEvent", "epsilon": "0.1", "delta": 0}
    dpverify.assert_sound(pure, delta=0, epsilon=real(Fraction(1, 10)))
    for claimed in (below, real(below), Foreign(below)):
        with pytest.raises(dpverify.Unsound):
            dpverify.assert_sound(pure, delta=0, epsilon=claimed)
        assert dpverify.epsilon(dict(pure, epsilon=claimed), delta=0, digits=30).hi < Decimal("0.1")
    vector = next(dpverify.load_vectors("gaussian_delta.json"))
    assert not vector.sound_upper(real(Fraction(vector.lo) - Fraction(1, 10**99)))
    assert not vector.sound_lower(real(Fraction(vector.hi) + Fraction(1, 10**99)))
    nothing = type("nothing", (Foreign,), {"as_integer_ratio": property()})
    numbers.Real.register(nothing)
    with pytest.raises(TypeError, match="want it as a str"):
        dpverify.epsilon(pure, delta=nothing(below))


def test_enclosures_equal_numbers_that_are_known():
    e, known = dpverify.Enclosure(Decimal(1), Decimal(2)), dpverify.delta("laplace(1)", 1)
    assert known == 0 and 0 == known and not known != 0.0 and known != 1e-300
    assert e != 3 and not e == 0 and e == dpverify.Enclosure(Decimal(1), Decimal(2)) != known and e != "1"
    assert len({e, known, dpverify.Enclosure(Decimal(1), Decimal(2))}) == 2
    for wrong in (lambda: e == 1, lambda: e != 2.0):
        with pytest.raises(dpverify.Undecided):
            wrong()


def test_there_is_no_arithmetic():
    e = dpverify.Enclosure(Decimal(1), Decimal(2))
    for wrong in (lambda: e + e, lambda: e + 1, lambda: 1 + e, lambda: 2 * e, lambda: e * 2, lambda: sum([e, e])):
        with pytest.raises(TypeError):
            wrong()


def test_times_are_durations():
    for seconds in (1e-5, Fraction(61, 2), "7", 1e3, Decimal("2.5e1")):
        assert dpverify.compare("gaussian(1)", delta="1e-5", timeout=seconds)[0].hi > 4


def test_errors_have_the_words_of_the_program():
    with pytest.raises(dpverify.QuestionError, match="noise_multiplier = -1, want > 0"):
        dpverify.epsilon({"class_name": "GaussianDpEvent", "noise_multiplier": -1}, delta="1e-5")
    with pytest.raises(TypeError, match="digit"):
        dpverify.epsilon(GAUSSIAN, delta="1e-5", digit=3)
    assert dpverify.tv({"class_name": "NoOpDpEvent"}).hi == 0  # and the process goes on


def test_errors_name_the_argument():
    for ask, error, words in [
        (lambda: dpverify.delta("gaussian(1)", float("nan")), ValueError, "epsilon = nan, want a finite number"),
        (lambda: dpverify.delta("gaussian(1)", None), dpverify.QuestionError, "epsilon is missing, want a number"),
        (lambda: dpverify.epsilon("gaussian(1)", -1), dpverify.QuestionError, "delta = -1, want >= 0"),
        (lambda: dpverify.epsilon("gaussian(1)", True), TypeError, "delta = True, want an int"),
        (lambda: dpverify.renyi("gaussian(1)", 0), dpverify.QuestionError, "order = 0, want > 0 or inf"),
        (lambda: dpverify.tradeoff("gaussian(1)", 2), dpverify.QuestionError, "alpha = 2, want"),
        (lambda: dpverify.gdp("gaussian(1)", 2), dpverify.QuestionError, "alpha_min = 2, want"),
        (lambda: dpverify.epsilon([(1.1, 0.01, 1000)], 1e-5), TypeError, "from_opacus makes one of a history"),
    ]:
        with pytest.raises(error) as caught:
            ask()
        assert words in str(caught.value)


def test_gdp():
    e = dpverify.gdp("gaussian(2)")
    assert e.lo <= Decimal("0.5") <= e.hi
    assert dpverify.gdp("poisson(0.1, gaussian(1))", "1e-3", digits=3).hi < 1


def test_incomplete_is_not_silent():
    event = {"class_name": "ZCDpEvent", "rho": "0.2"}  # of which no worst case is known
    with pytest.raises(dpverify.Incomplete) as e:
        dpverify.epsilon(event, delta="1e-6", timeout=0.2)
    assert e.value.enclosure.lo < e.value.enclosure.hi and e.value.reason
    with pytest.warns(dpverify.IncompleteWarning):
        dpverify.epsilon(event, delta="1e-6", timeout=0.2, incomplete="warn")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not dpverify.epsilon(event, delta="1e-6", timeout=0.2, incomplete="ignore").complete
    with pytest.raises(ValueError, match="incomplete"):
        dpverify.epsilon(event, delta="1e-6", incomplete="never")


def test_one_process_shared_by_threads():
    dpverify.close()
    found = []

    def ask(k):
        event = {"class_name": "EpsilonDeltaDpEvent", "epsilon": k, "delta": 0}
        found.append((k, dpverify.epsilon(event, delta=0)))

    threads = [threading.Thread(target=ask, args=(k,)) for k in range(1, 21)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(k for k, _ in found) == list(range(1, 21))
    assert all(e.lo == e.hi == k for k, e in found)
    process = _client._shared._process
    dpverify.tv(GAUSSIAN)
    assert _client._shared._process is process


def test_processes_are_closed():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        with dpverify.Verifier() as v:
            v.ask(GAUSSIAN, "tv")
            process = v._process
        assert process.returncode == 0
        v.close()
        with pytest.raises(dpverify.Error, match="closed"):
            v.ask(GAUSSIAN, "tv")
        del v
        gc.collect()


def test_a_dead_process_is_no_answer():
    with dpverify.Verifier() as v:
        v._process.kill()
        v._process.wait()
        with pytest.raises(dpverify.Error, match="status"):
            v.ask(GAUSSIAN, "tv")
    # The shared one starts anew.
    dpverify.tv(GAUSSIAN)
    _client._shared._process.kill()
    _client._shared._process.wait()
    assert dpverify.tv(GAUSSIAN).complete


def test_many_questions_do_not_block():
    questions = [{"event": GAUSSIAN, "quantity": "renyi", "at": str(k)} for k in range(2, 2002)]
    with dpverify.Verifier() as v:
        answers = list(v.ask_many(questions))
    assert [2 * e.lo for e in answers] == list(range(2, 2002))


def test_the_process_ends_with_python():
    code = "import dpverify; dpverify.tv({'class_name': 'NoOpDpEvent'}); from dpverify import _client; print(_client._shared._process.pid)"
    out = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], stdout=subprocess.PIPE, check=True, stderr=subprocess.PIPE
    )
    assert out.stderr == b""
    with pytest.raises(OSError):
        os.kill(int(out.stdout), 0)


def test_no_program(monkeypatch):
    monkeypatch.setenv("DPVERIFY_BINARY", "/nonexistent/verify")
    with pytest.raises(dpverify.BinaryNotFoundError, match="/nonexistent/verify"):
        dpverify.Verifier()


class Event:
    """A DpEvent, as dp_accounting's to_named_tuple shows one."""

    def __init__(self, class_name, **fields):
        self.class_name, self.fields = class_name, fields

    def to_named_tuple(self):
        def convert(x):
            if isinstance(x, Event):
                return x.to_named_tuple()
            return [convert(y) for y in x] if isinstance(x, list) else x

        names = ["module_name", "class_name", *self.fields]
        values = ["dp_accounting.dp_event", self.class_name, *map(convert, self.fields.values())]
        return namedtuple(self.class_name, names)(*values)


def test_from_dp_accounting():
    gaussian = Event("GaussianDpEvent", noise_multiplier=1.1)
    sample = Event("PoissonSampledDpEvent", sampling_probability=0.01, event=gaussian)
    event = Event("ComposedDpEvent", events=[Event("SelfComposedDpEvent", event=sample, count=100), gaussian])
    tree = dpverify.from_dp_accounting(event)
    assert tree["events"][0]["count"] == 100
    assert tree["events"][0]["event"]["event"]["noise_multiplier"] == "1.1"
    assert dpverify.epsilon(event, delta="1e-5", digits=3) == dpverify.epsilon(tree, delta="1e-5", digits=3)
    unknown = Event("DiscreteGaussianDpEvent", sigma=2, sensitivity=1, dimension=None)
    assert dpverify.from_dp_accounting(unknown)["dimension"] is None
    with pytest.raises(TypeError, match="DpEvent"):
        dpverify.from_dp_accounting({"class_name": "GaussianDpEvent"})


def test_to_dp_accounting(monkeypatch):
    class Classes(types.ModuleType):
        def __getattr__(self, name):
            if not name.endswith("DpEvent") or name == "NewDpEvent":
                raise AttributeError(name)
            return lambda **fields: Event(name, **fields)

    monkeypatch.setitem(sys.modules, "dp_accounting", types.ModuleType("dp_accounting"))
    monkeypatch.setitem(sys.modules, "dp_accounting.dp_event", Classes("dp_accounting.dp_event"))
    sample = {"class_name": "PoissonSampledDpEvent", "sampling_probability": "256/60000", "event": dict(GAUSSIAN)}
    tree = {
        "class_name": "ComposedDpEvent",
        "events": [
            {"class_name": "SelfComposedDpEvent", "count": 100, "event": sample},
            {"class_name": "DiscreteGaussianDpEvent", "sigma": "2", "sensitivity": 1, "dimension": None},
            {
                "class_name": "MixtureOfGaussiansDpEvent",
                "standard_deviation": 1,
                "sensitivities": ["0", "1/2"],
                "sampling_probs": ["0.5", "0.5"],
            },
            {"class_name": "SingleEpochTreeAggregationDpEvent", "noise_multiplier": "1", "step_counts": [3, 4]},
            {"class_name": "RepeatAndSelectDpEvent", "event": dict(GAUSSIAN), "mean": 2, "shape": "inf"},
        ],
    }
    got = dpverify.to_dp_accounting(tree).fields["events"]
    assert got[0].fields["count"] == 100
    assert got[0].fields["event"].fields["sampling_probability"] == 256 / 60000
    assert got[1].fields == {"sigma": 2.0, "sensitivity": 1.0, "dimension": None}
    assert got[2].fields["sensitivities"] == [0.0, 0.5]
    assert got[3].fields["step_counts"] == [3, 4]
    assert got[4].fields["shape"] == math.inf
    for name in ("FinitePairEvent", "NewDpEvent"):
        with pytest.raises(NotImplementedError, match=name):
            dpverify.to_dp_accounting({"class_name": name})
    for field in ({"count": 2.5}, {"count": "5/2"}, {"step_counts": [3, 2.5]}):
        with pytest.raises(ValueError, match="want an integer"):
            dpverify.to_dp_accounting({"class_name": "SelfComposedDpEvent", **field})


def test_from_opacus():
    class Accountant:
        history = [(1.1, 256 / 60000, 100), (0.9, 1 / 32, 10)]

    event = dpverify.from_opacus(Accountant())
    assert [e["count"] for e in event["events"]] == [100, 10]
    assert event == dpverify.from_opacus(Accountant.history) == dpverify.from_opacus({"history": Accountant.history})
    assert dpverify.epsilon(event, delta="1e-5", digits=2).hi < 10
    assert dpverify.from_opacus([(1.0, 1.0, 3)])["class_name"] == "SelfComposedDpEvent"
    assert dpverify.epsilon(dpverify.from_opacus([(0, 0.1, 1)]), delta="1e-5").lo == Decimal("Infinity")
    assert dpverify.epsilon(dpverify.from_opacus([]), delta="1e-5").hi <= 0
    with pytest.raises(ValueError, match=r"history\[0\]"):
        dpverify.from_opacus([(1.0, 2)])
    with pytest.raises(dpverify.QuestionError, match="count = 1.5, want an integer"):
        dpverify.epsilon(dpverify.from_opacus([(1.0, 0.5, 1.5)]), delta="1e-5")
    with pytest.raises(ValueError, match="history"):
        dpverify.from_opacus({})


# A sample of a guarantee: what is known of it leaves a gap.
OPEN = {
    "class_name": "PoissonSampledDpEvent",
    "sampling_probability": "0.9",
    "event": {"class_name": "ZCDpEvent", "rho": "0.5"},
}


def test_assert_sound():
    dpverify.assert_sound(GAUSSIAN, delta="1e-5", epsilon="4.378")
    with pytest.raises(dpverify.Unsound, match=r"least ε at that δ is in \[4\.377"):
        dpverify.assert_sound(GAUSSIAN, delta="1e-5", epsilon="4.377")
    # Between two floats it takes more digits than the first try has.
    dpverify.assert_sound(GAUSSIAN, delta="0.126936737506643945805", epsilon=1)
    with pytest.raises(dpverify.Unsound):
        dpverify.assert_sound(GAUSSIAN, delta="0.126936737506643945800", epsilon=1)
    with pytest.raises(dpverify.Undecided):
        dpverify.assert_sound(OPEN, delta="0.13", epsilon=1, timeout=0.2)
    # A float is the number that it is: float("0.1") is above 1/10.
    pure = {"class_name": "EpsilonDeltaDpEvent", "epsilon": "0.1", "delta": 0}
    dpverify.assert_sound(pure, delta=0, epsilon=0.1)
    with pytest.raises(dpverify.Unsound):
        dpverify.assert_sound(pure, delta=0, epsilon=math.nextafter(0.1, 0))


def test_enclosures_compare_and_quote():
    e = dpverify.epsilon(GAUSSIAN, "1e-5")
    assert e < 5 and e >= 4 and not e > 4.4 and e.quote == "4.3772" and str(e).endswith("to quote: 4.3772")
    assert dpverify.epsilon(GAUSSIAN, "0.5").quote == "0" and dpverify.tradeoff(GAUSSIAN, "0.5").quote == "0.15865"
    assert e < dpverify.epsilon("gaussian(0.5)", "1e-5") and "<b>4.3772</b>" in e._repr_html_()
    with pytest.raises(dpverify.Undecided):
        e <= (e.lo + e.hi) / 2
    with pytest.raises(TypeError, match="upper"):
        float(e)
    with pytest.raises(ValueError, match="nan"):
        e < float("nan")
    assert float("nan") not in e


def test_commands():
    found = dpverify.calibrate("gaussian(?)", epsilon=1, delta="1e-5", digits=3)
    assert (found.field, found.value, found.next, found.next_refuted) == (
        "noise_multiplier",
        Decimal("3.74"),
        Decimal("3.73"),
        True,
    )
    with pytest.raises(dpverify.QuestionError, match="delta"):
        dpverify.calibrate("gaussian(?)", epsilon=1, delta=-1)
    rows = dpverify.curve(GAUSSIAN, stop=4, points=3, digits=6)
    assert [r.at for r in rows] == [0, 2, 4] and rows == dpverify.curve(GAUSSIAN, [0, 2, 4], quantity="delta", digits=6)
    powers = dpverify.curve(GAUSSIAN, ["1/2", 0.25], quantity="tradeoff")
    assert powers[0].at == Decimal("0.5") and powers[0].hi < powers[1].lo
    assert [r.hi for r in dpverify.curve("laplace(10)", compositions=2, delta=0, digits=3)] == [
        Decimal("0.1"),
        Decimal("0.2"),
    ]
    with pytest.raises(TypeError, match="at"):
        dpverify.curve(GAUSSIAN, [0], points=3)
    with pytest.raises(TypeError, match="places"):
        dpverify.curve(GAUSSIAN, quantity="renyi")
    truth, methods = dpverify.compare(GAUSSIAN, delta="1e-5")
    assert len({m.name for m in methods}) == len(methods)
    assert all(m.hi >= truth.lo for m in methods if m.bound and m.hi is not None) and any(m.hi for m in methods)
    held = dpverify.ledger(["gaussian(10)", "laplace(20)"], epsilon=1, delta="1e-6")
    assert held["version"] == 1 and 0.5 < float(held["left"]) < 1
    lines = [{"event": "laplace(2)", "data": data} for data in "ab"]
    held = dpverify.ledger(lines, epsilon=1, delta=0, by="data")
    assert [(a["data"], a["left"]) for a in held["accounts"]] == [("a", "0.5"), ("b", "0.5")]


def test_certify(tmp_path):
    claims = [dpverify.Claim(GAUSSIAN, "4.38", "1e-5"), dpverify.Claim("gaussian(1)", 4, 1e-5, id="low")]
    true, false = dpverify.certify(claims)
    assert (
        (true.verdict, false.verdict, false.id) == ("verified", "refuted", "low")
        and false.epsilon > 4
        and true.delta <= 1e-5
    )
    path = tmp_path / "claims.yaml"
    path.write_text("version: 1\nclaims:\n  - {id: a, event: gaussian(1), claim: {rho: 0.5}}\n")
    assert dpverify.certify(path)[0].verdict == "verified"
    with pytest.raises(dpverify.QuestionError, match="nowhere"):
        dpverify.certify(str(tmp_path / "nowhere.yaml"))


def test_plots_are_of_delta():
    with pytest.raises(TypeError, match="want no compositions"):
        dpverify.plot("gaussian(1)", compositions=5, delta="1e-5")


def test_bad_numbers_are_errors():
    for bad in ({"digits": 0}, {"timeout": -1}, {"relation": "BOTH"}, {"direction": "up"}, {"digits": "many"}):
        with pytest.raises(dpverify.QuestionError, match=next(iter(bad))):
            dpverify.epsilon(GAUSSIAN, "1e-5", **bad)


def test_a_stuck_process_is_ended(monkeypatch, tmp_path):
    stuck = tmp_path / "stuck"
    stuck.write_text("#!/bin/sh\nexec sleep 60\n")
    stuck.chmod(0o755)
    monkeypatch.setattr(_client, "_GRACE", 0.2)
    with dpverify.Verifier(str(stuck)) as v, pytest.raises(dpverify.Error, match="status"):
        v.ask(GAUSSIAN, "tv", timeout=0.1)


def test_interruption_stops_the_question(monkeypatch):
    v = dpverify.Verifier()
    monkeypatch.setattr(_client.json, "loads", lambda _: (_ for _ in ()).throw(KeyboardInterrupt()))
    with v, pytest.raises(KeyboardInterrupt):
        v.ask(GAUSSIAN, "tv")
    assert not v.alive


def test_eight_processes_share_nothing():
    code = ("import sys, dpverify\nk = int(sys.argv[1])\n"
            "print([str(dpverify.renyi('gaussian(1)', k + i).hi) for i in range(20)])")  # fmt: skip
    running = [subprocess.Popen([sys.executable, "-c", code, str(k)], stdout=subprocess.PIPE) for k in range(1, 9)]
    for k, process in enumerate(running, 1):
        out, _ = process.communicate()
        assert process.returncode == 0 and [float(x) for x in eval(out)] == [(k + i) / 2 for i in range(20)]


def test_docstrings():
    import doctest

    from dpverify import _commands, _enclosure

    for module in (dpverify, _commands, _enclosure):
        failed, tried = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
        assert failed == 0 and tried > 0


def test_examples():
    examples = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "python", "typed.py")
    if not os.path.exists(examples):
        pytest.skip("no clone around the tests")
    code = "import sys, runpy; runpy.run_path(sys.argv[1])"
    out = subprocess.run(
        [sys.executable, "-c", code, examples],
        stdout=subprocess.PIPE,
        check=True,
        env=dict(os.environ, PYTHONIOENCODING="utf-8"),
    )
    said = out.stdout.decode()
    assert "to quote: ε ≤ 1.1329 and ε ≤ 2 holds" in said and "3.731 is enough; 3.730 is not" in said
    assert "[('claim', 'verified'), ('low', 'refuted')]" in said


def test_witness():
    found = dpverify.witness("gaussian(1)", epsilon=1, delta="0.1")
    assert found.neighbours == (["a record with the value 1"], []) and found.policy is None
    assert found.excess.lo > Decimal("0.12693") and found.p.lo > found.q.hi
    pair = {"class_name": "FinitePairEvent", "p": ["1/10", "9/10"], "q": ["1/2", "1/2"]}
    steps = {"class_name": "SelfComposedDpEvent", "count": 4, "event": pair}
    chosen = dpverify.witness(steps, epsilon=0, relation="REPLACE_ONE")
    assert chosen.policy is not None and len(chosen.policy["choices"]) > 1 and chosen.excess.lo > 0
    with pytest.raises(dpverify.Undecided):
        dpverify.witness("gaussian(1)", epsilon=1, delta="0.2")
    with pytest.raises(dpverify.QuestionError, match="epsilon"):
        dpverify.witness("gaussian(1)", epsilon="none")


def test_measure(tmp_path):
    found = dpverify.measure("gaussian(1)", counts=(480, 200, 500, 500), epsilon="4.4", delta="1e-5")
    assert (found.verdict, found.of_event, found.of_claim) == ("CONTRADICTED", "CONTRADICTED", "UNINFORMATIVE")
    assert found.epsilon > 1.9 and found.accounted < 4.4 and found.mu > 1 and found.delta == 0
    assert dpverify.measure("gaussian(1)", guesses=(200, 200, 140)).verdict == "CONSISTENT"
    scores = [(3.0, True), (2.5, True), (1.0, False), (0.5, False)]
    assert dpverify.measure(scores=scores, confidence=0.5, epsilon=9).verdict == "UNINFORMATIVE"
    with pytest.raises(dpverify.QuestionError, match="counts"):
        dpverify.measure(counts=(1, 2, 3))
    with pytest.raises(dpverify.QuestionError, match="nowhere"):
        dpverify.measure(scores=tmp_path / "nowhere.csv")
    claim = {
        "id": "a",
        "event": "gaussian(1)",
        "claim": {"epsilon": 5, "delta": 1e-5},
        "measured": {"counts": [480, 20, 500, 500]},
    }
    assert dpverify.certify([claim])[0].detail["measured"]["event"]["verdict"] == "CONTRADICTED"


def test_adapters_take_variances():
    from dpverify import audit

    for event in (
        {"noise_multiplier": "2", "class_name": "GaussianDpEvent"},
        {"noise_variance": "4", "class_name": "GaussianDpEvent"},
    ):
        assert audit.deviation(event, "noise_multiplier") == 2
        sample = {"class_name": "PoissonSampledDpEvent", "sampling_probability": "1/4", "event": event}
        assert audit.subsampled_gaussian(sample) == (2, 0.25)
    assert audit.deviation({"variance": "9"}, "sigma") == 3
