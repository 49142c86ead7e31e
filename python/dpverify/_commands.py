"""Commands of the program that are no questions: calibrate, curve, compare, certify, ledger, measure, witness."""

import json
import os
import subprocess
import tempfile
from decimal import Decimal
from fractions import Fraction
from typing import Any, Dict, Iterable, List, Literal, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _client
from ._enclosure import Enclosure, Error, Undecided
from ._events import Number, spell, to_json
from ._types import Direction, Event, NumberFormat, Quantity, Relation


def _run(command: str, flags: Mapping[str, Any], *operands: str, said: Sequence[int] = (0,)) -> Any:
    """Runs a command with --format json and returns what it prints. Flags that are None are left out.

    Raises QuestionError, with the words of the program, if the exit status is not one of said.
    """
    arguments = [_client.binary(), command, "--format", "json"]
    for name, value in flags.items():
        if value is True:
            arguments.append("--" + name)
        elif value is not None and value is not False:
            arguments.extend(
                "--%s=%s" % (name, spell(x, name)) for x in (value if isinstance(value, list) else [value])
            )
    try:
        done = subprocess.run(
            arguments + ["--", *operands], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False
        )
    except OSError as e:
        raise _client.BinaryNotFoundError("%s: %s" % (arguments[0], e)) from e
    words = done.stderr.decode("utf-8", "replace").strip()
    if words.startswith("verify: "):
        words = words[len("verify: ") :]
    if done.returncode < 0:
        raise Error("%s %s ended with status %d: %s" % (arguments[0], command, done.returncode, words[-2000:]))
    if done.returncode not in said:
        raise (Undecided if done.returncode == 3 else _client.QuestionError)(words or "status %d" % done.returncode)
    found = json.loads(done.stdout)
    if (
        done.returncode == 2 and words and not found["claims"]
    ):  # a file that could not be read, and no claim that is malformed
        raise _client.QuestionError(words)
    return found


def _text(event: Event) -> str:
    tree = to_json(event)
    return tree if isinstance(tree, str) else json.dumps(tree)


def _time(seconds: Optional[float]) -> Optional[str]:
    # The program reads no exponents and no fractions of durations.
    return None if seconds is None else "%.9fs" % Fraction(spell(seconds, "timeout"))


def _enclosed(answer: Mapping[str, Any], methods: Sequence[str] = ()) -> Enclosure:
    return Enclosure(
        Decimal(answer["lo"]), Decimal(answer["hi"]), bool(answer.get("complete", True)),
        tuple(answer.get("methods", methods)), tuple(answer.get("notes", ())), str(answer.get("reason", "")),
    )  # fmt: skip


class Calibration(NamedTuple):
    """What calibrate found: value is VERIFIED, and the next value on the way to less privacy is not, or there is none."""

    field: str
    value: Decimal
    delta: Enclosure
    next: Optional[Decimal]
    next_refuted: bool
    note: str


def calibrate(
    event: Event, *, epsilon: Number, delta: Number, digits: Optional[int] = None, timeout: Optional[float] = None,
    relation: Optional[Relation] = None, direction: Optional[Direction] = None,
) -> Calibration:  # fmt: skip
    """Finds the least noise, or the most steps, with which an event is (epsilon, delta)-differentially private.

    event has "?" where the number belongs: "gaussian(?)", "sgd(sigma=?, batch=256, n=60000, epochs=15)", or a dict
    with "?" as a value. digits are those of the value, 4 if it is left out; timeout is for one value, 300 seconds.

    Raises QuestionError if no value does, Undecided if none was verified in time.

    >>> calibrate("gaussian(?)", epsilon=1, delta="1e-5").value
    Decimal('3.731')
    """
    found = _run("calibrate", {"epsilon": epsilon, "delta": delta, "digits": digits, "budget": _time(timeout),
                               "relation": relation, "direction": direction}, _text(event))  # fmt: skip
    best, after = found["best"], found.get("next")
    return Calibration(
        found["field"], Decimal(best["value"]), _enclosed(best), Decimal(after["value"]) if after else None,
        bool(after) and after["verdict"] == "refuted", found.get("note", ""),
    )  # fmt: skip


class Row(NamedTuple):
    """A point of a curve: where, and what encloses the value there. pandas.DataFrame(rows) has these columns."""

    at: Decimal
    lo: Decimal
    hi: Decimal
    complete: bool


def curve(
    event: Event, at: Optional[Sequence[Number]] = None, *, quantity: Quantity = "delta", start: Optional[Number] = None,
    stop: Optional[Number] = None, points: Optional[int] = None, compositions: Optional[int] = None,
    delta: Optional[Number] = None, digits: int = 4, timeout: Optional[float] = None, relation: Optional[Relation] = None,
    direction: Optional[Direction] = None, number_format: Optional[NumberFormat] = None, progress: bool = False,
) -> List[Row]:  # fmt: skip
    """Encloses a quantity at many places: rows of (at, lo, hi, complete).

    With at, which may be an array, the quantity there: δ at each ε, ε at each δ, a Rényi divergence at each order, the
    trade-off function at each type I error. timeout is for 250 places. Without it, δ at evenly spaced ε from start (0) to stop (about where δ is
    1e-10), or with compositions=N and delta the least ε of 1 to N copies; both share work between their points.

    >>> [str(r.hi) for r in curve("gaussian(1)", [0, 2])]
    ['0.3830', '0.02093']
    """
    if at is not None:
        if any(x is not None for x in (start, stop, points, compositions, delta)):
            raise TypeError("curve takes the places as at, or start, stop and points, or compositions and delta")
        flag = _PLACES.get(quantity)
        if flag is None:
            raise TypeError("curve of quantity = %r, want one of %s" % (quantity, ", ".join(_PLACES)))
        where = [spell(x, "at[%d]" % i) for i, x in enumerate(at)]
        answered = _client.bar(len(where)) if progress else lambda: None
        rows: List[Row] = []
        for i in range(0, len(where), _TOGETHER):
            found = _run(quantity, {flag: where[i : i + _TOGETHER], "digits": digits, "timeout": _time(timeout), "relation": relation,
                                    "direction": direction, "number-format": number_format}, _text(event), said=(0, 3))  # fmt: skip
            for x, answer in zip(where[i:], found["answers"]):
                rows.append(Row(_decimal(x), Decimal(answer["lo"]), Decimal(answer["hi"]), bool(answer["complete"])))
                answered()
        return rows
    if quantity != "delta":
        raise TypeError("curve of quantity = %r wants the places, as at" % (quantity,))
    found = _run("curve", {"from": start, "to": stop, "points": points, "compositions": compositions, "delta": delta,
                           "digits": digits, "timeout": _time(timeout), "relation": relation, "direction": direction,
                           "number-format": number_format}, _text(event))  # fmt: skip
    return [Row(Decimal(p["at"]), Decimal(p["lo"]), Decimal(p["hi"]), bool(p["complete"])) for p in found["points"]]


# The flags of places, and how many of them go into one command, which shares work between them.
_PLACES: Mapping[str, str] = {"delta": "epsilon", "epsilon": "delta", "renyi": "order", "tradeoff": "alpha"}
_TOGETHER = 250


def _decimal(text: str) -> Decimal:
    top, _, bottom = text.partition("/")
    return Decimal(top) / Decimal(bottom or 1)


class Method(NamedTuple):
    """What an accounting method gives: bound says whether it proves anything; without lo and hi, reason says why.

    A method of Rényi divergences is there twice, by the orders of its paper and by all: name ends in ", real orders" then.
    """

    name: str
    bound: bool
    lo: Optional[Decimal]
    hi: Optional[Decimal]
    source: str
    reason: str


def compare(
    event: Event, *, delta: Optional[Number] = None, epsilon: Optional[Number] = None, digits: Optional[int] = None,
    timeout: Optional[float] = None, relation: Optional[Relation] = None, direction: Optional[Direction] = None,
    number_format: Optional[NumberFormat] = None,
) -> Tuple[Enclosure, List[Method]]:  # fmt: skip
    """Compares the usual theorems: the truth, and the ε at delta, or the δ at epsilon, that each of them gives."""
    found = _run("compare", {"delta": delta, "epsilon": epsilon, "digits": digits, "timeout": _time(timeout), "relation": relation,
                             "direction": direction, "number-format": number_format}, _text(event))  # fmt: skip
    rows = [
        Method(
            m["name"] + (", real orders" if m.get("real_orders") else ""),
            bool(m["bound"]),
            _optional(m["lo"]),
            _optional(m["hi"]),
            m.get("source", ""),
            m.get("reason", ""),
        )
        for m in found["methods"]
    ]
    return _enclosed(found["least"]), rows


def _optional(text: Optional[str]) -> Optional[Decimal]:
    return None if text is None else Decimal(text)


class Claim(NamedTuple):
    """A claim that an event is (epsilon, delta)-differentially private. Other forms are dicts, as in a file of claims."""

    event: Event
    epsilon: Number
    delta: Number
    id: str = "claim"
    relation: Relation = "ADD_OR_REMOVE_ONE"
    derivation: Optional[str] = None


class Decision(NamedTuple):
    """What is true of a claim: the verdict, and enclosures of δ at the claimed ε and of the least ε at the claimed δ."""

    id: str
    verdict: str  # verified, refuted, undecided, malformed or stated
    delta: Optional[Enclosure]
    epsilon: Optional[Enclosure]
    detail: Dict[str, Any]  # all that `verify certify --format json` has


def certify(claims: Union[Claim, str, "os.PathLike[str]", Iterable[Union[Claim, Mapping[str, Any]]]]) -> List[Decision]:
    """Decides claims: Claims, dicts as in a file of claims, or the path of such a file.

    >>> certify(Claim("gaussian(1)", epsilon="4.38", delta="1e-5"))[0].verdict
    'verified'
    """
    named: List[str] = []
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(claims, (str, os.PathLike)):
            named = [os.fspath(claims)]
        else:
            entries = [claims] if isinstance(claims, Claim) else list(claims)
            named = [os.path.join(folder, "claims.json")]
            with open(named[0], "w", encoding="utf-8") as file:
                json.dump({"version": 1, "claims": [_entry(c) for c in entries]}, file)
        found = _run("certify", {}, *named, said=(0, 1, 2, 3))

    def enclosed(c: Mapping[str, Any], name: str) -> Optional[Enclosure]:
        return _enclosed(c[name], c.get("methods", ())) if c.get(name) else None

    return [Decision(c["id"], c["verdict"], enclosed(c, "delta"), enclosed(c, "epsilon"), c) for c in found["claims"]]


def _entry(claim: Union[Claim, Mapping[str, Any]]) -> Any:
    if not isinstance(claim, Claim):
        return to_json(claim)
    entry = {"id": claim.id, "event": to_json(claim.event), "relation": claim.relation,
             "claim": {"epsilon": spell(claim.epsilon, "epsilon"), "delta": spell(claim.delta, "delta")}}  # fmt: skip
    if claim.derivation is not None:
        entry["derivation"] = claim.derivation
    return entry


def ledger(
    events: Iterable[Union[Event, Mapping[str, Any]]], *, delta: Optional[Number] = None, epsilon: Optional[Number] = None,
    next: Optional[Event] = None, adaptive: bool = False, by: Optional[Literal["data", "team"]] = None, digits: Optional[int] = None,
    timeout: Optional[float] = None, relation: Optional[Relation] = None,
    direction: Optional[Direction] = None, number_format: Optional[NumberFormat] = None,
) -> Dict[str, Any]:  # fmt: skip
    """Accounts for events one after the other, as `verify ledger`: totals, a budget of epsilon and delta, what still fits.

    next is an event: how many copies of it still fit the budget, or the value of its "?". adaptive=True keeps the budget
    by a privacy filter, for events that were chosen by what earlier ones released. by makes an account for each data set or
    team: events are then mappings {"event": …, "data": …, "team": …}. Returns what the command prints.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ledger.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for event in events:
                line: Dict[str, Any] = {"event": event}
                if isinstance(event, Mapping) and "event" in event and "class_name" not in event:
                    line = dict(event)
                file.write(json.dumps({**line, "event": to_json(line["event"])}) + "\n")
        found: Dict[str, Any] = _run(
            "ledger", {"delta": delta, "epsilon": epsilon, "next": None if next is None else _text(next), "adaptive": adaptive, "by": by,
                       "digits": digits, "timeout": _time(timeout), "relation": relation, "direction": direction,
                       "number-format": number_format}, path, said=(0, 1, 3))  # fmt: skip
    return found


class Measurement(NamedTuple):
    """What an attack shows: CONTRADICTED, CONSISTENT or UNINFORMATIVE, and lower bounds that hold with the confidence."""

    verdict: str  # of the event and the claim together
    epsilon: Decimal  # lower bounds: of ε at delta, of μ, and of δ at the claimed ε
    mu: Decimal
    delta: Optional[Decimal]
    accounted: Optional[Enclosure]  # ε of the event
    of_event: Optional[str]  # the verdicts of each
    of_claim: Optional[str]
    detail: Dict[str, Any]  # all that `verify measure --format json` has


def measure(
    event: Optional[Event] = None, *, counts: Optional[Sequence[int]] = None, guesses: Optional[Sequence[int]] = None,
    scores: Union[None, str, "os.PathLike[str]", Iterable[Tuple[float, bool]]] = None, design: Optional[str] = None,
    epsilon: Optional[Number] = None, delta: Optional[Number] = None, confidence: Optional[Number] = None,
    relation: Optional[Relation] = None, timeout: Optional[float] = None,
) -> Measurement:  # fmt: skip
    """Says what an attack on canaries shows about an event, a claim (epsilon, delta), or both.

    One of: counts, (true positives, false positives, positives, negatives) of independent runs; guesses, (canaries, guessed,
    correct) of one run; scores, pairs (score, member) or the path of a CSV file with that header, with a design of "all",
    "split" or "one-run". docs/measure.md has the conditions. confidence is 0.999.

    >>> measure("gaussian(1)", counts=(480, 20, 500, 500)).verdict
    'CONTRADICTED'
    """
    with tempfile.TemporaryDirectory() as folder:
        path = None if scores is None else os.path.join(folder, "scores.csv")
        if isinstance(scores, (str, os.PathLike)):
            path = os.fspath(scores)
        elif scores is not None and path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write("score,member\n")
                file.writelines("%r,%d\n" % (float(score), bool(member)) for score, member in scores)

        def listed(numbers: Optional[Sequence[int]]) -> Optional[str]:
            return None if numbers is None else ",".join(str(n) for n in numbers)

        found: Dict[str, Any] = _run(
            "measure", {"counts": listed(counts), "guesses": listed(guesses), "scores": path, "design": design,
                        "event": None if event is None else _text(event), "epsilon": epsilon, "delta": delta,
                        "confidence": confidence, "relation": relation, "timeout": _time(timeout)}, said=(0, 1))  # fmt: skip
    bound = found.get("delta_at_claim")
    return Measurement(
        found["verdict"], Decimal(found["epsilon"]["lo"]), Decimal(found["mu"]["lo"]), Decimal(bound["lo"]) if bound else None,
        _enclosed(found["accounted"]) if "accounted" in found else None,
        found.get("event", {}).get("verdict"), found.get("claim", {}).get("verdict"), found,
    )  # fmt: skip


class Witness(NamedTuple):
    """Two data sets, and a set S of outputs: excess is P(S) − e^ε·Q(S), which is above the claimed δ, if there is one."""

    neighbours: Optional[
        Tuple[List[str], List[str]]
    ]  # the records of each, None where only a pair of distributions is known
    mechanism: str
    set: str  # S in words
    p: Optional[Enclosure]  # P(S) and Q(S), None where only the excess is known
    q: Optional[Enclosure]
    excess: Enclosure
    policy: Optional[
        Dict[str, Any]
    ]  # what each step is, by the privacy loss of the outputs before, where steps are chosen
    detail: Dict[str, Any]  # all that `verify witness --format json` has


def witness(
    event: Event, *, epsilon: Number, delta: Optional[Number] = None, timeout: Optional[float] = None,
    relation: Optional[Relation] = None, direction: Optional[Direction] = None, number_format: Optional[NumberFormat] = None,
) -> Witness:  # fmt: skip
    """Finds why an event is not (epsilon, delta)-differentially private; without delta, the worst set that is found.

    Raises Undecided if nothing was found that shows it, in the time (60 seconds) or at all.

    >>> witness("gaussian(1)", epsilon=1, delta="0.1").set
    'the outputs y with Σ y_i/σ_i² ≥ t'
    """
    found: Dict[str, Any] = _run(
        "witness", {"epsilon": epsilon, "delta": delta, "timeout": _time(timeout), "relation": relation, "direction": direction,
                    "number-format": number_format}, _text(event))  # fmt: skip
    both, p, q = found["neighbours"], found["p"], found["q"]
    return Witness(
        (both[0], both[1]) if both else None, found["mechanism"], found["set"]["words"], _enclosed(p) if p else None,
        _enclosed(q) if q else None, _enclosed(found["excess"]), found.get("policy"), found,
    )  # fmt: skip


def plot(events: Union[Event, Mapping[str, Event]], *, ax: Any = None, points: int = 201, **options: Any) -> Any:
    """Draws δ over ε as bands that contain the truth, and returns the axes of matplotlib, which has to be installed.

    δ falls: between two points it is drawn from what it is at least at the right one to what it is at most at the left one.
    events is one event, or a dict from labels to events; a dict with class_name is one event. options are those of `curve`,
    but for compositions: ε of numbers of copies is no δ over ε.
    """
    if "compositions" in options:
        raise TypeError("plot draws δ over ε, want no compositions")
    import matplotlib.pyplot as plt  # type: ignore[import-untyped,import-not-found,unused-ignore]

    named: Mapping[str, Any] = events if isinstance(events, Mapping) and "class_name" not in events else {"": events}
    if ax is None:
        ax = plt.subplots()[1]
    for label, event in named.items():
        rows = [r for r in curve(event, points=points, **options) if r.hi > 0]
        at, top = [float(r.at) for r in rows], [float(r.hi) for r in rows]
        line = ax.plot(at, top, linewidth=1, label=label or None, drawstyle="steps-post")[0]
        bottom = [float(r.lo) for r in rows[1:] + rows[-1:]]
        ax.fill_between(at, bottom, top, step="post", color=line.get_color(), alpha=0.3)
    ax.set_yscale("log")
    ax.set_xlabel("ε")
    ax.set_ylabel("δ(ε)")
    if any(named):
        ax.legend()
    return ax
