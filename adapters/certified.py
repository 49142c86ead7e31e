"""`verify audit -- python3 adapters/certified.py`: this program itself, by its Python package: the upper end of an enclosure of
six digits. $DPVERIFY_BINARY, or `verify` on PATH, is the program."""

import protocol  # noqa: F401, finds dpverify
from protocol import only, serve, unsupported

import dpverify


def answer(event, relation, quantity, at):
    only("quantity", quantity, "epsilon", "delta")
    ask = dpverify.epsilon if quantity == "epsilon" else dpverify.delta
    try:
        e = ask(event, at, relation=relation, number_format="binary64", digits=6, timeout=5, incomplete="ignore")
    except dpverify.QuestionError:
        raise unsupported(event) from None
    return {"lower": e.lower, "upper": e.upper}


serve(answer)
