"""The accountant of pfl-research, with bounds that are proved: of ε, δ and the noise two are given, and the third is found.

    from dpverify.pfl import CertifiedPrivacyAccountant

    CertifiedPrivacyAccountant(num_compositions=1000, sampling_probability=0.01, mechanism="gaussian", epsilon=2, delta=1e-6).noise_parameter

It has the fields of pfl.privacy.privacy_accountant.PrivacyAccountant and does not need that package.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Dict, Optional

from . import _client, _commands
from ._events import spell
from ._sound import assert_sound


@dataclass
class CertifiedPrivacyAccountant:
    """Poisson samples of Gaussian or Laplace noise; records have norm 1.

    Given epsilon and delta, noise_parameter is the least noise of 5 digits with which both hold. Given the noise, the other
    one is rounded up. Given all three, Unsound is raised unless they hold. Two neighbours differ in one record.
    """

    num_compositions: int
    sampling_probability: float
    mechanism: str
    epsilon: Optional[float] = None
    delta: Optional[float] = None
    noise_parameter: Optional[float] = None
    noise_scale: float = 1.0

    def __post_init__(self) -> None:
        self.mechanism = self.mechanism.lower()
        classes = {"gaussian": "GaussianDpEvent", "laplace": "LaplaceDpEvent"}
        if self.mechanism not in classes:
            raise ValueError("mechanism = %r, want gaussian or laplace" % (self.mechanism,))
        if [self.epsilon, self.delta, self.noise_parameter].count(None) > 1:
            raise ValueError("epsilon = %s, delta = %s, noise_parameter = %s, want at least two of them"
                             % (self.epsilon, self.delta, self.noise_parameter))  # fmt: skip
        if not 0 < self.noise_scale <= 1:
            raise ValueError("noise_scale = %s, want in (0, 1]" % (self.noise_scale,))
        noise = "?" if self.noise_parameter is None else spell(self.noise_parameter, "noise_parameter")
        base = {"class_name": classes[self.mechanism], "noise_multiplier": noise}
        step = {
            "class_name": "PoissonSampledDpEvent",
            "sampling_probability": spell(self.sampling_probability),
            "event": base,
        }
        event: Dict[str, Any] = {"class_name": "SelfComposedDpEvent", "count": self.num_compositions, "event": step}
        if self.epsilon is None and self.delta is not None:
            self.epsilon = max(0.0, _client.epsilon(event, self.delta, digits=6).upper)
        elif self.delta is None and self.epsilon is not None:
            self.delta = _client.delta(event, self.epsilon, digits=6).upper
        elif self.epsilon is not None and self.delta is not None:
            if self.noise_parameter is None:
                least = _commands.calibrate(event, epsilon=self.epsilon, delta=self.delta, digits=5).value
                self.noise_parameter = float(least)
                if Fraction(self.noise_parameter) < Fraction(least):
                    self.noise_parameter = float(Fraction(least) * (1 + Fraction(1, 2**52)))
            else:
                assert_sound(event, delta=self.delta, epsilon=self.epsilon)

    @property
    def cohort_noise_parameter(self) -> float:
        """The noise of a cohort of users: noise_parameter times noise_scale."""
        if self.noise_parameter is None:
            raise ValueError("noise_parameter is not set")
        return self.noise_parameter * self.noise_scale
