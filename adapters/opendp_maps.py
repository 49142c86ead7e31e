"""`verify audit -- python3 adapters/opendp_maps.py`: the privacy maps of OpenDP,
https://pypi.org/project/opendp, which round outward. Measurements that are pure
are composed as such; all others as zCDP, and turned into (ε, δ) at the end."""

import opendp.prelude as dp

from protocol import Unsupported, deviation, leaves, number, only, serve, unsupported, version

dp.enable_features("contrib")

MANY = 10_000  # measurements of one composition: a list of so many takes it a minute

DISTANCE = {"ADD_OR_REMOVE_ONE": 1, "REPLACE_ONE": 2}  # how far one record moves what noise is added to

SPACES = {
    "float": "dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)",
    "int": "dp.atom_domain(T=int), dp.absolute_distance(T=int)",
}


def written(event):
    """Returns the expression of a measurement, its type of numbers, and whether it is pure."""
    name = event["class_name"]
    if name == "GaussianDpEvent":
        return (
            "dp.m.make_gaussian(%s, scale=%r)" % (SPACES["float"], deviation(event, "noise_multiplier")),
            "float",
            False,
        )
    if name == "LaplaceDpEvent":
        return "dp.m.make_laplace(%s, scale=%r)" % (SPACES["float"], number(event["noise_multiplier"])), "float", True
    if name == "DiscreteGaussianDpEvent" and number(event["sensitivity"]) == 1 and event.get("dimension") == 1:
        return "dp.m.make_gaussian(%s, scale=%r)" % (SPACES["int"], deviation(event, "sigma")), "int", False
    if name == "DiscreteLaplaceDpEvent" and number(event["sensitivity"]) == 1:
        return "dp.m.make_laplace(%s, scale=%r)" % (SPACES["int"], 1 / number(event["noise_parameter"])), "int", True
    raise unsupported(event)


def expression(event, relation):
    """Returns the expression of what the whole event's map gives at its distance, and whether it is pure."""
    parts = [written(e) + (count,) for e, count in leaves(event)]
    if not parts:
        raise Unsupported("a composition of no mechanisms")
    if len({kind for _, kind, _, _ in parts}) > 1:
        raise Unsupported("a composition of measurements of real numbers and of integers")
    if sum(count for _, _, _, count in parts) > MANY:
        raise Unsupported("more than %d measurements" % MANY)
    all_pure = all(pure for _, _, pure, _ in parts)
    lists = []
    for text, _, pure, count in parts:
        if pure and not all_pure:
            text = "dp.c.make_pureDP_to_zCDP(%s)" % text
        lists.append("[%s]%s" % (text, " * %d" % count if count > 1 else ""))
    whole = "dp.c.make_composition(%s)" % " + ".join(lists)
    if not all_pure:
        whole = "dp.c.make_zCDP_to_approxDP(%s)" % whole
    distance = DISTANCE[relation]
    return "%s.map(%s)" % (whole, "%d.0" % distance if parts[0][1] == "float" else distance), all_pure


def asked(event, relation, quantity, at):
    """Returns the expression of the answer."""
    only("relation", relation, *DISTANCE)
    only("quantity", quantity, "epsilon", "delta")
    whole, all_pure = expression(event, relation)
    if not all_pure:
        return "%s.%s(%r)" % (whole, quantity, at)
    if quantity == "delta":
        raise Unsupported("delta of a pure measurement")
    return whole


def answer(event, relation, quantity, at):
    return {"upper": float(eval(asked(event, relation, quantity, at)))}


def reproduce(event, relation, quantity, at):
    text = asked(event, relation, quantity, at)
    return 'import opendp.prelude as dp\n\ndp.enable_features("contrib")\nprint(%s)' % text


serve(answer, accountant=version("opendp"), reproduce=reproduce)
