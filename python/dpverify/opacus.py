"""An accountant of Opacus whose answers are proved. Importing this module registers it.

    import dpverify.opacus

    engine = opacus.PrivacyEngine(accountant="dpverify")
    engine.get_epsilon(delta=1e-5)
    opacus.accountants.utils.get_noise_multiplier(accountant="dpverify", …)

It stands wherever "prv", "rdp" or "gdp" do. Needs opacus, 1.6 or later.
"""

import warnings
from typing import Any, Optional

from opacus.accountants import registry  # type: ignore[import-untyped,import-not-found,unused-ignore]
from opacus.accountants.accountant import IAccountant  # type: ignore[import-untyped,import-not-found,unused-ignore]

from ._client import IncompleteWarning, shared
from ._enclosure import Enclosure
from ._events import from_opacus


class CertifiedAccountant(IAccountant):  # type: ignore[misc,unused-ignore]
    """An IAccountant of Opacus. Its ε is never below the truth; last_enclosure has both ends."""

    def __init__(self) -> None:
        super().__init__()
        self.last_enclosure: Optional[Enclosure] = None

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """Records one step of Gaussian noise, of which the standard deviation is noise_multiplier times the clipping norm."""
        if self.history and tuple(self.history[-1][:2]) == (noise_multiplier, sample_rate):
            self.history[-1] = (noise_multiplier, sample_rate, self.history[-1][2] + 1)
        else:
            self.history.append((noise_multiplier, sample_rate, 1))

    def get_epsilon(self, delta: float, *, digits: int = 4, timeout: float = 60.0, **_: Any) -> float:
        """Returns the least ε ≥ 0 at delta in [0, 1], of digits significant digits, rounded up.

        Past timeout seconds it is what was proved by then, with an IncompleteWarning. Other arguments, which other
        accountants of Opacus have, are not needed.
        """
        if not 0 <= delta <= 1:
            raise ValueError("delta = %r, want in [0, 1]" % (delta,))
        self.last_enclosure = e = shared().ask(
            from_opacus(self.history), "epsilon", delta, digits=digits, timeout=timeout, incomplete="ignore"
        )
        if not e.complete:
            warnings.warn(
                "the answer holds, and is wider than %d digits: %s" % (digits, e), IncompleteWarning, stacklevel=2
            )
        return max(0.0, e.upper)

    def __len__(self) -> int:
        """The number of entries of the history, as the other accountants of Opacus count."""
        return len(self.history)

    @classmethod
    def mechanism(cls) -> str:
        return "dpverify"


registry.register_accountant(CertifiedAccountant.mechanism(), CertifiedAccountant, force=True)
