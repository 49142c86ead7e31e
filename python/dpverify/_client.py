"""One process of `verify query`, shared and closed."""

import atexit
import json
import os
import shutil
import subprocess
import tempfile
import threading
import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import IO, Any, Callable, Dict, Iterable, Iterator, List, Literal, Mapping, Optional, Union, overload

from ._enclosure import Enclosure, Error, Estimate, Incomplete
from ._events import Number, spell, to_json
from ._types import Direction, Engine, Event, Incompleteness, NumberFormat, Quantity, Relation


class BinaryNotFoundError(Error):
    """There is no program to ask."""


class QuestionError(Error, ValueError):
    """A question that cannot be answered, with the words of the program."""


class IncompleteWarning(UserWarning):
    """An enclosure that is wider than was asked for."""


def binary() -> str:
    """Returns the path of the program: $DPVERIFY_BINARY, the program of the wheel, or `verify` on PATH."""
    named = os.environ.get("DPVERIFY_BINARY")
    if named:
        return named
    name = "verify.exe" if os.name == "nt" else "verify"
    packed = Path(__file__).with_name("bin") / name
    if packed.is_file():
        return str(packed)
    found = shutil.which("verify")
    if found is None:
        raise BinaryNotFoundError("no program verify: install the wheel of this platform, or set DPVERIFY_BINARY")
    return found


class Verifier:
    """A process of `verify query`. Use it with `with`, or close it."""

    def __init__(self, program: Optional[str] = None) -> None:
        self._program = program or binary()
        self._lock = threading.Lock()
        self._log = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(
                [self._program, "query"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log
            )
        except OSError as e:
            self._log.close()
            raise BinaryNotFoundError("%s: %s" % (self._program, e)) from e
        self._owner = os.getpid()

    def __enter__(self) -> "Verifier":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def alive(self) -> bool:
        """Whether the process can be asked, by this process."""
        return self._owner == os.getpid() and not self._log.closed and self._process.poll() is None

    def close(self) -> None:
        """Ends the process and waits for it. Another time it does nothing."""
        if self._log.closed:
            return
        p = self._process
        for pipe in (p.stdin, p.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    pass  # it has died, and what was not sent is of no use
        if self._owner == os.getpid():
            try:
                p.wait(timeout=2)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()
        self._log.close()

    def ask(
        self,
        event: Event,
        quantity: Quantity,
        at: Optional[Number] = None,
        *,
        alpha_min: Optional[Number] = None,
        digits: Optional[int] = None,
        timeout: Optional[float] = None,
        relation: Optional[Relation] = None,
        direction: Optional[Direction] = None,
        number_format: Optional[NumberFormat] = None,
        incomplete: Incompleteness = "error",
    ) -> Enclosure:
        """Answers one question; see `epsilon` for the options."""
        name = _places.get(quantity, "at")
        if isinstance(event, (list, tuple)) and not hasattr(event, "_asdict"):
            raise TypeError(
                "event = %.60r, want a dict, a short form or a DpEvent; from_opacus makes one of a history" % (event,)
            )
        q = {"event": event, "quantity": quantity, "digits": digits, "timeout": timeout, "relation": relation,
             "direction": direction, "number_format": number_format}  # fmt: skip
        q = {k: v for k, v in q.items() if v is not None}
        if at is not None:
            q["at"] = spell(at, name)
        if alpha_min is not None:
            q["alpha_min"] = spell(alpha_min, "alpha_min")
        try:
            return next(iter(self.ask_many([q], incomplete=incomplete)))
        except QuestionError as e:  # the protocol calls it `at`, and the caller's argument has a name
            raise QuestionError(str(e).replace("query: at ", name + " ", 1)) from None

    def ask_many(
        self, questions: Iterable[Mapping[str, Any]], *, incomplete: Incompleteness = "error", progress: bool = False
    ) -> Iterator[Enclosure]:
        """Answers questions of the protocol, in order; they are computed in parallel.

        A question is a dict with `event`, `quantity`, `at` and the options of `epsilon`. With progress=True a bar
        shows how many are answered, where tqdm is installed.
        """
        if incomplete not in ("error", "warn", "ignore"):
            raise ValueError("incomplete = %r, want 'error', 'warn' or 'ignore'" % (incomplete,))
        sent = list(questions)
        if any(q.get("engine", "exact") == "float" for q in sent):
            raise ValueError("engine = 'float', want 'exact': estimate_many has estimates")
        for answer in self._all(sent, progress):
            yield _enclosure(answer, incomplete)

    def estimate_many(self, questions: Iterable[Mapping[str, Any]], *, progress: bool = False) -> Iterator[Estimate]:
        """Estimates questions of the protocol, in order, by the engine "float", which proves nothing.

        A question is as for `ask_many`: δ, ε, tv, or a Rényi divergence at a finite order above 1; without digits. A
        QuestionError says that there is no estimate.
        """
        for answer in self._all([dict(q, engine="float") for q in questions], progress):
            if "error" in answer and "estimate" not in answer:
                raise QuestionError(answer["error"])
            yield Estimate(
                Decimal(answer["estimate"]),
                Decimal(answer["error"]),
                str(answer["method"]),
                str(answer.get("counted", "")),
            )

    def _all(self, questions: List[Mapping[str, Any]], progress: bool) -> List[Dict[str, Any]]:
        sent = [dict(q, event=to_json(q["event"])) for q in questions]
        lines = [json.dumps(q, default=spell, allow_nan=False) + "\n" for q in sent]
        most = sum(_seconds(q.get("timeout")) for q in sent)
        return self._answers(lines, most, bar(len(lines)) if progress else lambda: None)

    def _answers(self, lines: List[str], most: float, answered: Callable[[], None]) -> List[Dict[str, Any]]:
        """Sends lines and reads as many; a process that takes twice the time that all of them may take is ended."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if self._log.closed or stdin is None or stdout is None:
            raise Error("the verifier is closed")
        if self._owner != os.getpid():
            raise Error("the verifier belongs to another process, before a fork")
        with self._lock:

            def send(pipe: IO[bytes]) -> None:
                try:
                    for line in lines:
                        pipe.write(line.encode("utf-8"))
                    pipe.flush()
                except (OSError, ValueError):
                    pass  # the reader says that the process has ended

            # A second thread: with many lines the process blocks until its answers are read.
            sender = threading.Thread(target=send, args=(stdin,), daemon=True)
            sender.start()
            watch = threading.Timer(2 * most + _GRACE, self._process.kill)
            watch.daemon = True
            watch.start()
            out: List[Dict[str, Any]] = []
            try:
                for _ in lines:
                    line = stdout.readline()
                    if not line.endswith(b"\n"):
                        raise self._died()
                    out.append(json.loads(line))
                    answered()
            except BaseException:
                # Answers that nobody has read must not become answers of the next question.
                self._process.kill()
                raise
            finally:
                watch.cancel()
                sender.join()
            return out

    def _died(self) -> Error:
        status = self._process.wait()
        self._log.seek(0)
        said = self._log.read().decode("utf-8", "replace").strip()
        return Error("%s query ended with status %d%s" % (self._program, status, ": " + said[-2000:] if said else ""))


# What the place of a question is called where it is an argument.
_places = {"delta": "epsilon", "epsilon": "delta", "renyi": "order", "tradeoff": "alpha"}


# What a process may take beyond its questions' time before it is taken for stuck, in seconds.
_GRACE = 60.0


def _seconds(timeout: Any) -> float:
    """Returns the seconds that a question may take; what is no number is refused by the program."""
    try:
        return 60.0 if timeout is None else min(max(float(Fraction(str(timeout))), 0.0), 1e6)
    except (ValueError, ZeroDivisionError):
        return 60.0


def bar(total: int) -> Callable[[], None]:
    """Returns what to call for every answer, which shows a bar of progress where tqdm is installed."""
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        return lambda: None
    shown = tqdm(total=total)

    def answered() -> None:
        shown.update()
        if shown.n >= total:
            shown.close()

    return answered


def _enclosure(answer: Mapping[str, Any], incomplete: Incompleteness) -> Enclosure:
    if "error" in answer:
        raise QuestionError(answer["error"])
    e = Enclosure(
        Decimal(answer["lo"]),
        Decimal(answer["hi"]),
        bool(answer["complete"]),
        tuple(answer["methods"]),
        tuple(answer.get("notes", ())),
        str(answer.get("reason", "")),
        str(answer["quote"]),
        str(answer.get("counted", "")),
    )
    if not e.complete:
        if incomplete == "error":
            raise Incomplete(e, e.reason)
        if incomplete == "warn":
            warnings.warn("[%s, %s]: %s" % (e.lo, e.hi, e.reason), IncompleteWarning, stacklevel=4)
    return e


def _estimate(event: Event, quantity: Quantity, at: Number, *, engine: str, **options: Any) -> Estimate:
    if engine != "float":
        raise ValueError("engine = %r, want 'exact' or 'float'" % (engine,))
    q = {"event": event, "quantity": quantity, "at": spell(at, _places[quantity]), **options}
    return next(iter(shared().estimate_many([{k: v for k, v in q.items() if v is not None}])))


_shared: Optional[Verifier] = None
_shared_lock = threading.Lock()


def shared() -> Verifier:
    """Returns the verifier that all questions share; it starts anew where it has ended."""
    global _shared
    with _shared_lock:
        if _shared is None or not _shared.alive:
            if _shared is not None:
                _shared.close()
            _shared = Verifier()
        return _shared


def close() -> None:
    """Ends the shared process; the next question starts another one."""
    global _shared
    with _shared_lock:
        if _shared is not None:
            _shared.close()
            _shared = None


atexit.register(close)


@overload
def epsilon(
    event: Event, delta: Number, *, digits: Optional[int] = None, timeout: Optional[float] = None, relation: Optional[Relation] = None,
    direction: Optional[Direction] = None, number_format: Optional[NumberFormat] = None, incomplete: Incompleteness = "error",
    engine: Literal["exact"] = "exact",
) -> Enclosure: ...  # fmt: skip


@overload
def epsilon(
    event: Event, delta: Number, *, timeout: Optional[float] = None, relation: Optional[Relation] = None,
    direction: Optional[Direction] = None, number_format: Optional[NumberFormat] = None, engine: Literal["float"],
) -> Estimate: ...  # fmt: skip


def epsilon(
    event: Event,
    delta: Number,
    *,
    digits: Optional[int] = None,
    timeout: Optional[float] = None,
    relation: Optional[Relation] = None,
    direction: Optional[Direction] = None,
    number_format: Optional[NumberFormat] = None,
    incomplete: Incompleteness = "error",
    engine: Engine = "exact",
) -> Union[Enclosure, Estimate]:
    """Encloses the least ε (in nats) such that the event is (ε, delta)-differentially private.

    It may be negative, and infinite. Options of this and of every other question:

    digits: the significant digits to aim at, hi − lo ≤ 10^−digits·|hi|; 1 to 4000, 12 if it is left out.
    timeout: seconds after which the answer is what was reached; 60 if it is left out.
    relation: which data sets are neighbours, ADD_OR_REMOVE_ONE if it is left out.
    direction: "remove" is δ(P‖Q), "add" δ(Q‖P), "both", which is taken if it is left out, their maximum.
    number_format: "decimal" takes a float as Python prints it, "binary64" as the number that it is.
    incomplete: what happens where the enclosure is wider than digits: "error" raises Incomplete, which has the
    enclosure, "warn" is an IncompleteWarning, "ignore" nothing.

    engine: "exact" proves what it answers; "float" returns an `Estimate` in its place, without digits, for sweeps.

    Raises QuestionError, a ValueError, with field, value and what was wanted, if there is no answer.
    """
    if engine != "exact":
        return _estimate(event, "epsilon", delta, digits=digits, timeout=timeout, relation=relation, direction=direction,
                         number_format=number_format, engine=engine)  # fmt: skip
    return shared().ask(
        event, "epsilon", delta, digits=digits, timeout=timeout, relation=relation, direction=direction,
        number_format=number_format, incomplete=incomplete,
    )  # fmt: skip


@overload
def delta(
    event: Event, epsilon: Number, *, digits: Optional[int] = None, timeout: Optional[float] = None, relation: Optional[Relation] = None,
    direction: Optional[Direction] = None, number_format: Optional[NumberFormat] = None, incomplete: Incompleteness = "error",
    engine: Literal["exact"] = "exact",
) -> Enclosure: ...  # fmt: skip


@overload
def delta(
    event: Event, epsilon: Number, *, timeout: Optional[float] = None, relation: Optional[Relation] = None,
    direction: Optional[Direction] = None, number_format: Optional[NumberFormat] = None, engine: Literal["float"],
) -> Estimate: ...  # fmt: skip


def delta(
    event: Event,
    epsilon: Number,
    *,
    digits: Optional[int] = None,
    timeout: Optional[float] = None,
    relation: Optional[Relation] = None,
    direction: Optional[Direction] = None,
    number_format: Optional[NumberFormat] = None,
    incomplete: Incompleteness = "error",
    engine: Engine = "exact",
) -> Union[Enclosure, Estimate]:
    """Encloses the least δ such that the event is (epsilon, δ)-differentially private; epsilon is in nats."""
    if engine != "exact":
        return _estimate(event, "delta", epsilon, digits=digits, timeout=timeout, relation=relation, direction=direction,
                         number_format=number_format, engine=engine)  # fmt: skip
    return shared().ask(
        event, "delta", epsilon, digits=digits, timeout=timeout, relation=relation, direction=direction,
        number_format=number_format, incomplete=incomplete,
    )  # fmt: skip


def renyi(
    event: Event,
    order: Number,
    *,
    digits: Optional[int] = None,
    timeout: Optional[float] = None,
    relation: Optional[Relation] = None,
    direction: Optional[Direction] = None,
    number_format: Optional[NumberFormat] = None,
    incomplete: Incompleteness = "error",
) -> Enclosure:
    """Encloses the Rényi divergence of an order above 0, or "inf", in nats."""
    return shared().ask(
        event, "renyi", order, digits=digits, timeout=timeout, relation=relation, direction=direction,
        number_format=number_format, incomplete=incomplete,
    )  # fmt: skip


def tradeoff(
    event: Event,
    alpha: Number,
    *,
    digits: Optional[int] = None,
    timeout: Optional[float] = None,
    relation: Optional[Relation] = None,
    direction: Optional[Direction] = None,
    number_format: Optional[NumberFormat] = None,
    incomplete: Incompleteness = "error",
) -> Enclosure:
    """Encloses the least type II error of a test with type I error at most alpha."""
    return shared().ask(
        event, "tradeoff", alpha, digits=digits, timeout=timeout, relation=relation, direction=direction,
        number_format=number_format, incomplete=incomplete,
    )  # fmt: skip


def tv(
    event: Event,
    *,
    digits: Optional[int] = None,
    timeout: Optional[float] = None,
    relation: Optional[Relation] = None,
    direction: Optional[Direction] = None,
    number_format: Optional[NumberFormat] = None,
    incomplete: Incompleteness = "error",
) -> Enclosure:
    """Encloses the total variation distance of the outputs on neighbouring data, δ(0)."""
    return shared().ask(
        event, "tv", digits=digits, timeout=timeout, relation=relation, direction=direction,
        number_format=number_format, incomplete=incomplete,
    )  # fmt: skip


def gdp(
    event: Event,
    alpha_min: Optional[Number] = None,
    *,
    digits: Optional[int] = None,
    timeout: Optional[float] = None,
    relation: Optional[Relation] = None,
    direction: Optional[Direction] = None,
    number_format: Optional[NumberFormat] = None,
    incomplete: Incompleteness = "error",
) -> Enclosure:
    """Encloses the least μ such that the event is μ-Gaussian differentially private.

    Type I errors count from alpha_min (1e-12 if it is left out) to 1 - alpha_min.
    """
    return shared().ask(
        event, "gdp", alpha_min=alpha_min, digits=digits, timeout=timeout, relation=relation, direction=direction,
        number_format=number_format, incomplete=incomplete,
    )  # fmt: skip


def ask_many(
    questions: Iterable[Mapping[str, Any]], *, incomplete: Incompleteness = "error", progress: bool = False
) -> List[Enclosure]:
    """Answers questions of the protocol, in order; see `Verifier.ask_many`."""
    return list(shared().ask_many(questions, incomplete=incomplete, progress=progress))


def estimate_many(questions: Iterable[Mapping[str, Any]], *, progress: bool = False) -> List[Estimate]:
    """Estimates questions of the protocol, in order, by the engine "float"; see `Verifier.estimate_many`."""
    return list(shared().estimate_many(questions, progress=progress))
