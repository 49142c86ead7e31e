"""`verify audit -- python3 adapters/prv_accountant_prv.py`: the PRV accountant,
https://pypi.org/project/prv-accountant, which gives lower and upper bounds.

delta_error is δ/1000, as its documentation advises, and eps_error 0.1."""

import prv_accountant as prv

from protocol import Unsupported, deviation, leaves, number, only, serve, subsampled_gaussian, version


def variable(event):
    """Returns the privacy random variable of an event."""
    name = event["class_name"]
    if name == "LaplaceDpEvent":
        return prv.LaplaceMechanism(1 / number(event["noise_multiplier"]))
    if name == "GaussianDpEvent":
        return prv.GaussianMechanism(deviation(event, "noise_multiplier"))
    if name == "EpsilonDeltaDpEvent":
        epsilon, delta = number(event["epsilon"]), number(event["delta"])
        return prv.PureDPMechanism(epsilon) if delta == 0 else prv.ApproximateDPMechanism(epsilon, delta)
    noise, q = subsampled_gaussian(event)
    return prv.PoissonSubsampledGaussianMechanism(noise_multiplier=noise, sampling_probability=q)


def answer(event, relation, quantity, at):
    only("relation", relation, "ADD_OR_REMOVE_ONE")
    only("quantity", quantity, "epsilon", "delta")
    parts = list(leaves(event))
    if not parts:
        raise Unsupported("a composition of no mechanisms")
    counts = [count for _, count in parts]
    delta_error = at / 1000 if quantity == "epsilon" else 1e-10
    accountant = prv.PRVAccountant(
        prvs=[variable(e) for e, _ in parts], max_self_compositions=counts, eps_error=0.1, delta_error=delta_error
    )
    if quantity == "epsilon":
        lower, _, upper = accountant.compute_epsilon(at, counts)
    else:
        lower, _, upper = accountant.compute_delta(at, counts)
    return {"lower": float(lower), "upper": float(upper)}


def written(event):
    """Returns the expression of variable(event)."""
    name = event["class_name"]
    if name == "LaplaceDpEvent":
        return "prv.LaplaceMechanism(%r)" % (1 / number(event["noise_multiplier"]))
    if name == "GaussianDpEvent":
        return "prv.GaussianMechanism(%r)" % deviation(event, "noise_multiplier")
    if name == "EpsilonDeltaDpEvent":
        epsilon, delta = number(event["epsilon"]), number(event["delta"])
        return (
            "prv.PureDPMechanism(%r)" % epsilon
            if delta == 0
            else "prv.ApproximateDPMechanism(%r, %r)" % (epsilon, delta)
        )
    return "prv.PoissonSubsampledGaussianMechanism(noise_multiplier=%r, sampling_probability=%r)" % subsampled_gaussian(
        event
    )


def reproduce(event, relation, quantity, at):
    parts = list(leaves(event))
    counts = [count for _, count in parts]
    delta_error = at / 1000 if quantity == "epsilon" else 1e-10
    return (
        "import prv_accountant as prv\n\naccountant = prv.PRVAccountant(prvs=[%s], max_self_compositions=%r, "
        "eps_error=0.1, delta_error=%r)\nprint(accountant.compute_%s(%r, %r))  # lower bound, estimate, upper bound"
        % (", ".join(written(e) for e, _ in parts), counts, delta_error, quantity, at, counts)
    )


serve(answer, accountant=version("prv-accountant"), reproduce=reproduce)
