"""`verify audit -- python3 adapters/pld_accountant.py`: the Fourier accountant of
https://pypi.org/project/fourier-accountant, upper and lower bounds for Gaussians on
Poisson samples. The library has one orientation, removing a record."""

import fourier_accountant as fa
from fourier_accountant import plds

from protocol import Unsupported, leaves, only, serve, subsampled_gaussian

OPTIONS = {"num_discretisation_bins_half": int(1e6), "L": 20.0}


def answer(event, relation, quantity, at):
    only("relation", relation, "ADD_OR_REMOVE_ONE")
    only("quantity", quantity, "epsilon", "delta")
    parts = list(leaves(event))
    if len(parts) != 1:
        raise Unsupported("a composition of %s mechanisms" % ("different" if parts else "no"))
    part, count = parts[0]
    noise, q = subsampled_gaussian(part)
    pair = plds.SubsampledGaussianMechanism(noise, q, plds.NeighborRelation.REMOVE_POISSON)
    if quantity == "epsilon":
        upper, _ = fa.get_epsilon_upper_bound(pair, at, count, **OPTIONS)
        lower, _ = fa.get_epsilon_lower_bound(pair, at, count, **OPTIONS)
    else:
        upper = fa.get_delta_upper_bound(pair, at, count, **OPTIONS)
        lower = fa.get_delta_lower_bound(pair, at, count, **OPTIONS)
    return {"lower": float(lower), "upper": float(upper)}


serve(answer)
