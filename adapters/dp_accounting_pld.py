"""`verify audit -- python3 adapters/dp_accounting_pld.py [INTERVAL]`: the PLD
accountant of dp_accounting, whose bounds are meant to be upper bounds. INTERVAL is
its value_discretization_interval."""

import sys

import numpy
from dp_accounting.pld import PLDAccountant

import dp_accounting_common as common
from protocol import Unsupported, only, serve, version

INTERVAL = float(sys.argv[1]) if len(sys.argv) > 1 else 1e-4


def answer(event, relation, quantity, at):
    only("quantity", quantity, "epsilon", "delta", "tradeoff")
    accountant = PLDAccountant(common.RELATIONS[relation], INTERVAL)
    if quantity == "tradeoff" and not hasattr(accountant, "get_true_positive_rates"):
        raise Unsupported("tradeoff: this version has no get_true_positive_rates")
    if quantity == "tradeoff":
        # An upper bound of the true positive rate at a false positive rate, here from
        # fewer δ than its 3000, each of which takes a moment.
        rate = common.compose(accountant, event).get_true_positive_rates(
            at, numpy.append(0, numpy.logspace(-13, 0, 40))
        )
        return {"lower": 1 - float(rate)}
    return common.epsilon_or_delta(accountant, event, quantity, at)


def reproduce(event, relation, quantity, at):
    make = "pld.PLDAccountant(dp_accounting.NeighboringRelation.%s, %r)" % (relation, INTERVAL)
    return common.program(make, event, relation, quantity, at)


serve(answer, accountant=version("dp-accounting") + ", PLDAccountant", reproduce=reproduce)
