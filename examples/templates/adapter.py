"""An adapter between `verify audit` and an accountant: put yours in the place of this one.

    verify audit --cases 20 -- python3 adapter.py

It needs the module dpverify.audit, of the Python package of dpverify.
"""

from math import log, sqrt

from dpverify.audit import leaves, number, only, serve, unsupported


def answer(event, relation, quantity, at):
    """Answers one question, or refuses it. at is a float: the δ of an epsilon."""
    only("relation", relation, "ADD_OR_REMOVE_ONE")
    only("quantity", quantity, "epsilon")
    rho = 0
    for part, count in leaves(event):
        if part["class_name"] != "GaussianDpEvent":
            raise unsupported(part)
        rho += count / (2 * number(part["noise_multiplier"]) ** 2)
    return {"upper": rho + 2 * sqrt(rho * log(1 / at))}


serve(answer)
