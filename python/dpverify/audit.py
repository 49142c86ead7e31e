"""The protocol of `verify audit`, for adapters: questions and answers as JSON Lines.

    from dpverify.audit import leaves, number, only, serve, unsupported

An adapter defines answer(event, relation, quantity, at) and passes it to serve. It
returns a dict with `upper`, `lower` and `upper`, or `value`. Where the accountant has no
answer it raises Unsupported, or lets an exception of the accountant pass: a refusal.

An AttributeError, ImportError, LookupError, NameError or TypeError is no refusal but a
mistake, most likely of the adapter: the accountant was not asked. Where an accountant
itself refuses by one of these, the adapter says so: serve(answer, refusals=TypeError).
Those that its own files raise stay mistakes.

serve(answer, accountant="toy 1.0", reproduce=program) says what was asked, and repeats an
answer in its terms: program(event, relation, quantity, at) returns the text of a program in
Python that prints the number. `verify audit --format markdown` shows both in each finding.
"""

import fractions
import json
import math
import os
import sys
import traceback
import warnings
from typing import Any, Callable, Dict, Iterator, Optional, Tuple, Type, Union

Event = Dict[str, Any]
Reply = Dict[str, Any]
Refusals = Union[Type[BaseException], Tuple[Type[BaseException], ...]]

MISTAKES = (AttributeError, ImportError, LookupError, NameError, TypeError)


class Unsupported(Exception):
    """A question that the accountant has no answer to."""


def number(x: Any) -> float:
    """Returns the float64 nearest to a number of a question, such as "1/3" or 1e-5."""
    return float(fractions.Fraction(x))


def leaves(event: Event, count: int = 1) -> Iterator[Tuple[Event, int]]:
    """Yields the pairs (event, count) that a composition consists of."""
    name = event["class_name"]
    if name == "SelfComposedDpEvent":
        yield from leaves(event["event"], count * int(event["count"]))
    elif name == "ComposedDpEvent":
        for part in event["events"]:
            yield from leaves(part, count)
    elif name != "NoOpDpEvent":
        yield event, count


def subsampled_gaussian(event: Event) -> Tuple[float, float]:
    """Returns (noise multiplier, sampling probability) of a Gaussian on a Poisson sample."""
    q, base = 1.0, event
    if event["class_name"] == "PoissonSampledDpEvent":
        q, base = number(event["sampling_probability"]), event["event"]
    if base["class_name"] != "GaussianDpEvent":
        raise unsupported(event)
    return deviation(base, "noise_multiplier"), q


# The fields of standard deviations, with those of the variance that may stand in their place.
VARIANCES = {"noise_multiplier": "noise_variance", "sigma": "variance"}


def deviation(event: Event, field: str) -> float:
    """Returns a standard deviation: a field of the event, or the root of its variance."""
    return number(event[field]) if field in event else math.sqrt(number(event[VARIANCES[field]]))


def unsupported(event: Event) -> Unsupported:
    """Returns the refusal of an event."""
    name = event["class_name"]
    return Unsupported(name + (" of " + event["event"]["class_name"] if "event" in event else ""))


def only(name: str, value: Any, *supported: Any) -> None:
    """Refuses a question that the library has no answer to."""
    if value not in supported:
        raise Unsupported("%s %s" % (name, value))


def own(filename: str) -> bool:
    """Tells the files of the adapter from the files of the accountant."""
    beside = {os.path.dirname(os.path.abspath(f)) for f in (__file__, sys.argv[0])}
    return os.path.dirname(os.path.abspath(filename)) in beside


def reply(e: BaseException, refusals: Refusals = ()) -> Reply:
    """Returns the reply that an exception is: a refusal, or a mistake with its place."""
    if isinstance(e, Unsupported):
        return {"error": str(e) or "not supported"}
    text = "%s: %s" % (type(e).__name__, e)
    raised = traceback.extract_tb(e.__traceback__)[-1]
    if not isinstance(e, MISTAKES) or isinstance(e, refusals) and not own(raised.filename):
        return {"error": text}
    return {"adapter_error": "%s (%s:%s)" % (text, os.path.basename(raised.filename), raised.lineno)}


def version(package: str) -> str:
    """Returns the name of an installed package and its version, as pip knows them."""
    import importlib.metadata

    return "%s %s" % (package, importlib.metadata.version(package))


def serve(
    answer: Callable[[Event, str, str, float], Reply],
    refusals: Refusals = (),
    accountant: str = "",
    reproduce: Optional[Callable[[Event, str, str, float], str]] = None,
) -> None:
    """Answers every line of standard input.

    accountant is the name and version of what is asked. reproduce returns a program in Python,
    in the terms of the accountant, that prints the number which answer returned.
    """
    out, sys.stdout = sys.stdout, sys.stderr  # what a library prints is no answer
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        question: Dict[str, Any] = {"id": None}
        try:
            question = json.loads(line)
            asked = (
                question["event"],
                question.get("relation", "ADD_OR_REMOVE_ONE"),
                question["quantity"],
                number(question["at"]),
            )
            answered = dict(answer(*asked))
            if accountant:
                answered["accountant"] = accountant
            if reproduce is not None:
                answered["reproduce"] = reproduce(*asked)
        except Exception as e:
            answered = reply(e, refusals)
        out.write(json.dumps({"id": question.get("id"), **answered}) + "\n")
        out.flush()
