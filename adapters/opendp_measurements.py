"""`verify audit -- python3 adapters/opendp_measurements.py`: Gaussian noise of OpenDP, https://pypi.org/project/opendp, composed as
ρ-zCDP and converted to (ε, δ) by its own curve; Laplace noise as ε-DP."""

import opendp.prelude as dp

from protocol import Unsupported, deviation, leaves, number, only, serve, unsupported

dp.enable_features("contrib", "honest-but-curious", "floating-point")
SPACE = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)


def part(event):
    """Returns the loss of one mechanism at distance 1, and its measure."""
    name = event["class_name"]
    if name == "GaussianDpEvent":
        return dp.m.make_gaussian(*SPACE, scale=deviation(event, "noise_multiplier")), "zCDP"
    if name == "LaplaceDpEvent":
        return dp.m.make_laplace(*SPACE, scale=number(event["noise_multiplier"])), "pure"
    raise unsupported(event)


def answer(event, relation, quantity, at):
    only("relation", relation, "ADD_OR_REMOVE_ONE")
    only("quantity", quantity, "epsilon", "delta")
    parts = [(*part(e), count) for e, count in leaves(event)]
    if not parts:
        raise Unsupported("a composition of no mechanisms")
    if len({measure for _, measure, _ in parts}) > 1 or sum(count for *_, count in parts) > 2000:
        raise Unsupported("a composition of different measures, or of more than 2000 mechanisms")
    whole = dp.c.make_composition([m for m, _, count in parts for _ in range(count)])
    if parts[0][1] == "pure":
        only("quantity", quantity, "epsilon")
        return {"upper": float(whole.map(1.0))}
    curve = dp.c.make_zCDP_to_approxDP(whole).map(1.0)
    return {"upper": float(curve.epsilon(at) if quantity == "epsilon" else curve.delta(at))}


serve(answer)
