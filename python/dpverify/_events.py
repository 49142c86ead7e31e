"""Events: dp_accounting's tree form, as JSON has it."""

import math
import numbers
from decimal import Decimal
from fractions import Fraction
from typing import Any, Dict, Iterable, List, Mapping, Sequence, Union

Number = Union[int, float, str, Fraction, Decimal]
JSON = Any


def spell(x: Any, name: str = "a number") -> str:
    """Returns a number as the protocol spells it: exactly, but for a float as Python prints it. An error calls it name.

    A number of another library is spelled as the float it equals, or as the fraction it is: never as a float near it.
    """
    if isinstance(x, str):
        return x
    if not isinstance(x, numbers.Number) and hasattr(x, "item"):  # an array of one number
        return spell(x.item(), name)
    if isinstance(x, bool):
        raise TypeError("%s = %r, want an int, float, str, Fraction or Decimal" % (name, x))
    if isinstance(x, numbers.Integral):
        return str(int(x))
    if isinstance(x, numbers.Rational):
        return "%d/%d" % (x.numerator, x.denominator)
    if isinstance(x, (Decimal, numbers.Real)):
        near = float(x)
        text = str(x) if isinstance(x, Decimal) else repr(near)
        if isinstance(x, Decimal) and not x.is_finite() or near != near or x == near and math.isinf(near):
            raise ValueError("%s = %s, want a finite number" % (name, text))
        if isinstance(x, Decimal) or x == near:
            return text
        if not hasattr(x, "as_integer_ratio"):
            raise TypeError("%s = %r, a %s that is no float: want it as a str" % (name, x, type(x).__name__))
        return "%d/%d" % tuple(map(int, x.as_integer_ratio()))
    raise TypeError("%s = %r, want an int, float, str, Fraction or Decimal" % (name, x))


def to_json(value: Any) -> JSON:
    """Returns an event, or a part of one, as JSON has it."""
    if hasattr(value, "to_named_tuple"):
        return from_dp_accounting(value)
    if hasattr(value, "_asdict"):  # a named tuple
        return to_json(value._asdict())
    if isinstance(value, Mapping):
        return {str(k): to_json(v) for k, v in value.items()}
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist") and getattr(value, "ndim", 0) > 0:
        return [to_json(v) for v in value]
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return int(value)
    return spell(value)


def from_dp_accounting(event: Any) -> Dict[str, JSON]:
    """Returns a DpEvent of dp_accounting as a dict that JSON can hold.

    Its float parameters are spelled as Python prints them. To ask about the binary64
    numbers themselves, which is what the library computes with, pass
    number_format="binary64" to the question.
    """
    if not hasattr(event, "to_named_tuple"):
        raise TypeError("an event = %r, want a DpEvent of dp_accounting" % (event,))
    out = to_json(event.to_named_tuple())
    if not isinstance(out, dict) or "class_name" not in out:
        raise TypeError("the named tuple of %r has no class_name" % (event,))
    return out


# The fields of dp_accounting's classes that are integers, and lists of numbers.
_INTEGERS = {
    "count",
    "num_buckets",
    "sample_size",
    "source_dataset_size",
    "dimension",
    "num_selected",
    "num_steps",
    "dataset_size",
    "truncated_batch_size",
}
_LISTS = {"sensitivities", "sampling_probs"}


def to_dp_accounting(event: Mapping[str, JSON]) -> Any:
    """Returns the DpEvent of dp_accounting that a dict describes, which it has to have a class for.

    It is the inverse of from_dp_accounting up to the rounding of numbers to floats. The error is
    a NotImplementedError for a class that the installed dp_accounting does not have.
    """
    from importlib import import_module

    dp_event = import_module("dp_accounting.dp_event")  # no dependency: only who calls this needs it

    def build(value: Any) -> Any:
        name = value["class_name"]
        known = getattr(dp_event, name, None) if name.endswith("DpEvent") else None
        if known is None:
            raise NotImplementedError("%s is no event of dp_accounting" % name)
        fields: Dict[str, Any] = {}
        for key, x in value.items():
            if key in ("class_name", "module_name"):
                continue
            if key == "event":
                fields[key] = build(x)
            elif key == "events":
                fields[key] = [build(e) for e in x]
            elif x is None:
                fields[key] = None
            elif key == "step_counts":
                fields[key] = [_int(n) for n in x] if isinstance(x, list) else _int(x)
            elif key in _LISTS:
                fields[key] = [_float(n) for n in x]
            elif key in _INTEGERS or key == "sensitivity" and name == "DiscreteLaplaceDpEvent":
                fields[key] = _int(x)
            else:
                fields[key] = _float(x)
        return known(**fields)

    return build(event)


def _float(x: Any) -> float:
    """Returns the float nearest to a number as the protocol spells it."""
    return math.inf if x == "inf" else float(Fraction(str(x)))


def _int(x: Any) -> int:
    """Returns the integer that a number is, as the protocol spells it."""
    n = Fraction(str(x))
    if n.denominator != 1:
        raise ValueError("%r, want an integer" % (x,))
    return n.numerator


def from_opacus(accountant: Any) -> Dict[str, JSON]:
    """Returns what an accountant of Opacus, or its history, has released so far.

    A history is a list of (noise multiplier, sample rate, steps), as every accountant of
    Opacus keeps and as `accountant.state_dict()["history"]` has it.
    """
    history: Iterable[Sequence[Any]]
    if hasattr(accountant, "history"):
        history = accountant.history
    elif isinstance(accountant, Mapping):
        if "history" not in accountant:
            raise ValueError("a state without a history, want what accountant.state_dict() returns")
        history = accountant["history"]
    else:
        history = accountant
    events: List[JSON] = []
    for i, entry in enumerate(history):
        if len(entry) != 3:
            raise ValueError("history[%d] = %r, want (noise multiplier, sample rate, steps)" % (i, entry))
        noise, rate, steps = entry
        base: JSON = {"class_name": "GaussianDpEvent", "noise_multiplier": spell(noise)}
        if Fraction(spell(noise)) == 0:
            base = {"class_name": "NonPrivateDpEvent"}
        sampled = {"class_name": "PoissonSampledDpEvent", "sampling_probability": spell(rate), "event": base}
        events.append({"class_name": "SelfComposedDpEvent", "count": to_json(steps), "event": sampled})
    if len(events) == 1:
        one: Dict[str, JSON] = events[0]
        return one
    return {"class_name": "ComposedDpEvent", "events": events}
