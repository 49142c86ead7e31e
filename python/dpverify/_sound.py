"""Claims in tests: assert_sound."""

import numbers
from fractions import Fraction
from typing import Any

from . import _client
from ._enclosure import Undecided
from ._events import Number, spell


class Unsound(AssertionError):
    """A claim that is false."""


def assert_sound(event: Any, *, delta: Number, epsilon: Number, **options: Any) -> None:
    """Asserts that the event is (epsilon, delta)-differentially private: that is proved, or it fails.

    Unsound says that the claim is false, Undecided that neither was proved. A float is
    taken as the number it is: a bound that an accountant rounded below the truth is unsound.
    """
    eps, most = exactly(epsilon), exactly(delta)
    digits = int(options.pop("digits", 12))
    while True:
        e = _client.shared().ask(event, "delta", spell(eps), incomplete="ignore", digits=digits, **options)
        if Fraction(e.hi) <= most:
            return
        if Fraction(e.lo) > most:
            break
        if not e.complete or digits >= 60:
            raise Undecided("(ε, δ) = (%s, %s): δ(ε) is in [%s, %s]. %s" % (epsilon, delta, e.lo, e.hi, e.reason))
        digits *= 2
    least = _client.shared().ask(event, "epsilon", spell(most), incomplete="ignore", **dict(options, digits=6))
    raise Unsound(
        "(ε, δ) = (%s, %s) does not hold: δ(ε) is at least %s, and the least ε at that δ is in [%s, %s]"
        % (epsilon, delta, e.lo, least.lo, least.hi)
    )


def exactly(x: Number) -> Fraction:
    """Returns the number that x is."""
    if not isinstance(x, numbers.Number) and hasattr(x, "item"):  # an array of one number
        return exactly(x.item())
    if isinstance(x, numbers.Real) and not isinstance(x, numbers.Rational) and x == float(x):
        return Fraction(float(x))
    return Fraction(spell(x))
