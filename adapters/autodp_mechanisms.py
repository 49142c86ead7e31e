"""`verify audit -- python3 adapters/autodp_mechanisms.py`: the mechanisms of autodp,
https://pypi.org/project/autodp, composed by Rényi divergences. A Gaussian alone has
its analytical bound there."""

from autodp import mechanism_zoo, transformer_zoo

from protocol import leaves, number, only, serve


def mechanism(event):
    name = event["class_name"]
    if name == "GaussianDpEvent":
        return mechanism_zoo.GaussianMechanism(number(event["noise_multiplier"]))
    if name == "LaplaceDpEvent":
        return mechanism_zoo.LaplaceMechanism(number(event["noise_multiplier"]))
    if name == "EpsilonDeltaDpEvent" and number(event["delta"]) == 0:
        return mechanism_zoo.PureDP_Mechanism(number(event["epsilon"]))
    if name == "ExponentialMechanismDpEvent":
        return mechanism_zoo.ExponentialMechanism(number(event["epsilon"]))
    if name == "ZCDpEvent":
        return mechanism_zoo.zCDP_Mechanism(number(event["rho"]), number(event.get("xi", 0)))
    if name == "DiscreteGaussianDpEvent" and number(event["sensitivity"]) == 1:
        return mechanism_zoo.DiscreteGaussianMechanism(number(event["sigma"]))
    if name == "PoissonSampledDpEvent":
        # The improved bound is for mechanisms that satisfy a condition, as these do.
        sample = transformer_zoo.AmplificationBySampling(PoissonSampling=True)
        return sample(mechanism(event["event"]), number(event["sampling_probability"]), improved_bound_flag=True)
    raise ValueError(name + " is not supported")


def answer(event, relation, quantity, at):
    only("relation", relation, "ADD_OR_REMOVE_ONE")
    parts = list(leaves(event))
    whole = mechanism(parts[0][0])
    if len(parts) > 1 or parts[0][1] > 1:
        whole = transformer_zoo.Composition()([mechanism(e) for e, _ in parts], [count for _, count in parts])
    get = whole.get_approxDP if quantity == "epsilon" else whole.get_approx_delta
    return {"upper": float(get(at))}


serve(answer)
