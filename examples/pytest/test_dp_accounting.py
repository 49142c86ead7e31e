"""The test vectors, asked of dp_accounting's accountants: pip install dpverify dp-accounting pytest

    pytest -q --tb=no -rN examples/pytest

At the end pytest counts failures by flag. docs/vectors.md has what was found.
"""

import signal

import dp_accounting
import dpverify
import pytest
from dp_accounting import pld, rdp

ACCOUNTANTS = {
    "pld": pld.PLDAccountant,
    "rdp": rdp.RdpAccountant,
}
# What an accountant refuses, in its own words: it has answered nothing that could be unsound.
REFUSALS = (dp_accounting.UnsupportedEventError, NotImplementedError, ValueError)
# Some questions take an accountant minutes and gigabytes: seconds of CPU for each.
LIMIT = 20


@pytest.fixture(autouse=True)
def limit():
    signal.signal(signal.SIGVTALRM, lambda *_: pytest.skip("more than %d s" % LIMIT))
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def asked(accountant, vector):
    """Composes the event of a vector, and returns the answer of the accountant."""
    try:
        a = ACCOUNTANTS[accountant](neighboring_relation=dp_accounting.NeighboringRelation[vector.relation])
        a.compose(dpverify.to_dp_accounting(vector.event))
        return a.get_epsilon(vector.place) if vector.quantity == "epsilon" else a.get_delta(vector.place)
    except REFUSALS as e:
        pytest.skip(str(e))


@pytest.mark.parametrize("accountant", ACCOUNTANTS)
@dpverify.vectors("*_epsilon.json", without=["NEGATIVE_EPSILON"])
def test_epsilon(vector, accountant):
    vector.check_upper(asked(accountant, vector))


@pytest.mark.parametrize("accountant", ACCOUNTANTS)
@dpverify.vectors("*_delta.json", without=["NEGATIVE_EPSILON"])
def test_delta(vector, accountant):
    vector.check_upper(asked(accountant, vector))
