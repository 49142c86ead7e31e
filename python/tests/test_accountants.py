# Accountants for other packages, against the interfaces of these packages, written down here: what python/peers tests
# against the packages themselves has to be quick, and to run without them.
import copy
import math
import sys
import types
from collections import OrderedDict, namedtuple
from enum import Enum

import pytest

import dpverify
from dpverify import pfl, prv_accountant, tf_privacy
from dpverify.jax_privacy import event as event_of


class Event:
    """An event, with the named tuple of dp_accounting's."""

    fields = ()

    def __init__(self, *values):
        for name, value in zip(self.fields, values):
            setattr(self, name, value)

    def to_named_tuple(self):
        def convert(x):
            return x.to_named_tuple() if isinstance(x, Event) else [convert(y) for y in x] if isinstance(x, list) else x

        names = ["module_name", "class_name", *self.fields]
        return namedtuple("T", names)(
            "dp_event", type(self).__name__, *(convert(getattr(self, f)) for f in self.fields)
        )


def events():
    classes = {
        "NoOpDpEvent": "", "NonPrivateDpEvent": "", "UnsupportedDpEvent": "", "GaussianDpEvent": "noise_multiplier",
        "LaplaceDpEvent": "noise_multiplier", "ZCDpEvent": "rho", "SelfComposedDpEvent": "event count", "ComposedDpEvent": "events",
        "PoissonSampledDpEvent": "sampling_probability event", "RandomizedResponseDpEvent": "noise_parameter num_buckets",
    }  # fmt: skip
    return {name: type(name, (Event,), {"fields": tuple(fields.split())}) for name, fields in classes.items()}


@pytest.fixture
def peers(monkeypatch):
    """Modules with the names that the accountants import, as dp_accounting 0.6.0 and opacus 1.6.0 have them."""
    dp_event = types.ModuleType("dp_accounting.dp_event")
    vars(dp_event).update(events())

    class UnsupportedEventError(Exception):
        pass

    class PrivacyAccountant:
        CompositionErrorDetails = namedtuple("CompositionErrorDetails", ["invalid_event", "error_message"])

        def __init__(self, neighboring_relation):
            self._neighboring_relation, self._events = neighboring_relation, []

        neighboring_relation = property(lambda self: self._neighboring_relation)
        ledger = property(lambda self: dp_event.ComposedDpEvent(list(self._events)))

        def supports(self, event):
            return self._maybe_compose(event, 0, False) is None

        def compose(self, event, count=1):
            error = self._maybe_compose(event, count, False)
            if error:
                raise UnsupportedEventError("[%s] caused by subevent %s" % (error.error_message, error.invalid_event))
            self._events.append(dp_event.SelfComposedDpEvent(event, count))
            self._maybe_compose(event, count, True)
            return self

    class IAccountant:
        def __init__(self):
            self.history = []

        def state_dict(self, destination=None):
            destination = OrderedDict() if destination is None else destination
            destination.update(history=copy.deepcopy(self.history), mechanism=self.mechanism())
            return destination

    registered = {}
    relation = Enum("NeighboringRelation", ["ADD_OR_REMOVE_ONE", "REPLACE_ONE", "REPLACE_SPECIAL"])
    parts = {
        "dp_accounting": {"NeighboringRelation": relation, "dp_event": dp_event},
        "dp_accounting.privacy_accountant": {"PrivacyAccountant": PrivacyAccountant},
        "opacus": {}, "opacus.accountants": {}, "opacus.accountants.accountant": {"IAccountant": IAccountant},
        "opacus.accountants.registry": {"register_accountant": lambda name, of, force=False: registered.update({name: of})},
    }  # fmt: skip
    for name, content in parts.items():
        module = types.ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
    sys.modules["opacus.accountants"].registry = sys.modules["opacus.accountants.registry"]
    for name in ("dpverify.accountants", "dpverify.opacus"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield types.SimpleNamespace(events=dp_event, relation=relation, error=UnsupportedEventError, registered=registered)
    for name in ("dpverify.accountants", "dpverify.opacus"):  # what was imported with these modules is not for others
        sys.modules.pop(name, None)


def test_privacy_accountant(peers):
    from dpverify.accountants import CertifiedAccountant

    e = peers.events
    accountant = CertifiedAccountant()
    assert (
        accountant.get_epsilon(0)
        == accountant.get_epsilon(1)
        == accountant.get_delta(0)
        == accountant.get_delta(math.inf)
        == 0
    )
    accountant.compose(e.PoissonSampledDpEvent(0.01, e.GaussianDpEvent(1.0)), 1000)
    bound = accountant.get_epsilon(1e-5)
    truth = dpverify.epsilon("poisson(0.01, gaussian(1)) * 1000", "1e-5", digits=10)
    assert truth <= bound and bound < truth.upper * (1 + 1e-5) and accountant.last_enclosure.hi <= bound
    assert dpverify.delta("poisson(0.01, gaussian(1)) * 1000", bound, number_format="binary64") <= accountant.get_delta(
        bound
    )
    assert 0.1 < accountant.get_true_positive_rates([0.1])[0] < 1 == accountant.get_true_positive_rates([1])[0]


def test_privacy_accountant_refuses(peers):
    from dpverify.accountants import CertifiedAccountant

    e, accountant = peers.events, CertifiedAccountant()
    for event in (
        e.UnsupportedDpEvent(),
        e.RandomizedResponseDpEvent(0.5, 3),
        e.GaussianDpEvent(-1.0),
        e.GaussianDpEvent(math.nan),
    ):
        for nested in (event, e.SelfComposedDpEvent(event, 3), e.ComposedDpEvent([e.NoOpDpEvent(), event])):
            assert not accountant.supports(nested)
            with pytest.raises(peers.error, match=str(event)):
                accountant.compose(nested)
    assert CertifiedAccountant(peers.relation.REPLACE_ONE).supports(e.RandomizedResponseDpEvent(0.5, 3))
    accountant.compose(e.GaussianDpEvent(0))  # no noise at all
    assert accountant.get_epsilon(0.5) == accountant.get_epsilon(1) == math.inf and accountant.get_delta(math.inf) == 1
    loose = CertifiedAccountant(timeout=0.2).compose(e.ZCDpEvent(0.2)).compose(e.LaplaceDpEvent(5.0), 10)
    with pytest.warns(dpverify.IncompleteWarning):
        assert loose.get_epsilon(1e-6) == loose.last_enclosure.upper


def test_events_that_differ_by_usual_numbers_are_refused_or_not_together(peers):
    from dpverify import accountants

    e, accountant = peers.events, accountants.CertifiedAccountant()
    accountant.compose(e.PoissonSampledDpEvent(0.125, e.GaussianDpEvent(2.0)))
    asked = accountants._refusal.cache_info().misses
    for rate, noise in ((0.5, 1.0), (1e-6, 0.3), (0.9, 500)):
        accountant.compose(e.PoissonSampledDpEvent(rate, e.GaussianDpEvent(noise)), 3)
    assert accountants._refusal.cache_info().misses == asked
    for rate, noise in ((1.5, 1.0), (-0.1, 1.0), (0.5, -1.0)):
        assert not accountant.supports(e.PoissonSampledDpEvent(rate, e.GaussianDpEvent(noise)))


def test_opacus_accountant(peers):
    import dpverify.opacus

    accountant = peers.registered["dpverify"]()
    assert accountant.get_epsilon(1e-5) == 0 and len(accountant) == 0
    for noise in (1.1, 1.1, 0.9):
        accountant.step(noise_multiplier=noise, sample_rate=0.01)
    assert accountant.history == [(1.1, 0.01, 2), (0.9, 0.01, 1)] and len(accountant) == 2
    assert accountant.state_dict()["mechanism"] == dpverify.opacus.CertifiedAccountant.mechanism() == "dpverify"
    bound = accountant.get_epsilon(1e-5, alphas=[2])
    assert dpverify.epsilon(dpverify.from_opacus(accountant), "1e-5", digits=8) <= bound and bound < 2
    accountant.history = [(0, 0.01, 1)]
    assert accountant.get_epsilon(1e-5) == math.inf
    with pytest.raises(ValueError, match="delta = nan"):
        accountant.get_epsilon(math.nan)


class PartitionType(Enum):
    INDEPENDENT = 1


def test_jax_privacy_events():
    def strategy(name, **fields):
        return type(name, (), fields)()

    poisson = strategy(
        "CyclicPoissonSampling", sampling_prob=0.01, iterations=1000, truncated_batch_size=None, cycle_length=3
    )
    assert event_of(poisson, noise_multiplier=2)["count"] == 334  # of 1000 steps a record is in at most so many
    bins = event_of(strategy("BallsInBinsSampling", iterations=150, cycle_length=50), noise_multiplier=2)
    assert bins["num_steps"] == 50 and bins["event"]["count"] == 3
    # Of 5 rounds a record is in two of one bin in four, and in one otherwise: 0.1132 of 2,000,000 samples.
    unlike = event_of(strategy("BallsInBinsSampling", iterations=5, cycle_length=4), noise_multiplier=1)
    found = dpverify.delta(unlike, "0.5", digits=2, incomplete="ignore")
    assert found.lower < 0.1132 < found.upper < 0.13
    apart = strategy(
        "BMinSepSampling", sampling_prob=0.5, iterations=20, min_sep=4, warm_start=True, truncated_batch_size=None
    )
    alone = event_of(apart, noise_multiplier=4)
    assert alone["strategy"] == {"toeplitz": ["1"], "steps": 20} and alone["sampling"] == {
        "min_separation": {"separation": 4, "probability": "0.5"}
    }
    assert (
        0
        < dpverify.delta(
            event_of(apart, noise_multiplier=4, column=[1, "0.5"]), 1, digits=1, incomplete="ignore", timeout=60
        ).hi
        < 1e-3
    )
    poisson.partition_type = PartitionType.INDEPENDENT
    assert event_of(poisson, noise_multiplier=2, column=[1, 0.5])["sampling"] == {
        "random_shift": {"bands": 3, "probability": "0.01"}
    }
    apart.warm_start = False
    for what in (strategy("Other"), apart):
        with pytest.raises(NotImplementedError):
            event_of(what, noise_multiplier=2)
    with pytest.raises(NotImplementedError, match="column"):
        event_of(apart, noise_multiplier=2, column=[1])


def test_prv_accountant():
    accountant = prv_accountant.DPSGDAccountant(0.8, 0.005, 1000)
    lo, near, up = accountant.compute_epsilon(1e-5, 1000)
    e = dpverify.epsilon("poisson(0.005, gaussian(0.8)) * 1000", "1e-5", digits=10)
    assert e >= lo and lo <= near <= up and e <= up and up - lo < 1e-4
    assert accountant.compute_delta(up, 1000)[0] <= 1e-5 <= accountant.compute_delta(lo, 1000)[2]
    assert accountant.compute_epsilon(1e-5) == (lo, near, up)  # all steps, and not one
    with pytest.raises(ValueError, match="at most"):
        accountant.compute_epsilon(1e-5, 1001)
    mechanism = type("LaplaceMechanism", (), {"mu": 0.5})()
    assert prv_accountant.PRVAccountant(mechanism).compute_epsilon(0) == (0.5, 0.5, 0.5)
    with pytest.raises(TypeError, match="object"):
        prv_accountant.PRVAccountant(object())
    with pytest.raises(ValueError, match="whole numbers"):
        prv_accountant.PRVAccountant(mechanism, max_self_compositions=[9]).compute_epsilon(0, [1.5])


def test_pfl():
    def make(**given):
        return pfl.CertifiedPrivacyAccountant(
            num_compositions=100, sampling_probability=0.01, mechanism="Gaussian", **given
        )

    noise = make(epsilon=1, delta=1e-6, noise_scale=0.5)
    assert noise.cohort_noise_parameter == noise.noise_parameter / 2
    assert make(epsilon=1, noise_parameter=noise.noise_parameter).delta <= 1e-6
    assert make(delta=1e-6, noise_parameter=noise.noise_parameter).epsilon <= 1
    make(epsilon=1, delta=1e-6, noise_parameter=noise.noise_parameter)
    with pytest.raises(dpverify.Unsound):
        make(epsilon=1, delta=1e-6, noise_parameter=0.99 * noise.noise_parameter)
    with pytest.raises(ValueError, match="at least two"):
        make(epsilon=1)


def test_tf_privacy():
    def statement(noise, microbatching):
        text = tf_privacy.compute_dp_sgd_privacy_statement(
            60000, 256, 15, noise, 1e-5, used_microbatching=microbatching, max_examples_per_user=2
        )
        return text.replace("\n", " ")

    text = statement(1.1, False)
    assert "ε = 1.1339 at δ = 1e-05" in text and "3516 steps." in text and "at most 2: ε = 2.45" in text
    # One example turns a microbatch's clipped mean into another one: TensorFlow Privacy halves the noise, too.
    twice = statement("2.2", True)
    others = ", which leaves all others in their microbatches"
    assert twice.split("norm. ")[1].replace(others, "") == text.split("3516 steps. ")[1] and others in twice
    default = tf_privacy.compute_dp_sgd_privacy_statement(60000, 256, 15, "2.2", 1e-5).replace("\n", " ")
    assert "ε = 1.1339 at" in default and "twice the clipping norm" in default

    class Short(int):  # an integer of 32 bits, as numpy has them
        def __mul__(self, other):
            return Short(int(self) * int(other) % 2**32)

        __rmul__ = __mul__

    long = tf_privacy.compute_dp_sgd_privacy_statement(Short(60_000_000), 6_000_000, Short(100), "100", 1e-5)
    assert "1000 steps" in long.replace("\n", " ")
    assert "11 steps" in tf_privacy.compute_dp_sgd_privacy_statement(10, 1, 1.1, 10, 1e-5).replace("\n", " ")
    with pytest.raises(ValueError, match="batch_size = 25.5, want a whole number"):
        tf_privacy.compute_dp_sgd_privacy_statement(100, 25.5, 15, 1.1, 1e-5)
    with pytest.raises(ValueError, match="batch_size = 300"):
        tf_privacy.compute_dp_sgd_privacy_statement(100, 300, 15, 1.1, 1e-5)
