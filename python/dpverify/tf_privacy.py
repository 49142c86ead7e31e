"""The statement of TensorFlow Privacy about a DP-SGD training, with bounds that are proved."""

import math
import textwrap
from fractions import Fraction
from typing import Any, Optional

from . import _client
from ._events import Number, spell


def compute_dp_sgd_privacy_statement(
    number_of_examples: int, batch_size: int, num_epochs: float, noise_multiplier: Number, delta: Number,
    used_microbatching: bool = True, max_examples_per_user: Optional[int] = None, accountant_type: Any = None,
) -> str:  # fmt: skip
    """Returns what is proved of a DP-SGD training, in words, with the signature of TensorFlow Privacy.

    Steps are ceil(num_epochs * number_of_examples / batch_size), exactly. With microbatches of more than one example, one
    more example turns a clipped mean into another one: the sum moves by twice the clipping norm, and noise_multiplier
    counts half. With max_examples_per_user the second paragraph is about all records of a user, by groups of that many.
    accountant_type is not needed.
    """
    del accountant_type
    for name, value in (
        ("number_of_examples", number_of_examples),
        ("batch_size", batch_size),
        ("num_epochs", num_epochs),
    ):
        if not value > 0:
            raise ValueError("%s = %r, want > 0" % (name, value))
        if name != "num_epochs" and value != int(value):
            raise ValueError("%s = %r, want a whole number" % (name, value))
    if batch_size > number_of_examples:
        raise ValueError("batch_size = %d, want at most number_of_examples, %d" % (batch_size, number_of_examples))
    if max_examples_per_user is not None and max_examples_per_user < 1:
        raise ValueError("max_examples_per_user = %r, want at least 1" % (max_examples_per_user,))
    steps = math.ceil(Fraction(spell(num_epochs)) * int(number_of_examples) / int(batch_size))
    moves = 2 if used_microbatching else 1
    multiplier = Fraction(spell(noise_multiplier, "noise_multiplier")) / moves
    noise = {"class_name": "GaussianDpEvent", "noise_multiplier": spell(multiplier)}
    sample = {
        "class_name": "PoissonSampledDpEvent",
        "sampling_probability": "%d/%d" % (batch_size, number_of_examples),
        "event": noise,
    }
    event = {"class_name": "SelfComposedDpEvent", "count": steps, "event": sample}
    e = _client.epsilon(event, delta, digits=6, incomplete="warn")
    paragraphs = [
        "DP-SGD performed over %d examples with %d examples per iteration, noise multiplier %s for %s epochs: %d steps%s."
        % (
            number_of_examples,
            batch_size,
            noise_multiplier,
            num_epochs,
            steps,
            " with microbatching, so that one example moves a sum by twice the clipping norm"
            if used_microbatching
            else "",
        ),
        "If each example is sampled independently with probability %d/%d (Poisson sampling) and neighbours differ by one added or "
        "removed example%s, the training is (ε, δ)-differentially private for ε = %s at δ = %s; the least ε that holds "
        "for all such trainings is in [%s, %s]. This is proved, not estimated."
        % (
            batch_size,
            number_of_examples,
            ", which leaves all others in their microbatches" if used_microbatching else "",
            e.quote,
            delta,
            e.lo,
            e.hi,
        ),
    ]
    if max_examples_per_user is not None and max_examples_per_user > 1:
        group = {"class_name": "GroupEvent", "event": sample, "size": max_examples_per_user}
        u = _client.epsilon(dict(event, event=group), delta, digits=6, incomplete="warn")
        paragraphs.append(
            "For all examples of a user, of which there are at most %d: ε = %s at δ = %s."
            % (max_examples_per_user, u.quote, delta)
        )
    else:
        paragraphs.append("Nothing is said about users who have more than one example.")
    paragraphs.append("Batches by shuffling are not Poisson samples: nothing is proved of them.")
    return "\n\n".join(textwrap.fill(p, 80) for p in paragraphs) + "\n"
