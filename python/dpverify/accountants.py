"""A PrivacyAccountant of dp_accounting whose answers are proved.

    from dpverify.accountants import CertifiedAccountant

    accountant = CertifiedAccountant()
    accountant.compose(event, 1000).get_epsilon(1e-5)
    dp_accounting.calibrate_dp_mechanism(CertifiedAccountant, make_event, 3.0, 1e-5)

It stands wherever a PLDAccountant or an RdpAccountant does. Needs dp-accounting.
"""

import functools
import json
import math
import warnings
from fractions import Fraction
from typing import Any, List, Optional, Sequence

from dp_accounting import NeighboringRelation, dp_event  # type: ignore[import-untyped,import-not-found,unused-ignore]
from dp_accounting.privacy_accountant import PrivacyAccountant  # type: ignore[import-untyped,import-not-found,unused-ignore]

from ._client import IncompleteWarning, QuestionError, shared
from ._enclosure import Enclosure, Incomplete
from ._events import JSON, Number, from_dp_accounting
from ._types import Incompleteness, NumberFormat, Quantity


class CertifiedAccountant(PrivacyAccountant):  # type: ignore[misc,unused-ignore]
    """A PrivacyAccountant of dp_accounting. What it returns is never below the truth.

    Args:
        neighboring_relation: which data sets are neighbours.
        digits: significant digits to aim at, 6.
        timeout: seconds for an answer; past it the answer is what was proved by then, which is no less true.
        number_format: "decimal" takes a float as Python prints it, "binary64" as the number that it is.
        incomplete: what happens where an answer has fewer digits: "warn" is an IncompleteWarning, "error" raises
            Incomplete, "ignore" nothing.

    last_enclosure is what the last answer is an end of, with methods and notes. The noise 0 is no noise: ε is ∞.
    """

    def __init__(
        self, neighboring_relation: Any = NeighboringRelation.ADD_OR_REMOVE_ONE, *, digits: int = 6, timeout: float = 60.0,
        number_format: NumberFormat = "decimal", incomplete: Incompleteness = "warn",
    ) -> None:  # fmt: skip
        super().__init__(neighboring_relation)
        if incomplete not in ("error", "warn", "ignore"):
            raise ValueError("incomplete = %r, want 'error', 'warn' or 'ignore'" % (incomplete,))
        self.last_enclosure: Optional[Enclosure] = None
        self._incomplete = incomplete
        self._options: Any = {
            "relation": self.neighboring_relation.name, "digits": digits, "timeout": timeout, "number_format": number_format,
        }  # fmt: skip

    def _maybe_compose(self, event: Any, count: int, do_compose: bool) -> Any:
        if do_compose or isinstance(event, dp_event.NoOpDpEvent):
            return None  # the ledger has it
        if isinstance(event, dp_event.SelfComposedDpEvent):
            return self._maybe_compose(event.event, count, False)
        if isinstance(event, dp_event.ComposedDpEvent):
            found = (self._maybe_compose(e, count, False) for e in event.events)
            return next((d for d in found if d is not None), None)
        try:
            shape = json.dumps(_shape(_tree(event)))
            message = _refusal(shape, self._options["relation"], self._options["number_format"])
        except (TypeError, ValueError) as e:  # no event that has a named tuple of numbers
            message = str(e)
        return None if message is None else self.CompositionErrorDetails(invalid_event=event, error_message=message)

    def _ask(self, quantity: Quantity, at: Number, **options: Any) -> Enclosure:
        tree = _tree(self.ledger)
        self.last_enclosure = e = shared().ask(tree, quantity, at, incomplete="ignore", **{**self._options, **options})
        if not e.complete and self._incomplete == "error":
            raise Incomplete(e, e.reason)
        if not e.complete and self._incomplete == "warn":
            warnings.warn("the answer holds, and is wider than %d digits: %s: %s" % (self._options["digits"], e, e.reason),
                          IncompleteWarning, stacklevel=3)  # fmt: skip
        return e

    def get_epsilon(self, target_delta: float) -> float:
        """Returns the least ε ≥ 0 at target_delta in [0, 1], rounded up; ∞ at 1, too, where nothing is private."""
        if not 0 <= target_delta <= 1:
            raise ValueError("target_delta = %r, want in [0, 1]" % (target_delta,))
        if target_delta == 1 and _hides_nothing(_tree(self.ledger)):
            return math.inf
        return max(0.0, self._ask("epsilon", target_delta).upper)

    def get_delta(self, target_epsilon: float) -> float:
        """Returns the least δ at target_epsilon, rounded up: at ∞, a bound of the probability of an infinite loss."""
        if math.isnan(target_epsilon) or target_epsilon == -math.inf:
            raise ValueError("target_epsilon = %r, want a number or inf" % (target_epsilon,))
        if target_epsilon == math.inf:  # δ falls: what holds at a large ε holds there
            return (
                shared()
                .ask(_tree(self.ledger), "delta", 10**4, incomplete="ignore", **{**self._options, "digits": 1})
                .upper
            )
        return self._ask("delta", target_epsilon).upper

    def get_true_positive_rates(self, false_positive_rates: Sequence[float], deltas: Any = None) -> List[float]:
        """Returns the greatest power of a test at each false positive rate, rounded up. deltas are not needed."""
        del deltas
        return [
            min(1.0, math.nextafter(1 - self._ask("tradeoff", float(x)).lower, math.inf)) for x in false_positive_rates
        ]

    def get_gdp_parameter_estimate(
        self, false_positive_rates: Optional[Sequence[float]] = None, deltas: Any = None
    ) -> float:
        """Returns the least μ of Gaussian differential privacy, rounded up.

        It holds for type I errors from the least of the rates, 1e-12 if there are none, to 1 less that. deltas are not needed.
        """
        del deltas
        least = (
            min((float(x) for x in false_positive_rates if x > 0), default=1e-12)
            if false_positive_rates is not None
            else 1e-12
        )
        self.last_enclosure = e = shared().ask(
            _tree(self.ledger), "gdp", alpha_min=min(least, 0.5), incomplete=self._incomplete, **self._options
        )
        return e.upper


@functools.lru_cache(maxsize=4096)
def _refusal(event: str, relation: Any, number_format: NumberFormat) -> Optional[str]:
    """Returns why an event has no meaning under a relation; None if it has one."""
    try:
        shared().ask(
            json.loads(event),
            "epsilon",
            1,
            digits=1,
            relation=relation,
            number_format=number_format,
            incomplete="ignore",
        )
    except QuestionError as e:
        return str(e)
    return None


def _shape(tree: JSON) -> JSON:
    """Returns tree with 1 for usual noise and 1/2 for usual rates: whether an event has a meaning does not depend on them."""
    usual = {"noise_multiplier": (1e-3, 1e3, "1"), "sampling_probability": (1e-9, 0.999, "1/2")}
    out = dict(tree)
    for field, (least, most, alike) in usual.items():
        if field in out and least <= Fraction(out[field]) <= most:
            out[field] = alike
    if "event" in out:
        out["event"] = _shape(out["event"])
    if "events" in out:
        out["events"] = [_shape(e) for e in out["events"]]
    return out


def _hides_nothing(tree: JSON) -> bool:
    """Reports whether a composition has a part that releases everything."""
    name = tree["class_name"]
    parts = (
        tree.get("events", [])
        if name == "ComposedDpEvent"
        else [tree["event"]]
        if name == "SelfComposedDpEvent"
        else []
    )
    return name == "NonPrivateDpEvent" or any(map(_hides_nothing, parts))


def _tree(event: Any) -> JSON:
    """Returns an event as a dict, in which noise 0 is what dp_accounting means by it: that everything is released."""
    return _without_zeros(from_dp_accounting(event))


_NOISE = {
    "GaussianDpEvent": "noise_multiplier", "LaplaceDpEvent": "noise_multiplier", "MixtureOfGaussiansDpEvent": "standard_deviation",
    "TruncatedSubsampledGaussianDpEvent": "noise_multiplier", "SingleEpochTreeAggregationDpEvent": "noise_multiplier",
    "DiscreteLaplaceDpEvent": "noise_parameter",
}  # fmt: skip


def _without_zeros(tree: JSON) -> JSON:
    name = tree["class_name"]
    if name == "SelfComposedDpEvent" and tree["count"] == 0:
        return {"class_name": "NoOpDpEvent"}
    noise = _NOISE.get(name)
    if noise is not None and float(tree[noise]) == 0:
        untouched = any(
            float(tree.get(k, 1)) == 0 for k in ("sampling_probability", "truncated_batch_size", "dataset_size")
        )
        untouched |= all(float(s) == 0 for s in tree.get("sensitivities", [1]))
        return {"class_name": "NoOpDpEvent" if untouched else "NonPrivateDpEvent"}
    tree = dict(tree)
    if "event" in tree:
        tree["event"] = _without_zeros(tree["event"])
    if "events" in tree:
        tree["events"] = [_without_zeros(e) for e in tree["events"]]
    return tree
