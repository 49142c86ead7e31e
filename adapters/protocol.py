"""The protocol of `verify audit`, for adapters: questions and answers as JSON Lines.

An adapter defines answer(event, relation, quantity, at) and passes it to serve. It
returns a dict with `upper`, `lower` and `upper`, or `value`; an exception is a refusal.
"""

import fractions
import json
import sys
import warnings


def number(x):
    """Returns the float64 nearest to a number of a question, such as "1/3" or 1e-5."""
    return float(fractions.Fraction(x))


def leaves(event, count=1):
    """Yields the pairs (event, count) that a composition consists of."""
    name = event["class_name"]
    if name == "SelfComposedDpEvent":
        yield from leaves(event["event"], count * int(event["count"]))
    elif name == "ComposedDpEvent":
        for part in event["events"]:
            yield from leaves(part, count)
    elif name != "NoOpDpEvent":
        yield event, count


def subsampled_gaussian(event):
    """Returns (noise multiplier, sampling probability) of a Gaussian on a Poisson sample."""
    q = 1.0
    if event["class_name"] == "PoissonSampledDpEvent":
        q, event = number(event["sampling_probability"]), event["event"]
    if event["class_name"] != "GaussianDpEvent":
        raise ValueError(event["class_name"] + " is not supported")
    return number(event["noise_multiplier"]), q


def only(name, value, *supported):
    """Refuses a question that the library has no answer to."""
    if value not in supported:
        raise ValueError("%s %s is not supported" % (name, value))


def serve(answer):
    """Answers every line of standard input."""
    out, sys.stdout = sys.stdout, sys.stderr  # what a library prints is no answer
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        question = {"id": None}
        try:
            question = json.loads(line)
            reply = answer(
                question["event"],
                question.get("relation", "ADD_OR_REMOVE_ONE"),
                question["quantity"],
                number(question["at"]),
            )
        except Exception as e:  # a refusal, whatever the reason
            reply = {"error": "%s: %s" % (type(e).__name__, e)}
        reply["id"] = question.get("id")
        out.write(json.dumps(reply) + "\n")
        out.flush()
