"""`verify audit -- python3 adapters/dp_accounting_rdp.py`: the RDP accountant of
dp_accounting, with its default orders."""

from dp_accounting.rdp import RdpAccountant

import dp_accounting_common as common
from protocol import serve


def answer(event, relation, quantity, at):
    accountant = RdpAccountant(neighboring_relation=common.RELATIONS[relation])
    return common.answer(accountant, event, quantity, at)


serve(answer)
