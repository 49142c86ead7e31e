"""Events and relations of dp_accounting, https://pypi.org/project/dp-accounting."""

import dp_accounting

from protocol import number

RELATIONS = dp_accounting.NeighboringRelation


def build(event):
    """Returns the DpEvent that an object of the protocol describes."""
    fields = {k: v for k, v in event.items() if k not in ("class_name", "module_name")}
    for name, value in fields.items():
        if name == "event":
            fields[name] = build(value)
        elif name == "events":
            fields[name] = [build(e) for e in value]
        elif name in ("count", "num_buckets", "sample_size", "source_dataset_size"):
            fields[name] = int(value)
        elif name in ("sensitivities", "sampling_probs"):
            fields[name] = [number(x) for x in value]
        elif value is not None:
            fields[name] = number(value)
    if event["class_name"] in ("DiscreteLaplaceDpEvent", "DiscreteGaussianDpEvent"):
        fields["sensitivity"] = int(fields["sensitivity"])
    return getattr(dp_accounting, event["class_name"])(**fields)


def answer(accountant, event, quantity, at):
    accountant.compose(build(event))
    get = accountant.get_epsilon if quantity == "epsilon" else accountant.get_delta
    return {"upper": float(get(at))}
