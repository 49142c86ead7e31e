"""Test vectors: questions with enclosures of their answers. No program is needed."""

import importlib
import json
import math
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, Optional, Sequence, Tuple, TypeVar, Union

from ._events import spell

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Vector:
    """A test: an event, what is asked, and an enclosure of the answer."""

    tc_id: str
    file: str
    group: str
    comment: str
    flags: Tuple[str, ...]
    event: Dict[str, Any]
    relation: str
    direction: str
    quantity: str
    at: str
    number_format: str
    lo: Decimal
    hi: Decimal
    notes: Dict[str, Dict[str, Any]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def place(self) -> float:
        """at, as a float."""
        return float("inf") if self.at == "inf" else float(Fraction(self.at))

    def sound_upper(self, x: Any) -> bool:
        """Whether x may be an upper bound: false means that it is below the truth."""
        return not _below(x, self.lo)

    def sound_lower(self, x: Any) -> bool:
        """Whether x may be a lower bound: false means that it is above the truth."""
        return not _below(self.hi, x)

    def tight(self, x: Any, tau: float) -> bool:
        """Whether an upper bound x is at most hi + tau·|hi|."""
        if self.hi.is_infinite():
            return self.hi > 0
        x = _number(x)
        return x != float("inf") and Fraction(x) <= Fraction(self.hi) + Fraction(tau) * abs(Fraction(self.hi))

    def right(self, x: Any) -> bool:
        """Whether x lies in [lo, hi]."""
        return self.sound_upper(x) and self.sound_lower(x)

    def check_upper(self, x: Any, tau: Optional[float] = None) -> None:
        """Fails unless x is an upper bound, and a tight one if tau is given. NaN is none."""
        if not self.sound_upper(x):
            raise AssertionError(self._says("%s is below the truth" % (x,)))
        if tau is not None and not self.tight(x, tau):
            raise AssertionError(self._says("%s is above the truth by more than %g of it" % (x, tau)))

    def check_lower(self, x: Any) -> None:
        """Fails unless x is a lower bound, which is what a trade-off function wants."""
        if not self.sound_lower(x):
            raise AssertionError(self._says("%s is above the truth" % (x,)))

    def _says(self, problem: str) -> str:
        lines = ["%s: %s of %s at %s, %s" % (self.tc_id, self.quantity, self.comment, self.at, self.relation)]
        lines.append("  %s: it is in [%s, %s]" % (problem, self.lo, self.hi))
        for flag in self.flags:
            lines.append("  %s: %s" % (flag, self.notes.get(flag, {}).get("description", "")))
        return "\n".join(lines)


def _number(x: Any) -> Union[float, Fraction, Decimal]:
    """Returns x as a number; a float is what it is."""
    if isinstance(x, (Decimal, Fraction, int)):
        return x
    if isinstance(x, str) and x.strip("+-") not in ("inf", "nan"):
        return Fraction(x)
    near = float(x)
    if isinstance(x, (str, float)) or math.isinf(near) or near != near or near == x:
        return near
    return Fraction(spell(x))  # between two floats


def _below(a: Any, b: Any) -> bool:
    """Whether a < b, or one of them is NaN, exactly."""
    a, b = _number(a), _number(b)
    if a != a or b != b:
        return True
    infinite = [x == float("inf") or x == -float("inf") for x in (a, b)]
    if any(infinite):
        return float(a) < float(b) if all(infinite) else bool(b > 0 if infinite[1] else a < 0)
    return Fraction(a) < Fraction(b)


def default_root() -> Path:
    """Returns the folder of the vectors that came with this package."""
    here = Path(__file__).resolve().parent
    for root in (here / "vectors" / "v1", here.parent.parent / "vectors" / "v1"):
        if root.is_dir():
            return root
    raise FileNotFoundError("no vectors beside dpverify: name their folder")


def load_vectors(
    *files: str,
    root: Union[str, Path, None] = None,
    flags: Sequence[str] = (),
    without: Sequence[str] = (),
    quantity: Optional[str] = None,
    relation: Optional[str] = None,
) -> Iterator[Vector]:
    """Yields the tests of some files, or of all: those with one of flags, if any are given,
    and with none of without."""
    folder = Path(root) if root is not None else default_root()
    names = files or tuple(sorted(p.name for p in folder.glob("*.json")))
    if not names:
        raise FileNotFoundError("%s: no file *.json" % folder)
    for name in names:
        paths = sorted(folder.glob(name))
        if not paths:
            raise FileNotFoundError("%s: no file %s" % (folder, name))
        for path in paths:
            data = json.loads(path.read_text(encoding="utf-8"))
            for group in data["testGroups"]:
                for t in group["tests"]:
                    v = _vector(path.name, group["comment"], t, data["notes"])
                    if (
                        (not flags or set(flags) & set(v.flags))
                        and not set(without) & set(v.flags)
                        and quantity in (None, v.quantity)
                        and relation in (None, v.relation)
                    ):
                        yield v


def _vector(file: str, group: str, t: Dict[str, Any], notes: Dict[str, Dict[str, Any]]) -> Vector:
    return Vector(
        tc_id=t["tcId"],
        file=file,
        group=group,
        comment=t["comment"],
        flags=tuple(t["flags"]),
        event=t["event"],
        relation=t["relation"],
        direction=t["direction"],
        quantity=t["quantity"],
        at=t["at"],
        number_format=t["number_format"],
        lo=Decimal(t["lo"]),
        hi=Decimal(t["hi"]),
        notes=notes,
    )


def vectors(*files: str, **select: Any) -> Callable[[F], F]:
    """Runs a pytest function for each test of some files, with the argument `vector`.

        @dpverify.vectors("gaussian_delta.json")
        def test_delta(vector):
            vector.check_upper(my_delta(vector.event, vector.place))

    It takes the keywords of load_vectors. `pytest --dpverify-vectors ROOT` reads another
    folder than the folder of this package.
    """

    def mark(function: F) -> F:
        # A module of the tests' own: without it the types of this package are whole all the same.
        pytest = importlib.import_module("pytest")
        marked: F = pytest.mark.dpverify_vectors(*files, **select)(function)
        return marked

    return mark
