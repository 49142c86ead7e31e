"""`verify audit -- python3 adapters/opacus_accountant.py rdp|gdp|prv`: the accountants
of Opacus, https://pypi.org/project/opacus. They know ε of Gaussians on Poisson samples,
and the first one Rényi divergences."""

import sys

from opacus.accountants import create_accountant
from opacus.accountants.analysis import rdp

from protocol import Unsupported, leaves, only, serve, subsampled_gaussian, version

MECHANISM = sys.argv[1] if len(sys.argv) > 1 else "rdp"


def answer(event, relation, quantity, at):
    only("relation", relation, "ADD_OR_REMOVE_ONE")
    only("quantity", quantity, "epsilon", *(["renyi"] if MECHANISM == "rdp" else []))
    history = [subsampled_gaussian(e) + (count,) for e, count in leaves(event)]
    if quantity == "renyi":
        return {
            "upper": sum(float(rdp.compute_rdp(q=q, noise_multiplier=s, steps=n, orders=at)) for s, q, n in history)
        }
    accountant = create_accountant(mechanism=MECHANISM)
    accountant.history = history
    if MECHANISM == "gdp" and len(history) != 1:
        raise Unsupported("the step method of this accountant wants one mechanism")
    return {"upper": float(accountant.get_epsilon(delta=at))}


def reproduce(event, relation, quantity, at):
    history = [subsampled_gaussian(e) + (count,) for e, count in leaves(event)]
    if quantity == "renyi":
        terms = [
            "rdp.compute_rdp(q=%r, noise_multiplier=%r, steps=%d, orders=%r)" % (q, s, n, at) for s, q, n in history
        ]
        return "from opacus.accountants.analysis import rdp\n\nprint(float(%s))" % " + ".join(terms)
    return (
        "from opacus.accountants import create_accountant\n\naccountant = create_accountant(mechanism=%r)\n"
        "accountant.history = %r  # noise multiplier, sample rate, steps\n"
        "print(float(accountant.get_epsilon(delta=%r)))" % (MECHANISM, history, at)
    )


serve(answer, accountant="%s, %s" % (version("opacus"), MECHANISM), reproduce=reproduce)
