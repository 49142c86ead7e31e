"""Certified differential-privacy accounting: enclosures that provably contain the truth.

    >>> import dpverify
    >>> dpverify.epsilon({"class_name": "GaussianDpEvent", "noise_multiplier": 1}, delta="1e-5")
    Enclosure(lo=Decimal('4.37717809568'), hi=Decimal('4.37717809570'), ...)

Every question goes to one process of the program `verify`, which is in the wheel; it is
started by the first question and ends with Python, or by `dpverify.close()`.

An event is a dict in dp_accounting's tree form, a short form such as "gaussian(1)", a DpEvent
of dp_accounting itself, or what `from_opacus` returns. Numbers are int, Fraction, Decimal, str ("1/3", "1e-5") or float. A
float stands for what Python prints, 0.1 for 1/10; pass number_format="binary64" to mean
the binary64 number itself.
"""

from ._client import (
    BinaryNotFoundError,
    Enclosure,
    Error,
    Incomplete,
    IncompleteWarning,
    QuestionError,
    Verifier,
    binary,
    close,
    delta,
    epsilon,
    gdp,
    renyi,
    tradeoff,
    tv,
)
from ._events import from_dp_accounting, from_opacus, to_dp_accounting
from ._sound import Undecided, Unsound, assert_sound
from ._vectors import Vector, load_vectors, vectors

__all__ = [
    "BinaryNotFoundError",
    "Enclosure",
    "Error",
    "Incomplete",
    "IncompleteWarning",
    "QuestionError",
    "Undecided",
    "Unsound",
    "Vector",
    "Verifier",
    "assert_sound",
    "binary",
    "close",
    "delta",
    "epsilon",
    "from_dp_accounting",
    "from_opacus",
    "gdp",
    "load_vectors",
    "renyi",
    "to_dp_accounting",
    "tradeoff",
    "tv",
    "vectors",
]
