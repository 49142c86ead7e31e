"""`verify audit -- python3 adapters/autodp_mechanisms.py`: the mechanisms of autodp,
https://pypi.org/project/autodp, composed by Rényi divergences. A Gaussian alone has
its analytical bound there."""

from autodp import mechanism_zoo, transformer_zoo

from protocol import VARIANCES, Unsupported, deviation, leaves, number, only, serve, unsupported, version


def mechanism(event):
    name = event["class_name"]
    if name == "GaussianDpEvent":
        return mechanism_zoo.GaussianMechanism(deviation(event, "noise_multiplier"))
    if name == "LaplaceDpEvent":
        return mechanism_zoo.LaplaceMechanism(number(event["noise_multiplier"]))
    if name == "EpsilonDeltaDpEvent" and number(event["delta"]) == 0:
        return mechanism_zoo.PureDP_Mechanism(number(event["epsilon"]))
    if name == "ExponentialMechanismDpEvent":
        return mechanism_zoo.ExponentialMechanism(number(event["epsilon"]))
    if name == "ZCDpEvent":
        return mechanism_zoo.zCDP_Mechanism(number(event["rho"]), number(event.get("xi", 0)))
    if name == "DiscreteGaussianDpEvent" and 1 <= number(event["sensitivity"]) ** 2 < 2:
        return mechanism_zoo.DiscreteGaussianMechanism(deviation(event, "sigma"))
    if name == "PoissonSampledDpEvent":
        # The improved bound is for mechanisms that satisfy a condition, as these two do.
        improved = event["event"]["class_name"] in ("GaussianDpEvent", "LaplaceDpEvent")
        sample = transformer_zoo.AmplificationBySampling(PoissonSampling=True)
        return sample(mechanism(event["event"]), number(event["sampling_probability"]), improved_bound_flag=improved)
    raise unsupported(event)


def answer(event, relation, quantity, at):
    only("relation", relation, "ADD_OR_REMOVE_ONE")
    parts = list(leaves(event))
    if not parts:
        raise Unsupported("a composition of no mechanisms")
    whole = mechanism(parts[0][0])
    if len(parts) > 1 or parts[0][1] > 1:
        whole = transformer_zoo.Composition()([mechanism(e) for e, _ in parts], [count for _, count in parts])
    if quantity == "tradeoff":
        return {"lower": float(whole.get_fDP(at))}
    get = {"epsilon": whole.get_approxDP, "delta": whole.get_approx_delta, "renyi": whole.get_RDP}[quantity]
    return {"upper": float(get(at))}


def written(event):
    """Returns the expression of mechanism(event)."""
    name = event["class_name"]
    if name == "PoissonSampledDpEvent":
        improved = event["event"]["class_name"] in ("GaussianDpEvent", "LaplaceDpEvent")
        return "transformer_zoo.AmplificationBySampling(PoissonSampling=True)(%s, %r, improved_bound_flag=%r)" % (
            written(event["event"]),
            number(event["sampling_probability"]),
            improved,
        )
    fields, mechanism_class = {
        "GaussianDpEvent": (["noise_multiplier"], "GaussianMechanism"),
        "LaplaceDpEvent": (["noise_multiplier"], "LaplaceMechanism"),
        "EpsilonDeltaDpEvent": (["epsilon"], "PureDP_Mechanism"),
        "ExponentialMechanismDpEvent": (["epsilon"], "ExponentialMechanism"),
        "ZCDpEvent": (["rho", "xi"], "zCDP_Mechanism"),
        "DiscreteGaussianDpEvent": (["sigma"], "DiscreteGaussianMechanism"),
    }[name]
    values = [deviation(event, f) if f in VARIANCES else number(event.get(f, 0)) for f in fields]
    return "mechanism_zoo.%s(%s)" % (mechanism_class, ", ".join(map(repr, values)))


def reproduce(event, relation, quantity, at):
    parts = list(leaves(event))
    whole = written(parts[0][0])
    if len(parts) > 1 or parts[0][1] > 1:
        whole = "transformer_zoo.Composition()([%s], %r)" % (
            ", ".join(written(e) for e, _ in parts),
            [n for _, n in parts],
        )
    get = {"epsilon": "get_approxDP", "delta": "get_approx_delta", "renyi": "get_RDP", "tradeoff": "get_fDP"}[quantity]
    return "from autodp import mechanism_zoo, transformer_zoo\n\nwhole = %s\nprint(float(whole.%s(%r)))" % (
        whole,
        get,
        at,
    )


serve(answer, accountant=version("autodp"), reproduce=reproduce)
