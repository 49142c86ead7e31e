"""The accountants of the package prv_accountant, with bounds that are proved.

    from dpverify.prv_accountant import DPSGDAccountant

    lo, estimate, up = DPSGDAccountant(noise_multiplier=0.8, sampling_probability=0.005, max_steps=1000).compute_epsilon(1e-5, 1000)

They have its signatures and do not need it; PRVAccountant takes its mechanisms. eps_error and delta_error are accepted
and not needed: bounds have the digits asked for, and hold whatever they are.
"""

from fractions import Fraction
from typing import Any, List, Optional, Sequence, Tuple, Union

from ._client import shared
from ._enclosure import Enclosure
from ._events import JSON, Number, spell
from ._types import Quantity

Bounds = Tuple[float, float, float]


class PRVAccountant:
    """Bounds of a composition of mechanisms of prv_accountant: (lower, estimate, upper), rounded outward."""

    def __init__(
        self, prvs: Any, eps_error: float = 0.1, delta_error: float = 1e-9,
        max_self_compositions: Union[None, int, Sequence[int]] = None, eps_max: Optional[float] = None, *,
        digits: int = 6, timeout: float = 60.0,
    ) -> None:  # fmt: skip
        self.prvs = list(prvs) if isinstance(prvs, (list, tuple)) else [prvs]
        self.eps_error, self.delta_error, self.eps_max = eps_error, delta_error, eps_max
        self.max_self_compositions = _counts(max_self_compositions, len(self.prvs), "max_self_compositions")
        self.last_enclosure: Optional[Enclosure] = None
        self._events = [_mechanism(p) for p in self.prvs]
        self._options: Any = {"digits": digits, "timeout": timeout, "incomplete": "ignore"}

    def compute_epsilon(self, delta: float, num_self_compositions: Union[None, int, Sequence[int]] = None) -> Bounds:
        """Returns bounds of the least ε ≥ 0 at delta, with a number between them."""
        lo, near, up = self._bounds("epsilon", delta, num_self_compositions)
        return max(0.0, lo), max(0.0, near), max(0.0, up)

    def compute_delta(self, epsilon: float, num_self_compositions: Union[None, int, Sequence[int]] = None) -> Bounds:
        """Returns bounds of the least δ at epsilon, with a number between them."""
        return self._bounds("delta", epsilon, num_self_compositions)

    def _bounds(self, quantity: Quantity, at: Number, counts: Union[None, int, Sequence[int]]) -> Bounds:
        numbers = _counts(counts, len(self.prvs), "num_self_compositions")
        if any(n > most for n, most in zip(numbers, self.max_self_compositions)):
            raise ValueError("num_self_compositions = %s, want at most %s" % (numbers, self.max_self_compositions))
        parts = [
            {"class_name": "SelfComposedDpEvent", "count": n, "event": e} for n, e in zip(numbers, self._events) if n
        ]
        self.last_enclosure = e = shared().ask(
            {"class_name": "ComposedDpEvent", "events": parts}, quantity, at, **self._options
        )
        return e.lower, float((e.lo + e.hi) / 2) if e.hi.is_finite() and e.lo.is_finite() else e.upper, e.upper


class DPSGDAccountant(PRVAccountant):
    """Bounds of DP-SGD with Poisson sampling: up to max_steps steps."""

    def __init__(
        self, noise_multiplier: Number, sampling_probability: Number, max_steps: int, eps_error: float = 0.1,
        delta_error: float = 1e-9, *, digits: int = 6, timeout: float = 60.0,
    ) -> None:  # fmt: skip
        step = _sampled(
            spell(sampling_probability, "sampling_probability"), spell(noise_multiplier, "noise_multiplier")
        )
        super().__init__([step], eps_error, delta_error, [max_steps], digits=digits, timeout=timeout)

    def compute_epsilon(self, delta: float, num_steps: Any = None) -> Bounds:
        """Returns bounds of the least ε ≥ 0 at delta after num_steps steps, or max_steps, with a number between them."""
        return super().compute_epsilon(delta, num_steps)

    def _bounds(self, quantity: Quantity, at: Number, counts: Union[None, int, Sequence[int]]) -> Bounds:
        return super()._bounds(quantity, at, self.max_self_compositions if counts is None else counts)


def _counts(given: Union[None, int, Sequence[int]], size: int, name: str) -> List[int]:
    wanted = [1] * size if given is None else [given] if isinstance(given, int) else list(given)
    counts = [int(n) for n in wanted]
    if len(counts) != size or counts != wanted or any(n < 0 for n in counts):
        raise ValueError("%s = %r, want %d whole numbers, none below 0" % (name, given, size))
    return counts


def _sampled(rate: str, noise: str) -> JSON:
    gaussian = {"class_name": "GaussianDpEvent", "noise_multiplier": noise}
    return {"class_name": "PoissonSampledDpEvent", "sampling_probability": rate, "event": gaussian}


def _mechanism(prv: Any) -> JSON:
    """Returns the event of a mechanism of prv_accountant, or an event as it is."""
    if isinstance(prv, dict):
        return prv
    name = type(prv).__name__
    if name == "PoissonSubsampledGaussianMechanism":
        return _sampled(spell(float(prv.p)), spell(float(prv.sigma)))
    if name in ("GaussianMechanism", "LaplaceMechanism"):  # mu is the sensitivity in units of the noise
        noise = spell(1 / Fraction(repr(float(prv.mu))))
        return {"class_name": name.replace("Mechanism", "DpEvent"), "noise_multiplier": noise}
    if name in ("PureDPMechanism", "ApproximateDPMechanism"):
        pure = getattr(prv, "pure_dp", prv)
        return {
            "class_name": "EpsilonDeltaDpEvent",
            "epsilon": spell(float(pure.eps)),
            "delta": spell(float(getattr(prv, "delta", 0))),
        }
    raise TypeError("prvs has a %s, want a mechanism of prv_accountant or an event as a dict" % name)
