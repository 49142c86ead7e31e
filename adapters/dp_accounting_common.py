"""Events and relations of dp_accounting, https://pypi.org/project/dp-accounting."""

import re
from math import sqrt

import dp_accounting
from dp_accounting import dp_event

from protocol import VARIANCES, Unsupported, number

RELATIONS = dp_accounting.NeighboringRelation

INTEGERS = (
    "count",
    "num_buckets",
    "sample_size",
    "source_dataset_size",
    "dimension",
    "step_counts",
    "dataset_size",
    "truncated_batch_size",
)


# Of noise that has a variance, dp_accounting knows the standard deviation.
DEVIATIONS = {variance: deviation for deviation, variance in VARIANCES.items()}


def integer(value):
    """Returns the integers of a field: one, a list of them, or none."""
    if isinstance(value, list):
        return [integer(x) for x in value]
    return None if value is None else int(value)


def build(event):
    """Returns the DpEvent that an object of the protocol describes."""
    name = event["class_name"]
    fields = {k: v for k, v in event.items() if k not in ("class_name", "module_name")}
    for field, value in list(fields.items()):
        if field == "event":
            fields[field] = build(value)
        elif field == "events":
            fields[field] = [build(e) for e in value]
        elif field in INTEGERS or name == "DiscreteLaplaceDpEvent" and field == "sensitivity":
            fields[field] = integer(value)
        elif field in ("sensitivities", "sampling_probs"):
            fields[field] = [number(x) for x in value]
        elif field in DEVIATIONS:
            fields[DEVIATIONS[field]] = sqrt(number(fields.pop(field)))
        elif name.endswith("DpEvent"):
            fields[field] = number(value)
    # The package itself exports some of the classes only. Ours do not end in DpEvent.
    if not hasattr(dp_event, name):
        raise Unsupported(name + " is no event of dp_accounting")
    return getattr(dp_event, name)(**fields)


def compose(accountant, event):
    """Composes an event, or refuses it with the words of the accountant."""
    try:
        return accountant.compose(build(event))
    except dp_accounting.UnsupportedEventError as e:
        words = re.search(r"Error: \[(.*?)\.?(?: Found.*)?\] caused by subevent (\w+)", str(e), re.DOTALL)
        if words is None:
            raise
        raise Unsupported("%s: %s" % (words[2], words[1])) from e


def epsilon_or_delta(accountant, event, quantity, at):
    """Answers the quantities that every accountant has."""
    compose(accountant, event)
    return {"upper": float(accountant.get_epsilon(at) if quantity == "epsilon" else accountant.get_delta(at))}


def expression(event):
    """Returns the expression of an event in the terms of dp_accounting."""
    return re.sub(r"\b([A-Z]\w*DpEvent)\(", r"dp_accounting.dp_event.\1(", repr(build(event)))


def program(make, event, relation, quantity, at):
    """Returns a program in the terms of dp_accounting that prints an answer; make is the expression of the accountant."""
    ask = {
        "epsilon": "accountant.get_epsilon(%r)",
        "delta": "accountant.get_delta(%r)",
        "renyi": "accountant.rdp[0]  # of order %r",
        "tradeoff": "1 - accountant.get_true_positive_rates(%r, np.append(0, np.logspace(-13, 0, 40)))",
    }[quantity] % at
    number_asked, _, comment = ask.partition("  # ")
    lines = ["import dp_accounting"] + (["import numpy as np"] if quantity == "tradeoff" else [])
    lines += [
        "from dp_accounting import pld, rdp",
        "",
        "accountant = " + make,
        "accountant.compose(%s)" % expression(event),
    ]
    lines += ["print(float(%s))" % number_asked + ("  # " + comment if comment else "")]
    return "\n".join(lines)
