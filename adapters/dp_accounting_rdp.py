"""`verify audit -- python3 adapters/dp_accounting_rdp.py`: the RDP accountant of
dp_accounting, with its default orders."""

from dp_accounting.rdp import RdpAccountant

import dp_accounting_common as common
from protocol import Unsupported, leaves, number, only, serve, version


def answer(event, relation, quantity, at):
    only("quantity", quantity, "epsilon", "delta", "renyi")
    neighbours = common.RELATIONS[relation]
    if quantity == "renyi":
        if any(number(e.get("delta", 0)) > 0 for e, _ in leaves(event)):
            raise Unsupported("renyi of a guarantee with delta > 0: it keeps delta apart")
        if at <= 1:
            raise Unsupported("renyi of an order <= 1")
        return {"upper": float(common.compose(RdpAccountant([at], neighbours), event).rdp[0])}
    return common.epsilon_or_delta(RdpAccountant(neighboring_relation=neighbours), event, quantity, at)


def reproduce(event, relation, quantity, at):
    orders = "[%r], " % at if quantity == "renyi" else "neighboring_relation="
    make = "rdp.RdpAccountant(%sdp_accounting.NeighboringRelation.%s)" % (orders, relation)
    return common.program(make, event, relation, quantity, at)


serve(answer, accountant=version("dp-accounting") + ", RdpAccountant", reproduce=reproduce)
