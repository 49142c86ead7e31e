"""`verify audit -- python3 adapters/dp_accounting_pld.py [INTERVAL]`: the PLD
accountant of dp_accounting, whose bounds are meant to be upper bounds. INTERVAL is
its value_discretization_interval."""

import sys

from dp_accounting.pld import PLDAccountant

import dp_accounting_common as common
from protocol import serve

INTERVAL = float(sys.argv[1]) if len(sys.argv) > 1 else 1e-4


def answer(event, relation, quantity, at):
    accountant = PLDAccountant(common.RELATIONS[relation], INTERVAL)
    return common.answer(accountant, event, quantity, at)


serve(answer)
