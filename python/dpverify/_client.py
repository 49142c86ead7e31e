"""One process of `verify query`, shared and closed."""

import atexit
import json
import math
import os
import shutil
import subprocess
import tempfile
import threading
import warnings
from decimal import Decimal
from pathlib import Path
from typing import IO, Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from ._events import Number, spell, to_json


class Error(Exception):
    """What dpverify raises."""


class BinaryNotFoundError(Error):
    """There is no program to ask."""


class QuestionError(Error, ValueError):
    """A question that cannot be answered, with the words of the program."""


class Incomplete(Error):
    """An enclosure that is wider than was asked for. It contains the truth all the same."""

    def __init__(self, enclosure: "Enclosure", reason: str) -> None:
        super().__init__("[%s, %s]: %s" % (enclosure.lo, enclosure.hi, reason))
        self.enclosure = enclosure
        self.reason = reason


class IncompleteWarning(UserWarning):
    """An enclosure that is wider than was asked for."""


class Enclosure(NamedTuple):
    """Two decimals between which the truth lies: lo is rounded down, hi is rounded up."""

    lo: Decimal
    hi: Decimal
    complete: bool = True
    methods: Tuple[str, ...] = ()
    notes: Tuple[str, ...] = ()
    reason: str = ""

    def __contains__(self, x: object) -> bool:
        return isinstance(x, (int, float, Decimal)) and self.lo <= Decimal(x) <= self.hi

    @property
    def upper(self) -> float:
        """hi as a float, rounded up: the number to quote."""
        return _toward(self.hi, math.inf)

    @property
    def lower(self) -> float:
        """lo as a float, rounded down."""
        return _toward(self.lo, -math.inf)


def _toward(x: Decimal, end: float) -> float:
    f = float(x)
    if math.isinf(f) and x.is_finite():  # beyond the largest float
        return f if f == end else math.nextafter(f, end)
    inside = f < x if end > 0 else f > x
    return math.nextafter(f, end) if inside else f


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
        self, event: Any, quantity: str, at: Optional[Number] = None, *, incomplete: str = "error", **options: Any
    ) -> Enclosure:
        """Answers one question; see `epsilon` for the options."""
        name = _places.get(quantity, "at")
        try:
            return next(iter(self.ask_many([_question(event, quantity, at, options)], incomplete=incomplete)))
        except QuestionError as e:  # the protocol calls it `at`, and the caller's argument has a name
            raise QuestionError(str(e).replace("query: at ", name + " ", 1)) from None

    def ask_many(self, questions: Iterable[Dict[str, Any]], *, incomplete: str = "error") -> Iterator[Enclosure]:
        """Answers questions of the protocol, in order; they are computed in parallel."""
        if incomplete not in ("error", "warn", "ignore"):
            raise ValueError("incomplete = %r, want 'error', 'warn' or 'ignore'" % (incomplete,))
        lines = [json.dumps(dict(q, event=to_json(q["event"])), allow_nan=False) + "\n" for q in questions]
        for answer in self._answers(lines):
            yield _enclosure(answer, incomplete)

    def _answers(self, lines: List[str]) -> List[Dict[str, Any]]:
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
            out: List[Dict[str, Any]] = []
            try:
                for _ in lines:
                    line = stdout.readline()
                    if not line.endswith(b"\n"):
                        raise self._died()
                    out.append(json.loads(line))
            except BaseException:
                # Answers that nobody has read must not become answers of the next question.
                self._process.kill()
                raise
            finally:
                sender.join()
            return out

    def _died(self) -> Error:
        status = self._process.wait()
        self._log.seek(0)
        said = self._log.read().decode("utf-8", "replace").strip()
        return Error("%s query ended with status %d%s" % (self._program, status, ": " + said[-2000:] if said else ""))


# What the place of a question is called where it is an argument.
_places = {"delta": "epsilon", "epsilon": "delta", "renyi": "order", "tradeoff": "alpha"}


def _question(event: Any, quantity: str, at: Optional[Number], options: Dict[str, Any]) -> Dict[str, Any]:
    known = ("relation", "direction", "number_format", "digits", "timeout") + (("alpha_min",) if quantity == "gdp" else ())
    for name in options:
        if name not in known:
            raise TypeError("an option = %r, want one of %s" % (name, ", ".join(known)))
    q: Dict[str, Any] = {"event": event, "quantity": quantity}
    if isinstance(event, (list, tuple)) and not hasattr(event, "_asdict"):
        raise TypeError("event = %.60r, want a dict, a short form or a DpEvent; from_opacus makes one of a history" % (event,))
    if at is not None:
        q["at"] = spell(at, _places.get(quantity, "at"))
    q.update({k: v for k, v in options.items() if v is not None})
    if "alpha_min" in q:
        q["alpha_min"] = spell(q["alpha_min"], "alpha_min")
    return q


def _enclosure(answer: Dict[str, Any], incomplete: str) -> Enclosure:
    if "error" in answer:
        raise QuestionError(answer["error"])
    e = Enclosure(
        Decimal(answer["lo"]),
        Decimal(answer["hi"]),
        bool(answer["complete"]),
        tuple(answer["methods"]),
        tuple(answer.get("notes", ())),
        str(answer.get("reason", "")),
    )
    if not e.complete:
        if incomplete == "error":
            raise Incomplete(e, e.reason)
        if incomplete == "warn":
            warnings.warn("[%s, %s]: %s" % (e.lo, e.hi, e.reason), IncompleteWarning, stacklevel=4)
    return e


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


def epsilon(event: Any, delta: Number, *, incomplete: str = "error", **options: Any) -> Enclosure:
    """Encloses the least ε (in nats) such that the event is (ε, delta)-differentially private.

    It may be negative, and infinite. Options: digits (12), timeout (60 seconds), relation
    ("ADD_OR_REMOVE_ONE", "REPLACE_ONE", "REPLACE_SPECIAL"), direction ("remove", "add",
    "both") and number_format ("decimal", "binary64"). An enclosure that is wider than
    digits raises Incomplete; with incomplete="warn" it is a warning, with "ignore" nothing.
    """
    return shared().ask(event, "epsilon", delta, incomplete=incomplete, **options)


def delta(event: Any, epsilon: Number, *, incomplete: str = "error", **options: Any) -> Enclosure:
    """Encloses the least δ such that the event is (epsilon, δ)-differentially private."""
    return shared().ask(event, "delta", epsilon, incomplete=incomplete, **options)


def renyi(event: Any, order: Number, *, incomplete: str = "error", **options: Any) -> Enclosure:
    """Encloses the Rényi divergence of an order above 0, or "inf", in nats."""
    return shared().ask(event, "renyi", order, incomplete=incomplete, **options)


def tradeoff(event: Any, alpha: Number, *, incomplete: str = "error", **options: Any) -> Enclosure:
    """Encloses the least type II error of a test with type I error at most alpha."""
    return shared().ask(event, "tradeoff", alpha, incomplete=incomplete, **options)


def tv(event: Any, *, incomplete: str = "error", **options: Any) -> Enclosure:
    """Encloses the total variation distance of the outputs on neighbouring data, δ(0)."""
    return shared().ask(event, "tv", None, incomplete=incomplete, **options)


def gdp(event: Any, alpha_min: Optional[Number] = None, *, incomplete: str = "error", **options: Any) -> Enclosure:
    """Encloses the least μ such that the event is μ-Gaussian differentially private.

    Type I errors count from alpha_min (1e-12 if it is left out) to 1 - alpha_min.
    """
    return shared().ask(event, "gdp", None, incomplete=incomplete, alpha_min=alpha_min, **options)
