"""Enclosures: what is known of a number."""

import html
import math
import numbers
from decimal import Decimal
from fractions import Fraction
from typing import Any, Callable, NamedTuple, Tuple


class Error(Exception):
    """What dpverify raises."""


class Incomplete(Error):
    """An enclosure that is wider than was asked for. It contains the truth all the same."""

    def __init__(self, enclosure: "Enclosure", reason: str) -> None:
        super().__init__("[%s, %s]: %s" % (enclosure.lo, enclosure.hi, reason))
        self.enclosure = enclosure
        self.reason = reason


class Undecided(AssertionError):
    """A claim, or a comparison, that could not be decided."""


class Enclosure(NamedTuple):
    """Two decimals between which the truth lies: lo is rounded down, hi is rounded up.

    Compared with a number it answers for the truth: `e <= 3` is True if hi is at most 3, False if lo is above 3, and
    otherwise Undecided is raised; `e == 3` is True if both ends are 3, False if 3 is outside. There is no arithmetic: take .upper or .lower. quote is the number to quote, and how `str` shows an enclosure ends
    in it, and of a training in counted: how many steps were counted, and how.

    >>> e = Enclosure(Decimal("1.132"), Decimal("1.133"), quote="1.133")
    >>> e <= 2, e > 1.13, 1.1325 in e
    (True, True, True)
    >>> e <= 1.1325
    Traceback (most recent call last):
        ...
    dpverify._enclosure.Undecided: the truth is in [1.132, 1.133], and 1.1325 is not outside: ask for more digits
    >>> e.quote, e.upper
    ('1.133', 1.133)
    """

    lo: Decimal
    hi: Decimal
    complete: bool = True
    methods: Tuple[str, ...] = ()
    notes: Tuple[str, ...] = ()
    reason: str = ""
    quote: str = ""
    counted: str = ""

    def __contains__(self, x: object) -> bool:
        n = _exact(x)
        return isinstance(n, (int, float, Decimal, Fraction)) and not _isnan(n) and self.lo <= n <= self.hi

    @property
    def upper(self) -> float:
        """hi as a float, rounded up: for computing with. To quote, take quote."""
        return _toward(self.hi, math.inf)

    @property
    def lower(self) -> float:
        """lo as a float, rounded down."""
        return _toward(self.lo, -math.inf)

    def __float__(self) -> float:
        raise TypeError("an enclosure is two numbers: take .upper (rounded up), .lower (rounded down) or .quote (text)")

    def __add__(self, x: Any) -> Any:  # a tuple would be made longer
        return self.__float__()

    def __mul__(self, x: Any) -> Any:
        return self.__float__()

    def __rmul__(self, x: Any) -> Any:
        return self.__float__()

    def __eq__(self, x: Any) -> bool:
        n = _exact(x)
        if isinstance(x, tuple) or not isinstance(n, (int, float, Decimal, Fraction)):
            return tuple.__eq__(self, x)
        return self._compare(x, lambda n: bool(self.lo == self.hi == n), lambda n: bool(n < self.lo or n > self.hi))

    def __ne__(self, x: Any) -> bool:
        return not self == x

    def __hash__(self) -> int:
        return tuple.__hash__(self)

    def __lt__(self, x: Any) -> bool:
        return self._compare(x, lambda n: bool(self.hi < n), lambda n: bool(self.lo >= n))

    def __le__(self, x: Any) -> bool:
        return self._compare(x, lambda n: bool(self.hi <= n), lambda n: bool(self.lo > n))

    def __gt__(self, x: Any) -> bool:
        return self._compare(x, lambda n: bool(self.lo > n), lambda n: bool(self.hi <= n))

    def __ge__(self, x: Any) -> bool:
        return self._compare(x, lambda n: bool(self.lo >= n), lambda n: bool(self.hi < n))

    def _compare(self, x: Any, true: Callable[[Any], bool], false: Callable[[Any], bool]) -> bool:
        n = _exact(x)
        if _isnan(n):
            raise ValueError("compared with %s, want a number" % x)
        if true(n):
            return True
        if not false(n):
            raise Undecided(
                "the truth is in [%s, %s], and %s is not outside: ask for more digits" % (self.lo, self.hi, x)
            )
        return False

    def __str__(self) -> str:
        text = "= %s" % self.lo if self.lo == self.hi else "∈ [%s, %s]" % (self.lo, self.hi)
        if self.quote:
            text += ", to quote: " + self.quote
        if self.counted:
            text += " (%s)" % self.counted
        return text if self.complete else "%s (incomplete: %s)" % (text, self.reason)

    def _repr_html_(self) -> str:
        rest = "".join(
            "<br><small>%s</small>" % html.escape(n) for n in (*((self.reason,) if self.reason else ()), *self.notes)
        )
        quoted = "<b>%s</b> " % html.escape(self.quote) if self.quote else ""
        return "%s<small>[%s, %s]%s</small>%s" % (
            quoted,
            self.lo,
            self.hi,
            " by " + html.escape(", ".join(self.methods)) if self.methods else "",
            rest,
        )


# A number of numpy's leaves comparisons to the enclosure.
setattr(Enclosure, "__array_ufunc__", None)


class Estimate(NamedTuple):
    """A number of the engine "float": estimated, not proved. The truth is about within error of value.

    No bound follows from it, and it compares with nothing: take value to compute with.

    >>> print(Estimate(Decimal("1.1329"), Decimal("2e-4"), "line"))
    ≈ 1.1329 ± 0.0002 (estimated, not proved)
    """

    value: Decimal
    error: Decimal
    method: str
    counted: str = ""

    @property
    def proved(self) -> bool:
        """False."""
        return False

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        return "≈ %s ± %s (estimated, not proved)" % (self.value, self.error)

    def _repr_html_(self) -> str:
        return "≈ %s ± %s <i>estimated, not proved</i>" % (self.value, self.error)


def _exact(x: Any) -> Any:
    """Returns a number of another library, such as numpy's, as one of Python's, which compare exactly with decimals."""
    if isinstance(x, (int, float, Decimal, Fraction)):
        return x
    if isinstance(x, numbers.Integral):
        return int(x)
    if isinstance(x, numbers.Real) and hasattr(x, "as_integer_ratio"):
        try:
            return Fraction(*x.as_integer_ratio())
        except (OverflowError, ValueError):  # infinite, or no number
            return float(x)
    return x.item() if hasattr(x, "item") and getattr(x, "ndim", 1) == 0 else x


def _isnan(x: Any) -> bool:
    return isinstance(x, Decimal) and x.is_nan() or isinstance(x, float) and math.isnan(x)


def _toward(x: Decimal, end: float) -> float:
    f = float(x)
    if math.isinf(f) and x.is_finite():  # beyond the largest float
        return f if f == end else math.nextafter(f, end)
    inside = f < x if end > 0 else f > x
    return math.nextafter(f, end) if inside else f
