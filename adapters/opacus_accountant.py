"""`verify audit -- python3 adapters/opacus_accountant.py rdp|gdp|prv`: the accountants
of Opacus, https://pypi.org/project/opacus. They know ε of Gaussians on Poisson samples."""

import sys

from opacus.accountants import create_accountant

from protocol import leaves, only, serve, subsampled_gaussian

MECHANISM = sys.argv[1] if len(sys.argv) > 1 else "rdp"


def answer(event, relation, quantity, at):
    only("relation", relation, "ADD_OR_REMOVE_ONE")
    only("quantity", quantity, "epsilon")
    accountant = create_accountant(mechanism=MECHANISM)
    accountant.history = [subsampled_gaussian(e) + (count,) for e, count in leaves(event)]
    if MECHANISM == "gdp" and len(accountant.history) > 1:
        raise ValueError("the step method of this accountant refuses different mechanisms")
    return {"upper": float(accountant.get_epsilon(delta=at))}


serve(answer)
