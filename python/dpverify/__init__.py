"""Certified differential-privacy accounting: enclosures that provably contain the truth.

    >>> import dpverify
    >>> dpverify.epsilon({"class_name": "GaussianDpEvent", "noise_multiplier": 1}, delta="1e-5")
    Enclosure(lo=Decimal('4.37717809568'), hi=Decimal('4.37717809569'), ..., quote='4.3772', counted='')

Every question goes to one process of the program `verify`, which is in the wheel; it is
started by the first question and ends with Python, or by `dpverify.close()`.

An event is a dict in dp_accounting's tree form, a short form such as "gaussian(1)", a DpEvent
of dp_accounting itself, or what `from_opacus` returns. Numbers are int, Fraction, Decimal, str ("1/3", "1e-5") or float. A
float stands for what Python prints, 0.1 for 1/10; pass number_format="binary64" to mean
the binary64 number itself.
"""

from importlib.metadata import PackageNotFoundError, version

from ._client import (
    BinaryNotFoundError,
    IncompleteWarning,
    QuestionError,
    Verifier,
    ask_many,
    binary,
    close,
    delta,
    epsilon,
    estimate_many,
    gdp,
    renyi,
    tradeoff,
    tv,
)
from ._commands import (
    Calibration,
    Claim,
    Decision,
    Measurement,
    Method,
    Row,
    Witness,
    calibrate,
    certify,
    compare,
    curve,
    ledger,
    measure,
    plot,
    witness,
)
from ._enclosure import Enclosure, Error, Estimate, Incomplete, Undecided
from ._events import from_dp_accounting, from_opacus, to_dp_accounting
from ._sound import Unsound, assert_sound
from ._vectors import Vector, load_vectors, vectors

try:
    __version__ = version("dpverify")
except PackageNotFoundError:  # the sources, not installed
    __version__ = "0"

__all__ = [
    "BinaryNotFoundError",
    "Calibration",
    "Claim",
    "Decision",
    "Enclosure",
    "Error",
    "Estimate",
    "Incomplete",
    "IncompleteWarning",
    "Measurement",
    "Method",
    "QuestionError",
    "Row",
    "Undecided",
    "Unsound",
    "Vector",
    "Verifier",
    "Witness",
    "__version__",
    "ask_many",
    "assert_sound",
    "binary",
    "calibrate",
    "certify",
    "close",
    "compare",
    "curve",
    "delta",
    "epsilon",
    "estimate_many",
    "from_dp_accounting",
    "from_opacus",
    "gdp",
    "ledger",
    "load_vectors",
    "measure",
    "plot",
    "renyi",
    "to_dp_accounting",
    "tradeoff",
    "tv",
    "vectors",
    "witness",
]
