"""`verify audit -- python3 adapters/riskcal_tradeoff.py`: the trade-off functions of
riskcal, https://pypi.org/project/riskcal: of Gaussians by their μ, of guarantees by
(ε, δ) or ρ, and of all that dp_accounting gives a privacy loss distribution for."""

from math import sqrt

from dp_accounting.pld import PLDAccountant
from riskcal import analysis

import dp_accounting_common as common
from protocol import Unsupported, deviation, leaves, number, only, serve, version

CALLS = {
    "GaussianDpEvent": "analysis.get_beta_from_gdp(%r, %r)",
    "EpsilonDeltaDpEvent": "analysis.get_beta_for_epsilon_delta(%r, %r, %r)",
    "ZCDpEvent": "analysis.get_beta_from_zcdp(%r, %r)",
}


def call(event, at):
    """Returns the expression of a closed form; None where there is none."""
    parts = list(leaves(event))
    if parts and all(e["class_name"] == "GaussianDpEvent" for e, _ in parts):
        mu = sqrt(sum(count / deviation(e, "noise_multiplier") ** 2 for e, count in parts))
        return CALLS["GaussianDpEvent"] % (mu, at)
    if len(parts) == 1 and parts[0][1] == 1:
        part = parts[0][0]
        if part["class_name"] == "EpsilonDeltaDpEvent":
            return CALLS["EpsilonDeltaDpEvent"] % (number(part["epsilon"]), number(part["delta"]), at)
        if part["class_name"] == "ZCDpEvent" and number(part.get("xi", 0)) == 0:
            return CALLS["ZCDpEvent"] % (number(part["rho"]), at)
    return None


def answer(event, relation, quantity, at):
    only("quantity", quantity, "tradeoff")
    only("relation", relation, "ADD_OR_REMOVE_ONE")
    text = call(event, at)
    if text is not None:
        return {"lower": float(eval(text))}
    accountant = common.compose(PLDAccountant(common.RELATIONS[relation]), event)
    if accountant._pld is None:
        raise Unsupported("a composition of no mechanisms")
    return {"lower": float(analysis.get_beta_from_pld(accountant._pld, at))}


def reproduce(event, relation, quantity, at):
    text = call(event, at)
    lines = ["from riskcal import analysis", ""]
    if text is None:
        lines[0:0] = ["import dp_accounting", "from dp_accounting.pld import PLDAccountant"]
        lines.append("accountant = PLDAccountant().compose(%s)" % common.expression(event))
        text = "analysis.get_beta_from_pld(accountant._pld, %r)" % at
    return "\n".join(lines + ["print(float(%s))" % text])


serve(answer, accountant=version("riskcal"), reproduce=reproduce)
